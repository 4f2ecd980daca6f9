//! The tool that writes a whole file.

use std::path::Path;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::files::diff::{between, unified, whole};
use crate::files::encoding::Text;
use crate::files::error::FileError;
use crate::files::find::with_ends_of;
use crate::files::memory::{Stamp, hash, locked};
use crate::files::replace::Target;
use crate::files::{Existing, Files, MOST_SHOWN, count_lines, counted, foreseen, named, off_thread, writing};
use crate::{Preview, Tool, ToolContext, ToolOutput, output};

/// The tool `write_file`: a new file with its parents, or new content for one that is there.
///
/// Content is there whole or not at all. A file keeps its mode, links, byte-order mark, encoding and, where all its
/// lines end alike, line ends. One that the model has not seen as it is now is refused once.
#[derive(Debug)]
pub struct WriteFile {
    definition: ToolSpec,
    files: Files,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    path: String,
    content: String,
}

impl WriteFile {
    /// Makes the tool.
    pub fn new(files: Files) -> Self {
        let definition =
            ToolSpec::of::<Args>("write_file", "Makes a file, or replaces all of one that you have read.");
        Self { definition, files }
    }
}

#[async_trait]
impl Tool for WriteFile {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview {
        let Ok(args) = Args::deserialize(args) else { return Preview::mutating("") };
        writing(&args.path, &counted(count_lines(args.content.as_bytes()), "line"), cx)
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
        off_thread(cx, move |cx, stop| args.write(&files, cx, stop)).await
    }
}

impl Args {
    fn write(
        &self,
        files: &Files,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<ToolOutput, FileError> {
        let real = files.writable(&self.path, cx)?;
        let lock = files.memory().lock_of(&real);
        let _alone = locked(&lock);
        match Existing::read(&self.path, &real, stop) {
            Ok(existing) => self.rewrite(files, &real, &existing, cx, stop),
            Err(FileError::Missing { .. }) => self.create(files, &real, stop),
            Err(error) => Err(error),
        }
    }

    /// What [`write`](Self::write) would change in a text file that is there.
    fn foresee(
        &self,
        files: &Files,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<Option<String>, FileError> {
        let real = files.writable(&self.path, cx)?;
        let existing = Existing::read(&self.path, &real, stop)?;
        let text = Text::new(&existing.bytes);
        let content = self.content_for(&text.view).0;
        let is_text = !text.view.contains(&0) && !content.contains('\0');
        Ok(is_text.then(|| whole(&text.view, &[between(&text.view, content.as_bytes())])).flatten())
    }

    fn create(&self, files: &Files, real: &Path, stop: &CancellationToken) -> Result<ToolOutput, FileError> {
        let bytes = self.content.as_bytes();
        let metadata = files.put(&Target { real, before: None }, &[bytes], stop)?;
        files.memory().saw(real, Stamp::of(&metadata, &[bytes]));
        Ok(ToolOutput::ok(format!(
            "[created {}: {}]",
            named(&self.path),
            counted(count_lines(bytes), "line")
        )))
    }

    fn rewrite(
        &self,
        files: &Files,
        real: &Path,
        existing: &Existing,
        cx: &ToolContext,
        stop: &CancellationToken,
    ) -> Result<ToolOutput, FileError> {
        let (path, memory) = (named(&self.path), files.memory());
        let text = Text::new(&existing.bytes);
        let fault = |character| FileError::encode(path.clone(), text.encoding, character);
        let (content, has_crlf) = self.content_for(&text.view);
        let encoded = text.encoding.encode(&content).map_err(fault)?;
        if [text.mark, &encoded].concat() == existing.bytes {
            memory.saw(real, existing.stamp);
            return Ok(ToolOutput::ok(format!("[{path} has this content already]")));
        }
        let last = memory.last(real);
        let is_known = existing.bytes.is_empty() || last.is_some_and(|last| last.is_same(&existing.stamp));
        if !is_known && !memory.insists(real, hash(&[self.content.as_bytes()]), existing.stamp) {
            let why =
                if last.is_some() { "changed since you read it" } else { "exists, and you have not read it" };
            let what = "read it first, or send this call again to replace it";
            return Ok(ToolOutput::error(format!("{path} {why}: {what}")));
        }
        let target = Target { real, before: Some((&existing.metadata, &existing.bytes)) };
        let metadata = files.put(&target, &[text.mark, &encoded], stop)?;
        memory.saw(real, Stamp::of(&metadata, &[text.mark, &encoded]));
        let ends = if has_crlf { ", with its CRLF line ends" } else { "" };
        let told = format!("[replaced {path}: {}{ends}]\n", counted(count_lines(content.as_bytes()), "line"));
        let diff = if existing.bytes.contains(&0) && text.encoding.name().is_none() {
            String::new()
        } else {
            unified(&text.view, &[between(&text.view, &Text::new(&[text.mark, &encoded].concat()).view)])
        };
        let most = cx.max_output.min(MOST_SHOWN);
        Ok(ToolOutput::ok(output::cut(format!("{told}{diff}").trim_end(), most, "read_file shows it")))
    }

    /// The content with the line ends of the file, where they are all `\r\n`.
    fn content_for(&self, view: &[u8]) -> (String, bool) {
        let ends = memchr::memchr_iter(b'\n', view).count();
        let crlf = memchr::memmem::find_iter(view, b"\r\n").count();
        if ends == 0 || ends != crlf || self.content.contains("\r\n") || !self.content.contains('\n') {
            return (self.content.clone(), false);
        }
        let converted = with_ends_of(b"\r\n", &(0..2), self.content.as_bytes());
        (String::from_utf8_lossy(&converted).into_owned(), true)
    }
}
