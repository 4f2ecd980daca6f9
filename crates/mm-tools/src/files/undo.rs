//! What was written, so that it can be taken back.
//!
//! A file that is replaced lives on as long as somebody has it open, so what was there before costs nothing but an open
//! file. Where a file is written in place, a copy of it goes to a temporary file without a name.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::error::FileError;
use super::memory::{Stamp, locked};
use super::path::shown;
use super::replace::{self, Target};
use super::{Existing, Files};

/// The most changes that are kept: each has a file open.
const MOST: usize = 200;

/// Why a file stays that was changed too long ago.
const LOST: &str = "too many files were written since";

/// A place in the order of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

/// What became of a file that was to be as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It is as before.
    Restored(PathBuf),
    /// It was new, and is gone.
    Removed(PathBuf),
    /// It stays as it is, and why.
    Left(PathBuf, String),
}

/// Everything that was written, oldest first.
#[derive(Debug, Default)]
pub(super) struct Journal {
    changes: Vec<Change>,
    /// How many were dropped before the first of them.
    dropped: usize,
    /// Of each file the last change that was dropped.
    lost: BTreeMap<PathBuf, usize>,
}

#[derive(Debug)]
struct Change {
    real: PathBuf,
    /// The file before; nothing when there was none.
    before: Option<Before>,
    after: Stamp,
}

#[derive(Debug)]
enum Before {
    Kept(File),
    Lost(&'static str),
}

impl Files {
    /// The place where the next change comes.
    pub fn mark(&self) -> Mark {
        let journal = locked(&self.journal);
        Mark(journal.dropped + journal.changes.len())
    }

    /// Brings every file that was written since back to what it was at a mark, unless somebody else has written to it
    /// meanwhile; tells what became of each.
    pub async fn undo(&self, mark: Mark) -> Vec<Undone> {
        let files = self.clone();
        let undone = tokio::task::spawn_blocking(move || files.undo_now(mark)).await;
        undone.unwrap_or_default()
    }

    fn undo_now(&self, mark: Mark) -> Vec<Undone> {
        let (changes, lost) = {
            let mut journal = locked(&self.journal);
            let from = mark.0.saturating_sub(journal.dropped).min(journal.changes.len());
            let lost: Vec<PathBuf> =
                journal.lost.iter().filter(|(_, at)| **at >= mark.0).map(|(real, _)| real.clone()).collect();
            journal.lost.retain(|_, at| *at < mark.0);
            (journal.changes.split_off(from), lost)
        };
        // Of each file the first state and the last one count.
        let mut files: BTreeMap<PathBuf, (Option<Before>, Stamp)> = BTreeMap::new();
        for Change { real, before, after } in changes {
            files.entry(real).and_modify(|(_, last)| *last = after).or_insert((before, after));
        }
        lost.iter().for_each(|real| drop(files.remove(real)));
        let lost = lost.into_iter().map(|real| Undone::Left(real, LOST.to_owned()));
        let undone =
            files.into_iter().map(|(real, (before, after))| match self.bring_back(&real, before, after) {
                Ok(undone) => undone,
                Err(error) => Undone::Left(real, error.to_string()),
            });
        lost.chain(undone).collect()
    }

    fn bring_back(&self, real: &Path, before: Option<Before>, after: Stamp) -> Result<Undone, FileError> {
        let lock = self.memory().lock_of(real);
        let _alone = locked(&lock);
        let stop = CancellationToken::new();
        let existing = match Existing::read(&shown(real), real, &stop) {
            Ok(existing) => existing,
            Err(FileError::Missing { .. }) => return Ok(Undone::Left(real.into(), "it is gone".to_owned())),
            Err(error) => return Err(error),
        };
        if !existing.stamp.is_same(&after) {
            return Ok(Undone::Left(real.into(), "it changed since".to_owned()));
        }
        match before {
            None => {
                std::fs::remove_file(real).map_err(|error| FileError::io("remove", real, &error))?;
                Ok(Undone::Removed(real.into()))
            }
            Some(Before::Lost(why)) => Ok(Undone::Left(real.into(), why.to_owned())),
            Some(Before::Kept(mut file)) => {
                let old = whole(&mut file).map_err(|error| FileError::io("read", real, &error))?;
                let target = Target { real, before: Some((&existing.metadata, &existing.bytes)) };
                let metadata = replace::replace(&target, &[&old], &stop)?;
                self.memory().saw(real, Stamp::of(&metadata, &[&old]));
                Ok(Undone::Restored(real.into()))
            }
        }
    }

    /// Writes as [`replace::replace`] does, and keeps what was there.
    pub(crate) fn put(
        &self,
        target: &Target,
        pieces: &[&[u8]],
        stop: &CancellationToken,
    ) -> Result<Metadata, FileError> {
        let old = target.before.map(|(metadata, _)| (File::open(target.real), metadata.ino()));
        let metadata = replace::replace(target, pieces, stop)?;
        let before = old.map(|(file, inode)| match (file, target.before) {
            (Ok(file), _) if inode != metadata.ino() => Before::Kept(file),
            (_, Some((_, bytes))) => copy(bytes).map_or(Before::Lost("it could not be kept"), Before::Kept),
            (_, None) => Before::Lost("it could not be kept"),
        });
        let change = Change { real: target.real.to_owned(), before, after: Stamp::of(&metadata, pieces) };
        locked(&self.journal).add(change);
        Ok(metadata)
    }
}

impl Journal {
    fn add(&mut self, change: Change) {
        if self.changes.len() == MOST {
            let oldest = self.changes.remove(0);
            self.lost.insert(oldest.real, self.dropped);
            self.dropped += 1;
        }
        self.changes.push(change);
    }
}

fn copy(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;
    use crate::edit_file::EditFile;
    use crate::files::FileOptions;
    use crate::write_file::WriteFile;
    use crate::{Tool, ToolContext};

    struct Place {
        dir: tempfile::TempDir,
        files: Files,
        cx: ToolContext,
    }

    impl Place {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let cx = ToolContext::new(dir.path().canonicalize().unwrap());
            Self { files: Files::new(FileOptions::default()), cx, dir }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.cx.cwd.join(name)
        }

        async fn write(&self, path: &str, content: &str) {
            let tool = WriteFile::new(self.files.clone());
            for _ in 0..2 {
                tool.run(&json!({"path": path, "content": content}), &self.cx).await;
            }
            assert_eq!(std::fs::read_to_string(self.path(path)).unwrap(), content);
        }

        async fn edit(&self, path: &str, old: &str, new: &str) {
            let tool = EditFile::new(self.files.clone());
            let output = tool.run(&json!({"path": path, "old": old, "new": new}), &self.cx).await;
            assert!(output.ok, "{}", output.text);
        }

        fn read(&self, path: &str) -> Option<String> {
            std::fs::read_to_string(self.path(path)).ok()
        }
    }

    #[tokio::test]
    async fn files_are_as_they_were_at_the_mark() {
        let place = Place::new();
        std::fs::write(place.path("old"), "one\ntwo\n").unwrap();
        std::fs::set_permissions(place.path("old"), std::fs::Permissions::from_mode(0o751)).unwrap();
        std::fs::write(place.path("twin"), "twin\n").unwrap();
        std::fs::hard_link(place.path("twin"), place.path("other")).unwrap();
        let first = place.files.mark();
        place.edit("old", "one", "1").await;
        let second = place.files.mark();
        place.edit("old", "two", "2").await;
        place.write("new/file", "made\n").await;
        place.write("twin", "longer than before\n").await;
        place.edit("twin", "longer", "LONGER").await;
        let undone = place.files.undo(second).await;
        assert_eq!(
            undone,
            [
                Undone::Removed(place.path("new/file")),
                Undone::Restored(place.path("old")),
                Undone::Restored(place.path("twin")),
            ]
        );
        assert_eq!(place.read("old").as_deref(), Some("1\ntwo\n"));
        assert_eq!((place.read("twin"), place.read("other")), (Some("twin\n".into()), Some("twin\n".into())));
        assert_eq!(place.read("new/file"), None);
        assert_eq!(place.files.undo(second).await, [], "once");
        assert_eq!(place.files.undo(first).await, [Undone::Restored(place.path("old"))]);
        assert_eq!(place.read("old").as_deref(), Some("one\ntwo\n"));
        assert_eq!(place.path("old").metadata().unwrap().permissions().mode() & 0o7777, 0o751);
        drop(place.dir);
    }

    #[tokio::test]
    async fn what_somebody_else_changed_stays() {
        let place = Place::new();
        for name in ["a", "b", "c"] {
            std::fs::write(place.path(name), "old\n").unwrap();
        }
        let mark = place.files.mark();
        for name in ["a", "b", "c", "d"] {
            place.write(name, "new\n").await;
        }
        std::fs::write(place.path("a"), "mine\n").unwrap();
        std::fs::remove_file(place.path("b")).unwrap();
        std::fs::write(place.path("d"), "mine\n").unwrap();
        let left = |name: &str, why: &str| Undone::Left(place.path(name), why.to_owned());
        assert_eq!(
            place.files.undo(mark).await,
            [
                left("a", "it changed since"),
                left("b", "it is gone"),
                Undone::Restored(place.path("c")),
                left("d", "it changed since"),
            ]
        );
        assert_eq!((place.read("a"), place.read("d")), (Some("mine\n".into()), Some("mine\n".into())));
    }

    #[tokio::test]
    async fn only_so_many_changes_are_kept_and_the_rest_is_told() {
        let place = Place::new();
        std::fs::write(place.path("f"), "0\n").unwrap();
        std::fs::write(place.path("g"), "old\n").unwrap();
        let mark = place.files.mark();
        place.write("made", "new\n").await;
        for n in 0..MOST {
            place.edit("f", &format!("{n}\n"), &format!("{}\n", n + 1)).await;
        }
        place.edit("g", "old", "new").await;
        assert_eq!(locked(&place.files.journal).changes.len(), MOST);
        let left = |name: &str| Undone::Left(place.path(name), LOST.to_owned());
        let undone = place.files.undo(mark).await;
        assert_eq!(undone, [left("f"), left("made"), Undone::Restored(place.path("g"))]);
        assert_eq!(place.files.undo(mark).await, []);
    }
}
