//! What stands within a line: words, links, emphasis, code, images.
//!
//! Characters that mean something in Markdown stay as they are: the reader is a model, and a page about `snake_case` is
//! worse with a backslash in each name.

use reqwest::Url;

use super::markdown::{Writer, longest_run};
use super::tree::Id;

/// A link around blocks (a card) is a link up to so many bytes of text; above, its blocks are written.
const LONGEST_CARD: usize = 300;

impl Writer<'_> {
    pub(super) fn inline(&mut self, id: Id, name: &str) {
        match name {
            "br" => self.line_break(),
            "img" => self.image(id),
            "a" => self.link(id),
            _ if self.flat == 0 && self.tree.has_block(id) => self.children(id),
            "b" | "strong" => self.span(id, "**"),
            "em" | "i" => self.span(id, "*"),
            "del" | "s" | "strike" => self.span(id, "~~"),
            "code" | "kbd" | "samp" | "tt" => self.code_span(id),
            "q" => {
                self.line.push('"');
                self.children(id);
                self.line.push('"');
            }
            "sup" => self.script(id, '^'),
            "sub" => self.script(id, '_'),
            "math" => match self.tree.attribute(id, "alttext") {
                Some(formula) => self.words(formula),
                None => self.children(id),
            },
            // A component of the page's own: nobody knows whether it begins a line.
            "" => {
                self.space();
                self.children(id);
                self.space();
            }
            _ => self.children(id),
        }
    }

    /// Adds text, runs of white space as one space.
    pub(super) fn words(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                c if c.is_whitespace() => self.space(),
                // Hints for line breaks, and what a terminal would take for a command.
                '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
                c if c.is_control() => {}
                c => self.line.push(c),
            }
        }
    }

    pub(super) fn space(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with([' ', '\n']) {
            self.line.push(' ');
        }
    }

    fn line_break(&mut self) {
        if self.flat > 0 {
            return self.space();
        }
        self.line.truncate(self.line.trim_end_matches(' ').len());
        if !self.line.is_empty() {
            self.line.push('\n');
        }
    }

    /// Adds text between marks; the white space at its ends goes outside.
    fn marked(&mut self, text: &str, before: &str, after: &str) {
        let inner = text.trim();
        if text.starts_with(char::is_whitespace) {
            self.space();
        }
        if !inner.is_empty() {
            self.line.extend([before, inner, after]);
        }
        if text.ends_with(char::is_whitespace) {
            self.space();
        }
    }

    /// What an element holds, with the white space at its ends.
    fn held(&mut self, id: Id) -> String {
        // Something before it keeps a first space.
        let outer = std::mem::replace(&mut self.line, "\u{0}".to_owned());
        self.children(id);
        let held = std::mem::replace(&mut self.line, outer);
        held.trim_start_matches('\u{0}').to_owned()
    }

    fn span(&mut self, id: Id, mark: &str) {
        let text = self.held(id);
        let is_marked = text.trim().starts_with(mark) && text.trim().ends_with(mark);
        if is_marked || text.contains('\n') {
            self.marked(&text, "", "")
        } else {
            self.marked(&text, mark, mark)
        }
    }

    fn code_span(&mut self, id: Id) {
        let mut text = String::new();
        self.verbatim(id, &mut text);
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        match longest_run(&text) {
            0 => self.line.extend(["`", &text, "`"]),
            longest => {
                let fence = "`".repeat(longest + 1);
                self.line.extend([&fence, " ", &text, " ", &fence]);
            }
        }
    }

    /// Raised and lowered text: `2^10`, `H_2O`; a note's number in brackets needs no mark.
    fn script(&mut self, id: Id, mark: char) {
        let text = self.held(id);
        if text.trim().starts_with(char::is_alphanumeric) && text.len() < 12 {
            self.line.push(mark);
        }
        self.marked(&text, "", "");
    }

    fn image(&mut self, id: Id) {
        let alt = self.tree.attribute(id, "alt").unwrap_or_default();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        if alt.is_empty() {
            return;
        }
        let source = self.tree.attribute(id, "src").filter(|source| !source.is_empty());
        match source.and_then(|source| self.base.join(source).ok()).filter(|_| self.flat == 0) {
            Some(url) if matches!(url.scheme(), "http" | "https") => {
                self.line.extend(["![", &alt, "](", &target(&url), ")"]);
            }
            Some(_) | None => self.words(&alt),
        }
    }

    fn link(&mut self, id: Id) {
        let url = self.destination(id);
        if self.flat == 0 && self.tree.has_block(id) && (url.is_none() || self.is_long(id)) {
            return self.children(id);
        }
        self.flat += 1;
        let mut text = self.held(id);
        self.flat -= 1;
        if text.trim().is_empty() {
            text = self.tree.attribute(id, "aria-label").unwrap_or_default().trim().to_owned();
        }
        match url {
            Some(url) if text.trim() == url.as_str() => self.marked(&text, "<", ">"),
            Some(url) => self.marked(&text, "[", &format!("]({})", target(&url))),
            // The sign beside a heading that links to it.
            None if self.flat > 0 && !text.contains(char::is_alphanumeric) => {}
            None => self.marked(&text, "", ""),
        }
    }

    /// Where a link leads; within the page is nowhere.
    fn destination(&self, id: Id) -> Option<Url> {
        let href = self.tree.attribute(id, "href")?.trim();
        let url = self.base.join(href).ok().filter(|_| !href.is_empty() && !href.starts_with('#'))?;
        matches!(url.scheme(), "http" | "https" | "mailto" | "ftp" | "tel").then_some(url)
    }

    fn is_long(&self, id: Id) -> bool {
        let mut bytes = 0;
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            bytes += self.tree.text(id).map_or(0, |text| text.trim().len());
            if bytes > LONGEST_CARD || matches!(self.tree.name(id), "pre" | "table") {
                return true;
            }
            left.extend(self.tree.children(id));
        }
        false
    }
}

/// A URL that ends where Markdown thinks it does.
fn target(url: &Url) -> String {
    url.as_str().replace('(', "%28").replace(')', "%29")
}
