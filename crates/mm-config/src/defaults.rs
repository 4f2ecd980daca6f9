//! The values of keys that nobody sets.

use serde_json::{Map, Value, json};

pub(crate) const PROVIDER: &str = "dmr";
pub(crate) const MODEL: &str = "huggingface.co/jetbrains/mellum2-12b-a2.5b-instruct-gguf-q4_k_m:Q4_K_M";
pub(crate) const SHOW_THINKING: bool = true;
pub(crate) const BASH_TOOL: bool = true;
pub(crate) const EDIT_TOOLS: bool = true;
pub(crate) const FETCH_CONTENT_TOOL: bool = false;
pub(crate) const ASK_USER_TOOL: bool = true;
pub(crate) const YOLO: bool = true;

/// A key that counts something.
#[derive(Clone, Copy)]
pub(crate) struct Count {
    pub(crate) key: &'static str,
    pub(crate) default: usize,
    pub(crate) least: Least,
}

/// A key that limits a time.
#[derive(Clone, Copy)]
pub(crate) struct Timeout {
    pub(crate) key: &'static str,
    pub(crate) text: &'static str,
    pub(crate) seconds: i64,
    pub(crate) least: Least,
}

/// Where the values of a key begin.
#[derive(Clone, Copy)]
pub(crate) enum Least {
    Zero,
    AboveZero,
}

pub(crate) const CONTEXT_WINDOW: Count = Count { key: "contextWindow", default: 0, least: Least::Zero };
pub(crate) const MAX_OUTPUT: Count = Count { key: "maxOutput", default: 16_000, least: Least::AboveZero };
pub(crate) const MAX_TURNS: Count = Count { key: "maxTurns", default: 10, least: Least::AboveZero };
pub(crate) const MAX_REPEATED_CALLS: Count =
    Count { key: "maxRepeatedCalls", default: 5, least: Least::Zero };
pub(crate) const PREVIEW_LINES: Count = Count { key: "previewLines", default: 20, least: Least::Zero };

pub(crate) const WATCHDOG_TIMEOUT: Timeout =
    Timeout { key: "watchdogTimeout", text: "20s", seconds: 20, least: Least::AboveZero };
pub(crate) const FIRST_TOKEN_TIMEOUT: Timeout =
    Timeout { key: "firstTokenTimeout", text: "3m", seconds: 180, least: Least::Zero };
pub(crate) const BASH_TIMEOUT: Timeout =
    Timeout { key: "bashTimeout", text: "30s", seconds: 30, least: Least::AboveZero };

/// The parameters of generation, in the order in which they are sent.
pub(crate) fn sampling() -> Map<String, Value> {
    let pairs = [("temperature", json!(0.0)), ("top_p", json!(0.9)), ("max_tokens", json!(4096))];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
