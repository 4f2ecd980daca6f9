//! Lines of a terminal: words are put where they fit, and what stands is never written again.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Paint;
use super::style::{Span, Style};

/// A word that has so much room is shown as it comes; one with less waits for its end, lest it has to be broken.
const ROOM: usize = 20;
/// The least columns that lines are laid out for.
const NARROWEST: usize = 8;

/// How wide the terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    /// As wide as it is at the moment.
    OfStdout,
    /// So many.
    Fixed(usize),
}

impl Columns {
    fn now(self) -> usize {
        let columns = match self {
            Self::OfStdout => crate::output::columns(rustix::stdio::stdout()),
            Self::Fixed(columns) => columns,
        };
        columns.max(NARROWEST)
    }
}

/// What stands before the lines of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Margin {
    /// Before its first line.
    pub(super) first: Span,
    /// Before the others; as wide.
    pub(super) rest: String,
}

/// Lays out one line after the other. A line is as wide as the terminal is when the line begins.
#[derive(Debug)]
pub(super) struct Wrap {
    paint: Paint,
    columns: Columns,
    margins: Vec<Margin>,
    limit: usize,
    col: usize,
    /// Where the text begins, behind the margin.
    start: usize,
    /// Nothing stands on the line yet.
    fresh: bool,
    spaces: Vec<Style>,
    word: Word,
    out: String,
    /// How wide each finished line became.
    widths: Vec<usize>,
}

#[derive(Debug, Default)]
struct Word {
    runs: Vec<Span>,
    text: String,
    width: usize,
    /// Its beginning stands on the line already; `text` is then its last character.
    begun: bool,
}

impl Wrap {
    pub(super) fn new(paint: Paint, columns: Columns) -> Self {
        Self {
            paint,
            columns,
            margins: Vec::new(),
            limit: 0,
            col: 0,
            start: 0,
            fresh: true,
            spaces: Vec::new(),
            word: Word::default(),
            out: String::new(),
            widths: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn set_columns(&mut self, columns: Columns) {
        self.columns = columns;
    }

    /// Begins a block on a line of its own.
    pub(super) fn begin(&mut self, margins: Vec<Margin>) {
        self.end_line();
        self.margins = margins;
    }

    /// Gives what has been laid out since.
    pub(super) fn taken(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Puts lines that are laid out already behind the margin.
    pub(super) fn written(&mut self, lines: &[String]) {
        for line in lines {
            if line.is_empty() {
                self.empty_line(&self.margins.clone());
                continue;
            }
            self.begin_line();
            self.out.push_str(line);
            self.new_line();
        }
    }

    /// The columns that a line of this block has.
    pub(super) fn room(&self) -> usize {
        let columns = self.columns.now();
        columns - self.margin(columns).iter().map(|margin| width(&margin.rest)).sum::<usize>()
    }

    pub(super) fn spans(&mut self, spans: &[Span]) {
        for span in spans {
            span.text.chars().for_each(|c| self.char(c, span.style));
        }
    }

    pub(super) fn char(&mut self, c: char, style: Style) {
        let style = if self.paint == Paint::Nothing { Style::PLAIN } else { style };
        match c {
            '\n' => self.end_line(),
            ' ' | '\t' => {
                self.end_word();
                self.spaces.push(style);
            }
            _ if self.word.begun && !joins(&self.word.text, c) && style == Style::PLAIN => self.go_on(c),
            _ => self.hold(c, style),
        }
    }

    /// Ends the line, if anything stands or waits on it.
    pub(super) fn end_line(&mut self) {
        self.end_word();
        let has_mark = self.margins.iter().any(|margin| margin.first.text != margin.rest);
        if self.fresh && has_mark {
            self.begin_line();
        }
        if !self.fresh {
            self.new_line();
        }
        self.spaces.clear();
    }

    /// An empty line, with the margin of quotes.
    pub(super) fn empty_line(&mut self, margins: &[Margin]) {
        let margin: String = margins.iter().map(|margin| margin.rest.as_str()).collect();
        self.write(Style::DIM, margin.trim_end());
        self.widths.push(width(margin.trim_end()));
        self.out.push('\n');
    }

    /// A line whose spaces count; it is broken where the terminal ends.
    pub(super) fn verbatim(&mut self, spans: &[Span]) {
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            return self.empty_line(&self.margins.clone());
        }
        self.begin_line();
        let start = self.col;
        for span in spans {
            let mut run = String::new();
            for cluster in span.text.graphemes(true) {
                let spaces = " ".repeat(4 - (self.col - start.min(self.col)) % 4);
                let cluster = if cluster == "\t" { &spaces } else { cluster };
                if self.col + width(cluster) > self.limit && self.col > start {
                    self.write(span.style, &std::mem::take(&mut run));
                    self.new_line();
                    self.begin_line();
                }
                run.push_str(cluster);
                self.col += width(cluster);
            }
            self.write(span.style, &run);
        }
        self.new_line();
    }

    /// Adds to a word that stands on the line.
    fn go_on(&mut self, c: char) {
        // A character that another may still make wider.
        let most = if c < '\u{2000}' { char_width(c) } else { 2 };
        if breaks_between(&self.word.text, c) {
            self.end_word();
            return self.hold(c, Style::PLAIN);
        }
        if self.col + most > self.limit {
            self.new_line();
            self.begin_line();
        }
        self.out.push(c);
        self.col += char_width(c);
        self.word.text.clear();
        self.word.text.push(c);
    }

    /// Adds to a word that waits, or to the last character of one that stands.
    fn hold(&mut self, c: char, style: Style) {
        if self.word.begun && joins(&self.word.text, c) {
            let before = width(&self.word.text);
            self.word.text.push(c);
            self.col = (self.col + width(&self.word.text)).saturating_sub(before);
            return self.out.push(c);
        }
        if self.word.begun || breaks_between(&self.word.text, c) && !joins(&self.word.text, c) {
            self.end_word();
        }
        match self.word.runs.last_mut() {
            Some(run) if run.style == style => run.text.push(c),
            _ => self.word.runs.push(Span::new(c, style)),
        }
        self.word.text.push(c);
        self.word.width =
            if self.word.text.is_ascii() { self.word.width + 1 } else { width(&self.word.text) };
        self.show_early();
    }

    /// Shows the beginning of a word, where the rest will have room or has to be broken anyway.
    fn show_early(&mut self) {
        self.find_room();
        let room = self.limit.saturating_sub(self.col + self.spaces.len());
        let is_plain = self.word.runs.iter().all(|run| run.style == Style::PLAIN);
        if room < self.word.width {
            self.fill_line();
        } else if room >= ROOM && is_plain && !may_be_address(&self.word.text) {
            let last = self.word.text.graphemes(true).next_back().unwrap_or_default().to_owned();
            self.put_word();
            self.word = Word { text: last, begun: true, ..Word::default() };
        }
    }

    fn end_word(&mut self) {
        while !self.word.runs.is_empty() {
            self.find_room();
            if self.col + self.spaces.len() + self.word.width > self.limit {
                self.fill_line();
            } else {
                self.put_word();
            }
        }
        self.word = Word::default();
    }

    /// Goes to the next line when the word that waits has no room on this one.
    fn find_room(&mut self) {
        self.begin_line();
        if self.col + self.spaces.len() + self.word.width > self.limit && self.has_words() {
            self.new_line();
            self.begin_line();
        }
    }

    /// Writes the word that waits, behind its spaces.
    fn put_word(&mut self) {
        self.put_spaces();
        for run in std::mem::take(&mut self.word.runs) {
            self.write(run.style, &run.text);
        }
        self.col += self.word.width;
        self.word = Word::default();
    }

    fn put_spaces(&mut self) {
        let spaces = std::mem::take(&mut self.spaces);
        if self.has_words() {
            self.col += spaces.len();
            for style in spaces {
                self.write(if style.shows_on_spaces() { style } else { Style::PLAIN }, " ");
            }
        }
    }

    /// Fills the line with the beginning of a word that is too long for any; the rest waits.
    fn fill_line(&mut self) {
        self.put_spaces();
        let mut rest = Word::default();
        for run in std::mem::take(&mut self.word.runs) {
            let mut end = 0;
            for cluster in run.text.graphemes(true) {
                let is_full = self.col + width(cluster) > self.limit && self.has_words();
                if is_full || !rest.runs.is_empty() {
                    break;
                }
                self.col += width(cluster);
                end += cluster.len();
            }
            let (now, later) = run.text.split_at_checked(end).unwrap_or_default();
            self.write(run.style, now);
            if !later.is_empty() {
                rest.text.push_str(later);
                rest.runs.push(Span::new(later, run.style));
            }
        }
        self.new_line();
        rest.width = width(&rest.text);
        self.word = rest;
    }

    /// Whether more than the margin stands on the line.
    fn has_words(&self) -> bool {
        self.col > self.start
    }

    /// Begins a line, unless one has begun: looks how wide the terminal is, and writes the margin.
    fn begin_line(&mut self) {
        if !std::mem::take(&mut self.fresh) {
            return;
        }
        self.limit = self.columns.now();
        let from = self.margins.len() - self.margin(self.limit).len();
        let mut margins = std::mem::take(&mut self.margins);
        for (at, margin) in margins.iter_mut().enumerate() {
            let style = if margin.rest.trim().is_empty() { Style::PLAIN } else { Style::DIM };
            let rest = Span::new(margin.rest.clone(), style);
            let span = std::mem::replace(&mut margin.first, rest);
            if at >= from {
                self.col += width(&span.text);
                self.write(span.style, &span.text);
            }
        }
        self.margins = margins;
        self.start = self.col;
    }

    /// The margins that leave half of the line to the text: the inner ones, where there is little room.
    fn margin(&self, columns: usize) -> &[Margin] {
        let mut left = columns / 2;
        let fits = |margin: &&Margin| {
            let fits = width(&margin.rest) <= left;
            left = if fits { left - width(&margin.rest) } else { 0 };
            fits
        };
        let count = self.margins.iter().rev().take_while(fits).count();
        self.margins.get(self.margins.len() - count..).unwrap_or_default()
    }

    fn write(&mut self, style: Style, text: &str) {
        match self.paint {
            Paint::Colours => style.write(text, &mut self.out),
            Paint::Nothing => self.out.push_str(text),
        }
    }

    fn new_line(&mut self) {
        // An item without a text ends with its mark.
        while !self.has_words() && self.out.ends_with(' ') {
            self.out.pop();
        }
        self.out.push('\n');
        self.widths.push(self.col);
        self.spaces.clear();
        (self.col, self.start, self.fresh) = (0, 0, true);
    }
}

/// Lays text out in so many columns; gives the lines and how wide they are.
pub(super) fn lines(spans: &[Span], paint: Paint, columns: usize) -> Vec<(String, usize)> {
    let mut wrap = Wrap::new(paint, Columns::Fixed(columns));
    wrap.spans(spans);
    wrap.end_line();
    wrap.out.lines().map(str::to_owned).zip(wrap.widths).collect()
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

fn char_width(c: char) -> usize {
    c.width().unwrap_or_default()
}

/// Whether a character becomes one with the end of a text, as an accent does.
fn joins(text: &str, c: char) -> bool {
    let Some(last) = text.graphemes(true).next_back().filter(|_| !c.is_ascii()) else { return false };
    format!("{last}{c}").graphemes(true).count() == 1
}

/// Whether a line may end between a text and a character without a space: where no spaces are written.
fn breaks_between(text: &str, c: char) -> bool {
    let ends = "、。，．！？；：）」』】〉》";
    let last = text.chars().next_back();
    last.is_some_and(|last| char_width(last) == 2 || char_width(c) == 2) && !ends.contains(c)
}

/// Whether a word is one to click on, or may yet become one: it stays whole where it can.
fn may_be_address(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '<']);
    word.starts_with("http") || "http".starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str, columns: usize) -> String {
        let lines = lines(&[Span::new(text, Style::PLAIN)], Paint::Colours, columns);
        for (line, wide) in &lines {
            assert_eq!(width(line), *wide, "{line:?}");
            assert!(*wide <= columns, "{line:?}");
        }
        lines.into_iter().map(|(line, _)| line + "|").collect()
    }

    #[test]
    fn words_go_where_they_fit_and_long_ones_are_broken() {
        let rows = [
            ("one two three", 8, "one two|three|"),
            ("one  two", 10, "one  two|"),
            ("a\n\n b ", 10, "a|b|"),
            ("abcdefghijkl", 10, "abcdefghij|kl|"),
            ("ab abcdefghijkl", 10, "ab|abcdefghij|kl|"),
            ("日本語の文章です", 10, "日本語の文|章です|"),
            ("ab日本語", 8, "ab日本語|"),
            ("日本語日本。語", 10, "日本語日|本。語|"),
            (
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e",
                8,
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}|e|",
            ),
            ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧🇫🇷", 8, "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧|🇫🇷|"),
            (
                "some words and then http://example.org/a-long-one",
                40,
                "some words and then|http://example.org/a-long-one|",
            ),
            ("an abominable-mixture-of-everything", 30, "an abominable-mixture-of-every|thing|"),
        ];
        for (text, columns, expected) in rows {
            assert_eq!(laid_out(text, columns), expected, "{text:?} in {columns}");
        }
    }

    #[test]
    fn a_word_with_room_is_shown_as_it_comes() {
        let mut wrap = Wrap::new(Paint::Colours, Columns::Fixed(30));
        let shown: Vec<String> = "so it is far to the end of the line"
            .chars()
            .map(|c| {
                wrap.char(c, Style::PLAIN);
                wrap.taken()
            })
            .collect();
        assert_eq!(shown.join("|"), "s|o|| i|t|| i|s|| f|a|r|||| to|||| the|||| end||| of|||| the|\nl|i|n|e");
    }
}
