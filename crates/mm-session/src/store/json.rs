//! Conversations as files of a directory.

mod head;
mod lock;
mod message;
mod migrate;
mod replace;
mod wire;

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::{Claim, Fault, Listed, SessionRecord, SessionStore, StoreError};
use lock::Lock;

/// Behind the id in the name of a file.
const ENDING: &str = ".json";
/// The most bytes of a file that is read.
const MOST: u64 = 512_000_000;
/// The most characters of an id: a file system takes names of 255 bytes, and some are longer than the id.
const MOST_ID: usize = 200;

/// Keeps each conversation in a file `<id>.json` of one directory, which is made when something is saved.
///
/// A file is replaced as a whole or stays as it was, whatever happens meanwhile; files are for their owner alone.
/// Beside it stands an empty hidden file while somebody has the conversation open.
#[derive(Clone, Debug)]
pub struct DirStore {
    dir: PathBuf,
}

impl DirStore {
    /// A store in a directory. Nothing is made or looked at yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn path(&self, id: &str) -> Result<PathBuf, StoreError> {
        let is_name = !id.is_empty() && !id.starts_with('.') && id.len() <= MOST_ID;
        let is_plain = id.chars().all(|c| c != '/' && c != '\\' && !c.is_control());
        if is_name && is_plain {
            Ok(self.dir.join(format!("{id}{ENDING}")))
        } else {
            Err(StoreError::BadId(id.to_owned()))
        }
    }
}

#[async_trait]
impl SessionStore for DirStore {
    async fn create(&self, id: &str) -> Result<Claim, StoreError> {
        self.path(id)?;
        let (dir, id) = (self.dir.clone(), id.to_owned());
        blocking(&self.dir, move || {
            replace::make(&dir)?;
            replace::sweep(&dir);
            Ok(Claim::new(Lock::take(&dir, &id)?))
        })
        .await
    }

    async fn save(&self, record: SessionRecord) -> Result<(), StoreError> {
        let path = self.path(&record.head.id)?;
        blocking(&self.dir, move || {
            let written = replace::replace(&path, |file| wire::write(&record, file));
            written.map_err(|source| io_error(&path, source))
        })
        .await
    }

    async fn load(&self, id: &str) -> Result<SessionRecord, StoreError> {
        let (path, id) = (self.path(id)?, id.to_owned());
        blocking(&self.dir, move || match read(&path, &id) {
            Ok(record) => Ok(record),
            Err(Fault::Io(error)) if error.kind() == ErrorKind::NotFound => Err(StoreError::Missing(id)),
            Err(fault) => Err(StoreError::Unreadable { id, fault }),
        })
        .await
    }

    async fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let dir = self.dir.clone();
        blocking(&self.dir, move || list(&dir).map_err(|source| io_error(&dir, source))).await
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let (path, dir, id) = (self.path(id)?, self.dir.clone(), id.to_owned());
        blocking(&self.dir, move || {
            if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                return Err(StoreError::Missing(id));
            }
            let _held = Lock::take(&dir, &id)?;
            fs::remove_file(&path).map_err(|source| io_error(&path, source))
        })
        .await
    }
}

fn io_error(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io { path: path.display().to_string(), source }
}

/// Does what may wait for a disk where it holds up nobody.
async fn blocking<T: Send + 'static>(
    dir: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|fault| Err(io_error(dir, std::io::Error::other(fault))))
}

/// Opens what is a regular file, and nothing that one would have to wait for.
fn open(path: &Path) -> Result<(File, fs::Metadata), Fault> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(Fault::NotAFile("a directory"));
    }
    if !metadata.is_file() {
        return Err(Fault::NotAFile("no regular file"));
    }
    // Some that say they are regular make whoever reads them wait for ever all the same.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    Ok((fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?, metadata))
}

fn read(path: &Path, id: &str) -> Result<SessionRecord, Fault> {
    let (file, metadata) = open(path)?;
    if metadata.len() > MOST {
        return Err(Fault::TooLarge { bytes: metadata.len(), most: MOST });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(MOST).read_to_end(&mut bytes)?;
    let mut record = wire::read(&bytes, modified(&metadata))?;
    // A file may have been copied: its name says what it is.
    id.clone_into(&mut record.head.id);
    Ok(record)
}

fn list(dir: &Path) -> std::io::Result<Vec<Listed>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut all = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let shown = name.to_string_lossy();
        let Some(id) = shown.strip_suffix(ENDING).filter(|id| !id.is_empty() && !id.starts_with('.')) else {
            continue;
        };
        all.push(listed(&dir.join(&name), id));
    }
    all.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| b.id.cmp(&a.id)));
    Ok(all)
}

fn listed(path: &Path, id: &str) -> Listed {
    let known = fs::symlink_metadata(path);
    let size = known.as_ref().map_or(0, fs::Metadata::len);
    let changed = known.as_ref().map_or(std::time::SystemTime::UNIX_EPOCH, modified);
    let mut row = Listed { id: id.to_owned(), size, updated: changed, head: Err(Fault::Empty) };
    row.head = open(path).and_then(|(file, metadata)| {
        row.size = metadata.len();
        let mut head = head::of_file(&file, &metadata)?;
        id.clone_into(&mut head.id);
        row.updated = head.updated;
        Ok(head)
    });
    row
}

fn modified(metadata: &fs::Metadata) -> std::time::SystemTime {
    metadata.modified().unwrap_or(std::time::SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
