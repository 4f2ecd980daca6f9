//! The tools of a terminal agent: the [`Tool`] trait, a [`ToolSet`], the process runner that every
//! command goes through, and the built-in tools.
//!
//! Nothing here prints or reads the environment: where a tool runs and who watches it comes with the
//! [`ToolContext`].
//!
//! ```
//! use mm_tools::{bash::{Bash, BashOptions}, process::ProcessRunner, Tool, ToolContext};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let bash = Bash::new(BashOptions::default(), ProcessRunner::new());
//! let cx = ToolContext::new(std::env::temp_dir());
//! let output = bash.run(&json!({"command": "echo hello; exit 3"}), &cx).await;
//! assert_eq!(output.text, "hello\n[exit code: 3]");
//! assert!(!output.ok);
//! # }
//! ```

mod context;
mod question;
mod tool;

mod set;

pub mod output;
pub mod process;
mod screen;

#[cfg(feature = "builtin")]
pub mod guard;

#[cfg(feature = "builtin")]
pub mod ask_user;
#[cfg(feature = "builtin")]
pub mod bash;
#[cfg(feature = "builtin")]
pub mod declared;
#[cfg(feature = "builtin")]
pub mod edit_file;
#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "builtin")]
pub mod files;
pub mod plan;
#[cfg(feature = "builtin")]
pub mod read_file;
#[cfg(feature = "builtin")]
pub mod skills;
#[cfg(feature = "builtin")]
pub mod write_file;

#[cfg(feature = "testing")]
pub mod testing;

#[cfg(all(test, feature = "builtin"))]
mod contract_tests;

pub use context::{NoHost, ToolContext, ToolHost};
pub use question::{Asked, Question, QuestionKind};
pub use set::{DuplicateTool, ToolSet};
pub use tool::{Preview, Risk, RiskLevel, Tool, ToolKind, ToolOutput};
