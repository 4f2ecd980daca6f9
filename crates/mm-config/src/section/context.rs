//! `context`: when and how the history is compressed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Compression of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Context {
    /// Compresses the history by itself when it grows too long. `/compact` works in any case.
    pub enabled: bool,
    /// The percentage of the context window above which the history is compressed before the next question.
    pub threshold: u8,
    /// The number of messages that calls for a compression when the window is unknown or the estimate too low; 0
    /// is never.
    pub max_messages: usize,
    /// The latest questions that a compression leaves as they are, with all that belongs to them.
    pub keep_last_turns: usize,
    /// `max_tokens` of the request for a summary. The thinking of a model counts against it.
    pub summary_max_tokens: usize,
    /// Replaces the built-in prompt for summaries; empty keeps that.
    pub prompt: String,
    /// Shows a line about each compression.
    pub show_stats: bool,
    /// Declares `recall` and `recall_search`, by which the model brings back what a compression took out.
    pub recall: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            enabled: false,
            threshold: 75,
            max_messages: 80,
            keep_last_turns: 3,
            summary_max_tokens: 1200,
            prompt: String::new(),
            show_stats: true,
            recall: false,
        }
    }
}
