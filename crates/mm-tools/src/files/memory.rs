//! What the model has seen of which file, and who is at a file right now.

use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::page::COUNTED;

/// Tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Of the whole content, where all of it was seen.
    hash: Option<u64>,
}

impl Stamp {
    pub(crate) fn new(metadata: &Metadata, hash: Option<u64>) -> Self {
        Self { size: metadata.len(), modified: metadata.modified().ok(), hash }
    }

    /// Of a file with this content; only what is read whole by a page too is hashed, since it takes time.
    pub(crate) fn of(metadata: &Metadata, pieces: &[&[u8]]) -> Self {
        Self::new(metadata, (metadata.len() <= COUNTED).then(|| hash(pieces)))
    }

    /// Whether both are of the same content: the hash decides where there are two.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self.hash, other.hash) {
            (Some(a), Some(b)) => a == b,
            _ => self.size == other.size && self.modified == other.modified,
        }
    }
}

/// Of the pieces as of one: a page is hashed as it is read.
pub(crate) fn hash(pieces: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    pieces.iter().for_each(|piece| hasher.write(piece));
    hasher.finish()
}

/// By real path.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    // Held to look up or put one entry.
    seen: Mutex<HashMap<PathBuf, Stamp>>,
    /// Writes that were refused once: the hash of the content, and the file then.
    refused: Mutex<HashMap<PathBuf, (u64, Stamp)>>,
    /// One lock a file: calls that change the same one wait for each other, on a thread that may wait.
    locks: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

impl Memory {
    pub(crate) fn lock_of(&self, real: &Path) -> Arc<Mutex<()>> {
        locked(&self.locks).entry(real.to_owned()).or_default().clone()
    }

    pub(crate) fn saw(&self, real: &Path, stamp: Stamp) {
        locked(&self.seen).insert(real.to_owned(), stamp);
    }

    /// What the model last saw or wrote.
    pub(crate) fn last(&self, real: &Path) -> Option<Stamp> {
        locked(&self.seen).get(real).copied()
    }

    /// Whether the same content was refused for the same state of the file before; remembers that it is now.
    pub(crate) fn insists(&self, real: &Path, content: u64, now: Stamp) -> bool {
        let before = locked(&self.refused).insert(real.to_owned(), (content, now));
        before.is_some_and(|(hash, then)| hash == content && then.is_same(&now))
    }
}

/// Nothing is half changed under these locks, whoever panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
