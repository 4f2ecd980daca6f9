//! Some lines of a file, read as it streams by: memory does not grow with the file.

use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};

use tokio_util::sync::CancellationToken;

use super::encoding::{Encoding, decode};

/// How much is read at a time.
const PIECE: usize = 256 << 10;
/// Files up to this size are read to the end; others may claim to be small, or have none.
pub(crate) const COUNTED: u64 = 16 << 20;
/// The most bytes of a character.
const WIDEST: usize = 4;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The first line, counted from 1.
    pub(crate) first: u64,
    /// The most lines.
    pub(crate) count: u64,
    /// The most characters, with the numbers.
    pub(crate) chars: usize,
    /// Whether to read on to the end, so that all is counted and hashed.
    pub(crate) to_the_end: bool,
    /// The bytes at the start that belong to the file and not to its text.
    pub(crate) mark: usize,
}

/// The lines found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Each line with its number.
    pub(crate) text: String,
    /// How many lines that is.
    pub(crate) lines: u64,
    /// How many lines were gone past, these ones too.
    pub(crate) passed: u64,
    /// Whether there is something behind them.
    pub(crate) more: bool,
    /// How many lines the file has, where that is known.
    pub(crate) total: Option<u64>,
    /// Of the whole file, where all of it was read.
    pub(crate) hash: Option<u64>,
    /// The bytes of a line that were left out, since it alone was too long.
    pub(crate) left_out: usize,
    /// The encoding of what is not UTF-8.
    pub(crate) odd: Option<Encoding>,
}

/// Reads a page. It ends before the first line that does not fit; a line that does not fit alone is cut.
pub(crate) fn page(reader: &mut dyn Read, wanted: Wanted, stop: &CancellationToken) -> io::Result<Page> {
    let hasher = wanted.to_the_end.then(DefaultHasher::new);
    let mut source = Source { reader, stop, piece: vec![0; PIECE], from: 0, until: 0, taken: 0, hasher };
    source.at_hand()?;
    source.from += wanted.mark.min(source.until);
    let passed = source.skip_lines(wanted.first.saturating_sub(1), u64::MAX)?;
    let mut page = Page { passed, ..Page::default() };
    let mut room = wanted.chars;
    let mut line = Vec::new();
    while page.lines < wanted.count && room > 0 {
        let Some(left_out) = source.line(&mut line, room.saturating_mul(WIDEST))? else { break };
        if !page.add(&line, left_out, &mut room) {
            page.more = true;
            break;
        }
        page.passed += 1;
    }
    // A line that was taken and did not fit is behind the page too.
    let mut behind = u64::from(page.more && room > 0);
    page.more |= !source.is_at_end()?;
    if wanted.to_the_end || !page.more {
        behind += source.skip_lines(u64::MAX, COUNTED)?;
        if source.is_at_end()? {
            page.total = Some(page.passed + behind);
            page.hash = source.hasher.map(|hasher| hasher.finish());
        }
    }
    Ok(page)
}

impl Page {
    /// Adds a line if it fits; one that is alone is made to.
    fn add(&mut self, line: &[u8], left_out: usize, room: &mut usize) -> bool {
        let (shown, encoding) = decode(line.strip_suffix(b"\r").unwrap_or(line));
        let numbered = format!("{}\t{shown}\n", self.passed + 1);
        let length = numbered.chars().count();
        let fits = left_out == 0 && length <= *room;
        if !fits && self.lines > 0 {
            return false;
        }
        if fits {
            self.text.push_str(&numbered);
            *room -= length;
        } else {
            let end = numbered.char_indices().nth(*room).map_or(numbered.len(), |(at, _)| at);
            let (start, rest) = numbered.split_at_checked(end).unwrap_or((&numbered, ""));
            self.text.push_str(start.trim_end_matches('\n'));
            self.text.push('\n');
            self.left_out = left_out + rest.trim_end_matches('\n').len();
            *room = 0;
        }
        self.lines += 1;
        match encoding {
            Encoding::Utf8 => {}
            odd => self.odd = Some(self.odd.filter(|known| *known == Encoding::Unknown).unwrap_or(odd)),
        }
        true
    }
}

/// Bytes by the piece, hashed as they come.
struct Source<'a> {
    reader: &'a mut dyn Read,
    stop: &'a CancellationToken,
    piece: Vec<u8>,
    /// What of the piece was not taken yet.
    from: usize,
    until: usize,
    taken: u64,
    /// Only where all will be read: it is slower than the reading.
    hasher: Option<DefaultHasher>,
}

impl Source<'_> {
    /// Gives what is at hand; nothing at the end.
    fn at_hand(&mut self) -> io::Result<&[u8]> {
        while self.from == self.until {
            if self.stop.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.reader.read(&mut self.piece) {
                Ok(0) => return Ok(&[]),
                Ok(count) => (self.from, self.until) = (0, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            self.taken += self.until as u64;
            if let Some(hasher) = &mut self.hasher {
                hasher.write(self.piece.get(..self.until).unwrap_or_default());
            }
        }
        Ok(self.piece.get(self.from..self.until).unwrap_or_default())
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.at_hand()?.is_empty())
    }

    /// Goes past so many lines, and reads no further than so many bytes of the file; gives how many it passed.
    fn skip_lines(&mut self, most: u64, bytes: u64) -> io::Result<u64> {
        let (mut passed, mut is_open) = (0, false);
        while passed < most && self.taken <= bytes {
            let at_hand = self.at_hand()?;
            let Some(last) = at_hand.last() else { return Ok(passed + u64::from(is_open)) };
            let ends = memchr::memchr_iter(b'\n', at_hand);
            let count = ends.clone().count() as u64;
            let left = most - passed;
            // Counting is much faster than finding.
            let taken =
                if count < left { None } else { ends.clone().nth(usize::try_from(left - 1).unwrap_or(0)) };
            is_open = taken.is_none() && *last != b'\n';
            passed += count.min(left);
            self.from = taken.map_or(self.until, |end| self.from + end + 1);
        }
        Ok(passed)
    }

    /// Takes a line without its end, at most so many bytes of it; gives how many more it has.
    fn line(&mut self, line: &mut Vec<u8>, most: usize) -> io::Result<Option<usize>> {
        line.clear();
        let (mut left_out, mut is_there) = (0, false);
        loop {
            let at_hand = self.at_hand()?;
            if at_hand.is_empty() {
                return Ok(is_there.then_some(left_out));
            }
            is_there = true;
            let end = memchr::memchr(b'\n', at_hand);
            let part = at_hand.get(..end.unwrap_or(at_hand.len())).unwrap_or_default();
            let kept = part.get(..most.saturating_sub(line.len())).unwrap_or(part);
            line.extend_from_slice(kept);
            left_out += part.len() - kept.len();
            self.from += part.len() + usize::from(end.is_some());
            if end.is_some() {
                return Ok(Some(left_out));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8], first: u64, count: u64, chars: usize) -> Page {
        let wanted = Wanted { first, count, chars, to_the_end: true, mark: 0 };
        let whole = page(&mut { text }, wanted, &CancellationToken::new()).unwrap();
        let dripping = page(&mut Dripping(text), wanted, &CancellationToken::new()).unwrap();
        assert_eq!(dripping, whole);
        whole
    }

    /// Gives three bytes at a time.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(3);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn lines_are_counted_as_people_do() {
        // (text, first, count, chars) to (shown, more, total)
        let rows: [(&str, u64, u64, usize, &str, bool, u64); 10] = [
            ("l1\nl2\n", 1, 2, 100, "1\tl1\n2\tl2\n", false, 2),
            ("l1\nl2\n", 2, 1, 100, "2\tl2\n", false, 2),
            ("l1\nl2\n", 3, 9, 100, "", false, 2),
            ("l1\nl2", 1, 1, 100, "1\tl1\n", true, 2),
            ("l1\r\nl2", 1, 9, 100, "1\tl1\n2\tl2\n", false, 2),
            ("\n\n", 1, 9, 100, "1\t\n2\t\n", false, 2),
            ("", 1, 9, 100, "", false, 0),
            ("l1\nl2\nl3\n", 1, 9, 10, "1\tl1\n2\tl2\n", true, 3),
            ("l1\nl2\nl3\n", 1, 9, 11, "1\tl1\n2\tl2\n", true, 3),
            ("abcdefgh\nx\n", 1, 9, 5, "1\tabc\n", true, 2),
        ];
        for (text, first, count, chars, shown, more, total) in rows {
            let page = read(text.as_bytes(), first, count, chars);
            assert_eq!(
                (page.text.as_str(), page.more, page.total),
                (shown, more, Some(total)),
                "{text:?} {first}"
            );
        }
        assert_eq!(read(b"abcdefgh\nx\n", 1, 9, 5).left_out, 5);
    }

    proptest! {
        #[test]
        fn pages_joined_are_the_file(text in "([a-zé]{0,6}\n){0,30}[a-z]{0,4}", count in 1u64..9, chars in 20usize..60) {
            let (mut first, mut joined) = (1, String::new());
            loop {
                let page = read(text.as_bytes(), first, count, chars);
                joined.extend(page.text.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)));
                first += page.lines;
                prop_assert_eq!(page.passed + 1, first);
                if !page.more {
                    break;
                }
            }
            let whole = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
            prop_assert_eq!(joined, whole);
        }
    }
}
