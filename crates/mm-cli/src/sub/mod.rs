//! What `mm` does besides talking, a file a helper. None of them starts the async runtime unless it asks a
//! server.

pub(crate) mod config;
