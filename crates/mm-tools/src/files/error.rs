//! Why a file could not be read or written, in words that a model can act on.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::encoding::Encoding;
use super::path::shown;

/// What went wrong. The words are short: a small model reads them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("path is empty")]
    NoPath,
    #[error("the home directory is not known: write {0} without ~")]
    NoHome(String),
    #[error("there is no file {path}{near}")]
    Missing { path: String, near: String },
    #[error("{path} is {kind}, not a file")]
    NotAFile { path: String, kind: &'static str },
    #[error("{0} is outside the working directory, where files can only be read (readOnlyOutsideCwd)")]
    Outside(String),
    #[error("cannot {what} {path}: {reason}")]
    Io { what: &'static str, path: String, reason: String },
    #[error("{path} has {size} MB, too much to {what}: use a command")]
    TooLarge { path: String, size: u64, what: &'static str },
    #[error("{0} changed meanwhile and was left as it is: read it again")]
    Changed(String),
    #[error("{path} is {encoding}, which has no {character:?}: leave it out")]
    NoCharacter { path: String, encoding: &'static str, character: char },
    #[error("the encoding of {path} is not known: write ASCII only, without {character:?}")]
    OnlyAscii { path: String, character: char },
    #[error("interrupted")]
    Interrupted,
}

impl FileError {
    /// A character that the encoding of a file has not.
    pub(crate) fn encode(path: String, encoding: Encoding, character: char) -> Self {
        match encoding.name().filter(|_| encoding != Encoding::Unknown) {
            Some(encoding) => Self::NoCharacter { path, encoding, character },
            None => Self::OnlyAscii { path, character },
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { what, path: shown(path), reason: reason(error) }
    }
}

/// The system's words without its number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "no permission".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => "it would be larger than files may be here".to_owned(),
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            "its symbolic links go round in a circle".to_owned()
        }
        io::ErrorKind::WouldBlock => "it gives nothing to read now".to_owned(),
        _ => {
            let text = error.to_string();
            let words = text.split(" (os error").next().unwrap_or(&text);
            words.chars().next().map_or_else(String::new, |first| first.to_lowercase().to_string())
                + words.get(1..).unwrap_or_default()
        }
    }
}
