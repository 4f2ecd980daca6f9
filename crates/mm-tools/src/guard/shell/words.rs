//! Words: quotes, escapes and what is expanded.

use super::{Form, Parsed, Parser, Part, Word, parse, parse_quoted};

/// What ends a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// A blank or an operator.
    Meta,
    /// The `}` of `${…}`, with or without quotes around.
    Brace { quoted: bool },
}

/// Whether a byte ends a word that is not quoted.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Whether a byte may be part of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Word {
    fn push(&mut self, new: &str, is_quoted: bool) {
        match self.parts.last_mut() {
            Some(Part::Text { text, quoted }) if *quoted == is_quoted => text.push_str(new),
            _ => self.parts.push(Part::Text { text: new.to_owned(), quoted: is_quoted }),
        }
    }
}

impl Parser {
    /// Whether `<(` or `>(` stands here.
    pub(super) fn starts_process(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.byte(1) == Some(b'(')
    }

    /// Reads a word, perhaps an empty one.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        self.parts(&mut word, Until::Meta)?;
        Ok(word)
    }

    fn parts(&mut self, word: &mut Word, until: Until) -> Parsed<()> {
        let quoted = until == Until::Brace { quoted: true };
        while let Some(byte) = self.peek() {
            match byte {
                b'}' if until != Until::Meta => return Ok(()),
                b'<' | b'>' if self.starts_process() && !quoted => {
                    self.at += 2;
                    let list = self.closed_list()?;
                    word.parts.push(Part::Process { list, reads: byte == b'<' });
                }
                byte if is_meta(byte) && until == Until::Meta => return Ok(()),
                b'\\' => self.escape(word),
                b'\'' if !quoted => {
                    let rest = self.source.get(self.at + 1..).unwrap_or_default();
                    let end = rest.find('\'').ok_or("a quote is not closed")?;
                    let text = rest.get(..end).unwrap_or_default();
                    word.push(text, true);
                    self.at += end + 2;
                }
                b'"' => {
                    self.at += 1;
                    word.push("", true);
                    self.quoted(word, Some(b'"'))?;
                    self.at += 1;
                }
                b'$' => self.dollar(word, quoted)?,
                b'`' => self.backquotes(word, quoted)?,
                _ => self.plain(word, quoted),
            }
        }
        match until {
            Until::Meta => Ok(()),
            Until::Brace { .. } => Err("a ${ is not closed"),
        }
    }

    /// Takes the characters up to the next one that may mean something.
    fn plain(&mut self, word: &mut Word, quoted: bool) {
        let begin = self.at;
        let is_special =
            |byte: u8| is_meta(byte) || matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`' | b'}');
        self.at += 1;
        while self.peek().is_some_and(|byte| !is_special(byte)) {
            self.at += 1;
        }
        // A special byte is ASCII: no character is cut in two.
        word.push(self.slice(begin..self.at), quoted);
    }

    fn escape(&mut self, word: &mut Word) {
        self.at += 1;
        match self.character() {
            Some('\n') => {}
            Some(escaped) => word.push(escaped.encode_utf8(&mut [0; 4]), true),
            None => word.push("\\", true),
        }
    }

    /// Reads what stands within double quotes up to `end`, which it leaves, or to the end of the text.
    pub(super) fn quoted(&mut self, word: &mut Word, end: Option<u8>) -> Parsed<()> {
        while let Some(byte) = self.peek() {
            match byte {
                byte if Some(byte) == end => return Ok(()),
                b'\\' => match self.byte(1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'$' | b'`' | b'\\' | b'"') if end.is_some() || self.byte(1) != Some(b'"') => {
                        self.escape(word);
                    }
                    _ => {
                        word.push("\\", true);
                        self.at += 1;
                    }
                },
                b'$' => self.dollar(word, true)?,
                b'`' => self.backquotes(word, true)?,
                _ => {
                    let begin = self.at;
                    self.at += 1;
                    while self.peek().is_some_and(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`')) {
                        self.at += 1;
                    }
                    word.push(self.slice(begin..self.at), true);
                }
            }
        }
        if end.is_some() { Err("a quote is not closed") } else { Ok(()) }
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Parsed<()> {
        self.at += 1;
        match self.peek() {
            Some(b'(') => {
                if self.starts("((")
                    && let Some(end) = self.arithmetic_end()
                {
                    let depth = self.depth + 1;
                    let inner =
                        self.deeper(|parser| parse_quoted(parser.slice(parser.at + 2..end), depth))?;
                    word.parts.push(Part::Arithmetic(inner));
                    self.at = end + 2;
                    return Ok(());
                }
                self.at += 1;
                let list = self.closed_list()?;
                word.parts.push(Part::Output { list, quoted });
            }
            Some(b'{') => self.deeper(|parser| parser.parameter(word, quoted))?,
            Some(b'\'') if !quoted => self.ansi(word)?,
            Some(b'"') if !quoted => {}
            Some(byte) if is_name(byte) && !byte.is_ascii_digit() => {
                let name = self.name();
                word.parts.push(Part::Parameter { name, form: Form::Plain, quoted });
            }
            Some(byte) if b"@*#?$!-0123456789".contains(&byte) => {
                self.at += 1;
                let name = char::from(byte).to_string();
                word.parts.push(Part::Parameter { name, form: Form::Plain, quoted });
            }
            _ => word.push("$", quoted),
        }
        Ok(())
    }

    /// Reads a list and the bracket that closes it.
    fn closed_list(&mut self) -> Parsed<super::List> {
        let list = self.list()?;
        if self.take(")") { Ok(list) } else { Err("a substitution is not closed") }
    }

    /// Reads `{name…}` behind a `$`.
    fn parameter(&mut self, word: &mut Word, quoted: bool) -> Parsed<()> {
        self.at += 1;
        let is_inner = |byte: u8| is_name(byte) || b"@*".contains(&byte);
        let is_changed = matches!(self.peek(), Some(b'!' | b'#')) && self.byte(1).is_some_and(is_inner);
        self.at += usize::from(is_changed);
        let mut name = self.name();
        if name.is_empty() {
            let begin = self.at;
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
            if self.at == begin && self.peek().is_some_and(|byte| b"@*#?$!-".contains(&byte)) {
                self.at += 1;
            }
            name = self.slice(begin..self.at).to_owned();
        }
        let is_whole = self.take("[@]") || self.take("[*]");
        let is_other = is_changed || (self.peek() == Some(b'[') && !is_whole);
        let is_or = !is_other && ["-", "=", ":-", ":="].iter().any(|sign| self.take(sign));
        let is_then = !is_other && !is_or && (self.take(":+") || self.take("+"));
        let mut inner = Word::default();
        self.parts(&mut inner, Until::Brace { quoted })?;
        self.at += 1;
        let form = match (is_or, is_then) {
            (true, _) => Form::Or(inner),
            (_, true) => Form::Then(inner),
            _ if is_other || !inner.parts.is_empty() => Form::Other(inner),
            _ => Form::Plain,
        };
        word.parts.push(Part::Parameter { name, form, quoted });
        Ok(())
    }

    /// Reads `'…'` behind a `$`, with the escapes of C.
    fn ansi(&mut self, word: &mut Word) -> Parsed<()> {
        self.at += 1;
        let begin = self.at;
        while let Some(byte) = self.peek() {
            if byte == b'\'' {
                let text = unescaped(self.slice(begin..self.at));
                word.push(&text, true);
                self.at += 1;
                return Ok(());
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        Err("a quote is not closed")
    }

    fn backquotes(&mut self, word: &mut Word, quoted: bool) -> Parsed<()> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.character() {
                None => return Err("a backquote is not closed"),
                Some('`') => break,
                Some('\\') => match self.character() {
                    Some(escaped @ ('`' | '\\' | '$')) => text.push(escaped),
                    Some('"') if quoted => text.push('"'),
                    other => {
                        text.push('\\');
                        text.extend(other);
                    }
                },
                Some(other) => text.push(other),
            }
        }
        let depth = self.depth + 1;
        let script = self.deeper(|_| Ok(parse(&text, depth)))?;
        if let Some(fault) = script.fault {
            return Err(fault);
        }
        word.parts.push(Part::Output { list: script.list, quoted });
        Ok(())
    }

    /// Where the `))` stands that closes the `((` here, if it is arithmetic and not a group in a group.
    pub(super) fn arithmetic_end(&self) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let (mut at, mut open) = (self.at + 2, 0_usize);
        loop {
            match bytes.get(at)? {
                b'\\' => at += 1,
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return (bytes.get(at + 1) == Some(&b')')).then_some(at),
                b'\'' | b'\n' => return None,
                _ => {}
            }
            at += 1;
        }
    }
}

/// Undoes the escapes of `$'…'`, `printf` and `echo -e`.
pub(in crate::guard) fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize| {
            let mut value = None;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = Some(value.unwrap_or(0_u32) * radix + digit);
                chars.next();
            }
            value.and_then(char::from_u32).filter(|c| *c != super::UNKNOWN)
        };
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('a' | 'b' | 'e' | 'E' | 'f' | 'v') => result.push('\u{1b}'),
            Some('x') => result.extend(number(&mut chars, 16, 2)),
            Some('u') => result.extend(number(&mut chars, 16, 4)),
            Some('U') => result.extend(number(&mut chars, 16, 7)),
            Some('0') => result.extend(number(&mut chars, 8, 3)),
            Some(digit @ '1'..='7') => {
                let rest: String = std::iter::once(digit).chain(chars.clone().take(2)).collect();
                let count = rest.chars().take_while(|c| c.is_digit(8)).count();
                let digits: String = rest.chars().take(count).collect();
                result.extend(u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32));
                for _ in 1..count {
                    chars.next();
                }
            }
            Some(other) => result.push(other),
            None => result.push('\\'),
        }
    }
    result
}
