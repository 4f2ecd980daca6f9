//! What `mm` does besides talking, a file a helper. None of them starts the async runtime unless it asks a
//! server.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod guard;
pub(crate) mod models;
pub(crate) mod schema;
