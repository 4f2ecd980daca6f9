//! Matches of whole lines that differ in white space at their ends, or in one shift of the indentation.

use std::ops::Range;

use super::find::{Found, How, MOST};

/// What every line of the file has in front of the model's, or lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// The file's lines are further in by this.
    In(Vec<u8>),
    /// The file's lines are further out by this.
    Out(Vec<u8>),
}

impl Shift {
    /// Moves a text in the same way; not possible when a line has too little to move out.
    pub(crate) fn apply(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut moved = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match self {
                _ if line.trim_ascii().is_empty() => moved.extend_from_slice(line),
                Self::In(by) => {
                    moved.extend_from_slice(by);
                    moved.extend_from_slice(line);
                }
                Self::Out(by) => moved.extend_from_slice(line.strip_prefix(by.as_slice())?),
            }
        }
        Some(moved)
    }
}

/// A line of a text: its start, its end, and the start of the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl Line {
    pub(crate) fn text<'a>(&self, view: &'a [u8]) -> &'a [u8] {
        view.get(self.start..self.end).unwrap_or_default()
    }
}

/// The lines of a text; a line end at the end begins none.
pub(crate) fn lines(view: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b'\n', view) {
        let has_cr = at > start && view.get(at - 1) == Some(&b'\r');
        lines.push(Line { start, end: at - usize::from(has_cr), next: at + 1 });
        start = at + 1;
    }
    if start < view.len() {
        lines.push(Line { start, end: view.len(), next: view.len() });
    }
    lines
}

/// Finds every run of lines that is `old` but for white space at line ends; if there is none, but for a shift.
pub(super) fn find(view: &[u8], old: &[u8]) -> Found {
    let (lines, wanted) = (lines(view), self::lines(old));
    let wanted: Vec<&[u8]> = wanted.iter().map(|line| line.text(old).trim_ascii_end()).collect();
    let ends = old.ends_with(b"\n");
    let (mut still, mut shifted) = (Vec::new(), Vec::new());
    if wanted.iter().any(|line| !line.is_empty()) {
        for run in lines.windows(wanted.len()) {
            match compare(view, run, &wanted) {
                Some(None) => still.extend(place(run, ends)),
                Some(Some(shift)) => shifted.extend(place(run, ends).map(|place| (place, shift))),
                None => {}
            }
        }
    }
    let (places, shifts, how) = if still.is_empty() {
        let (places, shifts) = shifted.into_iter().take(MOST).unzip();
        (places, shifts, How::Indented)
    } else {
        still.truncate(MOST);
        (still, Vec::new(), How::TrailingSpace)
    };
    let at_the_end = places.last().is_some_and(|place: &Range<usize>| place.end == view.len());
    Found { places, how, shifts, lacks_end: ends && at_the_end && !view.ends_with(b"\n") }
}

/// Where a run of lines is, with its last line end if that is wanted too.
fn place(run: &[Line], ends: bool) -> Option<Range<usize>> {
    let (first, last) = (run.first()?, run.last()?);
    Some(first.start..if ends { last.next } else { last.end })
}

/// The shift between lines that are alike otherwise; `None` within when there is none.
fn compare(view: &[u8], run: &[Line], wanted: &[&[u8]]) -> Option<Option<Shift>> {
    let mut agreed: Option<Option<Shift>> = None;
    for (line, wanted) in run.iter().zip(wanted) {
        let line = line.text(view).trim_ascii_end();
        if line.is_empty() && wanted.is_empty() {
            continue;
        }
        let shift = shift(line, wanted)?;
        match &agreed {
            None => agreed = Some(shift),
            Some(agreed) if *agreed == shift => {}
            Some(_) => return None,
        }
    }
    agreed
}

fn shift(line: &[u8], wanted: &[u8]) -> Option<Option<Shift>> {
    if line.is_empty() || wanted.is_empty() {
        return None;
    }
    let is_space = |text: &&[u8]| text.trim_ascii().is_empty();
    if let Some(by) = line.strip_suffix(wanted).filter(is_space) {
        return Some((!by.is_empty()).then(|| Shift::In(by.to_vec())));
    }
    wanted.strip_suffix(line).filter(is_space).map(|by| Some(Shift::Out(by.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_alone_may_differ_and_only_in_one_way() {
        let still = How::TrailingSpace;
        let shifted = How::Indented;
        let rows: [(&str, &str, &[&str], &How); 12] = [
            ("a  \nb\n", "a\nb\n", &["a  \nb\n"], &still),
            ("a  \nb\n", "a\nb", &["a  \nb"], &still),
            ("a\nb\n", "a \nb\t\n", &["a\nb\n"], &still),
            ("a \r\nb\r\n", "a\nb", &["a \r\nb"], &still),
            ("a\nb", "b\n", &["b"], &still),
            ("    if x:\n\n        y\n", "if x:\n\n    y\n", &["    if x:\n\n        y\n"], &shifted),
            ("if x:\n  y\n", "  if x:\n    y\n", &["if x:\n  y\n"], &shifted),
            // Still wins over shifted.
            ("    a\na \n", "a\n", &["a \n"], &still),
            // Not uniform.
            ("    if x:\n      y\n", "if x:\n    y\n", &[], &still),
            ("a b\n", "a  b\n", &[], &still),
            ("\n\n", " \n", &[], &still),
            ("a \nb\na\t\n", "a\n", &["a \n", "a\t\n"], &still),
        ];
        for (view, old, expected, how) in rows {
            let found = find(view.as_bytes(), old.as_bytes());
            let texts: Vec<&str> = found.places.iter().map(|place| &view[place.clone()]).collect();
            assert_eq!(texts, expected, "{view:?} {old:?}");
            assert!(expected.is_empty() || found.how == *how, "{view:?} {old:?}: {:?}", found.how);
        }
        let found = find(b"    a\n  a\n", b"a\n");
        assert_eq!(found.shifts, [Shift::In(b"    ".to_vec()), Shift::In(b"  ".to_vec())]);
        assert!(find(b"a\nb", b"b\n").lacks_end);
        assert!(!find(b"a\nb \n", b"b\n").lacks_end);
    }

    #[test]
    fn a_shift_goes_for_new_lines_too() {
        let rows = [
            (Shift::In(b"\t".to_vec()), "a\n\n  b", Some("\ta\n\n\t  b")),
            (Shift::Out(b"  ".to_vec()), "  a\n\n    b\n", Some("a\n\n  b\n")),
            (Shift::Out(b"  ".to_vec()), "a\n", None),
        ];
        for (shift, text, expected) in rows {
            let moved = shift.apply(text.as_bytes()).map(|moved| String::from_utf8(moved).unwrap());
            assert_eq!(moved.as_deref(), expected);
        }
    }
}
