//! The seam between a turn and whoever watches it.

use async_trait::async_trait;
use serde_json::Value;

use crate::Event;

/// Shows what happens and answers for the user.
///
/// A turn awaits `show` before it goes on, so that a question never overtakes the text before it, and a
/// slow screen slows the stream instead of filling the memory.
#[async_trait]
pub trait Frontend: Send + Sync {
    /// Takes an event.
    async fn show(&self, event: Event);

    /// Asks whether a call may run. The future is dropped when the turn is interrupted.
    async fn confirm(&self, request: ConfirmRequest<'_>) -> Confirmation;
}

/// A call that waits for permission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfirmRequest<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// One line that says what the call would do.
    pub summary: &'a str,
    /// The whole arguments.
    pub arguments: &'a Value,
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// This call may run.
    Once,
    /// This tool may run for the rest of the session.
    Session,
    /// This call may not run.
    Refuse,
    /// This tool may not run for the rest of the session.
    Never,
    /// Nobody can answer, with the reason for the model.
    Nobody(String),
}

/// Nobody watches: events are dropped, and calls that need a permission are refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

#[async_trait]
impl Frontend for Silent {
    async fn show(&self, _event: Event) {}

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        Confirmation::Nobody("nobody can confirm this call".into())
    }
}
