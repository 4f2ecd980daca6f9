//! The shell's grammar, as far as a command can hide in it: quoting, expansions, substitutions, here-documents, pipes,
//! lists, redirections, functions, and the compound commands.
//!
//! It is lenient: what a shell refuses may pass here, since it does not run there. What it cannot follow (an open quote, an
//! open bracket, deep nesting) is a fault, and what stood before it is kept, because a shell runs line by line.
//! A parser of our own: its stack is bounded by [`DEEPEST`], its time by the length of the text.

mod commands;
mod words;

pub(super) use words::unescaped;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// How deep substitutions, groups and texts for a further shell may be nested in each other.
pub(super) const DEEPEST: usize = 32;

/// Stands for text that cannot be known before the command runs. No command can hold the character itself.
pub(super) const UNKNOWN: char = '\0';

/// Why a text cannot be followed.
pub(super) type Fault = &'static str;

type Parsed<T> = Result<T, Fault>;

/// Commands in the order in which they run; `&&`, `||` and `;` are the same here.
pub(super) type List = Vec<Pipeline>;

/// What stands between two `;`.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    pub(super) commands: Vec<Command>,
    /// Whether `&` stands behind it.
    pub(super) in_background: bool,
}

#[derive(Debug)]
pub(super) enum Command {
    Simple(Simple),
    Compound(Compound),
    Function { name: String, body: Rc<Command> },
}

/// A program with its arguments.
#[derive(Debug)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    source: Rc<str>,
    span: Range<usize>,
}

impl Simple {
    /// The command as it is written, without the redirections behind it.
    pub(super) fn text(&self) -> Excerpt {
        Excerpt { source: Rc::clone(&self.source), span: self.span.clone() }
    }
}

/// A part of a text that is shared.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    source: Rc<str>,
    span: Range<usize>,
}

impl Excerpt {
    /// A whole text.
    pub(super) fn whole(text: &str) -> Self {
        Self { source: text.into(), span: 0..text.len() }
    }

    pub(super) fn as_str(&self) -> &str {
        self.source.get(self.span.clone()).unwrap_or_default()
    }
}

/// A loop, a group, a condition, a test: lists with words beside them.
#[derive(Debug, Default)]
pub(super) struct Compound {
    pub(super) kind: Kind,
    /// The words of `for`, `case` and `[[`.
    pub(super) words: Vec<Word>,
    pub(super) bodies: Vec<List>,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Debug, Default)]
pub(super) enum Kind {
    #[default]
    Plain,
    /// What is set within does not last.
    Subshell,
    /// `for`, with its variable.
    Each(String),
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) appends: bool,
    pub(super) value: Word,
    /// The elements of `name=(…)`.
    pub(super) elements: Vec<Word>,
}

#[derive(Debug)]
pub(super) enum Redirect {
    /// `>`, `>>`, `&>`, `<>` and the like; whether stdout goes there.
    Write {
        target: Word,
        is_output: bool,
    },
    Read(Word),
    /// A here-document; its text comes with the end of the line.
    Document(Rc<OnceCell<Word>>),
    /// `<<<`.
    Text(Word),
}

#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

impl Word {
    /// The text, if nothing in it is expanded.
    pub(super) fn literal(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().map(text).collect()
    }
}

#[derive(Debug)]
pub(super) enum Part {
    Text {
        text: String,
        quoted: bool,
    },
    Parameter {
        name: String,
        form: Form,
        quoted: bool,
    },
    /// `$(…)` and backquotes.
    Output {
        list: List,
        quoted: bool,
    },
    /// `<(…)` and `>(…)`.
    Process {
        list: List,
        reads: bool,
    },
    /// `$((…))`: what is expanded within.
    Arithmetic(Word),
}

/// What `${name…}` does with the value.
#[derive(Debug)]
pub(super) enum Form {
    Plain,
    /// `:-` and the like: the value, else the word.
    Or(Word),
    /// `:+`: the word, if there is a value.
    Then(Word),
    /// Anything else, with the words in it.
    Other(Word),
}

/// A text that was read.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) list: List,
    /// Why the rest could not be read.
    pub(super) fault: Option<Fault>,
}

/// Reads a text that stands `depth` levels deep.
pub(super) fn parse(text: &str, depth: usize) -> Script {
    Parser::new(text, depth).script()
}

/// Reads the words of a text that is expanded as if within double quotes.
fn parse_quoted(text: &str, depth: usize) -> Parsed<Word> {
    let mut parser = Parser::new(text, depth);
    let mut word = Word::default();
    parser.quoted(&mut word, None)?;
    Ok(word)
}

/// A here-document whose text has not come yet.
#[derive(Debug)]
struct Pending {
    end: String,
    is_literal: bool,
    strips_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

#[derive(Debug)]
struct Parser {
    source: Rc<str>,
    at: usize,
    depth: usize,
    pending: Vec<Pending>,
}

impl Parser {
    fn new(text: &str, depth: usize) -> Self {
        Self { source: text.into(), at: 0, depth, pending: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        self.source.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.starts(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or_default()
    }

    /// Takes the character at hand.
    fn character(&mut self) -> Option<char> {
        let found = self.source.get(self.at..)?.chars().next()?;
        self.at += found.len_utf8();
        Some(found)
    }

    /// Reads something that stands one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return Err("it is nested too deep");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
