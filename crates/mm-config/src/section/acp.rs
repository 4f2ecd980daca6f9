//! `acp`: how `mm -acp` presents itself to an editor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// How the agent presents itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Acp {
    /// `agentInfo.name` in the answer to `initialize`.
    pub name: String,
    /// `agentInfo.title`, the name that an editor may show, and that the window shows beside `mm`. Empty is not
    /// sent.
    pub title: String,
}

impl Default for Acp {
    fn default() -> Self {
        Self { name: "bob".to_owned(), title: "Bob (bash-first agent)".to_owned() }
    }
}

impl Acp {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        if self.name.trim().is_empty() {
            findings.broken(&Path::Top.key("acp").key("name"), " must not be empty");
        }
    }
}
