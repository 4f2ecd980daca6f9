//! `trace`: every request and answer of the model in files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// Requests and answers written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Trace {
    /// Writes a pair of files for each call of the model: the request as sent, the answer as received. Headers are
    /// never written.
    pub enabled: bool,
    /// The directory of the files. Relative to the working directory of the turn. Made when it is needed.
    pub dir: String,
}

impl Default for Trace {
    fn default() -> Self {
        Self { enabled: false, dir: ".mm/traces".to_owned() }
    }
}

impl Trace {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        if self.enabled && self.dir.is_empty() {
            findings.broken(&Path::Top.key("trace").key("dir"), " must not be empty");
        }
    }
}
