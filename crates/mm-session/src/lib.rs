//! One question from prompt to answer: the turn of an agent, over traits for the model, the tools, the
//! hooks, the store and whoever watches.
//!
//! Whatever happens in a turn (odd replies, failing tools, an interruption), its [`History`] stays valid
//! for a server, and the messages of one call begin with those of the call before.
//!
//! ```
//! use std::sync::Arc;
//! use mm_llm::testing::ScriptedProvider; // any Provider
//! use mm_session::{Session, SessionOptions, SessionParts, Silent};
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), mm_session::TurnError> {
//! let provider = Arc::new(ScriptedProvider::new([ScriptedProvider::text("Blue.")]));
//! let mut session = Session::new(SessionParts::new(provider), SessionOptions::new("any-model", "/tmp"));
//! let answer = session.turn("Which colour is the sky?", &Silent, &CancellationToken::new()).await?;
//! assert_eq!(answer.text, "Blue.");
//! assert_eq!(session.history().messages().len(), 3, "system, user, assistant");
//! # Ok(()) }
//! ```

mod session;
mod turn;

mod steps;

mod keep;
mod stats;

mod calls;

mod agents_md;
mod answer_format;
mod compact;
mod history;
mod referee;

mod event;
mod frontend;
mod permission;

pub mod prompt;
pub mod store;
pub mod tools;

mod error;

#[cfg(feature = "testing")]
pub mod testing;

pub use agents_md::{Instructions, InstructionsError};
pub use answer_format::AnswerFormat;
pub use compact::{CompactError, CompactOptions, Compacted};
pub use error::TurnError;
pub use event::{Event, Outcome};
pub use frontend::{Channel, ConfirmRequest, Confirmation, Events, Frontend, Silent};
pub use history::{Ending, History};
pub use keep::Resumed;
pub use permission::{Gate, Permit};
pub use referee::{Limits, Referee, Verdict};
pub use session::{Answer, Session, SessionOptions, SessionParts};
pub use stats::{Counts, Statistics};
