//! New content for a file: there whole or not at all.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::error::FileError;
use super::fresh::Fresh;
use super::path::shown;

/// Where new content goes: every link is followed already.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) real: &'a Path,
    /// The file as it was read, with its bytes; nothing when there was none.
    pub(crate) before: Option<(&'a Metadata, &'a [u8])>,
}

/// Writes the pieces one behind the other as the content of the file, and gives what is known of it then.
///
/// A file with one name is replaced by another with the same mode and, where possible, owner. One with several names
/// is written in place, and set back when that fails. A new one gets its parents, and goes over nothing.
pub(crate) fn replace(
    target: &Target,
    pieces: &[&[u8]],
    stop: &CancellationToken,
) -> Result<Metadata, FileError> {
    let Target { real, before } = *target;
    let written = match before {
        None => create(real, pieces, stop),
        Some((metadata, bytes)) if metadata.nlink() > 1 => {
            in_place(real, metadata, bytes, &pieces.concat(), stop)
        }
        Some((metadata, bytes)) => match anew(real, metadata, pieces, stop) {
            // A name that something is mounted on cannot go to another file.
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                in_place(real, metadata, bytes, &pieces.concat(), stop)
            }
            result => result,
        },
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => FileError::Interrupted,
        io::ErrorKind::AlreadyExists | io::ErrorKind::StaleNetworkFileHandle => {
            FileError::Changed(shown(real))
        }
        _ => FileError::io("write", real, &error),
    })
}

fn create(real: &Path, pieces: &[&[u8]], stop: &CancellationToken) -> io::Result<Metadata> {
    let parent = parent(real);
    let made = missing_parents(&parent);
    std::fs::create_dir_all(&parent)?;
    let written = (|| {
        let mut fresh = Fresh::new(&parent, 0o666)?;
        fill(&mut fresh.file, pieces, stop)?;
        fresh.file.sync_all()?;
        go_on(stop)?;
        fresh.put(real)?.metadata()
    })();
    if written.is_err() {
        // Only what is empty goes away.
        made.iter().take_while(|directory| std::fs::remove_dir(directory).is_ok()).for_each(drop);
    }
    written
}

/// The directories that are to be made, the innermost first.
fn missing_parents(parent: &Path) -> Vec<PathBuf> {
    parent.ancestors().take_while(|directory| !directory.exists()).map(Path::to_owned).collect()
}

fn anew(real: &Path, before: &Metadata, pieces: &[&[u8]], stop: &CancellationToken) -> io::Result<Metadata> {
    // A new file could take the place of one that is not to be written.
    OpenOptions::new().write(true).open(real)?;
    let mut fresh = Fresh::new(&parent(real), 0o600)?;
    fill(&mut fresh.file, pieces, stop)?;
    // The owner first: a change of it takes special bits away. Only root may give a file to somebody else.
    let (file, now) = (&fresh.file, fresh.file.metadata()?);
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        let _ = fchown(file, Some(before.uid()), Some(before.gid()))
            .or_else(|_| fchown(file, None, Some(before.gid())));
    }
    file.set_permissions(Permissions::from_mode(before.mode() & 0o7777))?;
    file.sync_all()?;
    unchanged(&real.metadata()?, before)?;
    go_on(stop)?;
    fresh.put_over(real)?.metadata()
}

fn in_place(
    real: &Path,
    before: &Metadata,
    old: &[u8],
    new: &[u8],
    stop: &CancellationToken,
) -> io::Result<Metadata> {
    let mut file = OpenOptions::new().write(true).open(real)?;
    unchanged(&file.metadata()?, before)?;
    go_on(stop)?;
    if let Err(error) = overwrite(&mut file, old.len(), new) {
        file.set_len(old.len() as u64)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(old)?;
        return Err(error);
    }
    file.metadata()
}

/// Writes first what makes the file longer: that is what can fail for want of room.
fn overwrite(file: &mut File, old: usize, new: &[u8]) -> io::Result<()> {
    let (within, beyond) = new.split_at_checked(old).unwrap_or((new, &[]));
    file.seek(SeekFrom::Start(old as u64))?;
    file.write_all(beyond)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(within)?;
    file.set_len(new.len() as u64)?;
    file.sync_all()
}

fn fill(file: &mut File, pieces: &[&[u8]], stop: &CancellationToken) -> io::Result<()> {
    const AT_ONCE: usize = 8 << 20;
    let mut file = io::BufWriter::with_capacity(64 << 10, file);
    for part in pieces.iter().flat_map(|piece| piece.chunks(AT_ONCE)) {
        go_on(stop)?;
        file.write_all(part)?;
    }
    file.flush()
}

fn parent(real: &Path) -> PathBuf {
    real.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

/// Another program may have written since the file was read.
fn unchanged(now: &Metadata, before: &Metadata) -> io::Result<()> {
    let state = |file: &Metadata| (file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec());
    if state(now) == state(before) { Ok(()) } else { Err(io::ErrorKind::StaleNetworkFileHandle.into()) }
}

fn go_on(stop: &CancellationToken) -> io::Result<()> {
    if stop.is_cancelled() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, pieces: &[&[u8]]) -> Result<Metadata, FileError> {
        let real = path.canonicalize().unwrap_or(path.to_owned());
        let bytes = std::fs::read(&real).unwrap_or_default();
        let metadata = real.metadata().ok();
        let target = Target { real: &real, before: metadata.as_ref().map(|metadata| (metadata, &*bytes)) };
        replace(&target, pieces, &CancellationToken::new())
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            directory.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn mode_owner_links_and_names_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, other) = (dir.path().join("f"), dir.path().join("l"), dir.path().join("h"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o754)).unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();
        write(&link, &[b"new", b" text"]).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new text");
        assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o754);
        assert!(link.is_symlink());
        std::fs::hard_link(&file, &other).unwrap();
        for content in ["longer than it was", "short"] {
            write(&file, &[content.as_bytes()]).unwrap();
            assert_eq!(std::fs::read(&other).unwrap(), content.as_bytes());
        }
        assert_eq!(file.metadata().unwrap().nlink(), 2);
        assert_eq!(names(dir.path()), ["f", "h", "l"]);
    }

    #[test]
    fn what_fails_leaves_everything_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "old").unwrap();
        let before = file.metadata().unwrap();
        let stopped = CancellationToken::new();
        stopped.cancel();
        let target = Target { real: &file, before: Some((&before, b"old")) };
        let error = replace(&target, &[b"new"], &stopped).unwrap_err();
        assert!(matches!(error, FileError::Interrupted), "{error}");
        let deep = dir.path().join("a/b/c");
        let error = replace(&Target { real: &deep, before: None }, &[b"new"], &stopped).unwrap_err();
        assert!(matches!(error, FileError::Interrupted), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        std::fs::write(&file, "other").unwrap();
        let error = replace(&target, &[b"new"], &CancellationToken::new()).unwrap_err();
        assert!(matches!(error, FileError::Changed(_)), "{error}");
        let error = replace(&Target { real: &file, before: None }, &[b"new"], &CancellationToken::new());
        assert!(matches!(error.unwrap_err(), FileError::Changed(_)));
        assert_eq!(std::fs::read(&file).unwrap(), b"other");
        assert_eq!(names(dir.path()), ["f"]);
        let error = write(Path::new("/proc/self/new"), &[b"x"]).unwrap_err();
        assert!(error.to_string().starts_with("cannot write /proc/"), "{error}");
    }
}
