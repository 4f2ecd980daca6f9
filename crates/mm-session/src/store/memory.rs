//! A store for tests and for embedders that keep nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{SessionHead, SessionRecord, SessionStore, StoreError};

/// Keeps conversations as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    // Shared by sessions; held only for one look-up.
    records: Mutex<BTreeMap<String, SessionRecord>>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SessionRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn save(&self, record: SessionRecord) -> Result<(), StoreError> {
        self.lock().insert(record.head.id.clone(), record);
        Ok(())
    }

    async fn load(&self, id: &str) -> Result<SessionRecord, StoreError> {
        self.lock().get(id).cloned().ok_or_else(|| StoreError::Missing(id.to_owned()))
    }

    async fn list(&self) -> Result<Vec<SessionHead>, StoreError> {
        Ok(self.lock().values().rev().map(|record| record.head.clone()).collect())
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.lock().remove(id).map(drop).ok_or_else(|| StoreError::Missing(id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[tokio::test]
    async fn what_was_saved_is_listed_loaded_and_deleted() {
        let store = MemoryStore::default();
        let record = SessionRecord::new(&crate::store::new_id(), "  What\nis this? ", "m", Path::new("/w"));
        assert_eq!(record.head.title, "What is this?");
        store.save(record.clone()).await.unwrap();
        let head = store.list().await.unwrap().remove(0);
        assert_eq!(store.load(&head.id).await.unwrap(), record);
        store.delete(&head.id).await.unwrap();
        assert!(matches!(store.load(&head.id).await, Err(StoreError::Missing(_))));
    }
}
