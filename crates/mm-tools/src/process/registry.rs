//! What was started and has not ended.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Signal;
use tokio::task::JoinSet;

use super::group::Group;

/// How long what is left at the end of the program may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// The groups of running commands and of those that left something behind. Kills what is left when it goes
/// away.
#[derive(Debug, Default)]
pub(super) struct Registry {
    // Shared by the clones of a runner; held for single operations on the set only.
    groups: Mutex<BTreeSet<Group>>,
}

impl Registry {
    pub(super) fn remember(&self, group: Group) {
        self.lock().insert(group);
    }

    pub(super) fn forget(&self, group: Group) {
        self.lock().remove(&group);
    }

    pub(super) async fn shutdown(&self) {
        let groups = self.lock().clone();
        let mut ending = JoinSet::new();
        groups.iter().for_each(|group| drop(ending.spawn(group.end(GRACE))));
        ending.join_all().await;
        groups.into_iter().for_each(|group| self.forget(group));
    }

    pub(super) fn kill_all(&self) {
        let groups = std::mem::take(&mut *self.lock());
        groups.into_iter().for_each(|group| group.signal(Signal::KILL));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Group>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.kill_all();
    }
}
