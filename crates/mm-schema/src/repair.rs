//! Mends JSON text whose fault is only of form, and never changes a value.

/// Gives the text with its faults of form mended, or `None` where a string is still open at the end: that
/// text was cut, and a cut value must not run.
///
/// Mended are a trailing comma, strings in single quotes, raw control characters in a string, and missing
/// closing brackets. The result need not be valid JSON: the caller parses it.
pub(crate) fn repair(text: &str) -> Option<String> {
    let mut mender = Mender { out: String::with_capacity(text.len() + 8), open: Vec::new() };
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => mender.string(c, &mut chars)?,
            '{' => mender.open('{', '}'),
            '[' => mender.open('[', ']'),
            '}' | ']' => mender.close(c),
            _ => mender.out.push(c),
        }
    }
    mender.finish()
}

struct Mender {
    out: String,
    open: Vec<char>,
}

impl Mender {
    fn open(&mut self, bracket: char, closing: char) {
        self.out.push(bracket);
        self.open.push(closing);
    }

    fn close(&mut self, bracket: char) {
        self.drop_comma();
        self.out.push(bracket);
        if self.open.last() == Some(&bracket) {
            self.open.pop();
        }
    }

    /// Copies a string up to its closing quote, in double quotes and with control characters escaped.
    fn string(&mut self, quote: char, chars: &mut std::str::Chars<'_>) -> Option<()> {
        self.out.push('"');
        loop {
            match chars.next()? {
                '\\' => match chars.next()? {
                    '\'' => self.out.push('\''), // no escape in JSON, but one in the languages that quote so
                    escaped => self.out.extend(['\\', escaped]),
                },
                c if c == quote => break,
                '"' => self.out.push_str("\\\""),
                c if c.is_control() && (c as u32) < 0x20 => self.control(c),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        Some(())
    }

    fn control(&mut self, c: char) {
        match c {
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            c => self.out.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }

    fn drop_comma(&mut self) {
        let kept = self.out.trim_end();
        if let Some(rest) = kept.strip_suffix(',') {
            self.out.truncate(rest.len());
        }
    }

    fn finish(mut self) -> Option<String> {
        if !self.open.is_empty() {
            self.drop_comma();
        }
        while let Some(bracket) = self.open.pop() {
            self.out.push(bracket);
        }
        Some(self.out)
    }
}
