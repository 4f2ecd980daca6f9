//! Where conversations are kept.

mod error;
mod json;
mod memory;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use mm_llm::{Message, Usage};
use mm_tools::plan::Plan;

pub use error::{Fault, StoreError};
pub use json::DirStore;
pub use memory::MemoryStore;

/// Keeps conversations. A conversation is saved whole after each turn.
#[async_trait]
pub trait SessionStore: Debug + Send + Sync {
    /// Takes an id, of a conversation that is there or not, for as long as the claim lives. Whoever saves has one.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when somebody else has it.
    async fn create(&self, id: &str) -> Result<Claim, StoreError>;

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

    /// Lists conversations, the one saved last first; those that cannot be read too, with the reason.
    ///
    /// # Errors
    /// When the store itself cannot be read.
    async fn list(&self) -> Result<Vec<Listed>, StoreError>;

    /// Deletes a conversation.
    ///
    /// # Errors
    /// When there is none of that id, somebody has it open, or it cannot be deleted.
    async fn delete(&self, id: &str) -> Result<(), StoreError>;
}

/// The right to save under an id, given up when it is dropped.
#[derive(Debug)]
pub struct Claim {
    held: Box<dyn Hold>,
}

/// What a [`Claim`] holds.
pub trait Hold: Debug + Send + Sync {
    /// Whether it still keeps others out. A lock that is a file does not once somebody has deleted that.
    fn holds(&self) -> bool {
        true
    }
}

/// A conversation as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRecord {
    /// What a list shows.
    pub head: SessionHead,
    /// The messages, as they were saved; [`History::restore`](crate::History::restore) makes them valid.
    pub messages: Vec<Message>,
    /// Token counts, summed over the conversation.
    pub usage: Usage,
    /// What summaries took the place of, the oldest first.
    pub compressions: Vec<Compression>,
    /// The plan, if there is one.
    pub plan: Option<Plan>,
    /// The errors that were shown; they are no part of the messages.
    pub errors: Vec<ShownError>,
}

/// What a list shows of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionHead {
    /// Sortable by time.
    pub id: String,
    /// The first question, shortened.
    pub title: String,
    /// When it was saved first.
    pub created: SystemTime,
    /// When it was saved last.
    pub updated: SystemTime,
    /// Where its tools worked.
    pub cwd: PathBuf,
    /// The configuration file, if there was one.
    pub config: Option<PathBuf>,
    /// Who served the model.
    pub provider: String,
    /// Who answered.
    pub model: String,
}

/// Messages that a summary took the place of, word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct Compression {
    /// No other one of the conversation has it.
    pub id: String,
    /// When.
    pub at: SystemTime,
    /// What stands in their place.
    pub summary: String,
    /// The messages in their order.
    pub messages: Vec<Message>,
}

/// An error that the user was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownError {
    /// When.
    pub time: SystemTime,
    /// What failed, such as `generation` or `resume`.
    pub kind: String,
    /// Its words.
    pub message: String,
}

/// A row of a list.
#[derive(Debug)]
pub struct Listed {
    /// What it is loaded by.
    pub id: String,
    /// Its bytes.
    pub size: u64,
    /// When it was saved last, as far as that is known.
    pub updated: SystemTime,
    /// What is known of it, or why it cannot be read.
    pub head: Result<SessionHead, Fault>,
}

/// Makes an id that no other conversation has; sorted as text, ids are in the order of their time.
pub fn new_id() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let (count, process) = (COUNT.fetch_add(1, Ordering::Relaxed), std::process::id());
    let time = jiff::Timestamp::try_from(now()).unwrap_or_default();
    format!("{}-{process:05}-{count:02}", time.strftime("%Y%m%d-%H%M%S-%3f"))
}

/// The time, as exact as it is kept.
pub(crate) fn now() -> SystemTime {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(since.as_millis()).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

/// A question as a title.
pub(crate) fn title(question: &str) -> String {
    question.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect()
}

impl Claim {
    /// A claim that lives as long as what it holds.
    pub fn new(held: impl Hold + 'static) -> Self {
        Self { held: Box::new(held) }
    }

    /// Whether it still keeps others out.
    pub fn holds(&self) -> bool {
        self.held.holds()
    }
}

impl SessionRecord {
    /// Begins a record that has no messages yet.
    pub fn new(id: &str, question: &str, model: &str, cwd: &Path) -> Self {
        let now = now();
        let head = SessionHead {
            id: id.to_owned(),
            title: title(question),
            created: now,
            updated: now,
            cwd: cwd.to_owned(),
            config: None,
            provider: String::new(),
            model: model.to_owned(),
        };
        Self {
            head,
            messages: Vec::new(),
            usage: Usage::default(),
            compressions: Vec::new(),
            plan: None,
            errors: Vec::new(),
        }
    }
}
