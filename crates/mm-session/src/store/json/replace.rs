//! A file in place of another: whole, or not at all.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::{io_error, lock};
use crate::store::StoreError;

/// Behind the name of a file that is being written.
const ENDING: &str = ".mm-tmp";
/// Bytes that are written at once.
const PIECE: usize = 256 << 10;

/// Makes the directory, for its owner alone.
pub(super) fn make(dir: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|source| io_error(dir, source))
}

/// Writes a file beside the one that it then replaces, and waits until both it and its name are on the disk.
pub(super) fn replace(
    path: &Path,
    write: impl Fn(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default();
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let fresh = || -> io::Result<()> {
        // It is for its owner alone, and deleted when something fails.
        let fresh = tempfile::Builder::new().prefix(&prefix).suffix(ENDING).tempfile_in(dir);
        let fresh = fresh.map_err(without_path)?;
        // So that it is known to be of somebody who lives. Where files cannot be locked, they are not swept either.
        let _ = fresh.as_file().try_lock();
        let mut file = BufWriter::with_capacity(PIECE, fresh.as_file());
        write(&mut file)?;
        file.flush()?;
        drop(file);
        fresh.as_file().sync_all()?;
        fresh.persist(path)?;
        Ok(())
    };
    match fresh() {
        // Swept away by another process before it could be locked.
        Err(error) if error.kind() == io::ErrorKind::NotFound => fresh()?,
        done => done?,
    }
    File::open(dir)?.sync_all()
}

/// Takes away the name of a file that nobody has heard of.
fn without_path(error: io::Error) -> io::Error {
    if error.get_ref().is_some() { error.kind().into() } else { error }
}

/// Deletes what processes that were killed have left behind.
pub(super) fn sweep(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && [ENDING, lock::ENDING].iter().any(|ending| name.ends_with(ending)) {
            lock::remove_if_left(&entry.path());
        }
    }
}
