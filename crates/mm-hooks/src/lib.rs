//! Moments of an agent's turn at which something outside may inform, rewrite or refuse.
//!
//! The turn hands each [`HookEvent`] to a [`HookRunner`] and obeys the [`HookOutcome`]. Events and
//! outcomes are data: this crate knows nothing of the turn. [`ProcessHooks`] are commands that speak JSON; a
//! type of your own needs one method:
//!
//! ```
//! use std::path::Path;
//! use mm_hooks::{Decision, HookContext, HookEvent, HookOutcome, HookRunner};
//! use tokio_util::sync::CancellationToken;
//!
//! /// Refuses commands that publish.
//! #[derive(Debug)]
//! struct NoPush;
//!
//! #[async_trait::async_trait]
//! impl HookRunner for NoPush {
//!     async fn run(&self, event: HookEvent<'_>, _cx: &HookContext<'_>) -> HookOutcome {
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
//! let cancel = CancellationToken::new();
//! let cx = HookContext { session: "1", cwd: Path::new("/"), agent: "mm", model: "any", cancel: &cancel };
//! let outcome = NoPush.run(event, &cx).await;
//! assert_eq!(outcome.decision, Decision::Deny { reason: "pushing is for people".into() });
//! # }
//! ```

mod event;
mod outcome;
mod runner;

mod command;
mod matcher;
mod payload;

mod error;

#[cfg(feature = "testing")]
pub mod testing;

pub use command::HookCommand;
pub use event::{HookContext, HookEvent, Moment, TokenCounts};
pub use matcher::Matcher;
pub use outcome::{Decision, HookOutcome, HookRun, HookVerdict};
pub use runner::{Hook, HookOptions, HookRunner, NoHooks, OnError, ProcessHooks};
