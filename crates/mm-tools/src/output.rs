//! Results cut to a length (the start, the end, and a line between them that says what is missing), and
//! text made safe to look at.

#[cfg(test)]
mod tests;

/// The most characters that the end of a cut result gets.
const TAIL: usize = 2000;

/// The most bytes of a character in UTF-8.
const WIDEST: usize = 4;

/// Cuts a text to `max` characters, on character boundaries.
///
/// Of a longer text the end gets 2,000 characters or half of `max`, whichever is less, the start the rest.
/// The line between them is not counted; `advice` in it says how to get at what is missing.
///
/// ```
/// use mm_tools::output::cut;
///
/// assert_eq!(cut("short", 10, "ask for less"), "short");
/// assert_eq!(cut("0123456789abc", 10, "ask for less"), "01234\n[… 3 characters left out: ask for less …]\n89abc");
/// ```
pub fn cut(text: &str, max: usize, advice: &str) -> String {
    let mut capture = Capture::new(max);
    capture.push(text);
    capture.text(advice)
}

/// Shows characters that would move the cursor, change the screen or turn the text round by their number;
/// line ends and tabs stay. For text of a model, a command or a server on its way to a terminal.
///
/// ```
/// assert_eq!(mm_tools::output::visible("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// ```
pub fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match c {
            '\n' | '\t' => shown.push(c),
            c if c.is_control() || turns_text(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
        shown
    })
}

/// Marks, embeddings, overrides and isolates of text direction.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Keeps the start and the end of a text that comes in pieces, in bounded memory however long it gets.
#[derive(Clone, Debug)]
pub struct Capture {
    head: String,
    /// How many more characters the start takes.
    head_room: usize,
    /// At least the last `tail_max` characters of what the start did not take, if there are as many.
    tail: String,
    tail_max: usize,
    /// How many characters the start did not take.
    beyond: usize,
}

impl Capture {
    /// Prepares to keep `max` characters.
    pub fn new(max: usize) -> Self {
        let tail_max = TAIL.min(max / 2);
        Self { head: String::new(), head_room: max - tail_max, tail: String::new(), tail_max, beyond: 0 }
    }

    /// Adds the next piece.
    pub fn push(&mut self, text: &str) {
        let rest = self.fill_head(text);
        if rest.is_empty() {
            return;
        }
        self.beyond = self.beyond.saturating_add(rest.chars().count());
        let enough = self.tail_max * WIDEST;
        if rest.len() >= enough {
            self.tail.clear();
        }
        self.tail.push_str(last_bytes(rest, enough));
        if self.tail.len() > 2 * enough {
            self.tail = last_bytes(&self.tail, enough).to_owned();
        }
    }

    /// How many characters are missing.
    pub fn left_out(&self) -> usize {
        self.beyond.saturating_sub(self.tail_max)
    }

    /// Gives what was kept, with a line in the place of what is missing.
    pub fn text(&self, advice: &str) -> String {
        let tail = last_chars(&self.tail, self.tail_max);
        let missing = match self.left_out() {
            0 => return format!("{}{tail}", self.head),
            1 => "1 character".to_owned(),
            more => format!("{more} characters"),
        };
        let before = if self.head.is_empty() || self.head.ends_with('\n') { "" } else { "\n" };
        let after = if tail.is_empty() { "" } else { "\n" };
        format!("{}{before}[… {missing} left out: {advice} …]{after}{tail}", self.head)
    }

    fn fill_head<'a>(&mut self, text: &'a str) -> &'a str {
        if self.head_room == 0 {
            return text;
        }
        let end = text.char_indices().nth(self.head_room).map_or(text.len(), |(at, _)| at);
        let (start, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        self.head.push_str(start);
        self.head_room -= start.chars().count();
        rest
    }
}

/// The last `count` bytes, or up to three fewer, so that no character is split.
fn last_bytes(text: &str, count: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(count));
    text.get(from..).unwrap_or_default()
}

fn last_chars(text: &str, count: usize) -> &str {
    let Some(skipped) = count.checked_sub(1) else {
        return "";
    };
    let from = text.char_indices().rev().nth(skipped).map_or(0, |(at, _)| at);
    text.get(from..).unwrap_or_default()
}
