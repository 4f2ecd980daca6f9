//! A file that has no name until it is whole, where the system can do that: nothing is left of it whatever ends the
//! program. Elsewhere it has a name of its own until then.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) file: File,
    name: Option<TempPath>,
    folder: PathBuf,
}

impl Fresh {
    /// Makes one on the file system of a folder; the umask is taken from the mode.
    pub(super) fn new(folder: &Path, mode: u32) -> io::Result<Self> {
        if let Some(file) = nameless(folder, mode) {
            return Ok(Self { file, name: None, folder: folder.to_owned() });
        }
        let made = prefixed(&mut tempfile::Builder::new())
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder);
        let (file, name) = made.map_err(unnamed)?.into_parts();
        Ok(Self { file, name: Some(name), folder: folder.to_owned() })
    }

    /// Gives it a name that nothing has.
    pub(super) fn put(self, path: &Path) -> io::Result<File> {
        match self.name {
            Some(name) => name.persist_noclobber(path).map_err(|error| error.error)?,
            None => link(&self.file, path)?,
        }
        Ok(self.file)
    }

    /// Gives it the name of another file, which is gone then.
    pub(super) fn put_over(self, path: &Path) -> io::Result<File> {
        let name = match self.name {
            Some(name) => name,
            // A link goes over nothing: the name is another one for a moment.
            None => prefixed(&mut tempfile::Builder::new())
                .make_in(&self.folder, |name| link(&self.file, name))
                .map_err(unnamed)?
                .into_temp_path(),
        };
        name.persist(path).map_err(|error| error.error)?;
        Ok(self.file)
    }
}

fn prefixed<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    builder.prefix(OsStr::new(".mm-"))
}

/// The error without the name of a file that nobody asked for.
fn unnamed(error: io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

#[cfg(target_os = "linux")]
fn nameless(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = open(folder, flags, Mode::from_raw_mode(mode)).ok().map(File::from);
    file.filter(|_| Path::new("/proc/self/fd").exists())
}

#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path, _mode: u32) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_kinds_come_to_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let kinds: [fn(&Path) -> Fresh; 2] = [
            |folder| Fresh::new(folder, 0o600).unwrap(),
            |folder| {
                let (file, name) = tempfile::Builder::new().tempfile_in(folder).unwrap().into_parts();
                Fresh { file, name: Some(name), folder: folder.to_owned() }
            },
        ];
        for kind in kinds {
            kind(dir.path()).put(&path).unwrap();
            let mut fresh = kind(dir.path());
            fresh.file.write_all(b"new").unwrap();
            let error = kind(dir.path()).put(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            fresh.put_over(&path).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
            assert_eq!(dir.path().read_dir().unwrap().count(), 1);
            std::fs::remove_file(&path).unwrap();
        }
    }
}
