//! Lines of a terminal: words are put where they fit, and what stands is never written again.

use unicode_segmentation::UnicodeSegmentation;

use super::Paint;
use super::measure::{Columns, breaks_between, char_width, joins, may_be_address, width};
use super::style::{Span, Style};

/// A word that has so much room is shown as it comes; one with less waits for its end, lest it has to be broken.
const ROOM: usize = 20;
/// The most bytes of a word; what is as long takes no room, or is no word.
const LONGEST: usize = 500;

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

    /// A line whose spaces count; it is broken where the terminal ends, and goes on further in than it began.
    pub(super) fn verbatim(&mut self, spans: &[Span]) {
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            return self.empty_line(&self.margins.clone());
        }
        self.begin_line();
        let start = self.col;
        let mut hang = None;
        for span in spans {
            let mut run = String::new();
            for cluster in span.text.graphemes(true) {
                let spaces = " ".repeat(4 - self.col.saturating_sub(start) % 4);
                let cluster = if cluster == "\t" { &spaces } else { cluster };
                if hang.is_none() && cluster.trim() != "" {
                    hang =
                        Some((self.col.saturating_sub(start) + 2).min(self.limit.saturating_sub(start) / 2));
                }
                if self.col + width(cluster) > self.limit && self.has_words() {
                    self.write(span.style, &std::mem::take(&mut run));
                    self.new_line();
                    self.begin_line();
                    self.put_indent(hang.unwrap_or_default());
                }
                run.push_str(cluster);
                self.col += width(cluster);
            }
            self.write(span.style, &run);
        }
        self.new_line();
    }

    /// Moves the beginning of the line further in.
    fn put_indent(&mut self, columns: usize) {
        self.out.push_str(&" ".repeat(columns));
        self.col += columns;
        self.start = self.col;
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
        let is_full = self.word.text.len() > LONGEST;
        if self.word.begun || is_full || breaks_between(&self.word.text, c) && !joins(&self.word.text, c) {
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

#[cfg(test)]
mod tests;
