//! Where conversations are kept.

use mm_config::Config;
use mm_config::path::{PathKey, resolve};
use mm_session::store::DirStore;

use super::Surroundings;

/// The directory of `sessions`, where they are on.
pub(super) fn store(config: &Config, around: &Surroundings) -> Option<DirStore> {
    let dir = || resolve(PathKey::SessionsDir, &config.sessions.dir, around.bases());
    config.sessions.enabled.then(|| DirStore::new(dir()))
}
