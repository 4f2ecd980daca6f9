//! The answers of a conversation, for the tools that need them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The answers of a conversation, oldest first. Clones are of the same ones.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    // The session adds one at the end of a turn, a tool reads one within a turn; held only for that.
    given: Arc<Mutex<Vec<String>>>,
}

impl Answers {
    pub(crate) fn add(&self, text: &str) {
        self.given().push(text.to_owned());
    }

    pub(crate) fn clear(&self) {
        self.given().clear();
    }

    pub(crate) fn drop_last(&self, many: usize) {
        let mut given = self.given();
        let left = given.len().saturating_sub(many);
        given.truncate(left);
    }

    /// Gives the last answer, or the one that so many came after.
    pub fn back(&self, many: usize) -> Option<String> {
        self.given().iter().rev().nth(many).cloned()
    }

    fn given(&self) -> MutexGuard<'_, Vec<String>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
