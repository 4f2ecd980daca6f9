//! `agentsMd`: the instructions of the project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// The project's instructions, added to the system prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AgentsMd {
    /// Reads the file when a conversation begins, never in the middle of one.
    pub enabled: bool,
    /// The file. Relative to the working directory of the conversation, not to the configuration file.
    pub path: String,
    /// A file of more characters than this, outer white space apart, is not read at all; 0 is no limit.
    pub max_chars: usize,
}

impl Default for AgentsMd {
    fn default() -> Self {
        Self { enabled: true, path: "AGENTS.md".to_owned(), max_chars: 0 }
    }
}

impl AgentsMd {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        if self.enabled && self.path.is_empty() {
            findings.broken(&Path::Top.key("agentsMd").key("path"), " must not be empty");
        }
    }
}
