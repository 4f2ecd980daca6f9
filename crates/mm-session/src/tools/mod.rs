//! The tools that need what a session has.

mod answers;
#[cfg(feature = "builtin")]
mod save_answer;
mod unload_model;

pub use answers::Answers;
#[cfg(feature = "builtin")]
pub use save_answer::SaveAnswer;
pub use unload_model::UnloadModel;
