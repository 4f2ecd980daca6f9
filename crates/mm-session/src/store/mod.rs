//! Where conversations are kept.

mod memory;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use async_trait::async_trait;
use mm_llm::Message;

pub use memory::MemoryStore;

/// Keeps conversations. A conversation is saved whole after each turn.
#[async_trait]
pub trait SessionStore: Debug + Send + Sync {
    /// Saves a conversation under its id, in place of what was there.
    ///
    /// # Errors
    /// What was there before stays as it was.
    async fn save(&self, record: SessionRecord) -> Result<(), StoreError>;

    /// Loads a conversation.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read.
    async fn load(&self, id: &str) -> Result<SessionRecord, StoreError>;

    /// Lists conversations, the newest first.
    ///
    /// # Errors
    /// When the store itself cannot be read.
    async fn list(&self) -> Result<Vec<SessionHead>, StoreError>;

    /// Deletes a conversation.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be deleted.
    async fn delete(&self, id: &str) -> Result<(), StoreError>;
}

/// A conversation as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRecord {
    /// What a list shows.
    pub head: SessionHead,
    /// The messages, valid for a server.
    pub messages: Vec<Message>,
}

/// What a list shows of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionHead {
    /// Sortable by time.
    pub id: String,
    /// The first question, shortened.
    pub title: String,
    /// When it began.
    pub created: SystemTime,
    /// When it was saved last.
    pub updated: SystemTime,
    /// Where its tools worked.
    pub cwd: PathBuf,
    /// Who answered.
    pub model: String,
}

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no conversation of that id.
    #[error("there is no session {0}")]
    Missing(String),
    /// The place itself failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Makes an id that no other conversation has; sorted as text, ids are in the order of their time.
pub fn new_id() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (count, process) = (COUNT.fetch_add(1, Ordering::Relaxed), std::process::id());
    format!("{:013}-{process:05}-{count:02}", since.as_millis())
}

impl SessionRecord {
    /// Begins a record that has no messages yet.
    pub fn new(id: &str, question: &str, model: &str, cwd: &Path) -> Self {
        let now = SystemTime::now();
        let head = SessionHead {
            id: id.to_owned(),
            title: question.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect(),
            created: now,
            updated: now,
            cwd: cwd.to_owned(),
            model: model.to_owned(),
        };
        Self { head, messages: Vec::new() }
    }

    /// The same conversation, now with these messages.
    pub fn with(&self, messages: &[Message]) -> Self {
        let head = SessionHead { updated: SystemTime::now(), ..self.head.clone() };
        Self { head, messages: messages.to_vec() }
    }
}
