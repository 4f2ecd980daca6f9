//! The tool that replaces a text in a file.

mod report;

use std::ops::Range;
use std::path::Path;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::files::diff::{Change, whole};
use crate::files::encoding::{Encoding, Text};
use crate::files::error::FileError;
use crate::files::find::{Found, How, MOST, find, with_ends_of};
use crate::files::memory::{Stamp, locked};
use crate::files::replace::Target;
use crate::files::{Existing, Files, foreseen, off_thread, writing};
use crate::{Preview, Tool, ToolContext, ToolOutput};

/// The tool `edit_file`: one text of a file for another.
///
/// The text is there exactly once, or `all` is asked for. White space at line ends, line ends and one shift of the
/// indentation may differ, and the result says so. The file is spliced: outside of what is replaced no byte changes.
#[derive(Debug)]
pub struct EditFile {
    definition: ToolSpec,
    files: Files,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    path: String,
    /// Exact text, without line numbers, that is there once
    old: String,
    new: String,
    /// Replace every occurrence
    #[serde(default)]
    all: Option<bool>,
}

impl EditFile {
    /// Makes the tool.
    pub fn new(files: Files) -> Self {
        let definition = ToolSpec::of::<Args>("edit_file", "Replaces a text in a file and shows the change.");
        Self { definition, files }
    }
}

#[async_trait]
impl Tool for EditFile {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview {
        let Ok(args) = Args::deserialize(args) else { return Preview::mutating("") };
        writing(&args.path, &report::in_short(&args.old, &args.new, args.all()), cx)
    }

    async fn diff(&self, args: &Value, cx: &ToolContext) -> Option<String> {
        let args = Args::deserialize(args).ok()?;
        let files = self.files.clone();
        foreseen(cx, move |cx, stop| args.foresee(&files, cx, stop)).await
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match Args::deserialize(args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::error(error),
        };
        let files = self.files.clone();
        off_thread(cx, move |cx, stop| args.edit(&files, cx, stop)).await
    }
}

/// What is to be done to the view of a file.
#[derive(Debug)]
struct Edit {
    changes: Vec<Change>,
    how: How,
    /// Whether the file's line ends took the place of others.
    keeps_ends: bool,
}

impl Args {
    fn all(&self) -> bool {
        self.all.unwrap_or_default()
    }

    fn edit(
        &self,
        files: &Files,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<ToolOutput, FileError> {
        if self.old.is_empty() {
            return Ok(ToolOutput::error("old is empty: give the text to replace, or use write_file"));
        }
        let real = files.writable(&self.path, cx)?;
        let lock = files.memory().lock_of(&real);
        let _alone = locked(&lock);
        let existing = Existing::read(&self.path, &real, stop)?;
        let text = Text::new(&existing.bytes);
        let edit = match self.find(&text)? {
            Ok(edit) => edit,
            Err(fault) => return Ok(fault),
        };
        if edit.changes.iter().all(|change| text.view.get(change.old.clone()) == Some(&change.new)) {
            return Ok(ToolOutput::error("old and new are the same, nothing was changed"));
        }
        self.splice(files, &real, (&existing, &text), &edit, stop)?;
        Ok(report::done(&self.path, &text.view, &edit, cx.max_output))
    }

    /// What [`edit`](Self::edit) would change.
    fn foresee(
        &self,
        files: &Files,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<Option<String>, FileError> {
        let real = files.writable(&self.path, cx)?;
        let existing = Existing::read(&self.path, &real, stop)?;
        let text = Text::new(&existing.bytes);
        let edit = if self.old.is_empty() { None } else { self.find(&text)?.ok() };
        Ok(edit.and_then(|edit| whole(&text.view, &edit.changes)))
    }

    /// Finds what to change; the inner error is for the model.
    fn find(&self, text: &Text) -> Result<Result<Edit, ToolOutput>, FileError> {
        let mut best = None;
        for (needle, encoding) in self.needles(text.encoding) {
            let found = find(&text.view, &needle, self.all());
            if !found.places.is_empty() {
                best = Some((needle, encoding, found));
                break;
            }
        }
        let Some((needle, encoding, found)) = best else {
            return Ok(Err(report::not_there(&self.path, &text.view, &self.old)));
        };
        if found.places.len() > 1 && !self.all() {
            return Ok(Err(report::several(&self.path, &text.view, &found.places)));
        }
        if found.places.len() == MOST {
            return Ok(Err(report::too_many(&self.path)));
        }
        let fault = |character| FileError::encode(report::named(&self.path), text.encoding, character);
        let new = encoding.encode(&self.new).map_err(fault)?;
        let edit = changes(&text.view, &needle, &new, &found);
        Ok(edit.ok_or_else(|| report::not_there(&self.path, &text.view, &self.old)))
    }

    /// The bytes that `old` may be in the view, each with the encoding for `new`.
    fn needles(&self, encoding: Encoding) -> Vec<(Vec<u8>, Encoding)> {
        let utf8 = self.old.as_bytes().to_vec();
        match encoding {
            // Of UTF-16 the view is UTF-8.
            Encoding::Utf8 | Encoding::Utf16Le | Encoding::Utf16Be => vec![(utf8, Encoding::Utf8)],
            Encoding::Windows1252 | Encoding::Unknown if self.old.is_ascii() => vec![(utf8, encoding)],
            Encoding::Windows1252 | Encoding::Unknown => {
                let western = Encoding::Windows1252.encode(&self.old);
                let western = western.into_iter().map(|bytes| (bytes, Encoding::Windows1252));
                [(utf8, Encoding::Utf8)].into_iter().chain(western).collect()
            }
        }
    }

    /// Writes the file with the changes in it.
    fn splice(
        &self,
        files: &Files,
        real: &Path,
        (existing, text): (&Existing, &Text),
        edit: &Edit,
        stop: &CancellationToken,
    ) -> Result<(), FileError> {
        let places = text.places(edit.changes.iter().flat_map(|change| [change.old.start, change.old.end]));
        let new: Vec<Vec<u8>> =
            edit.changes.iter().map(|change| in_file(text.encoding, &change.new)).collect();
        let mut pieces: Vec<&[u8]> = Vec::with_capacity(2 * new.len() + 1);
        let mut from = 0;
        for ([start, end], new) in places.as_chunks().0.iter().zip(&new) {
            pieces.extend([existing.bytes.get(from..*start).unwrap_or_default(), new.as_slice()]);
            from = *end;
        }
        pieces.push(existing.bytes.get(from..).unwrap_or_default());
        let target = Target { real, before: Some((&existing.metadata, &existing.bytes)) };
        let metadata = files.put(&target, &pieces, stop)?;
        // Whoever edits a file that somebody else changed has not seen all of it.
        let memory = files.memory();
        if memory.last(real).is_some_and(|last| last.is_same(&existing.stamp)) {
            memory.saw(real, Stamp::of(&metadata, &pieces));
        }
        Ok(())
    }
}

/// The changes for every place; nothing when a line cannot be shifted as the others.
fn changes(view: &[u8], needle: &[u8], new: &[u8], found: &Found) -> Option<Edit> {
    let mut changes: Vec<Change> = Vec::new();
    let mut keeps_ends = false;
    let mut end = 0;
    for (at, place) in found.places.iter().enumerate() {
        if place.start < end {
            continue;
        }
        end = place.end;
        let is_last = at + 1 == found.places.len();
        let shifted = match found.shifts.get(at) {
            Some(shift) => shift.apply(new)?,
            None => new.to_vec(),
        };
        let open = shifted.strip_suffix(b"\n").filter(|_| is_last && found.lacks_end);
        let shifted = open.unwrap_or(&shifted);
        let written = with_ends_of(view, place, shifted);
        keeps_ends |= written != shifted || (found.how == How::Exactly && differs(view, place, needle));
        changes.push(Change { old: place.clone(), new: written });
    }
    Some(Edit { changes, how: found.how.clone(), keeps_ends })
}

fn differs(view: &[u8], place: &Range<usize>, needle: &[u8]) -> bool {
    view.get(place.clone()) != Some(needle)
}

fn in_file(encoding: Encoding, view: &[u8]) -> Vec<u8> {
    match encoding {
        Encoding::Utf16Le | Encoding::Utf16Be => {
            encoding.encode(&String::from_utf8_lossy(view)).unwrap_or_default()
        }
        Encoding::Utf8 | Encoding::Windows1252 | Encoding::Unknown => view.to_vec(),
    }
}
