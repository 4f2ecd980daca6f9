//! Files opened by what they are: nothing that could wait for ever, nothing that only looks like text.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::error::FileError;
use super::path::{missing, shown};

/// The largest file that is taken into memory whole.
pub(crate) const LARGEST: u64 = 256 << 20;
/// How much is read at a time.
const PIECE: usize = 256 << 10;

/// Says by type what a path leads to, without opening it.
pub(crate) fn look(asked: &str, path: &Path) -> Result<Metadata, FileError> {
    path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(asked, path),
        _ => FileError::io("read", path, &error),
    })
}

/// Refuses everything but a regular file.
pub(crate) fn regular(path: &Path, metadata: &Metadata) -> Result<(), FileError> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(FileError::NotAFile { path: shown(path), kind: kind(metadata.file_type()) })
}

/// Opens a regular file without waiting, whatever has become of it since it was looked at.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata), FileError> {
    let fault = |error| FileError::io("read", path, &error);
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    regular(path, &metadata)?;
    Ok((file, metadata))
}

/// Reads a whole file, whatever size it claims to have, unless it is too large to `what`.
pub(crate) fn whole(
    path: &Path,
    file: &File,
    what: &'static str,
    stop: &CancellationToken,
) -> Result<Vec<u8>, FileError> {
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let too_large = |size: u64| FileError::TooLarge { path: shown(path), size: size >> 20, what };
    if size > LARGEST {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    let mut reader = file.take(LARGEST + 1);
    while (&mut reader)
        .take(PIECE as u64)
        .read_to_end(&mut bytes)
        .map_err(|e| FileError::io("read", path, &e))?
        > 0
    {
        if stop.is_cancelled() {
            return Err(FileError::Interrupted);
        }
    }
    if bytes.len() as u64 > LARGEST { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

fn kind(file_type: FileType) -> &'static str {
    match file_type {
        t if t.is_dir() => "a directory",
        t if t.is_fifo() => "a pipe",
        t if t.is_socket() => "a socket",
        t if t.is_block_device() || t.is_char_device() => "a device",
        _ => "something else",
    }
}

/// Says what the beginning of a file that is no text is of.
pub(crate) fn not_text(start: &[u8]) -> Option<String> {
    const MAGIC: [(&[u8], &str); 12] = [
        (b"\x89PNG\r\n\x1a\n", "image: PNG"),
        (b"\xff\xd8\xff", "image: JPEG"),
        (b"GIF8", "image: GIF"),
        (b"BM", "image: BMP"),
        (b"%PDF-", "binary file: PDF"),
        (b"PK\x03\x04", "binary file: ZIP"),
        (b"\x1f\x8b", "binary file: gzip"),
        (b"\x28\xb5\x2f\xfd", "binary file: zstd"),
        (b"\xfd7zXZ\0", "binary file: xz"),
        (b"\x7fELF", "binary file: ELF"),
        (b"SQLite format 3\0", "binary file: SQLite"),
        (b"OggS", "binary file: Ogg"),
    ];
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image: WebP".to_owned());
    }
    let has_nul = start.contains(&0);
    let named = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    // Two letters or a word alone could begin a text.
    match named.filter(|(magic, _)| has_nul || !magic.is_ascii() || magic.starts_with(b"%PDF-")) {
        Some((_, name)) => Some(format!("{name}{}", dimensions(start))),
        None => has_nul.then(|| "binary file".to_owned()),
    }
}

fn dimensions(start: &[u8]) -> String {
    let size = if start.starts_with(b"\x89PNG") {
        let number = |at: usize| Some(u32::from_be_bytes(start.get(at..at + 4)?.try_into().ok()?));
        number(16).zip(number(20))
    } else if start.starts_with(b"GIF8") {
        let number = |at: usize| Some(u32::from(u16::from_le_bytes(start.get(at..at + 2)?.try_into().ok()?)));
        number(6).zip(number(8))
    } else {
        None
    };
    size.map_or_else(String::new, |(width, height)| format!(", {width} × {height}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_named() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0";
        let rows: [(&[u8], Option<&str>); 8] = [
            (png, Some("image: PNG, 640 × 480")),
            (b"GIF89a\x02\x00\x03\x00\x00", Some("image: GIF, 2 × 3")),
            (b"%PDF-1.4\n", Some("binary file: PDF")),
            (b"BMW is a car", None),
            (b"BM\0\0", Some("image: BMP")),
            (b"a\0b", Some("binary file")),
            (b"caf\xe9", None),
            (b"", None),
        ];
        for (start, expected) in rows {
            assert_eq!(not_text(start).as_deref(), expected, "{start:?}");
        }
    }
}
