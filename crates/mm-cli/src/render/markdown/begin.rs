//! What each kind of line begins, or goes on with.

use super::block::{Container, Kind, plain};
use super::code::Block;
use super::measure::width;
use super::style::{Span, Style};
use super::table::Table;
use super::wrap::Margin;
use super::{Line, Markdown, Paint, Place, Rows, inline};

impl Markdown {
    /// Begins or goes on with what a line is; its text begins at a place.
    pub(super) fn begin(&mut self, kind: Kind, containers: Vec<Container>, at: usize) {
        let line = std::mem::take(&mut self.line);
        let text = line.get(at..).unwrap_or_default();
        let is_row = kind == Kind::Row && containers == self.around;
        if !is_row {
            self.end_table();
        }
        match kind {
            Kind::Blank => self.blank(containers),
            Kind::Row => self.row(text, containers),
            Kind::Text => self.text(text, containers),
            Kind::Heading(level) => self.heading(level, text, containers),
            Kind::Rule => self.rule("─", usize::MAX, containers),
            Kind::Underline => self.rule("═", text.trim_end().len(), containers),
            Kind::Fence(fence) => {
                self.begin_block(containers, Some("  "));
                self.place = Place::Code(Block::new(fence, self.paint));
            }
            Kind::Code => {
                self.begin_block(containers, Some("  "));
                self.line.push_str(text);
                self.place = Place::Indented;
            }
        }
    }

    fn text(&mut self, text: &str, containers: Vec<Container>) {
        if self.in_text && containers == self.around {
            if let Some(c) = self.line_break.take() {
                self.text_char(c);
            }
        } else {
            self.begin_block(containers, None);
            self.inline.begin(Style::PLAIN);
            self.in_text = true;
        }
        self.text = Line::default();
        self.place = Place::Text;
        text.chars().for_each(|c| self.text_char(c));
    }

    fn heading(&mut self, level: usize, text: &str, containers: Vec<Container>) {
        self.begin_block(containers, None);
        let base = match (self.paint, level) {
            (Paint::Nothing, _) => Style::PLAIN,
            (Paint::Colours, 1) => Style::BOLD.and(Style::UNDERLINED),
            (Paint::Colours, _) => Style::BOLD,
        };
        self.inline.begin(base);
        if self.paint == Paint::Nothing {
            self.wrap.spans(&[Span::new(format!("{} ", "#".repeat(level)), Style::PLAIN)]);
        }
        self.place = Place::Heading { end: String::new() };
        text.trim_start_matches('#').trim_start().chars().for_each(|c| self.char(c));
    }

    fn rule(&mut self, mark: &str, most: usize, containers: Vec<Container>) {
        self.begin_block(containers, None);
        let rule = mark.repeat(self.wrap.room().min(most));
        self.wrap.verbatim(&[Span::new(rule, Style::DIM)]);
    }

    fn blank(&mut self, containers: Vec<Container>) {
        self.end_block();
        self.around = containers;
        self.blank = self.begun;
    }

    fn row(&mut self, line: &str, containers: Vec<Container>) {
        match std::mem::replace(&mut self.table, Rows::None) {
            Rows::None => {
                self.begin_block(containers, None);
                self.table = Rows::Head(line.to_owned());
            }
            Rows::Head(head) => {
                self.table = match Table::begin(&head, line) {
                    Some(table) => Rows::Table(table),
                    None => {
                        self.plain_line(&head);
                        Rows::Head(line.to_owned())
                    }
                };
            }
            Rows::Table(mut table) => {
                table.row(line);
                self.table = Rows::Table(table);
            }
        }
    }

    /// Lays a line of text out that is whole.
    fn plain_line(&mut self, text: &str) {
        let spans = inline::spans(text, Style::PLAIN, self.paint);
        self.wrap.spans(&spans);
        self.wrap.end_line();
    }

    pub(super) fn end_table(&mut self) {
        match std::mem::replace(&mut self.table, Rows::None) {
            Rows::None => {}
            Rows::Head(head) => self.plain_line(&head),
            Rows::Table(table) => self.wrap.written(&table.lines(self.wrap.room(), self.paint)),
        }
    }

    /// Begins a block that stands in these, perhaps indented.
    fn begin_block(&mut self, containers: Vec<Container>, indent: Option<&str>) {
        self.end_block();
        if std::mem::take(&mut self.blank) {
            let quotes = containers.iter().zip(&self.around);
            let quotes =
                quotes.take_while(|pair| matches!(pair, (Container::Quote, Container::Quote))).count();
            let quotes = containers.get(..quotes).unwrap_or_default();
            self.wrap.empty_line(&margins(quotes, None));
        }
        self.begun = true;
        self.wrap.begin(margins(&containers, indent));
        self.around = plain(&containers);
    }
}

/// What stands before the lines of a block in these.
fn margins(containers: &[Container], indent: Option<&str>) -> Vec<Margin> {
    let margin = |container: &Container| match container {
        Container::Quote => Margin { first: Span::new("│ ", Style::DIM), rest: "│ ".to_owned() },
        Container::Item(item) => {
            let rest = " ".repeat(width(&item.mark));
            let first = if item.is_new { item.mark.clone() } else { rest.clone() };
            Margin { first: Span::new(first, Style::PLAIN), rest }
        }
    };
    let indent =
        indent.map(|indent| Margin { first: Span::new(indent, Style::PLAIN), rest: indent.to_owned() });
    containers.iter().map(margin).chain(indent).collect()
}
