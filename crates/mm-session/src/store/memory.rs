//! A store for tests and for embedders that keep nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Claim, Listed, SessionRecord, SessionStore, StoreError};

/// Keeps conversations as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    // Shared by sessions; held only for one look-up.
    records: Mutex<BTreeMap<String, SessionRecord>>,
    claimed: Ids,
}

/// The ids that somebody has. Shared with their claims; held only for one look-up.
type Ids = Arc<Mutex<BTreeSet<String>>>;

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SessionRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Held(Ids, String);

impl super::Hold for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn create(&self, id: &str) -> Result<Claim, StoreError> {
        let is_free = self.claimed.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
        let held = || Claim::new(Held(self.claimed.clone(), id.to_owned()));
        is_free.then(held).ok_or_else(|| StoreError::InUse(id.to_owned()))
    }

    async fn save(&self, record: SessionRecord) -> Result<(), StoreError> {
        self.lock().insert(record.head.id.clone(), record);
        Ok(())
    }

    async fn load(&self, id: &str) -> Result<SessionRecord, StoreError> {
        self.lock().get(id).cloned().ok_or_else(|| StoreError::Missing(id.to_owned()))
    }

    async fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let listed = |record: &SessionRecord| Listed {
            id: record.head.id.clone(),
            size: 0,
            updated: record.head.updated,
            head: Ok(record.head.clone()),
        };
        let mut all: Vec<Listed> = self.lock().values().rev().map(listed).collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.updated));
        Ok(all)
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let _held = self.create(id).await?;
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
        let id = store.list().await.unwrap().remove(0).id;
        assert_eq!(store.load(&id).await.unwrap(), record);
        let claim = store.create(&id).await.unwrap();
        assert!(matches!(store.create(&id).await, Err(StoreError::InUse(_))));
        assert!(matches!(store.delete(&id).await, Err(StoreError::InUse(_))));
        drop(claim);
        store.create(&id).await.unwrap();
        store.delete(&id).await.unwrap();
        assert!(matches!(store.load(&id).await, Err(StoreError::Missing(_))));
    }
}
