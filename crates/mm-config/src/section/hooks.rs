//! `hooks`: commands that run at six moments of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    de::{Findings, Path, TEXT_OR_LIST},
    duration::GoDuration,
    problem::quoted,
};

/// The commands that run at each event, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Hooks {
    /// Before a question reaches the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_generation: Vec<Hook>,
    /// Before each call of a tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_tool_call: Vec<Hook>,
    /// After each call of a tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_tool_call: Vec<Hook>,
    /// After the turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_generation: Vec<Hook>,
    /// Before each question to another agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_ask: Vec<Hook>,
    /// After each answer of another agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_ask: Vec<Hook>,
}

/// One command at one event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Hook {
    /// The command: text for the shell, or a list of program and arguments. It gets a JSON object on stdin and may
    /// answer one on stdout. Required.
    pub command: Command,
    /// The tools or agents that it runs for, at the events that have one: a name, with `*` for any text and `|`
    /// between alternatives. Absent is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The time that the command may take.
    pub timeout: GoDuration,
    /// What follows when the command fails: the turn ends, a line tells it, or nothing.
    pub on_error: OnError,
}

impl Default for Hook {
    fn default() -> Self {
        Self {
            command: Command::default(),
            matcher: None,
            timeout: GoDuration::seconds("10s", 10),
            on_error: OnError::Warn,
        }
    }
}

/// A command line for the shell, or a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// Text for the shell.
    Shell(String),
    /// A program and its arguments.
    Argv(Vec<String>),
}

impl Default for Command {
    fn default() -> Self {
        Self::Argv(Vec::new())
    }
}

impl Command {
    fn is_empty(&self) -> bool {
        match self {
            Self::Shell(line) => line.trim().is_empty(),
            Self::Argv(words) => words.first().is_none_or(|program| program.trim().is_empty()),
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = Command;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(TEXT_OR_LIST)
            }

            fn visit_str<E>(self, text: &str) -> Result<Command, E> {
                Ok(Command::Shell(text.to_owned()))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Command, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = seq.next_element()? {
                    words.push(word);
                }
                Ok(Command::Argv(words))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Command, D::Error> {
                value.deserialize_any(self)
            }
        }

        deserializer.deserialize_newtype_struct(TEXT_OR_LIST, Either)
    }
}

/// What follows when a hook fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum OnError {
    /// The turn ends; before a call, that call is denied.
    Fail,
    /// One line tells it.
    Warn,
    /// Nothing.
    Ignore,
}

/// The events, and whether each has a tool or an agent that a matcher can name.
const EVENTS: [(&str, bool); 6] = [
    ("preGeneration", false),
    ("preToolCall", true),
    ("postToolCall", true),
    ("postGeneration", false),
    ("preAsk", true),
    ("postAsk", true),
];

impl Hooks {
    /// Each event by its name with the commands that run at it, in the order in which a turn comes to them.
    pub fn events(&self) -> [(&'static str, &[Hook]); 6] {
        let [pre, pre_tool, post_tool, post, pre_ask, post_ask] = EVENTS.map(|(name, _)| name);
        [
            (pre, &self.pre_generation),
            (pre_tool, &self.pre_tool_call),
            (post_tool, &self.post_tool_call),
            (post, &self.post_generation),
            (pre_ask, &self.pre_ask),
            (post_ask, &self.post_ask),
        ]
    }

    pub(crate) fn check(&self, findings: &Findings<'_>) {
        let hooks = Path::Top.key("hooks");
        for ((event, entries), (_, matches)) in self.events().into_iter().zip(EVENTS) {
            let list = hooks.key(event);
            for (index, hook) in entries.iter().enumerate() {
                let path = list.index(index);
                if hook.command.is_empty() && !findings.is_touched(&path.key("command")) {
                    findings.broken(&path.key("command"), " must not be empty");
                }
                if hook.matcher.is_some() && !matches {
                    let words = " only makes sense for preToolCall, postToolCall, preAsk and postAsk";
                    findings.broken(&path.key("matcher"), words);
                }
            }
        }
    }
}

/// The message for an event that there is not.
pub(crate) fn unknown_event(name: &str) -> String {
    let known: Vec<&str> = EVENTS.iter().map(|(name, _)| *name).collect();
    format!("hooks: unknown event {} (known: {})", quoted(name), known.join(", "))
}
