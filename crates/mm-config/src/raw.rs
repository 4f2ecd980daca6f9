//! The file as it is written: every key optional, nothing decided yet.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;
use std::fmt;

use crate::duration::GoDuration;

/// The keys of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawConfig {
    pub(crate) provider: Field<String>,
    pub(crate) model: Field<String>,
    pub(crate) base_url: Field<String>,
    pub(crate) fallback: Field<String>,
    pub(crate) api_key_env: Field<String>,
    pub(crate) context_window: Field<i64>,
    pub(crate) max_output: Field<i64>,
    pub(crate) max_turns: Field<i64>,
    pub(crate) max_repeated_calls: Field<i64>,
    pub(crate) preview_lines: Field<i64>,
    pub(crate) show_thinking: Field<bool>,
    pub(crate) system: Field<String>,
    pub(crate) bash_tool: Field<bool>,
    pub(crate) edit_tools: Field<bool>,
    pub(crate) fetch_content_tool: Field<bool>,
    pub(crate) ask_user_tool: Field<bool>,
    pub(crate) sampling: Field<Entries>,
    pub(crate) watchdog_timeout: Field<GoDuration>,
    pub(crate) first_token_timeout: Field<GoDuration>,
    pub(crate) bash_timeout: Field<GoDuration>,
    pub(crate) yolo: Field<bool>,
    pub(crate) permissions: Field<String>,
}

/// Keys that a file may have although nothing reads them yet; they are no slips of other keys.
pub(crate) const LATER_KEYS: &[&str] = &[
    "acp",
    "agentsMd",
    "context",
    "displayCommands",
    "displayHooks",
    "guard",
    "hooks",
    "lsp",
    "mcp",
    "mmConfigs",
    "planTool",
    "readOnlyOutsideCwd",
    "saveAnswerTool",
    "sessions",
    "skillsDir",
    "structuredOutput",
    "structuredRetries",
    "tools",
    "trace",
    "tui",
    "unloadModels",
];

/// The value of one key: none when it is absent, null or of the wrong type.
///
/// A wrong type is no error here, so that decoding goes on and finds the others; the decoder has noted it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field<T>(pub(crate) Option<T>);

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Field<T> {
    /// The value, or the default.
    pub(crate) fn or(self, default: impl Into<T>) -> T {
        self.0.unwrap_or_else(|| default.into())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::deserialize(deserializer).ok().flatten()))
    }
}

/// A free mapping in the order written; a null stays visible because it can mean "without this".
#[derive(Debug, Default)]
pub(crate) struct Entries(pub(crate) Vec<(String, Field<Value>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
