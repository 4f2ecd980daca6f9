//! The tool that shows lines of a file.

use std::io::{Cursor, Read};
use std::path::Path;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::files::encoding::{Encoding, from_utf16, marked};
use crate::files::error::FileError;
use crate::files::memory::{Stamp, hash};
use crate::files::page::{COUNTED, Page, Wanted, page};
use crate::files::{Files, named, off_thread, open, path};
use crate::{Preview, Tool, ToolContext, ToolOutput};

/// How much of a file is looked at to see what it is.
const START: usize = 8 << 10;
/// The most entries of a directory that are listed.
const LISTED: usize = 10_000;

/// The tool `read_file`: numbered lines of a text, the entries of a directory, a word about anything else.
///
/// Files are read as they stream by: neither their size nor the length of their lines costs memory. A page ends with
/// `[lines 1-40 of 900: go on with offset 41]` when more follows, and the pages joined are the file.
#[derive(Debug)]
pub struct ReadFile {
    definition: ToolSpec,
    files: Files,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    path: String,
    /// First line, from 1
    offset: Option<i64>,
    /// Most lines
    limit: Option<i64>,
}

impl ReadFile {
    /// Makes the tool. What it shows is remembered for those that write.
    pub fn new(files: Files) -> Self {
        let definition =
            ToolSpec::of::<Args>("read_file", "Shows a file with line numbers, or lists a directory.");
        Self { definition, files }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        let Ok(args) = Args::deserialize(args) else { return Preview::reading("") };
        let lines = match (args.first(), args.count()) {
            (1, None) => String::new(),
            (first, None) => format!(" (from line {first})"),
            (first, Some(count)) => format!(" (lines {first}-{})", first.saturating_add(count) - 1),
        };
        Preview::reading(format!("{}{lines}", named(&args.path)))
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match Args::deserialize(args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::error(error),
        };
        let files = self.files.clone();
        off_thread(cx, move |cx, stop| args.read(&files, cx, stop)).await
    }
}

impl Args {
    /// What makes no sense is as if it were not there.
    fn first(&self) -> u64 {
        self.offset.and_then(|offset| u64::try_from(offset).ok()).unwrap_or(1).max(1)
    }

    fn count(&self) -> Option<u64> {
        self.limit.and_then(|limit| u64::try_from(limit).ok()).filter(|limit| *limit > 0)
    }

    fn read(
        &self,
        files: &Files,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<ToolOutput, FileError> {
        let path = path::absolute(&self.path, cx)?;
        let metadata = open::look(&self.path, &path)?;
        if metadata.is_dir() {
            return list(&self.path, &path, cx.max_output);
        }
        open::regular(&path, &metadata)?;
        let (mut file, metadata) = open::open(&path)?;
        let fault = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::Interrupted => FileError::Interrupted,
            _ => FileError::io("read", &path, &error),
        };
        let mut start = Vec::new();
        (&mut file).take(START as u64).read_to_end(&mut start).map_err(fault)?;
        let (encoding, mark) = marked(&start);
        let wanted = Wanted {
            first: self.first(),
            count: self.count().unwrap_or(u64::MAX),
            chars: cx.max_output,
            to_the_end: metadata.len() <= COUNTED,
            mark: if encoding == Some(Encoding::Utf8) { mark } else { 0 },
        };
        let page = if let Some(encoding @ (Encoding::Utf16Le | Encoding::Utf16Be)) = encoding {
            let bytes = [start, open::whole(&path, &file, "read as UTF-16", stop)?].concat();
            let text = from_utf16(bytes.get(mark..).unwrap_or_default(), encoding);
            let page = page(&mut text.as_bytes(), wanted, stop).map_err(fault)?;
            Page { hash: Some(hash(&[&bytes])), odd: Some(encoding), ..page }
        } else if let Some(what) = open::not_text(&start) {
            return Ok(ToolOutput::ok(format!("[{}: {what}, {} bytes]", named(&self.path), metadata.len())));
        } else {
            page(&mut Cursor::new(start).chain(file), wanted, stop).map_err(fault)?
        };
        if let Ok(real) = path.canonicalize() {
            files.memory().saw(&real, Stamp::new(&metadata, page.hash));
        }
        self.report(page)
    }

    fn report(&self, page: Page) -> Result<ToolOutput, FileError> {
        let first = self.first();
        if page.lines == 0 {
            let path = named(&self.path);
            return Ok(match page.total.unwrap_or(page.passed) {
                0 => ToolOutput::ok(format!("[{path} is empty]")),
                total => {
                    let lines = crate::files::counted(usize::try_from(total).unwrap_or(usize::MAX), "line");
                    ToolOutput::error(format!("{path} has {lines}: there is no line {first}"))
                }
            });
        }
        let mut notes = Vec::new();
        if page.left_out > 0 {
            notes.push(format!("[line {first} is too long: {} bytes of it are left out]", page.left_out));
        }
        if let Some(name) = page.odd.and_then(Encoding::name) {
            notes.push(format!("[encoding: {name}]"));
        }
        if page.more {
            let last = page.passed;
            let of = page.total.map_or(", more follow".to_owned(), |total| format!(" of {total}"));
            notes.push(format!("[lines {first}-{last}{of}: go on with offset {}]", last + 1));
        }
        Ok(ToolOutput::ok(format!("{}{}", page.text, notes.join("\n")).trim_end_matches('\n')))
    }
}

fn list(asked: &str, path: &Path, max: usize) -> Result<ToolOutput, FileError> {
    let entries = path.read_dir().map_err(|error| FileError::io("read", path, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .take(LISTED)
        .map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            format!("{}{slash}", path::one_line(&entry.file_name().to_string_lossy()))
        })
        .collect();
    names.sort();
    let count = if names.len() == LISTED {
        format!("more than {LISTED} entries")
    } else {
        crate::files::counted(names.len(), "entry").replace("entrys", "entries")
    };
    let listing = crate::output::cut(&names.join("\n"), max, "list a part of it with a command");
    Ok(ToolOutput::ok(format!("[{} is a directory: {count}]\n{listing}", named(asked)).trim_end()))
}
