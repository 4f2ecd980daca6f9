//! What the model reads of an edit, done or not.

use std::ops::Range;

use super::Edit;
use crate::files::closest::closest;
use crate::files::diff::unified;
use crate::files::find::{How, MOST};
use crate::files::path::one_line;
use crate::files::{MOST_SHOWN, counted};
use crate::{ToolOutput, output};

pub(super) use crate::files::named;

/// The most line numbers that are listed.
const LISTED: usize = 10;
/// The most characters of a text in a summary.
const IN_SHORT: usize = 60;

/// `"a" → "b"`, for the user to read before it is done.
pub(super) fn in_short(old: &str, new: &str, all: bool) -> String {
    let short = |text: &str| {
        let line = one_line(text);
        match line.char_indices().nth(IN_SHORT) {
            Some((at, _)) => format!("\"{}…\"", line.get(..at).unwrap_or_default()),
            None => format!("\"{line}\""),
        }
    };
    format!("{} → {}{}", short(old), short(new), if all { ", all" } else { "" })
}

pub(super) fn done(path: &str, view: &[u8], edit: &Edit, max_output: usize) -> ToolOutput {
    let mut notes = Vec::new();
    match edit.how {
        How::Exactly => {}
        How::TrailingSpace => notes.push("white space at line ends differed"),
        How::Indented => notes.push("the indentation differed, and new was shifted as well"),
    }
    if edit.keeps_ends {
        notes.push("the line ends of the file were kept");
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let told = match edit.changes.len() {
        1 => format!("[edited {}{notes}]", named(path)),
        count => format!("[edited {} in {count} places{notes}]", named(path)),
    };
    let text = format!("{told}\n{}", unified(view, &edit.changes));
    ToolOutput::ok(output::cut(&text, max_output.min(MOST_SHOWN), "read_file shows it"))
}

pub(super) fn not_there(path: &str, view: &[u8], old: &str) -> ToolOutput {
    let path = named(path);
    let without = without_numbers(old);
    let why = if without.is_some() { ", it has line numbers in it: leave them out" } else { "" };
    let Some(found) = closest(view, without.as_deref().unwrap_or(old)) else {
        let what = if why.is_empty() { ": read the file and copy the text from there" } else { "" };
        return ToolOutput::error(format!("old is not in {path}{why}{what}"));
    };
    let (first, last) = found.lines;
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let differs = match found.differs {
        Some((_, what)) if first == last => format!(", which differs in {what}"),
        Some((line, what)) => format!(", where line {line} differs in {what}"),
        None => String::new(),
    };
    let text =
        format!("[error: old is not in {path}{why}; most like it is {place}{differs}]\n{}", found.text);
    ToolOutput { text: output::cut(text.trim_end(), MOST_SHOWN, "read_file shows it"), ok: false }
}

pub(super) fn several(path: &str, view: &[u8], places: &[Range<usize>]) -> ToolOutput {
    let (mut line, mut counted_to) = (1, 0);
    let mut lines: Vec<String> = places
        .iter()
        .take(LISTED)
        .map(|place| {
            let between = view.get(counted_to..place.start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted_to = place.start;
            line.to_string()
        })
        .collect();
    if places.len() > LISTED {
        lines.push("…".to_owned());
    }
    let times =
        if places.len() == MOST { format!("{MOST} times or more") } else { counted(places.len(), "time") };
    ToolOutput::error(format!(
        "old is in {} {times}, at lines {}: give more of the text around it, or all: true",
        named(path),
        lines.join(", ")
    ))
}

pub(super) fn too_many(path: &str) -> ToolOutput {
    ToolOutput::error(format!("old is in {} {MOST} times or more: use a command", named(path)))
}

/// The text of lines that each begin as `read_file` shows them.
fn without_numbers(old: &str) -> Option<String> {
    let text = |line: &str| {
        let (number, text) = line.trim_start().split_once('\t')?;
        number.parse::<u32>().is_ok().then(|| format!("{text}\n"))
    };
    old.lines().map(text).collect()
}
