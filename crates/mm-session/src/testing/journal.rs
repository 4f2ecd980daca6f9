//! Whole turns as files: what was asked, what the server sent, and everything that came of it.
//!
//! A journal is one JSON file. [`run`] plays it: the replies go out as bytes over HTTP from a scripted server on
//! loopback, the provider and the session are the real ones, only the tools and the user are played. All that
//! happened is compared with what the file expects, and the first difference is told with its JSON pointer.
//!
//! ```json
//! {
//!   "about": "a call, its result, and the answer",
//!   "settings": {
//!     "model": "m",
//!     "system": "You are terse.",
//!     "sampling": {"temperature": 0},
//!     "tools": [
//!       {
//!         "name": "bash",
//!         "description": "Runs a command.",
//!         "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
//!         "mutating": true
//!       }
//!     ]
//!   },
//!   "question": "Which files?",
//!   "replies": [
//!     {"lines": ["data: {\"choices\":[{\"delta\":{\"tool_calls\":[…]}}]}", "data: [DONE]"]},
//!     {"lines": ["data: {\"choices\":[{\"delta\":{\"content\":\"One.\"}}]}", "data: [DONE]"]}
//!   ],
//!   "results": [{"id": "call_1", "ok": "a.txt"}],
//!   "expect": {
//!     "requests": [{"model": "m", "messages": […]}, …],
//!     "events": [{"event": "turn_started", "question": "Which files?"}, {"event": "waiting"}, …],
//!     "history": [{"role": "system", "content": "You are terse."}, …],
//!     "outcome": {"answer": "One."},
//!     "statistics": {"tool_calls": 1, "usage": {"prompt": 40, "completion": 7}}
//!   }
//! }
//! ```
//!
//! # What is given
//!
//! Unknown keys are refused everywhere. What may be left out has its default in the second column.
//!
//! | key | without it | what |
//! |---|---|---|
//! | `about` | | one sentence for whoever reads the file |
//! | `settings.model` | | the model in the server's naming |
//! | `settings.provider` | `llamacpp` | the kind of server |
//! | `settings.system` | the built-in one | the system message; none at all when empty |
//! | `settings.max_turns`, `max_repeated_calls` | 10, 5 | the limits of a turn |
//! | `settings.yolo` | true | whether tools run without asking |
//! | `settings.window` | unknown | tokens of the context window |
//! | `settings.sampling` | empty | further keys of every request |
//! | `settings.tools` | none | `name`, `description`, `parameters` (a JSON Schema), `mutating` (asked about without `yolo`, and run alone) |
//! | `question`, or `questions` | | one turn, or several in one conversation |
//! | `replies` | | one answer of the server for each request, in order |
//! | `results` | none | what the tools give: `ok` or `error`, the text as the model reads it; with `id` for the call of that id, else in order |
//! | `confirmations` | none | what the user answers when asked: `"once"`, `"session"`, `"refuse"`, `"never"`, `{"nobody": "why"}` |
//! | `interrupt_at` | never | the user interrupts when the event of this number is shown, counted from 0 |
//!
//! A reply has `lines` (each is one event of the stream as sent; a blank line is put behind it) or `body` (JSON). It
//! may have a `status` other than 200, `headers` such as `Retry-After: 0`, and an `end` other than `"whole"`: `"close"`
//! ends the stream by closing the connection, `"cut"` closes it in the midst of the body, `"hold"` sends nothing more
//! and needs an interruption.
//!
//! # What is expected
//!
//! | key | what |
//! |---|---|
//! | `requests` | the whole body of each request in order, every key in its place |
//! | `events` | what the front end was shown, by [`Event`]'s names in snake case; `asked` is a question for permission with its answer |
//! | `history` | the messages afterwards, as they would go to the server next |
//! | `outcome` | `{"answer": text}` or `{"error": text}`; with `questions` a list |
//! | `statistics` | token counts and tool calls of the turn; with `questions` a list |
//!
//! Times are `<time>` there, tokens per second `<speed>`, ids that the program made up `<id 1>`, `<id 2>` …, the
//! scripted server `<server>`. `<date>`, `<host>`, `<cwd>` and `<home>` stand for what a [`Place`] says, in what is
//! given too; `<cwd> (<os>)` is how the built-in system message ends.
//!
//! Three things hold in every journal without being written down: each request begins with the bytes of the one
//! before, the history is valid for a server, and nothing that is given is left over.
//!
//! # Example
//!
//! ```
//! use mm_session::testing::journal::{self, Mode, Place};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"{
//!   "about": "a plain answer",
//!   "settings": {"model": "m", "system": "", "provider": "ollama"},
//!   "question": "Which colour is the sky?",
//!   "replies": [{"lines": [
//!     "data: {\"choices\":[{\"delta\":{\"content\":\"Blue.\"},\"finish_reason\":\"stop\"}]}",
//!     "data: [DONE]"
//!   ]}]
//! }"#;
//! # let folder = std::env::temp_dir().join(format!("mm-journal-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("plain-answer.json");
//! std::fs::write(&path, text)?;
//!
//! // Writes what is expected from what happens, to be read before it is kept.
//! journal::run(&path, Mode::Update, &Place::default()).await?;
//! // From now on it must stay so. A test of yours would take the mode from a variable.
//! journal::run(&path, Mode::Check, &Place::default()).await?;
//! assert!(std::fs::read_to_string(&path)?.contains(r#""outcome": {"answer": "Blue."}"#));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(()) }
//! ```
//!
//! [`Event`]: crate::Event

mod compare;
mod error;
mod form;
mod layout;
mod play;
mod tools;
mod user;

use std::path::{Path, PathBuf};

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};

use play::Played;

pub use compare::Difference;
pub use error::JournalError;
pub use form::{
    Canned, Confirmed, End, Expected, Journal, Place, Questions, ScriptedReply, Settings, ToolForm,
};

/// How many journals of a folder are played at the same time: most of their time is waiting.
const AT_ONCE: usize = 8;

/// What is done with what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is compared with what the journal expects.
    Check,
    /// It is written into the journal as what it expects from now on. Whoever does so reads the change.
    Update,
}

/// Plays the journal in a file.
///
/// # Errors
/// When the file is no journal, and as [`play`]; with [`Mode::Check`] the first difference, with
/// [`Mode::Update`] a file that cannot be written.
pub async fn run(path: &Path, mode: Mode, place: &Place) -> Result<(), JournalError> {
    let fault = |why: String| JournalError::Unreadable { file: PathBuf::new(), why };
    let played = async {
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let journal: Journal = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        let Played { happened, sound } = play::play(&journal, place).await?;
        if mode == Mode::Check {
            return check(journal.expect.as_ref(), &happened, sound);
        }
        sound?;
        let text = updated(&text, &happened).map_err(|error| fault(error.to_string()))?;
        std::fs::write(path, text).map_err(|error| fault(error.to_string()))
    };
    played.await.map_err(|error| error.of(path))
}

fn check(
    expected: Option<&Expected>,
    happened: &Expected,
    sound: Result<(), JournalError>,
) -> Result<(), JournalError> {
    let Some(expected) = expected else {
        return Err(JournalError::unsound("it expects nothing: have it written, and read it"));
    };
    match (sound, compare::first(expected, happened)) {
        (sound, None) => sound,
        (Ok(()), Some(difference)) => {
            Err(JournalError::Differs { file: PathBuf::new(), difference: Box::new(difference) })
        }
        // The difference is mostly the reason.
        (Err(error), Some(difference)) => Err(error.beside(&difference)),
    }
}

/// A journal that expects what happened.
fn updated(text: &str, happened: &Expected) -> Result<String, serde_json::Error> {
    let mut whole: Map<String, Value> = serde_json::from_str(text)?;
    whole.insert("expect".to_owned(), serde_json::to_value(happened)?);
    Ok(layout::pretty(&Value::Object(whole)))
}

/// Plays every `*.json` of a folder, several at a time; gives the files in order, each with what became of it.
///
/// # Errors
/// When the folder cannot be read.
pub async fn run_folder(
    folder: &Path,
    mode: Mode,
    place: &Place,
) -> Result<Vec<(PathBuf, Result<(), JournalError>)>, JournalError> {
    let fault =
        |error: std::io::Error| JournalError::Unreadable { file: folder.to_owned(), why: error.to_string() };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    let played = stream::iter(paths).map(|path| async move {
        let result = run(&path, mode, place).await;
        (path, result)
    });
    Ok(played.buffered(AT_ONCE).collect().await)
}

/// Plays a journal and gives what happened, in the form of what is expected.
///
/// # Errors
/// When the journal is not sound (a tool twice, something left over, a reply that is missing), a request does
/// not begin with the one before, or the history is not valid.
pub async fn play(journal: &Journal, place: &Place) -> Result<Expected, JournalError> {
    let Played { happened, sound } = play::play(journal, place).await?;
    sound.map(|()| happened)
}

#[cfg(test)]
mod tests;
