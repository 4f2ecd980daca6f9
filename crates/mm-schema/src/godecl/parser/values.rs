//! `var` declarations: a type, an empty composite literal, or both.

use super::{Fault, Kind, Parsed, Parser, Root, Shape, Word};

/// The type written behind the names of a `var`, and the tokens that it takes.
struct Written {
    from: usize,
    to: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn var_spec(&mut self, first: usize) -> Parsed<()> {
        let name = self.name("the name of a var")?;
        let mut others = Vec::new();
        while self.take(",") {
            others.push(self.name("the name of a var")?);
        }
        let is_over =
            matches!(self.peek(0).kind, Kind::LineEnd | Kind::End) || self.is(0, ";") || self.is(0, ")");
        if is_over {
            return Err(without_type(name));
        }
        let from = self.at;
        let mut shape = if self.is(0, "=") { None } else { Some(self.shape()?) };
        let written = shape.is_some().then_some(Written { from, to: self.at });
        if self.take("=") {
            let literal = self.values(name, 1 + others.len(), written)?;
            shape = shape.or(literal);
        }
        let shape = shape.ok_or_else(|| without_type(name))?;
        let description = self.description(first);
        let second = if self.block.root.is_some() { Some(&name) } else { others.first() };
        if let Some(second) = second {
            let message = format!("{} is a second var: only one names the root of the answer", second.text);
            self.note(Fault::new(second.at, message));
        }
        self.block.root.get_or_insert(Root { name: name.text, shape, description });
        Ok(())
    }

    /// The values behind `=`, one a name at most; gives the type of the first, if it is not written before the `=`.
    fn values(
        &mut self,
        name: Word<'a>,
        names: usize,
        written: Option<Written>,
    ) -> Parsed<Option<Shape<'a>>> {
        let mut first = None;
        for _ in 0..names {
            let start = self.peek(0).start;
            match &written {
                Some(written) => self.repeat(written)?,
                None => {
                    let literal = self.literal_type(name)?;
                    first.get_or_insert(literal);
                }
            }
            self.braces()?;
            if self.goes_on() {
                return Err(if written.is_some() { other_value(start) } else { without_type(name) });
            }
            if !self.take(",") {
                return Ok(first);
            }
        }
        Err(self.fault("there are more values than names: leave this one out"))
    }

    /// Goes past the type that is written before `=`, written once more.
    fn repeat(&mut self, written: &Written) -> Parsed<()> {
        let start = self.at;
        if !self.begins_value() {
            return Err(self.unexpected("a value"));
        }
        let length = written.to - written.from;
        let is_same = |n: usize| self.text_at(written.from + n) == self.text_at(start + n);
        let is_literal = !self.is(0, "(") && (0..length).all(is_same) && self.is(length, "{");
        if !is_literal {
            return Err(other_value(self.peek(0).start));
        }
        self.at += length;
        Ok(())
    }

    /// The type of a composite literal, up to its braces.
    fn literal_type(&mut self, name: Word<'a>) -> Parsed<Shape<'a>> {
        if !self.begins_value() {
            return Err(self.unexpected("a value such as []string{}"));
        }
        let behind = self.behind_type();
        let is_cut = behind.is_none() && ["[", "map", "struct", "interface", "chan"].contains(&self.slice(0));
        let is_literal = behind.is_some_and(|behind| self.is(behind, "{"));
        if !is_literal && !is_cut {
            return Err(without_type(name));
        }
        let shape = self.shape()?;
        if self.is(0, "{") { Ok(shape) } else { Err(without_type(name)) }
    }

    /// How far ahead the token behind a type is; what the type is made of does not matter.
    fn behind_type(&self) -> Option<usize> {
        let mut ahead = 0;
        loop {
            match self.slice(ahead) {
                "[" => ahead = self.behind_brackets(ahead)?,
                "map" if self.is(ahead + 1, "[") => ahead = self.behind_brackets(ahead + 1)?,
                "struct" | "interface" if self.is(ahead + 1, "{") => return self.behind_brackets(ahead + 1),
                "chan" => ahead += 1,
                "*" if ahead > 0 => ahead += 1,
                "(" if ahead > 0 => return self.behind_brackets(ahead),
                _ if self.peek(ahead).kind != Kind::Name => return None,
                _ => {
                    ahead += if self.is(ahead + 1, ".") { 3 } else { 1 };
                    return if self.is(ahead, "[") { self.behind_brackets(ahead) } else { Some(ahead) };
                }
            }
        }
    }

    fn braces(&mut self) -> Parsed<()> {
        self.expect("{")?;
        if self.take("}") {
            return Ok(());
        }
        if self.begins_value() || self.is(0, "{") {
            return Err(self.fault("the literal must be empty, as in []string{}"));
        }
        Err(self.unexpected("}"))
    }

    fn begins_value(&self) -> bool {
        match self.peek(0).kind {
            Kind::Name | Kind::Text | Kind::Literal => true,
            Kind::Keyword => ["func", "struct", "map", "chan", "interface"].contains(&self.slice(0)),
            Kind::Symbol => ["(", "[", "&", "*", "+", "-", "!", "^", "~", "<-"].contains(&self.slice(0)),
            Kind::LineEnd | Kind::End | Kind::Bad(_) => false,
        }
    }

    /// Whether the expression does not end where its literal does.
    fn goes_on(&self) -> bool {
        let is_two = |first: &str| self.is(0, first) && self.is(1, "=");
        self.peek(0).kind == Kind::Symbol && "+-*/%&|^<>.([".contains(self.slice(0))
            || is_two("=")
            || is_two("!")
    }

    fn text_at(&self, index: usize) -> Option<&'a str> {
        let token = self.lexed.tokens.get(index)?;
        self.text.get(token.start..token.end)
    }
}

fn other_value(at: usize) -> Fault {
    Fault::new(at, "the value must be an empty literal of the type before the =: leave it out")
}

fn without_type(name: Word<'_>) -> Fault {
    let message = format!("{} has no type: write var {} T, or an empty literal of T", name.text, name.text);
    Fault::new(name.at, message)
}
