//! The tools that need what a session has.

mod answers;
mod archive;
mod recall;
#[cfg(feature = "builtin")]
mod save_answer;
mod unload_model;

pub use answers::Answers;
pub use archive::Archive;
pub use recall::{Recall, RecallSearch};
#[cfg(feature = "builtin")]
pub use save_answer::SaveAnswer;
pub use unload_model::UnloadModel;
