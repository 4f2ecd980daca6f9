//! Who has a conversation open.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::io_error;
use crate::store::{Hold, StoreError};

/// Behind the id in the name of a lock. It is our own: whatever has it may be deleted when nobody holds it.
pub(super) const ENDING: &str = ".mm-lock";

/// Somebody who only looks whether a lock was left holds it for a moment.
const LOOKS: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(10);
/// A file system may count its files in ways of its own, and then none is ever the one that was opened.
const MOVED: u32 = 100;

/// A hidden file that is locked as long as this lives, and goes with it. A lock ends with its process, however that
/// ends; it cannot be on the session's file, which is another one after each save.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    pub(super) fn take(dir: &Path, id: &str) -> Result<Self, StoreError> {
        let path = dir.join(format!(".{id}{ENDING}"));
        let failed = |source| io_error(&path, source);
        let (mut looks, mut moved) = (0, 0);
        loop {
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false).mode(0o600).open(&path);
            let file = file.map_err(failed)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if looks < LOOKS => {
                    looks += 1;
                    std::thread::sleep(BETWEEN);
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(id.to_owned())),
                // A file system without locks: better than no conversation.
                Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
                    return Err(failed(error));
                }
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // Whoever had it may have deleted it meanwhile, and others lock the next file of that name.
            moved += 1;
            if is_at(&file, &path) || moved == MOVED {
                return Ok(Self { path, file });
            }
        }
    }
}

impl Hold for Lock {
    fn holds(&self) -> bool {
        is_at(&self.file, &self.path)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is locked: then nobody else has a lock of that name.
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Deletes a file that its process has left behind: one that nobody has locked.
pub(super) fn remove_if_left(path: &Path) {
    // What waits for a reader, or leads elsewhere, is not ours.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return;
    }
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (here, there) = (file.metadata().map(place), fs::symlink_metadata(path).map(place));
    here.ok().is_some_and(|here| there.is_ok_and(|there| here == there))
}
