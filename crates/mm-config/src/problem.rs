//! What is wrong with a configuration, and where.

use std::{cmp::Ordering, fmt, path::Path};

use crate::config::DEFAULTS;

/// One fault of a configuration, ready to be printed on a line of its own.
///
/// `Display` gives exactly `[config error: <path>: <message>]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("[config error: {path}: {message}]")]
pub struct Problem {
    /// The file, as the caller named it; `<defaults>` when there is none.
    pub path: String,
    /// The line concerned, from 1; none when the fault is not in the text (a variable, a missing file).
    pub line: Option<usize>,
    /// The column concerned, in characters from 1.
    pub column: Option<usize>,
    /// The key concerned, as a path such as `sampling.top_p`.
    pub key: Option<String>,
    /// What is wrong and what to write instead, on one line. Begins with `line N, column M: ` where the
    /// place is the news; a rule on a value names its key alone.
    pub message: String,
}

impl Problem {
    /// A broken rule that shows only where a key meets what the program has besides the file.
    pub fn beyond(file: Option<&Path>, line: Option<usize>, key: &str, message: String) -> Self {
        let path = file.map_or_else(|| DEFAULTS.to_owned(), |file| escaped(&file.display().to_string()));
        Self { path, line, column: None, key: Some(key.to_owned()), message }
    }
}

/// A place in the text, both numbers from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// The first character of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// A place of a file, which has fewer lines and columns than the type can count.
    pub(crate) fn new(line: usize, column: usize) -> Self {
        let number = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Self { line: number(line), column: number(column) }
    }

    /// The place just behind `bytes`; what continues a UTF-8 character takes no column.
    pub(crate) fn after(bytes: &[u8]) -> Self {
        let mut place = Self::START;
        let mut previous = 0;
        for &byte in bytes {
            match byte {
                // The second half of CRLF: the line has been counted.
                b'\n' if previous == b'\r' => {}
                b'\n' | b'\r' => place = Self { line: place.line + 1, column: 1 },
                0x80..=0xBF => {}
                _ => place.column += 1,
            }
            previous = byte;
        }
        place
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A problem that does not know its file yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Option<Place>,
    pub(crate) key: Option<String>,
    pub(crate) message: String,
    /// Whether it is about a key that was there already.
    pub(crate) twice: bool,
}

impl Fault {
    /// A fault whose message begins with its place.
    pub(crate) fn at(place: Place, key: Option<String>, message: impl fmt::Display) -> Self {
        Self { place: Some(place), key, message: format!("{place}: {message}"), twice: false }
    }

    /// A broken rule about `key`: the message stands alone, the place only gives the order.
    pub(crate) fn rule(place: Option<Place>, key: String, message: String) -> Self {
        Self { place, key: Some(key), message, twice: false }
    }

    /// A fault of the file as a whole.
    pub(crate) fn whole(message: impl Into<String>) -> Self {
        Self { place: None, key: None, message: message.into(), twice: false }
    }
}

/// Turns faults into problems of `origin`: in file order, those without a place last.
pub(crate) fn report(mut faults: Vec<Fault>, origin: &str) -> Vec<Problem> {
    faults.sort_by(|a, b| {
        // Those of variables by name, which begins their message.
        let outside = || if a.place.is_none() { a.message.cmp(&b.message) } else { Ordering::Equal };
        (a.place.is_none(), a.place).cmp(&(b.place.is_none(), b.place)).then_with(outside)
    });
    let origin = escaped(origin);
    let problem = |fault: Fault| Problem {
        path: origin.clone(),
        line: fault.place.map(|place| place.line as usize),
        column: fault.place.map(|place| place.column as usize),
        key: fault.key,
        // Whatever of the file a message quotes, it stays on its line.
        message: if fault.message.chars().any(is_odd) { escaped(&fault.message) } else { fault.message },
    };
    faults.into_iter().map(problem).collect()
}

/// Puts text in quotes for a message: on one line, and not longer than a line can bear.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text))
}

/// Text for a message without quotes around it: control characters escaped, cut after 60 characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            short.push('…');
            break;
        }
        short.push(c);
    }
    escaped(&short)
}

/// Whether a character ends a line or plays with a terminal.
fn is_odd(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_odd(c) { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    plain
}
