//! The seam between the turn and whoever listens to it.

use std::fmt::Debug;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::{HookEvent, HookOutcome};

/// Runs the hooks of an event.
#[async_trait]
pub trait HookRunner: Debug + Send + Sync {
    /// Runs every hook of the event in order and sums up what they said.
    ///
    /// A failure is never a decision: an implementation says by [`Decision::Stop`](crate::Decision::Stop)
    /// or by a notice what its failure means. Ends early when `cancel` is cancelled or the future dropped.
    async fn run(&self, event: HookEvent<'_>, cancel: &CancellationToken) -> HookOutcome;
}

/// No hooks: everything is allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

#[async_trait]
impl HookRunner for NoHooks {
    async fn run(&self, _event: HookEvent<'_>, _cancel: &CancellationToken) -> HookOutcome {
        HookOutcome::default()
    }
}
