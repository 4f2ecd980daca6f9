//! What compressions took out of a conversation, for the tools that bring it back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::Compression;

/// What compressions took out of a conversation, oldest first. Clones are of the same one.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    // The session adds one between two calls of the model, a tool reads within a call; held only for that.
    blocks: Arc<Mutex<Vec<Arc<Compression>>>>,
}

impl Archive {
    /// The id of the next block; no other block of the conversation has it.
    pub(crate) fn next_id(&self) -> String {
        let number = |block: &Arc<Compression>| block.id.strip_prefix('c')?.parse::<usize>().ok();
        let last = self.blocks().iter().filter_map(number).max().unwrap_or_default();
        format!("c{}", last + 1)
    }

    pub(crate) fn add(&self, block: Compression) {
        self.blocks().push(Arc::new(block));
    }

    /// Puts what was kept in the place of what is there.
    pub(crate) fn set(&self, blocks: Vec<Compression>) {
        *self.blocks() = blocks.into_iter().map(Arc::new).collect();
    }

    /// Gives the block of an id.
    pub fn get(&self, id: &str) -> Option<Arc<Compression>> {
        self.blocks().iter().find(|block| block.id == id).cloned()
    }

    /// Gives all of them, without a copy.
    pub fn all(&self) -> Vec<Arc<Compression>> {
        self.blocks().clone()
    }

    /// Gives all of them as they are kept.
    pub fn to_vec(&self) -> Vec<Compression> {
        self.blocks().iter().map(|block| Compression::clone(block)).collect()
    }

    fn blocks(&self) -> MutexGuard<'_, Vec<Arc<Compression>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
