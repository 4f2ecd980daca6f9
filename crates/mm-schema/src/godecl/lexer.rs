//! From text to tokens and comments, by Go's rules, semicolons at line ends included.

use super::letters;

/// What a token is; which keyword or symbol, its text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Keyword,
    Symbol,
    /// A string, raw or quoted.
    Text,
    /// A number or a character.
    Literal,
    /// The semicolon that a line end stands for.
    LineEnd,
    /// The end of the block.
    End,
    /// No token of Go, and why.
    Bad(&'static str),
}

/// A token and where it stands: offsets in bytes, lines from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The line on which it ends.
    pub(super) last_line: usize,
    /// The line on which it begins.
    pub(super) line: usize,
    /// Whether no other token stands before it on its line.
    pub(super) is_first: bool,
    /// How many comments stand before the token that is before it.
    pub(super) gap: usize,
    /// How many comments stand before it.
    pub(super) comments: usize,
}

/// A comment between tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    /// What is behind `//`; none for `/* */`.
    pub(super) text: Option<&'a str>,
    pub(super) line: usize,
    pub(super) last_line: usize,
    /// Whether a token ends before it on its line.
    pub(super) follows: bool,
}

/// What a block consists of; the last token is its end.
#[derive(Debug)]
pub(super) struct Lexed<'a> {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment<'a>>,
}

/// Why a character is no token.
pub(super) const STRAY: &str = "this character means nothing in Go";

const KEYWORDS: [&str; 25] = [
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];

/// Reads the whole block. What is no token of Go becomes a bad one, which the parser tells if it gets there.
pub(super) fn lex(text: &str) -> Lexed<'_> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        code: Code { end: 0, line: 0, may_end_line: false, comments: 0 },
        comment_at: None,
        tokens: Vec::new(),
        comments: Vec::new(),
    };
    while lexer.step() {}
    Lexed { tokens: lexer.tokens, comments: lexer.comments }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// The last token that is written.
    code: Code,
    /// The first of the `/* */` behind the last token, on its line.
    comment_at: Option<usize>,
    tokens: Vec<Token>,
    comments: Vec<Comment<'a>>,
}

struct Code {
    end: usize,
    line: usize,
    may_end_line: bool,
    comments: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads one thing; false at the end.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            self.end_line(self.code.end);
            self.push(Kind::End, self.code.end, self.line);
            return false;
        };
        match c {
            ' ' | '\t' | '\r' => self.at += 1,
            '\n' => {
                self.end_line(self.at);
                self.at += 1;
                self.line += 1;
            }
            '\u{feff}' if self.at == 0 => self.at += c.len_utf8(),
            '/' if rest.starts_with("//") => self.line_comment(rest),
            '/' if rest.starts_with("/*") => self.block_comment(rest),
            '`' => self.raw(rest),
            '"' => self.quoted(rest, '"', Kind::Text, "the string is not closed on its line"),
            '\'' => self.quoted(rest, '\'', Kind::Literal, "the character is not closed on its line"),
            _ => self.word(rest, c),
        }
        true
    }

    fn line_comment(&mut self, rest: &'a str) {
        let length = rest.find('\n');
        self.end_line(if length.is_some() { self.at } else { self.code.end });
        let comment = rest.get(..length.unwrap_or(rest.len())).unwrap_or(rest);
        self.comment(comment, comment.strip_prefix("//"));
    }

    fn block_comment(&mut self, rest: &'a str) {
        let Some(inner) = rest.get(2..).and_then(|rest| rest.find("*/")) else {
            return self.token(Kind::Bad("the comment is not closed"), rest.len());
        };
        let comment = rest.get(..inner + 4).unwrap_or(rest);
        if self.code.may_end_line {
            self.comment_at.get_or_insert(self.at);
        }
        if comment.contains('\n') {
            self.end_line(self.at);
        }
        self.comment(comment, None);
    }

    fn comment(&mut self, whole: &'a str, text: Option<&'a str>) {
        let (line, follows) = (self.line, self.code.line == self.line);
        self.at += whole.len();
        self.line += newlines(whole);
        self.comments.push(Comment { text, line, last_line: self.line, follows });
    }

    fn raw(&mut self, rest: &str) {
        match rest.get(1..).and_then(|rest| rest.find('`')) {
            Some(inner) => self.token(Kind::Text, inner + 2),
            None => self.token(Kind::Bad("the string is not closed"), rest.len()),
        }
    }

    fn quoted(&mut self, rest: &str, quote: char, kind: Kind, open: &'static str) {
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                '\n' => return self.token(Kind::Bad(open), at),
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == quote => return self.token(kind, at + 1),
                _ => {}
            }
        }
        self.token(Kind::Bad(open), rest.len());
    }

    fn word(&mut self, rest: &str, c: char) {
        let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        if letters::is_letter(c) {
            let length = run(letters::continues);
            let is_keyword = KEYWORDS.contains(&rest.get(..length).unwrap_or_default());
            self.token(if is_keyword { Kind::Keyword } else { Kind::Name }, length);
        } else if c.is_ascii_digit() {
            self.token(Kind::Literal, run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.'));
        } else if rest.starts_with("...") {
            self.token(Kind::Symbol, 3);
        } else if rest.starts_with("<-") {
            self.token(Kind::Symbol, 2);
        } else if "+-*/%&|^<>=!()[]{},;.:~".contains(c) {
            self.token(Kind::Symbol, 1);
        } else {
            self.token(Kind::Bad(STRAY), c.len_utf8());
        }
    }

    /// Puts in the semicolon of a line end, if one belongs there: at the line end or at the comment before it.
    fn end_line(&mut self, at: usize) {
        if std::mem::take(&mut self.code.may_end_line) {
            let is_end = at == self.code.end;
            let at = self.comment_at.take().filter(|_| !is_end).unwrap_or(at);
            self.push(Kind::LineEnd, at, self.line);
        }
    }

    fn token(&mut self, kind: Kind, length: usize) {
        let (start, line) = (self.at, self.line);
        let text = self.text.get(start..start + length).unwrap_or_default();
        self.at += length;
        self.line += newlines(text);
        self.push(kind, start, line);
        let may_end_line = match kind {
            Kind::Name | Kind::Text | Kind::Literal => true,
            Kind::Symbol => matches!(text, ")" | "]" | "}"),
            Kind::Keyword | Kind::LineEnd | Kind::End | Kind::Bad(_) => false,
        };
        self.comment_at = None;
        self.code = Code { end: self.at, line: self.line, may_end_line, comments: self.comments.len() };
    }

    fn push(&mut self, kind: Kind, start: usize, line: usize) {
        let end = match kind {
            Kind::LineEnd | Kind::End => start,
            Kind::Name | Kind::Keyword | Kind::Symbol | Kind::Text | Kind::Literal | Kind::Bad(_) => self.at,
        };
        self.tokens.push(Token {
            kind,
            start,
            end,
            line,
            last_line: self.line,
            is_first: self.code.line != line,
            gap: self.code.comments,
            comments: self.comments.len(),
        });
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
