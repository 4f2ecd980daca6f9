//! What a command writes, reduced to the text that would stay on a screen.

use vte::{Params, Parser, Perform};

use plain::{line_end, plain_len};

mod plain;
#[cfg(test)]
mod tests;

/// The most bytes of an unfinished line that are held back; a longer one goes out in pieces.
const LINE_LIMIT: usize = 64 * 1024;

/// Ends whatever escape sequence is open.
const CANCEL: u8 = 0x18;

/// Cleans bytes as they come, wherever they are split.
///
/// UTF-8 is decoded over the borders of chunks and invalid bytes become U+FFFD; escape sequences and
/// control characters other than tab and line feed are dropped; a line rewritten after a carriage return
/// or with backspaces keeps its last frame. A line comes out once it is finished, or longer than 64 KiB:
/// until then it can still be rewritten.
#[derive(Default)]
pub(crate) struct Screen {
    /// The start of a character whose other bytes have not come yet.
    partial: Vec<u8>,
    parser: Parser,
    line: Line,
    /// Whether the rest of the current line has to go through the parser.
    parsing: bool,
}

/// The line that is being written.
#[derive(Default)]
struct Line {
    text: String,
    /// Whether the cursor is back at the start, so that what comes next replaces the text.
    at_start: bool,
    /// Finished lines that were not handed out yet.
    done: String,
}

impl Screen {
    /// Takes the next bytes and gives the text that is final now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        if self.partial.is_empty() {
            self.decode(bytes);
        } else {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(bytes);
            self.decode(&joined);
        }
        std::mem::take(&mut self.line.done)
    }

    /// Gives the unfinished line, at the end of the output.
    pub(crate) fn finish(&mut self) -> String {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{FFFD}");
        }
        self.line.flush();
        std::mem::take(&mut self.line.done)
    }

    fn decode(&mut self, bytes: &[u8]) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.text(text);
        }
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.text(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_unfinished(invalid) {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.text("\u{FFFD}");
            }
        }
    }

    /// Plain text goes through in bulk; a line with anything else in it is parsed to its end.
    fn text(&mut self, mut text: &str) {
        while !text.is_empty() {
            let length = if self.parsing { line_end(text) } else { plain_len(text) };
            let (now, later) = text.split_at_checked(length).unwrap_or((text, ""));
            if self.parsing {
                self.parse(now);
            } else {
                self.line.push_plain(now);
                self.parsing = !later.is_empty();
            }
            text = later;
        }
    }

    /// Parses a line or a piece of one. No sequence goes on over the end of a line: one that was never
    /// closed would swallow all output after it.
    fn parse(&mut self, text: &str) {
        let Some(content) = text.strip_suffix('\n') else {
            return self.parser.advance(&mut self.line, text.as_bytes());
        };
        self.parser.advance(&mut self.line, content.as_bytes());
        self.parser.advance(&mut self.line, &[CANCEL]);
        self.line.end();
        self.parsing = false;
    }
}

impl Line {
    /// Adds text without anything to interpret; all but the last line of it is finished.
    fn push_plain(&mut self, text: &str) {
        let (finished, rest) =
            match memchr::memrchr(b'\n', text.as_bytes()).and_then(|at| text.split_at_checked(at + 1)) {
                Some(split) => split,
                None => ("", text),
            };
        if !finished.is_empty() {
            self.flush();
            self.done.push_str(finished);
        }
        self.push_rest(rest);
    }

    /// Hands an endless line out whenever it reaches the limit, at places that do not depend on how the
    /// bytes came in.
    fn push_rest(&mut self, mut rest: &str) {
        while self.text.len() + rest.len() >= LINE_LIMIT {
            let missing = LINE_LIMIT.saturating_sub(self.text.len());
            let (now, later) = rest.split_at_checked(rest.ceil_char_boundary(missing)).unwrap_or((rest, ""));
            self.text.push_str(now);
            self.flush();
            rest = later;
        }
        self.text.push_str(rest);
    }

    fn flush(&mut self) {
        self.done.push_str(&self.text);
        self.text.clear();
        self.at_start = false;
    }

    fn end(&mut self) {
        self.flush();
        self.done.push('\n');
    }

    fn clear(&mut self) {
        self.text.clear();
        self.at_start = false;
    }
}

impl Perform for Line {
    fn print(&mut self, c: char) {
        if c == '\u{7f}' {
            return;
        }
        if self.at_start {
            self.clear();
        }
        self.text.push(c);
        if self.text.len() >= LINE_LIMIT {
            self.flush();
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\t' => self.print('\t'),
            b'\r' => self.at_start = true,
            8 if !self.at_start => drop(self.text.pop()),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, _intermediates: &[u8], _ignore: bool, action: char) {
        let count = params.iter().next().and_then(|p| p.first().copied()).unwrap_or(0);
        match action {
            // Erase in the line or below: from the cursor on, or all.
            'K' | 'J' if self.at_start || count > 0 => self.clear(),
            // Cursor to a column.
            'G' if count <= 1 => self.at_start = true,
            // Cursor back, which programs do with a large number to reach the start.
            'D' if usize::from(count) >= self.text.chars().count() => self.at_start = true,
            _ => {}
        }
    }
}

/// Whether the bytes, not valid by themselves, may become a character when more follow.
fn is_unfinished(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
