//! Where a text is in a file: one definition of a match, for finding and for counting.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::lenient::{self, Shift};

/// How exactly a text was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Byte for byte, or but for line ends.
    Exactly,
    /// But for white space at the ends of lines.
    TrailingSpace,
    /// But for the same shift of every line.
    Indented,
}

/// The most places that are looked for.
pub(crate) const MOST: usize = 100_000;

/// All places of a text, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) places: Vec<Range<usize>>,
    pub(crate) how: How,
    /// The shift of each place, where they are shifted.
    pub(crate) shifts: Vec<Shift>,
    /// Whether the text ends in a line end that the file, at its own end, has not.
    pub(crate) lacks_end: bool,
}

/// Finds `old`. Byte for byte in one place wins; then every place that differs in line ends alone counts; only where
/// there is none, places that differ in white space at line ends, and then in a uniform indentation.
///
/// With `all` places do not overlap; without, each place counts. At most [`MOST`] are given.
pub(crate) fn find(view: &[u8], old: &[u8], all: bool) -> Found {
    let exactly = |places| Found { places, how: How::Exactly, shifts: Vec::new(), lacks_end: false };
    if !all && let [only] = places(view, old, false).as_slice() {
        return exactly(vec![only.clone()]);
    }
    let (lines, old_lines) = (Unixed::new(view), unixed(old));
    let found = places(&lines.text, &old_lines, all);
    if !found.is_empty() {
        return exactly(found.into_iter().map(|place| lines.back(place)).collect());
    }
    lenient::find(view, &old_lines)
}

fn places(view: &[u8], old: &[u8], all: bool) -> Vec<Range<usize>> {
    let finder = memmem::Finder::new(old);
    let mut places = Vec::new();
    let mut from = 0;
    while places.len() < MOST
        && let Some(at) = view.get(from..).and_then(|rest| finder.find(rest))
    {
        let start = from + at;
        places.push(start..start + old.len());
        from = start + if all { old.len().max(1) } else { 1 };
    }
    places
}

/// A text whose lines end in `\n` alone, and the way back.
struct Unixed<'a> {
    text: Cow<'a, [u8]>,
    /// The places in `text` of line ends that were `\r\n`.
    shortened: Vec<usize>,
}

impl<'a> Unixed<'a> {
    fn new(view: &'a [u8]) -> Self {
        let mut shortened = Vec::new();
        let mut text = Vec::new();
        let mut from = 0;
        for at in memmem::find_iter(view, b"\r\n") {
            text.extend_from_slice(view.get(from..at).unwrap_or_default());
            shortened.push(text.len());
            from = at + 1;
        }
        if shortened.is_empty() {
            return Self { text: Cow::Borrowed(view), shortened };
        }
        text.extend_from_slice(view.get(from..).unwrap_or_default());
        Self { text: Cow::Owned(text), shortened }
    }

    fn back(&self, place: Range<usize>) -> Range<usize> {
        let back = |at: usize| at + self.shortened.partition_point(|shortened| *shortened < at);
        back(place.start)..back(place.end)
    }
}

/// The same with `\n` for each `\r\n`.
pub(crate) fn unixed(text: &[u8]) -> Vec<u8> {
    Unixed::new(text).text.into_owned()
}

/// Gives a replacement the line ends of what it replaces, or else of the lines around it; where there are none, its own.
pub(crate) fn with_ends_of(view: &[u8], place: &Range<usize>, new: &[u8]) -> Vec<u8> {
    let span = view.get(place.clone()).unwrap_or_default();
    let is_crlf = |text: &[u8], at: usize| at.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'\r');
    let mut ends: Vec<bool> = memchr::memchr_iter(b'\n', span).map(|at| is_crlf(span, at)).collect();
    if ends.is_empty() {
        let behind =
            memchr::memchr(b'\n', view.get(place.end..).unwrap_or_default()).map(|at| place.end + at);
        let before = || memchr::memrchr(b'\n', view.get(..place.start).unwrap_or_default());
        match behind.or_else(before) {
            Some(at) => ends.push(is_crlf(view, at)),
            None => return new.to_vec(),
        }
    }
    let last = ends.last().copied().unwrap_or_default();
    let mut ends = ends.into_iter();
    let mut written = Vec::with_capacity(new.len());
    for line in unixed(new).split_inclusive(|byte| *byte == b'\n') {
        let (text, ended) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
        written.extend_from_slice(text);
        if ended {
            written.extend_from_slice(if ends.next().unwrap_or(last) { b"\r\n" } else { b"\n" });
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(view: &str, old: &str, all: bool, expected: &[&str], how: &How) {
        let found = find(view.as_bytes(), old.as_bytes(), all);
        let texts: Vec<&str> = found.places.iter().map(|place| &view[place.clone()]).collect();
        assert_eq!(texts, expected, "{view:?} {old:?}");
        assert!(expected.is_empty() || found.how == *how, "{view:?} {old:?}: {:?}", found.how);
    }

    #[test]
    fn a_match_is_one_thing() {
        let exactly: [(&str, &str, bool, &[&str]); 12] = [
            ("a b a", "b", false, &["b"]),
            ("a b a", "a", false, &["a", "a"]),
            ("aaa", "aa", false, &["aa", "aa"]),
            ("aaa", "aa", true, &["aa"]),
            ("a\r\nb\r\nc\r\n", "a\nb", false, &["a\r\nb"]),
            ("a\r\nb\r\nc\r\n", "\nb\n", false, &["\r\nb\r\n"]),
            ("a\nb", "a\r\nb", false, &["a\nb"]),
            // Byte for byte in one place wins over one that differs in its line ends.
            ("a\nb\r\na\r\nb\n", "a\nb", false, &["a\nb"]),
            ("a\nb\r\na\r\nb\n", "a\nb", true, &["a\nb", "a\r\nb"]),
            ("k = 1 \nk = 1\n", "k = 1\n", false, &["k = 1\n"]),
            ("say \"hi\"\nsay “hi”\n", "say \"hi\"", false, &["say \"hi\""]),
            ("a\rb", "a\nb", false, &[]),
        ];
        for (view, old, all, expected) in exactly {
            check(view, old, all, expected, &How::Exactly);
        }
    }

    #[test]
    fn new_lines_end_as_their_neighbours_do() {
        let rows = [
            ("a\r\nb\r\n", 0..4, "x\ny\nz", "x\r\ny\r\nz"),
            ("a\r\nb\r\n", 0..1, "x\ny", "x\r\ny"),
            ("a\nb\r\n", 0..3, "x\ny", "x\ny"),
            ("a\nb\r\n", 0..5, "x\ny\nz\n", "x\ny\r\nz\r\n"),
            ("a\r\nb", 3..4, "x\ny", "x\r\ny"),
            ("a\nb", 0..1, "x\r\ny", "x\ny"),
            ("ab", 0..1, "x\r\ny\n", "x\r\ny\n"),
        ];
        for (view, place, new, expected) in rows {
            let written = with_ends_of(view.as_bytes(), &place, new.as_bytes());
            assert_eq!(String::from_utf8(written).unwrap(), expected, "{view:?} {place:?}");
        }
    }
}
