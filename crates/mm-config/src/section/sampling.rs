//! `sampling`: parameters of generation, sent to the server as they are.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::{
    de::{Findings, Path},
    slips::slip_of,
    wording,
};

/// The parameters that are sent when the file says nothing, in the order in which they are sent.
pub(crate) fn defaults() -> Map<String, Value> {
    let pairs = [("temperature", json!(0.0)), ("top_p", json!(0.9)), ("max_tokens", json!(4096))];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Merges a mapping key by key over the defaults; null takes a key away.
pub(crate) fn merge<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let mut merged = defaults();
    for (name, value) in Map::deserialize(deserializer)? {
        match value {
            // `remove` would move the last key into the gap.
            Value::Null => merged.shift_remove(&name),
            value => merged.insert(name, value),
        };
    }
    Ok(merged)
}

/// Checks the types of the parameters that have a default; others are the server's business.
pub(crate) fn check(sampling: &Map<String, Value>, findings: &Findings<'_>) {
    let all = Path::Top.key("sampling");
    for (name, value) in sampling {
        let (path, is_whole) = (all.key(name), name == "max_tokens");
        let fits = if is_whole { value.is_i64() || value.is_u64() } else { value.is_number() };
        let is_known = defaults().contains_key(name);
        if let Some(node) = findings.node(&path).filter(|_| is_known && !fits) {
            let wanted = if is_whole { wording::WHOLE } else { "a number" };
            let hint = wording::hint(wanted, &node.value, &path);
            let found = format!(", not {}{hint}", wording::found(&node.value));
            findings.mistyped(node, &path, &format!("must be {wanted}"), &found);
        }
    }
}

/// Parameters that servers know, for slips; and those that come from the conversation.
const KNOWN: [&str; 24] = [
    "temperature",
    "top_p",
    "max_tokens",
    "top_k",
    "min_p",
    "typical_p",
    "seed",
    "stop",
    "n",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "presence_penalty",
    "frequency_penalty",
    "repeat_penalty",
    "repetition_penalty",
    "mirostat",
    "max_completion_tokens",
    "parallel_tool_calls",
    "chat_template_kwargs",
    "reasoning_effort",
    "reasoning_format",
    "response_format",
    "stream_options",
];
const RESERVED: [&str; 7] =
    ["messages", "tools", "tool_choice", "functions", "function_call", "model", "stream"];

/// Tells of parameters that are not sent, and of those that are probably not meant.
pub(crate) fn warn(sampling: &Map<String, Value>, has_shape: bool, findings: &Findings<'_>) {
    let all = Path::Top.key("sampling");
    for name in sampling.keys() {
        let path = all.key(name);
        if RESERVED.contains(&name.as_str()) {
            findings.warn(&path, format!("{path} is not sent: it comes from the conversation"));
        } else if has_shape && name == "response_format" {
            findings.warn(&path, format!("{path} is not sent: structuredOutput gives the format"));
        } else if !KNOWN.contains(&name.as_str())
            && let Some(meant) = slip_of(name, KNOWN)
        {
            findings.warn(&path, format!("{path} is sent as it is — did you mean {meant}?"));
        }
    }
}
