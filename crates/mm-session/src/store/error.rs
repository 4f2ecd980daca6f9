//! Why a store could not do what it was asked.

use std::io;

/// Why a store could not do what it was asked. `Display` is a line for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no conversation of that id.
    #[error("there is no session {0}")]
    Missing(String),
    /// No conversation can have that id.
    #[error("{0:?} is no id of a session")]
    BadId(String),
    /// There is one that cannot be read. Nothing removes it or writes over it.
    #[error("the session {id} cannot be read: {fault}")]
    Unreadable {
        /// Its id.
        id: String,
        /// What is wrong with it.
        #[source]
        fault: Fault,
    },
    /// Somebody else has it open.
    #[error("another mm has the session {0} open")]
    InUse(String),
    /// Something could not be written, read or deleted.
    #[error("{path}: {source}")]
    Io {
        /// What.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// What is wrong with a conversation that is there. `Display` goes on after "cannot be read: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It begins well and has no end.
    #[error("it was cut off: its end is missing")]
    Cut,
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// It is JSON of something else.
    #[error("it is no session: {0}")]
    Foreign(String),
    /// It was written by a later version.
    #[error("it has version {version}, and this mm reads up to {newest}: a newer mm wrote it")]
    Newer {
        /// Its version.
        version: u64,
        /// The newest that is read.
        newest: u64,
    },
    /// It is no regular file.
    #[error("it is {0}")]
    NotAFile(&'static str),
    /// It has more bytes than are read.
    #[error("it has {} MB, more than the {} MB that are read", bytes / 1_000_000, most / 1_000_000)]
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// The system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
}
