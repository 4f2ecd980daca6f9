//! Markdown as it comes: what is certain is laid out at once, and nothing that stands is written again.

mod begin;
mod block;
mod code;
#[cfg(feature = "highlight")]
mod highlight;
mod inline;
mod measure;
mod style;
mod table;
mod wrap;

use mm_tools::output::visible;

use block::{Container, Seen};
use code::Block;
use inline::Inline;
pub(crate) use measure::{Columns, cut_to};
use style::{Span, Style};
use table::Table;
use wrap::Wrap;

/// Lines of text that are as long were broken to fit a width.
const BROKEN_AT: usize = 60;

/// Whether text may have attributes and colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Paint {
    /// It may.
    Colours,
    /// The marks stay instead.
    #[default]
    Nothing,
}

/// Lays out an answer. However the text is split, what comes of it is the same.
#[derive(Debug)]
pub(crate) struct Markdown {
    paint: Paint,
    columns: Columns,
    wrap: Wrap,
    inline: Inline,
    /// The part of a line that is not laid out yet.
    line: String,
    place: Place,
    /// What the block that is open stands in.
    around: Vec<Container>,
    /// The block that is open is text, which another line may go on with.
    in_text: bool,
    table: Rows,
    /// An empty line comes before the next block.
    blank: bool,
    /// Something has been laid out.
    begun: bool,
    /// What the end of the line of text stands for, if another line goes on with it.
    line_break: Option<char>,
    /// The line of text so far.
    text: Line,
    /// A carriage return has come, which belongs to the line end that may follow.
    returned: bool,
}

/// What decides whether a line of text ends where the writer ended it.
#[derive(Debug, Default)]
struct Line {
    length: usize,
    /// The last two characters.
    end: [char; 2],
}

/// What the next character belongs to.
#[derive(Debug)]
enum Place {
    /// The beginning of a line.
    Start,
    /// A line that is looked at once it is whole.
    Whole,
    /// The rest of a line of text.
    Text,
    /// The rest of a heading. What it ends with may be marks.
    Heading { end: String },
    /// A line in a block of code.
    Code(Block),
    /// A line that is code by its indentation.
    Indented,
}

/// Lines that may be a table.
#[derive(Debug)]
enum Rows {
    None,
    /// The first one.
    Head(String),
    Table(Table),
}

impl Markdown {
    pub(crate) fn new(paint: Paint, columns: Columns) -> Self {
        Self {
            paint,
            columns,
            wrap: Wrap::new(paint, columns),
            inline: Inline::new(paint),
            line: String::new(),
            place: Place::Start,
            around: Vec::new(),
            in_text: false,
            table: Rows::None,
            blank: false,
            begun: false,
            line_break: None,
            text: Line::default(),
            returned: false,
        }
    }

    #[cfg(test)]
    fn set_columns(&mut self, columns: Columns) {
        self.wrap.set_columns(columns);
    }

    /// Takes a piece and gives what can be shown of it.
    pub(crate) fn push(&mut self, text: &str) -> String {
        for c in text.chars() {
            if std::mem::take(&mut self.returned) && c != '\n' {
                self.visible('\r');
            }
            match c {
                '\r' => self.returned = true,
                _ => self.visible(c),
            }
        }
        self.wrap.taken()
    }

    /// Ends the answer: gives what waited, and ends the line.
    pub(crate) fn finish(&mut self) -> String {
        if std::mem::take(&mut self.returned) {
            self.visible('\r');
        }
        if !self.line.is_empty() || !matches!(self.place, Place::Start) {
            self.line_end();
        }
        self.end_block();
        let rest = self.wrap.taken();
        *self = Self::new(self.paint, self.columns);
        rest
    }

    /// Control characters and the like are seen by their number.
    fn visible(&mut self, c: char) {
        let is_plain = c == '\n' || c == '\t' || (' '..='~').contains(&c);
        if is_plain {
            return self.char(c);
        }
        visible(c.encode_utf8(&mut [0; 4])).chars().for_each(|c| self.char(c));
    }

    fn char(&mut self, c: char) {
        if c == '\n' {
            return self.line_end();
        }
        match &mut self.place {
            Place::Text => self.text_char(c),
            Place::Heading { end } if matches!(c, ' ' | '#') => end.push(c),
            Place::Heading { end } => {
                let held = std::mem::take(end);
                held.chars().chain([c]).for_each(|c| self.text_char(c));
            }
            Place::Whole | Place::Code(_) | Place::Indented => self.line.push(c),
            Place::Start => {
                self.line.push(c);
                match block::look(&self.line, false, &self.around, self.in_text) {
                    Seen::Line { kind, containers, at } => self.begin(kind, containers, at),
                    Seen::More => {}
                    Seen::Whole => self.place = Place::Whole,
                }
            }
        }
    }

    fn line_end(&mut self) {
        match std::mem::replace(&mut self.place, Place::Start) {
            Place::Start | Place::Whole => {
                if let Seen::Line { kind, containers, at } =
                    block::look(&self.line, true, &self.around, self.in_text)
                {
                    self.begin(kind, containers, at);
                    if !matches!(self.place, Place::Start | Place::Code(_)) {
                        self.line_end();
                    }
                }
            }
            Place::Text => self.end_of_text_line(),
            Place::Heading { end } => {
                let end = end.trim_end();
                let text = end.trim_end_matches('#');
                let text = if text.ends_with(' ') { text.trim_end() } else { end };
                text.chars().for_each(|c| self.text_char(c));
                self.end_block();
            }
            Place::Code(block) => self.code_line(block),
            Place::Indented => {
                let line = std::mem::take(&mut self.line);
                self.wrap.verbatim(&[Span::new(block::without_indent(&line, 4), Style::PLAIN)]);
            }
        }
    }

    /// A long line was broken by whoever wrote it, to a width that is not the terminal's, and goes on; a short one ends
    /// here. What waits may find its other half on the next line.
    fn end_of_text_line(&mut self) {
        let is_broken =
            self.text.length >= BROKEN_AT && self.text.end != [' ', ' '] && !self.text.end.ends_with(&['\\']);
        self.line_break = Some(if is_broken { ' ' } else { '\n' });
        if !is_broken && !self.inline.waits() {
            self.line_break = None;
            self.wrap.end_line();
        }
    }

    fn text_char(&mut self, c: char) {
        let [_, last] = self.text.end;
        self.text = Line { length: self.text.length + 1, end: [last, c] };
        let mut spans = Vec::new();
        self.inline.push(c, &mut spans);
        self.wrap.spans(&spans);
    }

    fn code_line(&mut self, mut block: Block) {
        let line = std::mem::take(&mut self.line);
        match block.line(&line, &self.around) {
            Some(Some(spans)) => {
                self.wrap.verbatim(&spans);
                self.place = Place::Code(block);
            }
            Some(None) => self.end_block(),
            None => {
                // The quote that the code stood in is over.
                self.end_block();
                self.line = line;
                self.line_end();
            }
        }
    }

    fn end_text(&mut self) {
        self.line_break = None;
        let mut spans = Vec::new();
        self.inline.end(&mut spans);
        self.wrap.spans(&spans);
        self.wrap.end_line();
        self.in_text = false;
    }

    fn end_block(&mut self) {
        self.end_table();
        self.end_text();
    }
}

#[cfg(test)]
mod tests;
