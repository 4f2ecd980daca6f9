//! From tokens to declarations, in one pass that stops at the first thing it cannot read or has no schema for.

mod look;
mod values;

use std::collections::HashSet;

use super::lexer::{self, Kind, Lexed, Token};
use super::{Fault, comments, tag};

/// How deep types may stand in each other; a schema nests up to four times as deep.
const MAX_DEPTH: usize = 100;
/// How many bytes of schema names that share a written-out type may add.
const MAX_COPIES: usize = 1 << 22;

/// What a block declares.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(super) types: Vec<Declared<'a>>,
    pub(super) root: Option<Root<'a>>,
    /// Where each name of a type is used, in order.
    pub(super) uses: Vec<Word<'a>>,
    /// Where the keys of maps stand, in order.
    pub(super) map_keys: Vec<usize>,
    /// The first fault that is told only when all can be read.
    pub(super) noted: Option<Fault>,
}

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) struct Declared<'a> {
    pub(super) name: Word<'a>,
    pub(super) shape: Shape<'a>,
    pub(super) description: Option<String>,
}

/// The first `var`.
#[derive(Debug)]
pub(super) struct Root<'a> {
    pub(super) name: &'a str,
    pub(super) shape: Shape<'a>,
    pub(super) description: Option<String>,
}

/// A type as it is written; parentheses leave no trace.
#[derive(Debug)]
pub(super) enum Shape<'a> {
    Named(&'a str),
    List(Box<Shape<'a>>),
    /// A map from strings.
    Map(Box<Shape<'a>>),
    Struct(Vec<Field<'a>>),
}

/// The names that share a type in a struct.
#[derive(Debug)]
pub(super) struct Field<'a> {
    names: Vec<Word<'a>>,
    key: Option<String>,
    pub(super) presence: Presence,
    pub(super) shape: Shape<'a>,
    pub(super) description: Option<String>,
}

/// Whether a field's key is in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Always,
    /// Always, but perhaps with null.
    Nullable,
    Never,
}

impl Field<'_> {
    /// The keys, each with the place of its name.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|name| (self.key.as_deref().unwrap_or(name.text), name.at))
    }
}

/// Whether a `*` may stand before a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointer {
    Allowed,
    Refused,
}

type Parsed<T> = Result<T, Fault>;

/// Reads a block.
pub(super) fn parse(text: &str) -> Result<Block<'_>, Fault> {
    let block = Block { types: Vec::new(), root: None, uses: Vec::new(), map_keys: Vec::new(), noted: None };
    let mut parser = Parser { text, lexed: lexer::lex(text), at: 0, depth: 0, copies: 0, block };
    while parser.peek(0).kind != Kind::End {
        parser.declaration()?;
    }
    Ok(parser.block)
}

struct Parser<'a> {
    text: &'a str,
    lexed: Lexed<'a>,
    at: usize,
    depth: usize,
    /// Bytes of schema that are there only because names share a type.
    copies: usize,
    block: Block<'a>,
}

impl<'a> Parser<'a> {
    fn declaration(&mut self) -> Parsed<()> {
        let first = self.at;
        let spec = match self.slice(0) {
            "type" => Self::type_spec,
            "var" => Self::var_spec,
            _ => return Err(self.unexpected("a type or var declaration")),
        };
        self.at += 1;
        if self.take("(") {
            while !self.take(")") {
                spec(self, self.at)?;
                self.end_unless(")")?;
            }
        } else {
            spec(self, first)?;
        }
        if self.peek(0).kind == Kind::End { Ok(()) } else { self.end_unless("") }
    }

    fn type_spec(&mut self, first: usize) -> Parsed<()> {
        let name = self.name("the name of a type")?;
        if self.is(0, "=") {
            let message =
                format!("{} is an alias, which has no schema of its own: leave out the =", name.text);
            return Err(Fault::new(name.at, message));
        }
        if self.is(0, "[") && self.has_parameters() {
            let message =
                format!("{} is generic: declare a type for each use, without parameters", name.text);
            return Err(Fault::new(name.at, message));
        }
        let shape = self.shape()?;
        let description = self.description(first);
        self.block.types.push(Declared { name, shape, description });
        Ok(())
    }

    fn shape(&mut self) -> Parsed<Shape<'a>> {
        Ok(self.type_of(Pointer::Refused)?.0)
    }

    /// A type, parentheses included, and whether it is a pointer.
    fn type_of(&mut self, pointer: Pointer) -> Parsed<(Shape<'a>, bool)> {
        let mut open = 0;
        while self.is(0, "(") {
            self.enter()?;
            self.at += 1;
            open += 1;
        }
        let is_pointer = pointer == Pointer::Allowed && self.take("*");
        self.enter()?;
        let shape = if is_pointer { self.shape()? } else { self.bare()? };
        self.depth -= open + 1;
        for _ in 0..open {
            self.expect(")")?;
        }
        Ok((shape, is_pointer))
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(self.fault("types stand too deep in each other here: declare the inner ones by name"))
    }

    /// A type without parentheses around it.
    fn bare(&mut self) -> Parsed<Shape<'a>> {
        match self.slice(0) {
            "[" => self.list(),
            "map" => self.map(),
            "struct" => self.structure(),
            "*" => Err(self.fault("a pointer stands only for a field that may be null: leave out the *")),
            "interface" => {
                Err(self.fault("an interface has no schema: write a struct, a map or a basic type"))
            }
            "chan" | "<-" => Err(self.fault("a channel has no schema: write a slice, []T")),
            "func" => Err(self.fault("a function has no schema: leave it out")),
            _ if self.peek(0).kind == Kind::Name => self.named(),
            _ => Err(self.unexpected("a type")),
        }
    }

    fn named(&mut self) -> Parsed<Shape<'a>> {
        self.refuse_more_than_a_name()?;
        let name = self.name("a type")?;
        self.block.uses.push(name);
        Ok(Shape::Named(name.text))
    }

    fn refuse_more_than_a_name(&self) -> Parsed<()> {
        let name = self.slice(0);
        if self.is(1, ".") {
            let inner = if self.peek(2).kind == Kind::Name { self.slice(2) } else { "…" };
            let message = format!("{name}.{inner} is a type of another package: declare it here");
            return Err(self.fault(message));
        }
        if self.is(1, "[") {
            let message = match self.is(2, "]") {
                true => format!("a list stands before its type: write []{name}"),
                false => format!("{name}[…] is generic: declare a type for this use"),
            };
            return Err(self.fault(message));
        }
        Ok(())
    }

    fn list(&mut self) -> Parsed<Shape<'a>> {
        let next = self.peek(1);
        if !self.is(1, "]") {
            let is_cut = next.kind == Kind::End;
            self.at += usize::from(is_cut);
            return Err(if is_cut { self.unexpected("]") } else { self.array() });
        }
        self.at += 2;
        Ok(Shape::List(Box::new(self.shape()?)))
    }

    fn array(&self) -> Fault {
        self.fault("an array has a fixed size, which no schema keeps: write a slice, []T")
    }

    fn map(&mut self) -> Parsed<Shape<'a>> {
        self.at += 1;
        self.expect("[")?;
        let first = self.peek(0);
        let mut open = 0;
        while self.take("(") {
            open += 1;
        }
        if !self.begins_type(0) {
            return Err(self.unexpected("the key's type, string"));
        }
        if self.slice(0) != "string" {
            return Err(Fault::new(first.start, "the keys of JSON are text: write map[string]T"));
        }
        self.refuse_more_than_a_name()?;
        self.block.map_keys.push(self.peek(0).start);
        self.at += 1;
        for _ in 0..open {
            self.expect(")")?;
        }
        self.expect("]")?;
        Ok(Shape::Map(Box::new(self.shape()?)))
    }

    fn structure(&mut self) -> Parsed<Shape<'a>> {
        self.at += 1;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.take("}") {
            fields.push(self.field()?);
            self.end_unless("}")?;
        }
        if let Some(fault) = repeated_key(&fields) {
            self.note(fault);
        }
        Ok(Shape::Struct(fields))
    }

    fn field(&mut self) -> Parsed<Field<'a>> {
        let first = self.at;
        self.refuse_embedded()?;
        let mut names = vec![self.name("a field or }")?];
        while self.take(",") {
            names.push(self.name("the name of a field")?);
        }
        let start = self.peek(0).start;
        let (shape, is_pointer) = self.type_of(Pointer::Allowed)?;
        let tag = self.tag()?;
        let description = self.description(first);
        let presence = match (tag.skips, is_pointer || tag.omits_empty) {
            (true, _) => Presence::Never,
            (false, true) => Presence::Nullable,
            (false, false) => Presence::Always,
        };
        let field = Field { names, key: tag.key.filter(|_| !tag.skips), presence, shape, description };
        if field.names.len() > 1 {
            self.copies += field.names.len() * (field.shape.weight() + text_weight(&field.description));
        }
        if self.copies > MAX_COPIES {
            let message = "this type would be written out for too many names: declare it by name";
            return Err(Fault::new(start, message));
        }
        Ok(field)
    }

    fn tag(&mut self) -> Parsed<tag::Tag> {
        if self.peek(0).kind != Kind::Text {
            return Ok(tag::Tag::default());
        }
        let Some(tag) = tag::read(self.slice(0)) else {
            return Err(
                self.fault("the tag has an escape that Go does not know: write it between backquotes")
            );
        };
        self.at += 1;
        Ok(tag)
    }

    /// What describes the tokens from one on that have been read.
    fn description(&self, first: usize) -> Option<String> {
        comments::description(&self.lexed, self.text, first, self.at.saturating_sub(1))
    }

    /// Keeps a fault of names if it is the first.
    fn note(&mut self, fault: Fault) {
        if self.block.noted.as_ref().is_none_or(|noted| fault.at < noted.at) {
            self.block.noted = Some(fault);
        }
    }
}

impl Shape<'_> {
    /// About how many bytes of schema it becomes.
    fn weight(&self) -> usize {
        match self {
            Self::Named(name) => 32 + name.len(),
            Self::List(inner) | Self::Map(inner) => 48 + inner.weight(),
            Self::Struct(fields) => 80 + fields.iter().map(Field::weight).sum::<usize>(),
        }
    }
}

impl Field<'_> {
    fn weight(&self) -> usize {
        let keys: usize = self.keys().map(|(key, _)| 2 * key.len()).sum();
        keys + self.names.len() * (text_weight(&self.description) + 32 + self.shape.weight())
    }
}

fn text_weight(description: &Option<String>) -> usize {
    description.as_ref().map_or(0, String::len)
}

fn repeated_key(fields: &[Field<'_>]) -> Option<Fault> {
    let mut seen = HashSet::new();
    let kept = fields.iter().filter(|field| field.presence != Presence::Never);
    let (key, at) = kept.flat_map(Field::keys).find(|(key, _)| !seen.insert(*key))?;
    Some(Fault::new(
        at,
        format!("the key {key:?} is used twice in this struct: give one of them another json tag"),
    ))
}
