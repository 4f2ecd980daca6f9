//! How wide things are, and where a line may end.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The least columns that lines are laid out for.
const NARROWEST: usize = 8;
/// The most bytes of a character that is made of several.
const LONGEST: usize = 64;

/// How wide the terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    /// As wide as it is at the moment.
    OfStdout,
    /// So many.
    Fixed(usize),
}

impl Columns {
    pub(super) fn now(self) -> usize {
        let columns = match self {
            Self::OfStdout => crate::output::columns(rustix::stdio::stdout()),
            Self::Fixed(columns) => columns,
        };
        columns.max(NARROWEST)
    }
}

/// As much of a text as so many columns take, with `…` where something is left out.
pub(crate) fn cut_to(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for cluster in text.graphemes(true) {
        if width(&out) + width(cluster) + 1 > columns {
            break;
        }
        out.push_str(cluster);
    }
    out + "…"
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// How many columns a character takes by itself.
pub(super) fn char_width(c: char) -> usize {
    c.width().unwrap_or_default()
}

/// Whether a character becomes one with the end of a text, as an accent does. One of more than so many bytes takes no more:
/// none is so long that was meant to be read.
pub(super) fn joins(text: &str, c: char) -> bool {
    let near = text.get(text.floor_char_boundary(text.len().saturating_sub(LONGEST))..);
    let last = near.and_then(|text| text.graphemes(true).next_back());
    let Some(last) = last.filter(|last| !c.is_ascii() && last.len() + 4 < LONGEST) else { return false };
    format!("{last}{c}").graphemes(true).count() == 1
}

/// Whether a line may end between a text and a character without a space: where no spaces are written.
pub(super) fn breaks_between(text: &str, c: char) -> bool {
    let ends = "、。，．！？；：）」』】〉》";
    let last = text.chars().next_back();
    last.is_some_and(|last| char_width(last) == 2 || char_width(c) == 2) && !ends.contains(c)
}

/// Whether a word is one to click on, or may yet become one: it stays whole where it can.
pub(super) fn may_be_address(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '<']);
    word.starts_with("http") || "http".starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_to_what_fits() {
        let rows = [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("e\u{301}e", 1, "…"),
            ("", 0, ""),
        ];
        for (text, columns, expected) in rows {
            assert_eq!(cut_to(text, columns), expected, "{text:?} in {columns}");
        }
    }
}
