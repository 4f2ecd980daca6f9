//! What changed in a file, as a unified diff.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::encoding::decode;

/// Lines shown around a change.
const CONTEXT: usize = 2;
/// The most lines of a diff.
const MOST_LINES: usize = 80;
/// The longest that lines are compared; then a change is less finely told.
const PATIENCE: Duration = Duration::from_millis(200);

/// A part of a text and what stands there now. Parts are in order and apart from each other.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Vec<u8>,
}

/// The whole text as one change, without what is the same at both ends.
pub(crate) fn between(old: &[u8], new: &[u8]) -> Change {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let new = new_rest.get(..new_rest.len() - end).unwrap_or_default();
    Change { old: start..old.len() - end, new: new.to_vec() }
}

/// Writes the changes of a text; at most [`MOST_LINES`] lines, and a word about the rest.
pub(crate) fn unified(old: &[u8], changes: &[Change]) -> String {
    hunks(old, changes).unwrap_or_else(|part| format!("{part}\n[… the diff goes on …]"))
}

/// Writes the changes of a text, if [`MOST_LINES`] lines are enough for all of it.
pub(crate) fn whole(old: &[u8], changes: &[Change]) -> Option<String> {
    hunks(old, changes).ok()
}

/// Writes the changes of a text; the error is the first of the lines, when there are more.
fn hunks(old: &[u8], changes: &[Change]) -> Result<String, String> {
    let deadline = Instant::now() + PATIENCE;
    let mut deltas: Vec<Delta> = Vec::new();
    // Each change is shown as it was asked for; beyond the limit nothing is worth comparing.
    let wide = whole_lines(old, changes);
    for change in wide.iter().take(MOST_LINES) {
        deltas.extend(compare(old, change, deadline));
    }
    let mut writer = Writer { old, text: String::new(), counted: 0, line: 1, drift: 0 };
    let mut rest = deltas.as_slice();
    let mut written = 0;
    while !rest.is_empty() && writer.text.lines().count() < MOST_LINES {
        let together = writer.together(rest);
        let (hunk, others) = rest.split_at_checked(together).unwrap_or((rest, &[]));
        writer.hunk(hunk);
        (rest, written) = (others, written + together);
    }
    let is_whole = written == deltas.len() && changes.len() <= MOST_LINES;
    cut(writer.text, is_whole)
}

fn cut(text: String, is_whole: bool) -> Result<String, String> {
    let lines = text.lines().count();
    if lines <= MOST_LINES && is_whole {
        return Ok(text.trim_end_matches('\n').to_owned());
    }
    let kept: Vec<&str> = text.lines().take(MOST_LINES).collect();
    Err(kept.join("\n"))
}

/// Widens each change to whole lines; what then touches becomes one.
fn whole_lines(old: &[u8], changes: &[Change]) -> Vec<Change> {
    let part = |range: Range<usize>| old.get(range).unwrap_or_default();
    let mut wide: Vec<Change> = Vec::new();
    for Change { old: place, new } in changes {
        let is_shared = wide.last().is_some_and(|last| place.start < last.old.end);
        let mut change = match wide.pop_if(|_| is_shared) {
            Some(Change { old: before, new }) => {
                let kept = new.len() - (before.end - place.start);
                Change { old: before.start..place.end, new: new.get(..kept).unwrap_or_default().to_vec() }
            }
            None => {
                let start = memchr::memrchr(b'\n', part(0..place.start)).map_or(0, |at| at + 1);
                Change { old: start..place.end, new: part(start..place.start).to_vec() }
            }
        };
        change.new.extend_from_slice(new);
        let is_closed = |text: &[u8]| text.is_empty() || text.ends_with(b"\n");
        if !is_closed(&change.new) || !is_closed(part(change.old.clone())) {
            let rest = part(place.end..old.len());
            let end = memchr::memchr(b'\n', rest).map_or(old.len(), |at| place.end + at + 1);
            change.new.extend_from_slice(part(place.end..end));
            change.old.end = end;
        }
        wide.push(change);
    }
    wide
}

/// Lines that went and lines that came, at a place of the old text.
#[derive(Debug)]
struct Delta<'a> {
    old: Range<usize>,
    new: Vec<&'a [u8]>,
}

fn compare<'a>(old: &[u8], change: &'a Change, deadline: Instant) -> Vec<Delta<'a>> {
    let split = |text: &'a [u8]| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>();
    let gone: Vec<&[u8]> =
        old.get(change.old.clone()).unwrap_or_default().split_inclusive(|byte| *byte == b'\n').collect();
    let came = split(&change.new);
    let starts: Vec<usize> = gone
        .iter()
        .scan(change.old.start, |at, line| {
            *at += line.len();
            Some(*at)
        })
        .collect();
    let place =
        |line: usize| line.checked_sub(1).and_then(|at| starts.get(at).copied()).unwrap_or(change.old.start);
    capture_diff_slices_deadline(Algorithm::Myers, &gone, &came, Some(deadline))
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| Delta {
            old: place(op.old_range().start)..place(op.old_range().end),
            new: came.get(op.new_range()).unwrap_or_default().to_vec(),
        })
        .collect()
}

struct Writer<'a> {
    old: &'a [u8],
    text: String,
    /// Up to here lines are counted, and this is the line there.
    counted: usize,
    line: usize,
    /// How many more lines there are in the new text so far.
    drift: isize,
}

impl Writer<'_> {
    /// How many deltas at the front are too near each other to part.
    fn together(&self, deltas: &[Delta]) -> usize {
        let far = |pair: &&[Delta]| match pair {
            [a, b] => self.lines(a.old.end..b.old.start).count() > 2 * CONTEXT,
            _ => true,
        };
        deltas.windows(2).take_while(|pair| !far(pair)).count() + 1
    }

    fn hunk(&mut self, deltas: &[Delta]) {
        let (Some(first), Some(last)) = (deltas.first(), deltas.last()) else { return };
        let (start, end) = (self.back(first.old.start), self.ahead(last.old.end));
        self.line += memchr::memchr_iter(b'\n', self.part(self.counted..start)).count();
        self.counted = start;
        let old_lines = self.lines(start..end).count();
        let change: isize = deltas
            .iter()
            .map(|delta| delta.new.len().cast_signed() - self.lines(delta.old.clone()).count().cast_signed())
            .sum();
        let new_lines = old_lines.saturating_add_signed(change);
        let new_line = self.line.saturating_add_signed(self.drift);
        // No line at all is told as the one before it.
        let at = |line: usize, count: usize| if count == 0 { line - 1 } else { line };
        self.text.push_str(&format!(
            "@@ -{},{old_lines} +{},{new_lines} @@\n",
            at(self.line, old_lines),
            at(new_line, new_lines)
        ));
        let mut from = start;
        for delta in deltas {
            self.add(' ', from..delta.old.start);
            self.add('-', delta.old.clone());
            delta.new.iter().for_each(|line| self.text.push_str(&shown('+', line)));
            from = delta.old.end;
        }
        self.add(' ', from..end);
        self.drift += change;
    }

    fn add(&mut self, sign: char, range: Range<usize>) {
        let lines: String = self.lines(range).map(|line| shown(sign, line)).collect();
        self.text.push_str(&lines);
    }

    fn part(&self, range: Range<usize>) -> &[u8] {
        self.old.get(range).unwrap_or_default()
    }

    fn lines(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.part(range).split_inclusive(|byte| *byte == b'\n')
    }

    fn back(&self, at: usize) -> usize {
        let before = self.part(self.counted..at);
        let ends = memchr::memrchr_iter(b'\n', before);
        ends.skip(1).nth(CONTEXT - 1).map_or(self.counted, |end| self.counted + end + 1)
    }

    fn ahead(&self, at: usize) -> usize {
        let behind = self.part(at..self.old.len());
        memchr::memchr_iter(b'\n', behind).nth(CONTEXT - 1).map_or(self.old.len(), |end| at + end + 1)
    }
}

fn shown(sign: char, line: &[u8]) -> String {
    let (text, note) = match line.strip_suffix(b"\n") {
        Some(text) => (text, ""),
        None => (line, "\\ No newline at end of file\n"),
    };
    format!("{sign}{}\n{note}", decode(text.strip_suffix(b"\r").unwrap_or(text)).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        unified(old.as_bytes(), &[between(old.as_bytes(), new.as_bytes())])
    }

    #[test]
    fn changes_are_shown_with_their_lines() {
        let rows = [
            ("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "@@ -1,5 +1,5 @@\n a\n b\n-c\n+C\n d\n e"),
            ("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", "@@ -5,2 +5,3 @@\n 5\n 6\n+7"),
            ("a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c"),
            ("", "a\n", "@@ -0,0 +1,1 @@\n+a"),
            ("a\n", "", "@@ -1,1 +0,0 @@\n-a"),
            (
                "a\nb",
                "a\nc",
                "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file",
            ),
            ("a\r\nb\r\n", "a\r\nB\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "x\n2\n3\n4\n5\n6\n7\n8\ny\nz\n",
                "@@ -1,3 +1,3 @@\n-1\n+x\n 2\n 3\n@@ -7,3 +7,4 @@\n 7\n 8\n-9\n+y\n+z",
            ),
        ];
        for (old, new, expected) in rows {
            assert_eq!(diff(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn several_changes_of_a_line_are_one() {
        let old = b"a a\nb\na\n";
        let change = |at: usize| Change { old: at..at + 1, new: b"xx".to_vec() };
        let expected = "@@ -1,3 +1,3 @@\n-a a\n+xx xx\n b\n-a\n+xx";
        assert_eq!(unified(old, &[change(0), change(2), change(6)]), expected);
        assert_eq!(
            unified(
                b"a\nb\nc\n",
                &[Change { old: 0..2, new: Vec::new() }, Change { old: 4..6, new: Vec::new() }]
            ),
            "@@ -1,3 +1,1 @@\n-a\n b\n-c"
        );
    }

    #[test]
    fn a_long_diff_ends() {
        let old: String = (0..1000).map(|n| format!("{n}\n")).collect();
        let shown = diff(&old, &old.replace('1', "x"));
        assert_eq!(shown.lines().count(), MOST_LINES + 1);
        assert!(shown.ends_with("\n[… the diff goes on …]"), "{shown}");
    }

    /// Does to the lines of a text what a diff says.
    fn applied(old: &str, diff: &str) -> String {
        let mut old: Vec<&str> = old.split_inclusive('\n').rev().collect();
        let (mut new, mut line) = (String::new(), 1);
        for shown in diff.lines() {
            let (sign, text) = shown.split_at(1);
            let mut take = || old.pop().filter(|taken| taken.trim_end() == text).unwrap();
            match sign {
                " " => new.push_str(take()),
                "-" => drop(take()),
                "+" => new.push_str(&format!("{text}\n")),
                _ => {
                    let numbers: Vec<usize> =
                        text.split(|c: char| !c.is_ascii_digit()).flat_map(str::parse).collect();
                    let start = numbers[0] + usize::from(numbers[1] == 0);
                    (line..start).for_each(|_| new.push_str(old.pop().unwrap()));
                    line = start;
                }
            }
            line += usize::from(matches!(sign, " " | "-"));
        }
        old.iter().rev().for_each(|line| new.push_str(line));
        new
    }

    proptest::proptest! {
        #[test]
        fn a_diff_says_all_that_changed(old in "([ab]{0,1}\n){0,24}", new in "([ab]{0,1}\n){0,24}") {
            proptest::prop_assert_eq!(applied(&old, &diff(&old, &new)), new);
        }

        #[test]
        fn changes_of_any_places_are_shown(old in "([ab]{0,2}\n){1,24}", cuts in proptest::collection::vec(0usize..40, 0..6), new in "[a\n]{0,3}") {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= old.len()).collect();
            cuts.sort();
            cuts.dedup();
            let (mut expected, mut from) = (String::new(), 0);
            let changes: Vec<Change> = cuts
                .as_chunks::<2>()
                .0
                .iter()
                .map(|[start, end]| {
                    expected = format!("{expected}{}{new}", &old[from..*start]);
                    from = *end;
                    Change { old: *start..*end, new: new.clone().into_bytes() }
                })
                .collect();
            expected.push_str(&old[from..]);
            if expected.is_empty() || expected.ends_with('\n') {
                proptest::prop_assert_eq!(applied(&old, &unified(old.as_bytes(), &changes)), expected);
            }
        }
    }
}
