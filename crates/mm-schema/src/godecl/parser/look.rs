//! The tokens ahead: what they are, and what does not belong there.

use super::{Fault, Kind, Parsed, Parser, Token, Word, lexer};

impl<'a> Parser<'a> {
    /// The token so many behind the next one.
    pub(super) fn peek(&self, ahead: usize) -> Token {
        const END: Token = Token {
            kind: Kind::End,
            start: 0,
            end: 0,
            line: 0,
            last_line: 0,
            is_first: true,
            gap: 0,
            comments: 0,
        };
        let tokens = &self.lexed.tokens;
        tokens.get(self.at + ahead).or(tokens.last()).copied().unwrap_or(END)
    }

    /// The text of the token so many behind the next one.
    pub(super) fn slice(&self, ahead: usize) -> &'a str {
        let token = self.peek(ahead);
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    pub(super) fn is(&self, ahead: usize, symbol: &str) -> bool {
        self.peek(ahead).kind == Kind::Symbol && self.slice(ahead) == symbol
    }

    /// Goes past a symbol if it is the next token.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.is(0, symbol);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(symbol)) }
    }

    pub(super) fn name(&mut self, wanted: &str) -> Parsed<Word<'a>> {
        let token = self.peek(0);
        if token.kind != Kind::Name {
            return Err(self.unexpected(wanted));
        }
        let word = Word { text: self.slice(0), at: token.start };
        self.at += 1;
        Ok(word)
    }

    /// Goes past the end of a declaration or field, which a closing symbol saves.
    pub(super) fn end_unless(&mut self, closing: &str) -> Parsed<()> {
        if self.peek(0).kind == Kind::LineEnd || self.is(0, ";") {
            self.at += 1;
            return Ok(());
        }
        if self.is(0, closing) { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// A fault at the next token.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.peek(0).start, message)
    }

    /// Says that the next token cannot stand where it does.
    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let token = self.peek(0);
        let slice = self.slice(0);
        let found = match token.kind {
            Kind::Bad(lexer::STRAY) => {
                let c = slice.chars().next().map_or(0, u32::from);
                return self.fault(format!("{} (U+{c:04X}): expected {wanted}", lexer::STRAY));
            }
            Kind::Bad(why) => return self.fault(why),
            Kind::Keyword if matches!(slice, "func" | "import" | "const") => {
                return self.fault(format!("{slice} is not allowed: only type and var declarations are"));
            }
            Kind::End => "the block ends",
            Kind::LineEnd => "the line ends",
            Kind::Text => "there is a string",
            Kind::Name | Kind::Keyword | Kind::Symbol | Kind::Literal => {
                return self.fault(format!("expected {wanted}, not {slice}"));
            }
        };
        self.fault(format!("expected {wanted}, but {found}"))
    }

    pub(super) fn begins_type(&self, ahead: usize) -> bool {
        let word = ["[", "(", "*", "<-", "map", "struct", "interface", "chan", "func"];
        match self.peek(ahead).kind {
            Kind::Name => true,
            Kind::Symbol | Kind::Keyword => word.contains(&self.slice(ahead)),
            Kind::Text | Kind::Literal | Kind::LineEnd | Kind::End | Kind::Bad(_) => false,
        }
    }

    /// How far ahead the token behind a closing bracket is, when the one at `ahead` opens it.
    pub(super) fn behind_brackets(&self, ahead: usize) -> Option<usize> {
        let mut open = 0;
        for ahead in ahead.. {
            match self.peek(ahead).kind {
                Kind::End | Kind::Bad(_) => return None,
                Kind::Symbol => match self.slice(ahead) {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" if open == 1 => return Some(ahead + 1),
                    ")" | "]" | "}" => open -= 1,
                    _ => {}
                },
                Kind::Name | Kind::Keyword | Kind::Text | Kind::Literal | Kind::LineEnd => {}
            }
        }
        None
    }

    /// Refuses a type without a name of its own where a field should be.
    pub(super) fn refuse_embedded(&self) -> Parsed<()> {
        let next = self.peek(1).kind;
        let is_embedded = match self.slice(0) {
            "*" | "(" => next == Kind::Name || self.is(1, "*") || self.is(1, "("),
            _ if self.peek(0).kind != Kind::Name => false,
            _ if self.is(1, "[") && !self.is(2, "]") => match self.behind_brackets(1) {
                Some(behind) if !self.begins_type(behind) => true,
                Some(_) | None => false,
            },
            _ => {
                let ends = matches!(next, Kind::LineEnd | Kind::End | Kind::Text);
                ends || [";", "}", "."].iter().any(|symbol| self.is(1, symbol))
            }
        };
        if is_embedded {
            return Err(self.fault("an embedded field has no key: give it a name"));
        }
        Ok(())
    }

    /// Whether the brackets behind a declared name hold type parameters, and not the size of an array.
    pub(super) fn has_parameters(&self) -> bool {
        if self.peek(1).kind != Kind::Name {
            return false;
        }
        match self.peek(2).kind {
            Kind::Name | Kind::Keyword => true,
            Kind::Symbol => match self.slice(2) {
                "," | "[" | "~" => true,
                // As Go has it, `N * M` is a size unless what follows can only be a constraint.
                "*" | "(" => match self.peek(3).kind {
                    Kind::Keyword => true,
                    Kind::Name => self.is(4, ","),
                    _ => self.is(3, "[") || self.is(3, "~"),
                },
                _ => false,
            },
            Kind::Text | Kind::Literal | Kind::LineEnd | Kind::End | Kind::Bad(_) => false,
        }
    }
}
