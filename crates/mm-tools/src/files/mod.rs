//! What the file tools share: paths, encodings, matches, diffs, and files that are replaced whole or not at all.
//!
//! A file is its bytes. What a model sees is a view over them, and a change goes back as a splice of bytes: outside of
//! it nothing changes.

pub(crate) mod closest;
pub(crate) mod diff;
pub(crate) mod encoding;
pub(crate) mod error;
pub(crate) mod find;
mod fresh;
pub(crate) mod lenient;
pub(crate) mod memory;
pub(crate) mod open;
pub(crate) mod page;
pub(crate) mod path;
pub(crate) mod replace;
mod undo;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use crate::{Preview, ToolContext, ToolOutput};
use error::FileError;
use memory::{Memory, Stamp};
use undo::Journal;
pub use undo::{Mark, Undone};

/// Where files may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Whether files outside the working directory are only read, links followed.
    pub read_only_outside_cwd: bool,
}

/// What the file tools of an agent know together: which files the model has seen, and who is writing which.
///
/// Clones are of the same knowledge.
#[derive(Clone, Debug, Default)]
pub struct Files {
    options: FileOptions,
    memory: Arc<Memory>,
    // Held to add a change, or to take some out.
    journal: Arc<Mutex<Journal>>,
}

impl Files {
    /// Knows nothing so far.
    pub fn new(options: FileOptions) -> Self {
        Self { options, memory: Arc::default(), journal: Arc::default() }
    }

    /// Makes a file that is not there yet; gives the result for the model.
    pub async fn create(&self, path: &str, content: String, cx: &ToolContext) -> ToolOutput {
        let (files, path) = (self.clone(), path.to_owned());
        off_thread(cx, move |cx, stop| {
            let real = files.writable(&path, cx)?;
            let lock = files.memory().lock_of(&real);
            let _alone = memory::locked(&lock);
            let bytes = content.as_bytes();
            let made = files.put(&replace::Target { real: &real, before: None }, &[bytes], stop);
            if matches!(made, Err(FileError::Changed(_))) || real.symlink_metadata().is_ok() && made.is_err()
            {
                return Ok(ToolOutput::error(format!(
                    "{} exists: give the name of a new file",
                    named(&path)
                )));
            }
            files.memory().saw(&real, Stamp::of(&made?, &[bytes]));
            Ok(ToolOutput::ok(format!("[created {}: {}]", named(&path), counted(count_lines(bytes), "line"))))
        })
        .await
    }

    /// Puts content in the place of a file, whatever it holds; gives the result for the model.
    pub async fn replace(&self, path: &str, content: String, cx: &ToolContext) -> ToolOutput {
        let (files, path) = (self.clone(), path.to_owned());
        off_thread(cx, move |cx, stop| {
            let real = files.writable(&path, cx)?;
            let lock = files.memory().lock_of(&real);
            let _alone = memory::locked(&lock);
            let existing = Existing::read(&path, &real, stop)?;
            let (bytes, before) = (content.as_bytes(), Some((&existing.metadata, &existing.bytes[..])));
            let metadata = files.put(&replace::Target { real: &real, before }, &[bytes], stop)?;
            files.memory().saw(&real, Stamp::of(&metadata, &[bytes]));
            let lines = counted(count_lines(bytes), "line");
            Ok(ToolOutput::ok(format!("[replaced {}: {lines}]", named(&path))))
        })
        .await
    }

    /// Whether a regular file is there that [`replace`](Self::replace) could replace.
    pub async fn holds(&self, path: &str, cx: &ToolContext) -> bool {
        let (files, path) = (self.clone(), path.to_owned());
        let found = waiting(cx, move |cx, _| Ok(files.writable(&path, cx)?.is_file()));
        matches!(found.await, Ok(Ok(true)))
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Where a path that is to be written leads, if that may be written.
    pub(crate) fn writable(&self, path: &str, cx: &ToolContext) -> Result<PathBuf, FileError> {
        let absolute = path::absolute(path, cx)?;
        let real = path::real(&absolute).map_err(|error| FileError::io("write", &absolute, &error))?;
        if self.options.read_only_outside_cwd {
            let cwd = path::real(&cx.cwd).map_err(|error| FileError::io("write", &absolute, &error))?;
            if !real.starts_with(cwd) {
                return Err(FileError::Outside(path::one_line(path)));
            }
        }
        Ok(real)
    }
}

/// Describes a call that writes: where links lead elsewhere than the path says, that is told too.
pub fn writing(path: &str, what: &str, cx: &ToolContext) -> Preview {
    let named = path::one_line(path);
    let place = elsewhere(path, cx).map_or(String::new(), |real| format!(" → {}", path::shown(&real)));
    Preview::mutating(format!("{named}{place} ({what})"))
}

fn elsewhere(path: &str, cx: &ToolContext) -> Option<PathBuf> {
    let real = path::real(&path::absolute(path, cx).ok()?).ok()?;
    let cx = ToolContext { cwd: path::real(&cx.cwd).ok()?, ..cx.clone() };
    let said = path::plain(&path::absolute(path, &cx).ok()?);
    (real != said).then_some(real)
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// How many lines a text has.
pub(crate) fn count_lines(text: &[u8]) -> usize {
    let open = !text.is_empty() && !text.ends_with(b"\n");
    memchr::memchr_iter(b'\n', text).count() + usize::from(open)
}

/// A file that is about to be changed.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) metadata: Metadata,
    pub(crate) bytes: Vec<u8>,
    pub(crate) stamp: Stamp,
}

impl Existing {
    /// Reads a file whole, if it is one.
    pub(crate) fn read(asked: &str, real: &Path, stop: &CancellationToken) -> Result<Self, FileError> {
        open::regular(real, &open::look(asked, real)?)?;
        let (file, metadata) = open::open(real)?;
        let bytes = open::whole(real, &file, "change", stop)?;
        let stamp = Stamp::of(&metadata, &[&bytes]);
        Ok(Self { metadata, bytes, stamp })
    }
}

/// The most characters of a result that shows what changed.
pub(crate) const MOST_SHOWN: usize = 6_000;

/// Works on a thread that may wait. Cancelled or dropped, the call ends at once, and the work before it writes.
pub(crate) async fn off_thread<W>(cx: &ToolContext, work: W) -> ToolOutput
where
    W: FnOnce(&ToolContext, &CancellationToken) -> Result<ToolOutput, FileError> + Send + 'static,
{
    match waiting(cx, work).await {
        Ok(Ok(output)) => output,
        Ok(Err(FileError::Interrupted)) => {
            ToolOutput { text: "[interrupted by the user]".to_owned(), ok: false }
        }
        Ok(Err(error)) => ToolOutput::error(error),
        Err(fault) => ToolOutput::error(format!("the tool has a fault: {fault}")),
    }
}

/// Finds out on a thread that may wait what a call would change; nothing when it would fail.
pub(crate) async fn foreseen<W>(cx: &ToolContext, work: W) -> Option<String>
where
    W: FnOnce(&ToolContext, &CancellationToken) -> Result<Option<String>, FileError> + Send + 'static,
{
    waiting(cx, work).await.ok()?.ok()?.filter(|change| !change.is_empty())
}

async fn waiting<T, W>(cx: &ToolContext, work: W) -> Result<Result<T, FileError>, tokio::task::JoinError>
where
    T: Send + 'static,
    W: FnOnce(&ToolContext, &CancellationToken) -> Result<T, FileError> + Send + 'static,
{
    let stop = cx.cancel.child_token();
    let _stops_when_dropped = stop.clone().drop_guard();
    let (cx, stopped) = (cx.clone(), stop.clone());
    let mut task = tokio::task::spawn_blocking(move || work(&cx, &stopped));
    tokio::select! {
        biased;
        result = &mut task => result,
        () = stop.cancelled() => Ok(Err(FileError::Interrupted)),
    }
}

/// A path for the results: as the model wrote it.
pub(crate) fn named(path: &str) -> String {
    path::shown(Path::new(path))
}
