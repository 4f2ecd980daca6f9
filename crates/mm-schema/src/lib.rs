//! Words that an agent shares with a language model: what a tool is called, what it takes, what a
//! call of it looks like, how arguments that a weak model wrote are read without changing them, and what shape
//! an answer must have.
//!
//! Everything here is data and pure functions: no I/O, no other crate of the family.
//!
//! ```
//! use mm_schema::{ToolSpec, arguments};
//!
//! #[derive(schemars::JsonSchema)]
//! struct Args {
//!     /// The command to run.
//!     command: String,
//! }
//!
//! let spec = ToolSpec::of::<Args>("bash", "Run a shell command.");
//! let decoded = arguments::decode(r#"{"command": "ls",}"#, &spec.parameters)?;
//! assert_eq!(decoded.value["command"], "ls");
//! assert!(decoded.repaired, "the trailing comma was taken away");
//! # Ok::<(), mm_schema::ArgumentError>(())
//! ```

mod tool;

pub mod arguments;
mod coerce;
mod nearest;
mod placeholder;
mod repair;
mod validate;

mod answer;
mod godecl;

mod error;

pub use answer::{AnswerError, AnswerFault, AnswerSchema};
pub use error::ArgumentError;
pub use godecl::{Schema, SchemaError, translate};
pub use nearest::nearest;
pub use placeholder::placeholders;
pub use tool::{ToolCall, ToolSpec};
