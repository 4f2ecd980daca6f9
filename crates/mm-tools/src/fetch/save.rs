//! A body that goes to a file as it came, byte for byte.

use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::files::error::FileError;
use crate::files::memory::{Stamp, hash, locked};
use crate::files::replace::Target;
use crate::files::{Existing, Files, counted, named};
use crate::{ToolContext, ToolOutput};

/// Says, before anything is fetched, whether a file may be written. One that the model has not seen is refused once.
pub(super) fn may_write(
    files: &Files,
    path: &str,
    url: &str,
    cx: &ToolContext,
    stop: &CancellationToken,
) -> Result<ToolOutput, FileError> {
    let real = files.writable(path, cx)?;
    let memory = files.memory();
    let existing = match Existing::read(path, &real, stop) {
        Ok(existing) => existing,
        Err(FileError::Missing { .. }) => return Ok(ToolOutput::ok("")),
        Err(error) => return Err(error),
    };
    let is_known = memory.last(&real).is_some_and(|last| last.is_same(&existing.stamp));
    if !is_known && !existing.bytes.is_empty() {
        if !memory.insists(&real, hash(&[url.as_bytes()]), existing.stamp) {
            let path = named(path);
            return Ok(ToolOutput::error(format!("{path} exists: send this call again to replace it")));
        }
        memory.saw(&real, existing.stamp);
    }
    Ok(ToolOutput::ok(""))
}

/// Writes a body: a new file with its parents, or one that was found to be replaceable and is still the same.
pub(super) fn write(
    files: &Files,
    path: &str,
    body: &[u8],
    cx: &ToolContext,
    stop: &CancellationToken,
) -> Result<ToolOutput, FileError> {
    let real = files.writable(path, cx)?;
    let lock = files.memory().lock_of(&real);
    let _alone = locked(&lock);
    let verb = match Existing::read(path, &real, stop) {
        Ok(existing) => {
            let last = files.memory().last(&real);
            if !existing.bytes.is_empty() && !last.is_some_and(|last| last.is_same(&existing.stamp)) {
                return Err(FileError::Changed(named(path)));
            }
            put(
                files,
                &Target { real: &real, before: Some((&existing.metadata, &existing.bytes)) },
                body,
                stop,
            )?;
            "replaced"
        }
        Err(FileError::Missing { .. }) => {
            put(files, &Target { real: &real, before: None }, body, stop)?;
            "created"
        }
        Err(error) => return Err(error),
    };
    Ok(ToolOutput::ok(format!("[{verb} {}: {}]", named(path), counted(body.len(), "byte"))))
}

fn put(files: &Files, target: &Target<'_>, body: &[u8], stop: &CancellationToken) -> Result<(), FileError> {
    let metadata = files.put(target, &[body], stop)?;
    let real: &Path = target.real;
    files.memory().saw(real, Stamp::of(&metadata, &[body]));
    Ok(())
}
