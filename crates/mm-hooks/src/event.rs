//! The moments, with what is known at each.

use std::time::Duration;

use serde_json::Value;

/// A moment of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HookEvent<'a> {
    /// A question is about to reach the model.
    PreGeneration {
        /// The question as typed.
        prompt: &'a str,
    },
    /// A tool is about to run; permission has not been asked yet.
    PreToolCall {
        /// The tool's name.
        tool: &'a str,
        /// The checked arguments, a JSON object.
        arguments: &'a Value,
        /// The one line that the user sees.
        summary: &'a str,
    },
    /// A tool has run.
    PostToolCall {
        /// The tool's name.
        tool: &'a str,
        /// The arguments it ran with.
        arguments: &'a Value,
        /// The one line that the user sees.
        summary: &'a str,
        /// The text for the model.
        result: &'a str,
        /// Whether the call did what it was asked to.
        ok: bool,
        /// How long it ran.
        duration: Duration,
    },
    /// The turn ended with an answer.
    PostGeneration {
        /// The question as it reached the model.
        prompt: &'a str,
        /// The answer.
        answer: &'a str,
        /// How many tools were called.
        tool_calls: usize,
    },
}

impl HookEvent<'_> {
    /// The event's name in configuration files: `preGeneration`, `preToolCall`, …
    pub fn name(&self) -> &'static str {
        match self {
            Self::PreGeneration { .. } => "preGeneration",
            Self::PreToolCall { .. } => "preToolCall",
            Self::PostToolCall { .. } => "postToolCall",
            Self::PostGeneration { .. } => "postGeneration",
        }
    }
}
