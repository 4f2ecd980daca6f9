//! Blocks: paragraphs, headings, lists, quotations, code.

use reqwest::Url;

use super::main_part::Part;
use super::names::{is_block, is_heading};
use super::table;
use super::tree::{Id, Tree};

/// Writes a part of a page.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    pub(super) tree: &'a Tree,
    pub(super) base: &'a Url,
    most: usize,
    left_out: &'a [bool],
    out: String,
    /// What stands before each line: the marks of quotations, the indents of lists.
    prefix: String,
    /// What stands before the next line instead.
    marker: Option<String>,
    /// The paragraph that is being written.
    pub(super) line: String,
    /// Whether a blank line comes before the next block.
    is_loose: bool,
    lists: usize,
    /// How many elements around hold no lines of their own: headings, links, cells.
    pub(super) flat: usize,
    is_full: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(tree: &'a Tree, base: &'a Url, most: usize, part: &'a Part) -> Self {
        Self {
            tree,
            base,
            most,
            left_out: &part.left_out,
            out: String::new(),
            prefix: String::new(),
            marker: None,
            line: String::new(),
            is_loose: false,
            lists: 0,
            flat: 0,
            is_full: false,
        }
    }

    pub(super) fn finish(mut self) -> super::Converted {
        self.flush();
        let end = self.out.floor_char_boundary(self.most);
        self.out.truncate(end);
        self.out.truncate(self.out.trim_end().len());
        super::Converted { text: self.out, cut: self.is_full }
    }

    pub(super) fn children(&mut self, id: Id) {
        for child in self.tree.children(id) {
            self.node(child);
        }
    }

    pub(super) fn is_left_out(&self, id: Id) -> bool {
        self.left_out.get(id as usize) == Some(&true)
    }

    /// Whether so many bytes more can be written.
    pub(super) fn has_room(&mut self, bytes: usize) -> bool {
        self.is_full |= self.out.len() + self.line.len() + bytes > self.most;
        !self.is_full
    }

    pub(super) fn node(&mut self, id: Id) {
        if !self.has_room(0) || self.is_left_out(id) {
            return;
        }
        if let Some(text) = self.tree.text(id) {
            return self.words(text);
        }
        match self.tree.name(id) {
            name if !is_block(name) => self.inline(id, name),
            _ if self.flat > 0 => {
                self.space();
                self.children(id);
                self.space();
            }
            name => self.block(id, name),
        }
    }

    fn block(&mut self, id: Id, name: &str) {
        self.flush();
        match name {
            _ if is_heading(name) => self.heading(id, name),
            "pre" | "listing" | "xmp" => self.code(id),
            "ul" | "menu" | "dir" => self.list(id, None),
            "ol" => {
                let start = self.tree.attribute(id, "start").and_then(|start| start.parse().ok());
                self.list(id, Some(start.unwrap_or(1)));
            }
            "li" => self.item(id, "- "),
            "dd" => self.item(id, ": "),
            "dt" => {
                self.children(id);
                self.flush();
                self.is_loose = false;
            }
            "blockquote" => self.item_of(id, "> ", "> "),
            "hr" => self.paragraph("---"),
            "table" => table::write(self, id),
            _ => self.children(id),
        }
        self.flush();
    }

    fn heading(&mut self, id: Id, name: &str) {
        let level = name.bytes().last().map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
        let text = self.inline_of(id);
        if !text.is_empty() {
            self.paragraph(&format!("{} {text}", "#".repeat(level)));
        }
    }

    fn list(&mut self, id: Id, mut number: Option<i64>) {
        self.is_loose &= self.lists == 0;
        self.lists += 1;
        for child in self.tree.children(id) {
            if self.tree.name(child) != "li" || self.is_left_out(child) {
                self.node(child);
                continue;
            }
            self.flush();
            let marker = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
            self.item(child, &marker);
            self.is_loose = false;
            number = number.map(|number| number.saturating_add(1));
        }
        self.flush();
        self.lists -= 1;
        self.is_loose = self.lists == 0;
    }

    fn item(&mut self, id: Id, marker: &str) {
        self.item_of(id, marker, &" ".repeat(marker.len()));
    }

    /// Writes what an element holds with a mark before its first line and another before the rest.
    fn item_of(&mut self, id: Id, first: &str, rest: &str) {
        let outer = self.prefix.len();
        // The first item of a list in the first line of another.
        let before = self.marker.take().unwrap_or_else(|| self.prefix.clone());
        self.marker = Some(before + first);
        self.prefix.push_str(rest);
        self.children(id);
        self.flush();
        self.prefix.truncate(outer);
        self.marker = None;
    }

    fn code(&mut self, id: Id) {
        let mut text = String::new();
        self.verbatim(id, &mut text);
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        if text.trim().is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        let language = language(self.tree, id).unwrap_or_default();
        self.paragraph(&format!("{fence}{language}\n{text}\n{fence}"));
    }

    /// Text with its white space.
    pub(super) fn verbatim(&self, id: Id, to: &mut String) {
        let is_gutter = self.tree.attribute(id, "class").is_some_and(|class| {
            class
                .split_whitespace()
                .any(|class| matches!(class, "lineno" | "linenos" | "line-numbers" | "gutter"))
        });
        if self.is_left_out(id) || to.len() > self.most || is_gutter && self.tree.name(id) != "pre" {
            return;
        }
        match self.tree.text(id) {
            Some(text) => to.push_str(text),
            None if self.tree.name(id) == "br" => to.push('\n'),
            None => self.tree.children(id).for_each(|child| self.verbatim(child, to)),
        }
    }

    /// Ends the paragraph that is being written.
    pub(super) fn flush(&mut self) {
        if self.flat > 0 {
            return self.space();
        }
        let line = std::mem::take(&mut self.line);
        if !line.trim().is_empty() {
            self.paragraph(line.trim());
        }
    }

    /// Writes a block: its lines as they are, each behind the prefix.
    pub(super) fn paragraph(&mut self, text: &str) {
        if self.is_loose && !self.out.is_empty() {
            self.out.push_str(self.prefix.trim_end());
            self.out.push('\n');
        }
        for line in text.lines() {
            match self.marker.take() {
                Some(marker) => self.out.push_str(&marker),
                None if line.is_empty() => self.out.push_str(self.prefix.trim_end()),
                None => self.out.push_str(&self.prefix),
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
        self.is_loose = true;
    }

    /// What an element holds, on one line.
    pub(super) fn inline_of(&mut self, id: Id) -> String {
        let outer = std::mem::take(&mut self.line);
        self.flat += 1;
        self.children(id);
        self.flat -= 1;
        std::mem::replace(&mut self.line, outer).trim().to_owned()
    }
}

/// The longest run of back quotes in a text.
pub(super) fn longest_run(text: &str) -> usize {
    let mut runs = (0, 0);
    for byte in text.bytes() {
        runs.1 = if byte == b'`' { runs.1 + 1 } else { 0 };
        runs.0 = runs.0.max(runs.1);
    }
    runs.0
}

/// The language of a code block: its own word, that of the code in it, or that of what is around it.
fn language(tree: &Tree, id: Id) -> Option<&str> {
    let code = tree.children(id).find(|child| tree.name(*child) == "code");
    let around = tree.parent(id);
    let places = [code, Some(id), around, around.and_then(|around| tree.parent(around))];
    places.into_iter().flatten().find_map(|place| {
        let said = tree.attribute(place, "data-lang").or_else(|| tree.attribute(place, "data-language"));
        said.filter(|said| is_word(said)).or_else(|| of_class(tree.attribute(place, "class")?))
    })
}

/// The classes of highlighters: `language-x`, `lang-x`, `highlight-source-x`, `highlight-x`, `brush: x`, and `x` itself.
fn of_class(class: &str) -> Option<&str> {
    const PREFIXES: [&str; 6] =
        ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:"];
    const PLAIN: [&str; 7] = ["default", "none", "notranslate", "text", "plaintext", "nohighlight", "lines"];
    const KNOWN: [&str; 30] = [
        "bash",
        "c",
        "cpp",
        "css",
        "csharp",
        "diff",
        "go",
        "haskell",
        "html",
        "java",
        "javascript",
        "js",
        "json",
        "kotlin",
        "lua",
        "perl",
        "php",
        "python",
        "ruby",
        "rust",
        "sh",
        "shell",
        "sql",
        "swift",
        "toml",
        "ts",
        "typescript",
        "xml",
        "yaml",
        "zig",
    ];
    let mut words = class.split_whitespace();
    let named = words.clone().find_map(|word| PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix)));
    let named = match named {
        Some("") => {
            class.split_once("brush:")?.1.split_whitespace().next().map(|word| word.trim_matches(';'))
        }
        named => named,
    };
    named
        .or_else(|| words.find(|word| KNOWN.contains(word)))
        .filter(|language| is_word(language) && !PLAIN.contains(language))
}

fn is_word(language: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_' | '.');
    (1..=20).contains(&language.len()) && language.chars().all(is_fine)
}
