//! The form of a journal.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Confirmation;

/// A journal; the [module](super) says what its keys mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// One sentence for whoever reads the file.
    pub about: String,
    /// The settings of the session.
    pub settings: Settings,
    /// The question of a single turn.
    pub question: Option<String>,
    /// The questions of several.
    pub questions: Option<Vec<String>>,
    /// What the server answers, in order.
    pub replies: Vec<ScriptedReply>,
    /// What the tools give.
    #[serde(default)]
    pub results: Vec<Canned>,
    /// What the user answers.
    #[serde(default)]
    pub confirmations: Vec<Confirmed>,
    /// The number of the event at which the user interrupts.
    pub interrupt_at: Option<usize>,
    /// What is to happen; `None` in a journal that is not written yet.
    pub expect: Option<Expected>,
}

/// The questions of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions<'a> {
    /// A single turn.
    One(&'a str),
    /// Several in one conversation.
    Several(&'a [String]),
}

impl Journal {
    /// The questions; `None` where there are none, or both kinds.
    pub fn asked(&self) -> Option<Questions<'_>> {
        match (&self.question, &self.questions) {
            (Some(question), None) => Some(Questions::One(question)),
            (None, Some(questions)) if !questions.is_empty() => Some(Questions::Several(questions)),
            _ => None,
        }
    }
}

/// The settings of a session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The row of the table of providers.
    #[serde(default = "llamacpp")]
    pub provider: String,
    /// The model in the server's naming.
    pub model: String,
    /// The system message; the built-in one when `None`, none at all when empty.
    pub system: Option<String>,
    /// Calls of the model in one turn.
    #[serde(default = "ten")]
    pub max_turns: u32,
    /// The same call with the same result this often in a row ends the turn.
    #[serde(default = "five")]
    pub max_repeated_calls: u32,
    /// Whether tools run without asking.
    #[serde(default = "yes")]
    pub yolo: bool,
    /// Tokens of the context window, where known.
    pub window: Option<u64>,
    /// The shape of the answers, as Go declarations.
    pub structured_output: Option<String>,
    /// How often an answer that does not fit is given back.
    #[serde(default = "one")]
    pub structured_retries: u32,
    /// Further keys of every request.
    #[serde(default)]
    pub sampling: Map<String, Value>,
    /// The tools in the order they are declared.
    #[serde(default)]
    pub tools: Vec<ToolForm>,
}

/// A tool as it is declared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolForm {
    /// The name that the model calls.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// A JSON Schema for the arguments.
    pub parameters: Value,
    /// Whether it changes anything.
    pub mutating: bool,
}

/// An answer of the server: `lines` or `body`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedReply {
    /// The status.
    #[serde(default = "fine")]
    pub status: u16,
    /// Header lines besides the content type.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The events of the stream as sent, without the blank line behind each.
    pub lines: Option<Vec<String>>,
    /// A JSON body.
    pub body: Option<Value>,
    /// How the answer ends.
    #[serde(default)]
    pub end: End,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Rightly, with the connection kept.
    #[default]
    Whole,
    /// By closing the connection, which ends the body.
    Close,
    /// In the midst of the body.
    Cut,
    /// Not at all: nothing more comes, and the connection stays.
    Hold,
}

/// What a call gives: `ok` or `error`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canned {
    /// The call that it is for; the next one that has no result of its own when `None`.
    pub id: Option<String>,
    /// The text for the model of a call that succeeded.
    pub ok: Option<String>,
    /// The text for the model of a call that failed, such as `[error: no such file]`.
    pub error: Option<String>,
}

/// An answer of the user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmed {
    /// This call may run.
    Once,
    /// This tool may run for the rest of the session.
    Session,
    /// This call may not run.
    Refuse,
    /// This tool may not run for the rest of the session.
    Never,
    /// Nobody can answer, with the reason for the model.
    Nobody(String),
}

impl From<Confirmed> for Confirmation {
    fn from(confirmed: Confirmed) -> Self {
        match confirmed {
            Confirmed::Once => Self::Once,
            Confirmed::Session => Self::Session,
            Confirmed::Refuse => Self::Refuse,
            Confirmed::Never => Self::Never,
            Confirmed::Nobody(why) => Self::Nobody(why),
        }
    }
}

/// What happens when a journal is played. Values rather than types: what is wrong in one is a difference, with
/// its place.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The bodies of the requests.
    pub requests: Vec<Value>,
    /// What the front end was shown and asked.
    pub events: Vec<Value>,
    /// The messages afterwards, as they would go to the server.
    pub history: Vec<Value>,
    /// How the turn ended; a list for several.
    pub outcome: Value,
    /// Counts of the turn; a list for several.
    pub statistics: Value,
}

/// What differs between machines and days: the values behind the placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `<date>`.
    pub date: String,
    /// `<host>`.
    pub host: String,
    /// `<cwd>`; need not exist.
    pub cwd: PathBuf,
    /// `<home>`; need not exist.
    pub home: PathBuf,
}

impl Default for Place {
    /// A place that is nowhere: a journal that names it without a placeholder is found out.
    fn default() -> Self {
        Self {
            date: "the 32nd of Journal".to_owned(),
            host: "journal.invalid".to_owned(),
            cwd: PathBuf::from("/journal/home/project"),
            home: PathBuf::from("/journal/home"),
        }
    }
}

impl Place {
    /// Puts the values in place of the placeholders.
    pub(super) fn fill(&self, text: &str) -> String {
        self.pairs().iter().fold(text.to_owned(), |text, (value, word)| text.replace(word, value))
    }

    /// Each value with its placeholder, the longer of two paths first.
    pub(super) fn pairs(&self) -> [(String, &'static str); 4] {
        let mut paths =
            [(self.cwd.display().to_string(), "<cwd>"), (self.home.display().to_string(), "<home>")];
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        let [first, second] = paths;
        [first, second, (self.host.clone(), "<host>"), (self.date.clone(), "<date>")]
    }
}

fn llamacpp() -> String {
    "llamacpp".to_owned()
}

fn one() -> u32 {
    1
}

fn ten() -> u32 {
    10
}

fn five() -> u32 {
    5
}

fn yes() -> bool {
    true
}

fn fine() -> u16 {
    200
}
