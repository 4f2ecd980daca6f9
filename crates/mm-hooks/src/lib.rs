//! Moments of an agent's turn at which something outside may inform, rewrite or refuse.
//!
//! The turn hands each [`HookEvent`] to a [`HookRunner`] and obeys the [`HookOutcome`]. Events and
//! outcomes are data: this crate knows nothing of the turn.
//!
//! ```
//! use mm_hooks::{Decision, HookEvent, HookOutcome, HookRunner};
//! use tokio_util::sync::CancellationToken;
//!
//! /// Refuses commands that publish.
//! #[derive(Debug)]
//! struct NoPush;
//!
//! #[async_trait::async_trait]
//! impl HookRunner for NoPush {
//!     async fn run(&self, event: HookEvent<'_>, _cancel: &CancellationToken) -> HookOutcome {
//!         match event {
//!             HookEvent::PreToolCall { summary, .. } if summary.contains("git push") => {
//!                 HookOutcome::deny("pushing is for people")
//!             }
//!             _ => HookOutcome::default(),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let arguments = serde_json::json!({"command": "git push"});
//! let event = HookEvent::PreToolCall { tool: "bash", arguments: &arguments, summary: "git push" };
//! let outcome = NoPush.run(event, &CancellationToken::new()).await;
//! assert_eq!(outcome.decision, Decision::Deny { reason: "pushing is for people".into() });
//! # }
//! ```

mod event;
mod outcome;
mod runner;

#[cfg(feature = "testing")]
pub mod testing;

pub use event::HookEvent;
pub use outcome::{Decision, HookOutcome};
pub use runner::{HookRunner, NoHooks};
