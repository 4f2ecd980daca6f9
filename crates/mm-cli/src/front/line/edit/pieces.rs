//! Typed bytes in pieces: what the line editor gets as it is, and what is looked after before.

/// What begins and ends pasted text.
pub(super) const PASTE: (&[u8], &[u8]) = (b"\x1b[200~", b"\x1b[201~");
/// The longest sequence of a key; what is longer is none.
const LONGEST: usize = 32;

/// Something typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Keys that the editor understands by itself.
    Keys(String),
    /// Text that was pasted, with `\n` as its only line end.
    Paste(String),
    Enter,
    /// A line break within the text.
    Break,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-\.
    Quit,
}

/// What stands at the beginning of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A piece, and how many bytes it took.
    Piece(Piece, usize),
    /// The beginning of a key.
    Partial,
    /// The beginning of pasted text.
    PartialPaste,
}

/// Reads the first piece; `searched` bytes are known to hold no end of pasted text.
pub(super) fn first(bytes: &[u8], searched: usize) -> Read {
    match bytes.first() {
        None => Read::Partial,
        Some(0x1b) => escaped(bytes, searched),
        Some(byte) => match alone(*byte) {
            Some(piece) => Read::Piece(piece, 1),
            None => text(bytes),
        },
    }
}

/// The piece of bytes that nothing followed for a while.
pub(super) fn rest(bytes: &[u8]) -> Option<(Piece, usize)> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    (!bytes.is_empty()).then_some((Piece::Keys(text), bytes.len()))
}

/// The text of pasted bytes that ended without their mark.
pub(super) fn open_paste(bytes: &[u8]) -> Piece {
    Piece::Paste(text_of(bytes.get(PASTE.0.len()..).unwrap_or_default()))
}

/// Whether pasted text begins in the bytes and does not end in them.
pub(super) fn leaves_paste_open(bytes: &[u8]) -> bool {
    let begins = memchr::memmem::rfind(bytes, PASTE.0);
    begins.is_some_and(|at| bytes.get(at..).is_some_and(|rest| end_of_paste(rest).is_none()))
}

/// Where pasted text ends: behind its mark.
pub(super) fn end_of_paste(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, PASTE.1).map(|at| at + PASTE.1.len())
}

/// A byte that is looked after here.
fn alone(byte: u8) -> Option<Piece> {
    match byte {
        b'\r' | b'\n' => Some(Piece::Enter),
        0x03 => Some(Piece::Interrupt),
        0x1a => Some(Piece::Suspend),
        0x1c => Some(Piece::Quit),
        _ => None,
    }
}

/// All up to the next byte that counts for itself; what is no text is replaced.
fn text(bytes: &[u8]) -> Read {
    let end = bytes.iter().position(|byte| *byte == 0x1b || alone(*byte).is_some());
    let run = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    let whole = match std::str::from_utf8(run) {
        // The rest of a character may still come.
        Err(error) if end.is_none() && error.error_len().is_none() => error.valid_up_to(),
        _ => run.len(),
    };
    match rest(run.get(..whole).unwrap_or_default()) {
        Some((piece, length)) => Read::Piece(piece, length),
        None => Read::Partial,
    }
}

fn escaped(bytes: &[u8], searched: usize) -> Read {
    if bytes.starts_with(PASTE.0) {
        return pasted(bytes, searched);
    }
    let length = match bytes.get(1) {
        None => return Read::Partial,
        Some(b'[') => return sequence(bytes),
        Some(b'O') if bytes.len() < 3 => return Read::Partial,
        Some(b'O') => 3,
        Some(b'\r' | b'\n') => return Read::Piece(Piece::Break, 2),
        Some(byte) if byte.is_ascii() && *byte != 0x1b && alone(*byte).is_none() => 2,
        Some(_) => 1,
    };
    keys(bytes, length)
}

/// `ESC [`, numbers, and the byte that says which key.
fn sequence(bytes: &[u8]) -> Read {
    let behind = bytes.get(2..).unwrap_or_default();
    let Some(last) = behind.iter().position(|byte| !(0x20..0x40).contains(byte)) else {
        return if behind.len() > LONGEST { keys(bytes, bytes.len()) } else { Read::Partial };
    };
    // Enter with Shift, Ctrl or Alt where the terminal tells them apart.
    let is_break = match (behind.get(..last).unwrap_or_default(), behind.get(last)) {
        (numbers, Some(b'u')) => numbers.starts_with(b"13;"),
        (numbers, Some(b'~')) => numbers.starts_with(b"27;") && numbers.ends_with(b";13"),
        _ => false,
    };
    if is_break { Read::Piece(Piece::Break, last + 3) } else { keys(bytes, last + 3) }
}

fn keys(bytes: &[u8], length: usize) -> Read {
    match rest(bytes.get(..length).unwrap_or(bytes)) {
        Some((piece, length)) => Read::Piece(piece, length),
        None => Read::Partial,
    }
}

fn pasted(bytes: &[u8], searched: usize) -> Read {
    // The mark may have come in two pieces.
    let from = searched.saturating_sub(PASTE.1.len()).max(PASTE.0.len());
    let Some(end) = end_of_paste(bytes.get(from..).unwrap_or_default()) else { return Read::PartialPaste };
    let text = bytes.get(PASTE.0.len()..from + end - PASTE.1.len()).unwrap_or_default();
    Read::Piece(Piece::Paste(text_of(text)), from + end)
}

/// Pasted bytes as text: no control character of it does anything.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Piece {
        Piece::Keys(text.to_owned())
    }

    #[test]
    fn what_is_typed_comes_in_pieces() {
        let rows: [(&[u8], Piece, usize); 22] = [
            (b"abc\rd", keys("abc"), 3),
            ("é日🙂\n".as_bytes(), keys("é日🙂"), 9),
            ("aé".as_bytes().get(..2).unwrap(), keys("a"), 1),
            (b"a\xffb\r", keys("a\u{fffd}b"), 3),
            (b"\xc3\r", keys("\u{fffd}"), 1),
            (b"\r", Piece::Enter, 1),
            (b"\nx", Piece::Enter, 1),
            (b"\x1b\r", Piece::Break, 2),
            (b"\x1b[13;2u", Piece::Break, 7),
            (b"\x1b[27;2;13~", Piece::Break, 10),
            (b"\x1b[A\x1b[A", keys("\u{1b}[A"), 3),
            (b"\x1bOA", keys("\u{1b}OA"), 3),
            (b"\x1b[1;5Cx", keys("\u{1b}[1;5C"), 6),
            (b"\x1bf", keys("\u{1b}f"), 2),
            (b"\x1b\x1b[A", keys("\u{1b}"), 1),
            (b"\x1b\x03", keys("\u{1b}"), 1),
            (b"\x03a", Piece::Interrupt, 1),
            (b"\x1a", Piece::Suspend, 1),
            (b"\x1c", Piece::Quit, 1),
            (b"\x1b[200~a\r\nb\rc\x1b[201~d", Piece::Paste("a\nb\nc".into()), 18),
            (b"\x1b[200~\x1b[201~", Piece::Paste(String::new()), 12),
            (b"\x1b[200~\x03\x1b[A\tb\x1b[201~", Piece::Paste("[A\tb".into()), 18),
        ];
        for (bytes, piece, length) in rows {
            assert_eq!(first(bytes, 0), Read::Piece(piece, length), "{bytes:?}");
        }
    }

    #[test]
    fn a_key_that_has_not_come_whole_is_waited_for() {
        let rows: [(&[u8], Read); 6] = [
            (b"\x1b", Read::Partial),
            (b"\x1b[", Read::Partial),
            (b"\x1b[1;5", Read::Partial),
            (b"\xe6\x97", Read::Partial),
            (b"\x1b[200~abc\x1b[20", Read::PartialPaste),
            (b"\x1b[200~", Read::PartialPaste),
        ];
        for (bytes, expected) in rows {
            assert_eq!(first(bytes, 0), expected, "{bytes:?}");
        }
        assert_eq!(rest(b"\x1b"), Some((keys("\u{1b}"), 1)));
        assert!(leaves_paste_open(b"x\x1b[200~abc") && !leaves_paste_open(b"\x1b[200~abc\x1b[201~"));
        let whole = b"\x1b[200~abc\x1b[201~";
        assert_eq!(first(whole, 12), Read::Piece(Piece::Paste("abc".into()), whole.len()));
    }
}
