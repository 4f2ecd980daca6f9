//! What hooks want of the turn.

use serde_json::Value;

/// The sum of what the hooks of one event said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookOutcome {
    /// Whether the turn may go on.
    pub decision: Decision,
    /// Text added for the model, marked as coming from a hook; never displayed.
    pub context: Option<String>,
    /// Replaces the question (`preGeneration`).
    pub prompt: Option<String>,
    /// Replaces the arguments (`preToolCall`); they are checked again.
    pub arguments: Option<Value>,
    /// Replaces the result (`postToolCall`).
    pub result: Option<String>,
    /// Lines for the user, such as a hook that failed and is configured to warn.
    pub notices: Vec<String>,
}

/// Whether the turn may go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// It may. This does not replace a permission.
    #[default]
    Allow,
    /// The user is asked, even where nothing else would ask (`preToolCall`).
    Ask,
    /// This question or call is refused.
    Deny {
        /// Told to the model for a tool, to the user for a question.
        reason: String,
    },
    /// A hook that must not fail did: the turn ends.
    Stop {
        /// Told to the user.
        reason: String,
    },
}

impl HookOutcome {
    /// An outcome that refuses.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny { reason: reason.into() }, ..Self::default() }
    }
}
