//! `sessions`: conversations kept in files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// Conversations kept in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Sessions {
    /// Keeps each conversation in a file that is written after each turn, with every error that was shown, and
    /// brings `/sessions`, `/resume` and `session/load`.
    pub enabled: bool,
    /// The directory of the files, one `<id>.json` a session. Relative to the directory where `mm` was started,
    /// in an editor to that of the session.
    pub dir: String,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { enabled: false, dir: ".mm/sessions".to_owned() }
    }
}

impl Sessions {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        if self.dir.is_empty() {
            findings.broken(&Path::Top.key("sessions").key("dir"), " must not be empty");
        }
    }
}
