//! Reads the text of a configuration file.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::{
    document::too_large,
    problem::{Fault, Place},
};

/// Reads a regular file of UTF-8 text, or says why that is not possible.
pub(crate) fn read(path: &Path, most: usize) -> Result<String, Fault> {
    let file = open(path).map_err(|error| unreadable(&error))?;
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if metadata.is_dir() {
        return Err(Fault::whole("this is a directory, not a file"));
    }
    if !metadata.is_file() {
        return Err(Fault::whole("this is not a regular file"));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    decode(bytes)
}

/// Opens a file without waiting: a pipe would wait for a writer, and some files of the system for news.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn unreadable(error: &io::Error) -> Fault {
    Fault::whole(match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "the file cannot be read: permission denied".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    })
}

/// Takes bytes for text. Another encoding is named, because saving the file in UTF-8 mends it.
fn decode(bytes: Vec<u8>) -> Result<String, Fault> {
    if is_utf16(&bytes) {
        return Err(Fault::whole("the file is UTF-16: save it as UTF-8"));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(fault_at(&bytes, at, "this is a binary file, not YAML text"));
    }
    // Before the check of the encoding: the cut may go through a character.
    if let Some(fault) = too_large(&bytes) {
        return Err(fault);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        fault_at(error.as_bytes(), at, "this is not UTF-8 text")
    })
}

fn fault_at(bytes: &[u8], at: usize, message: &str) -> Fault {
    match bytes.get(..at) {
        Some(before) => Fault::at(Place::after(before), None, message),
        None => Fault::whole(message),
    }
}

/// A byte order mark of two bytes, or a first word in which every other byte is zero.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [0, a, 0, b, ..] | [a, 0, b, 0, ..] => *a != 0 && *b != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
