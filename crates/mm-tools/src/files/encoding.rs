//! Which encoding a file is in, and its text as a view over its bytes.
//!
//! What is not UTF-8 and has no mark is looked at line by line, as it is shown: a line that can be Windows-1252 is,
//! any other has U+FFFD in the place of what cannot be read.

use std::borrow::Cow;

/// How the bytes of a file stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Not UTF-8, and every byte is a character of Western Europe.
    Windows1252,
    /// Not UTF-8, and anything: only what is ASCII in it is certain.
    Unknown,
}

/// A file's text: what is matched and shown, and the way back to its bytes.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    /// How the bytes are to be read.
    pub(crate) encoding: Encoding,
    /// The bytes of the byte-order mark, which belongs to the file and is not part of the text.
    pub(crate) mark: &'a [u8],
    /// The bytes behind the mark; of UTF-16 its text in UTF-8.
    pub(crate) view: Cow<'a, [u8]>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (encoding, length) = marked(bytes);
        let (mark, rest) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
        let (encoding, view) = match encoding {
            Some(encoding @ (Encoding::Utf16Le | Encoding::Utf16Be)) => {
                (encoding, Cow::Owned(from_utf16(rest, encoding).into_bytes()))
            }
            Some(_) | None => (of_bytes(rest), Cow::Borrowed(rest)),
        };
        Self { encoding, mark, view }
    }

    /// Turns places in the view, in ascending order, into places in the file.
    pub(crate) fn places(&self, in_view: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let is_utf16 = matches!(self.encoding, Encoding::Utf16Le | Encoding::Utf16Be);
        let (mut seen, mut place) = (0, self.mark.len());
        let step = |to: usize| {
            let between = self.view.get(seen..to).unwrap_or_default();
            place += if is_utf16 { 2 * utf16_units(between) } else { between.len() };
            seen = to;
            place
        };
        in_view.into_iter().map(step).collect()
    }
}

impl Encoding {
    /// The name for the model, unless it is what everybody expects.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf16Le | Self::Utf16Be => Some("UTF-16"),
            Self::Windows1252 => Some("Windows-1252"),
            Self::Unknown => Some("not UTF-8"),
        }
    }

    /// Writes a text in this encoding, or gives the first character that it has not.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Windows1252 => text.chars().map(|c| to_1252(c).ok_or(c)).collect(),
            Self::Unknown => {
                text.chars().find(|c| !c.is_ascii()).map_or_else(|| Ok(text.as_bytes().to_vec()), Err)
            }
        }
    }
}

/// The encoding that a byte-order mark tells, and the mark's length.
pub(crate) fn marked(bytes: &[u8]) -> (Option<Encoding>, usize) {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => (Some(Encoding::Utf8), 3),
        [0xff, 0xfe, ..] => (Some(Encoding::Utf16Le), 2),
        [0xfe, 0xff, ..] => (Some(Encoding::Utf16Be), 2),
        _ => (None, 0),
    }
}

/// Reads UTF-16; half a pair becomes U+FFFD, and an odd byte at the end is left out.
pub(crate) fn from_utf16(bytes: &[u8], encoding: Encoding) -> String {
    let read = if encoding == Encoding::Utf16Be { u16::from_be_bytes } else { u16::from_le_bytes };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| read(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Shows a line, and says whether it was not UTF-8.
pub(crate) fn decode(line: &[u8]) -> (Cow<'_, str>, Encoding) {
    match std::str::from_utf8(line) {
        Ok(text) => (Cow::Borrowed(text), Encoding::Utf8),
        Err(_) if can_be_1252(line) => {
            (Cow::Owned(line.iter().map(|byte| from_1252(*byte)).collect()), Encoding::Windows1252)
        }
        Err(_) => (String::from_utf8_lossy(line), Encoding::Unknown),
    }
}

fn of_bytes(bytes: &[u8]) -> Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => Encoding::Utf8,
        Err(_) if can_be_1252(bytes) => Encoding::Windows1252,
        Err(_) => Encoding::Unknown,
    }
}

/// Western text has letters beyond ASCII one or two at a time; more in a row are of another script, and whole
/// characters in UTF-8 are of a file with several encodings.
fn can_be_1252(bytes: &[u8]) -> bool {
    const UNUSED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
    let mut in_a_row = 0;
    let is_western = bytes.iter().all(|byte| {
        in_a_row = if byte.is_ascii() { 0 } else { in_a_row + 1 };
        in_a_row < 3 && !UNUSED.contains(byte)
    });
    is_western && bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii())
}

/// The characters of 0x80 to 0x9f.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn from_1252(byte: u8) -> char {
    let windows = byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at)));
    windows.copied().unwrap_or(char::from(byte))
}

fn to_1252(c: char) -> Option<u8> {
    match WINDOWS.iter().position(|known| *known == c) {
        Some(at) => u8::try_from(0x80 + at).ok(),
        None => u8::try_from(u32::from(c)).ok().filter(|byte| !(0x80..0xa0).contains(byte)),
    }
}

fn utf16_units(utf8: &[u8]) -> usize {
    // A character of four bytes takes two units; the other bytes of a character are continuations.
    utf8.iter().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_encoding_is_told_from_the_bytes() {
        let rows: [(&[u8], Encoding, usize, &str); 8] = [
            (b"caf\xc3\xa9", Encoding::Utf8, 0, "café"),
            (b"\xef\xbb\xbfa", Encoding::Utf8, 3, "a"),
            (b"\xff\xfea\0\xe9\0", Encoding::Utf16Le, 2, "aé"),
            (b"\xfe\xff\0a\xd8\x3d\xde\0", Encoding::Utf16Be, 2, "a😀"),
            (b"caf\xe9 \x80", Encoding::Windows1252, 0, "café €"),
            (b"\xd6\xd0\xce\xc4", Encoding::Unknown, 0, "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xc3\xa9 and \xe9", Encoding::Unknown, 0, "é and \u{fffd}"),
            (b"", Encoding::Utf8, 0, ""),
        ];
        for (bytes, encoding, mark, shown) in rows {
            let text = Text::new(bytes);
            assert_eq!((text.encoding, text.mark.len()), (encoding, mark), "{bytes:?}");
            assert_eq!(decode(&text.view).0, shown, "{bytes:?}");
        }
    }

    #[test]
    fn windows_1252_goes_there_and_back() {
        for byte in 0..=255 {
            let expected = Some(byte)
                .filter(|byte| from_1252(*byte) != char::from(*byte) || byte.is_ascii() || *byte >= 0xa0);
            assert_eq!(to_1252(from_1252(byte)).filter(|_| expected.is_some()), expected);
        }
        assert_eq!(Encoding::Windows1252.encode("a→"), Err('→'));
        assert_eq!(Encoding::Unknown.encode("aé"), Err('é'));
    }

    proptest! {
        #[test]
        fn places_in_utf16_are_where_the_bytes_are(before in ".*", after in ".*") {
            let bytes: Vec<u8> = format!("\u{feff}{before}{after}").encode_utf16().flat_map(u16::to_le_bytes).collect();
            let text = Text::new(&bytes);
            let places = text.places([0, before.len(), text.view.len()]);
            prop_assert_eq!(places, vec![2, 2 + 2 * before.encode_utf16().count(), bytes.len()]);
        }
    }
}
