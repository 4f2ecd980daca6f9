//! The marks within a line, resolved as soon as their other half has come.

mod emphasis;
mod link;

use super::Paint;
use super::style::{Span, Style};
use emphasis::Node;

/// The most bytes that wait for a closing mark; more are text.
const LONGEST: usize = 500;
/// Entities that models write.
const ENTITIES: [(&str, &str); 7] = [
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", "\u{a0}"),
];
/// Line breaks of HTML.
const BREAKS: [&str; 3] = ["<br>", "<br/>", "<br />"];
/// What an address between angle brackets begins with.
const ADDRESSES: [&str; 3] = ["<http://", "<https://", "<mailto:"];

/// Takes the text of a block character by character; gives it in runs, with the marks taken out.
#[derive(Debug)]
pub(super) struct Inline {
    paint: Paint,
    /// What cannot be decided yet; begins with a mark.
    pending: String,
    /// What stands before that.
    before: char,
    /// The look of all of the block.
    base: Style,
}

impl Inline {
    pub(super) fn new(paint: Paint) -> Self {
        Self { paint, pending: String::new(), before: '\n', base: Style::PLAIN }
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, base: Style) {
        self.pending.clear();
        (self.before, self.base) = ('\n', base);
    }

    /// Whether something waits.
    pub(super) fn waits(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes a character.
    pub(super) fn push(&mut self, c: char, out: &mut Vec<Span>) {
        if self.pending.is_empty() && !is_mark(c) {
            self.before = c;
            return out.push(Span::new(c, self.base));
        }
        let last = self.pending.chars().next_back();
        self.pending.push(c);
        // A line break within marks is one too many when a second comes.
        let is_over = self.pending.len() > LONGEST || c == '\n' && self.pending.matches('\n').count() > 1;
        let may_decide = |c: char| is_mark(c) || matches!(c, ' ' | '\n' | '(' | ')' | '>' | ';' | ']');
        let is_short = self.pending.starts_with(['&', '<']) && self.pending.len() < 16;
        if is_over || is_short || may_decide(c) || last.is_none_or(may_decide) {
            self.resolve(is_over, out);
        }
    }

    /// Ends the block: what waited for its other half is text.
    pub(super) fn end(&mut self, out: &mut Vec<Span>) {
        self.resolve(true, out);
        self.before = '\n';
    }

    fn resolve(&mut self, is_end: bool, out: &mut Vec<Span>) {
        let text = std::mem::take(&mut self.pending);
        let scan = Scan { text: &text, paint: self.paint, is_end };
        let (nodes, decided) = scan.nodes(self.before);
        let done = text.get(..decided).unwrap_or_default();
        if let Some(last) = done.chars().next_back() {
            self.before = last;
        }
        for node in nodes {
            node.spans(self.base, self.paint, out);
        }
        self.pending = text.get(decided..).unwrap_or_default().to_owned();
    }
}

/// Gives a whole text in runs.
pub(super) fn spans(text: &str, base: Style, paint: Paint) -> Vec<Span> {
    let (nodes, _) = Scan { text, paint, is_end: true }.nodes('\n');
    let mut out = Vec::new();
    nodes.into_iter().for_each(|node| node.spans(base, paint, &mut out));
    out
}

fn is_mark(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '~' | '[' | '!' | '<' | '&')
}

/// A text that begins with a mark, and whether more of it comes.
struct Scan<'a> {
    text: &'a str,
    paint: Paint,
    is_end: bool,
}

/// What stands at a place.
enum Found {
    /// So many bytes are this.
    Node(usize, Node),
    /// What comes next decides.
    Later,
}

impl Scan<'_> {
    /// Reads the text as far as it is decided; gives how far that is.
    fn nodes(&self, mut before: char) -> (Vec<Node>, usize) {
        let mut nodes = Vec::new();
        let mut starts = Vec::new();
        let mut at = 0;
        while let Some(c) = self.rest(at).chars().next() {
            let (length, node) = match self.node(at, c, before) {
                Found::Node(length, node) => (length, node),
                Found::Later => break,
            };
            starts.push(at);
            nodes.push(node);
            at += length;
            before = self.text.get(..at).and_then(|text| text.chars().next_back()).unwrap_or(before);
        }
        let open = emphasis::pair(&mut nodes);
        match open.filter(|_| !self.is_end) {
            Some(open) => {
                nodes.truncate(open);
                (nodes, starts.get(open).copied().unwrap_or(at))
            }
            None => (nodes, at),
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    fn node(&self, at: usize, c: char, before: char) -> Found {
        let rest = self.rest(at);
        match c {
            '\\' => self.escape(rest),
            '`' => self.code(rest),
            '*' | '_' | '~' => self.run(rest, c, before),
            '[' => self.link(rest, 0),
            '!' => match rest.chars().nth(1) {
                Some('[') => self.link(rest, 1),
                Some(_) => literal(1, "!"),
                None => self.at_end(rest),
            },
            '<' => self.angle(rest),
            '&' => self.entity(rest),
            _ => {
                let length = rest.find(is_mark).unwrap_or(rest.len());
                literal(length, rest.get(..length).unwrap_or_default())
            }
        }
    }

    /// What cannot be decided is text once nothing more comes.
    fn at_end(&self, text: &str) -> Found {
        if self.is_end { literal(text.len(), text) } else { Found::Later }
    }

    fn escape(&self, rest: &str) -> Found {
        match rest.chars().nth(1) {
            Some(c) if c.is_ascii_punctuation() => literal(2, &c.to_string()),
            Some('\n') => literal(1, ""),
            Some(_) => literal(1, "\\"),
            None => self.at_end(rest),
        }
    }

    fn code(&self, rest: &str) -> Found {
        let run = rest.len() - rest.trim_start_matches('`').len();
        let mark = rest.get(..run).unwrap_or_default();
        let Some((body, end)) = code_body(rest, run) else {
            return if self.is_end { literal(run, mark) } else { Found::Later };
        };
        // The run that closes may be longer yet.
        if end == rest.len() && !self.is_end {
            return Found::Later;
        }
        let is_padded = body.starts_with(' ') && body.ends_with(' ') && !body.trim().is_empty();
        let shown = if is_padded { body.get(1..body.len() - 1).unwrap_or(body) } else { body };
        let text =
            if self.paint == Paint::Nothing { format!("{mark}{body}{mark}") } else { shown.to_owned() };
        Found::Node(end, Node::Spans(vec![Span::new(text, Style::CODE)]))
    }

    fn run(&self, rest: &str, c: char, before: char) -> Found {
        let count = rest.len() - rest.trim_start_matches(c).len();
        match rest.chars().nth(count) {
            None if !self.is_end => Found::Later,
            after => Found::Node(count, Node::run(c, count, before, after.unwrap_or('\n'))),
        }
    }

    fn link(&self, rest: &str, bracket: usize) -> Found {
        let mark = rest.get(..=bracket).unwrap_or_default();
        match link::read(rest.get(bracket..).unwrap_or_default()) {
            link::Read::Link { text, target, length } => {
                let is_over = link::spans(text, target, self.paint);
                Found::Node(bracket + length, Node::Spans(is_over))
            }
            link::Read::Unfinished if !self.is_end => Found::Later,
            link::Read::Unfinished | link::Read::None => literal(mark.len(), mark),
        }
    }

    fn angle(&self, rest: &str) -> Found {
        if let Some(length) = BREAKS.iter().find(|tag| begins(rest, tag)).map(|tag| tag.len()) {
            return literal(length, "\n");
        }
        let close = rest.find(['>', ' ', '\n']);
        if ADDRESSES.iter().any(|address| begins(rest, address)) {
            return match close {
                Some(at) if rest.get(at..).is_some_and(|rest| rest.starts_with('>')) => {
                    let address = Span::new(rest.get(1..at).unwrap_or_default(), Style::UNDERLINED);
                    Found::Node(at + 1, Node::Spans(vec![address]))
                }
                None if !self.is_end => Found::Later,
                Some(_) | None => literal(1, "<"),
            };
        }
        let may_become = BREAKS.iter().chain(&ADDRESSES).any(|known| begins(known, rest));
        if may_become && !self.is_end { Found::Later } else { literal(1, "<") }
    }

    fn entity(&self, rest: &str) -> Found {
        if let Some((name, text)) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name)) {
            return literal(name.len(), text);
        }
        let may_become = ENTITIES.iter().any(|(name, _)| name.starts_with(rest));
        if may_become && !self.is_end { Found::Later } else { literal(1, "&") }
    }
}

fn literal(length: usize, text: &str) -> Found {
    Found::Node(length, Node::Spans(vec![Span::new(text, Style::PLAIN)]))
}

/// Whether a text begins with another, in capitals or not.
fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start))
}

/// The text between two runs of so many backticks, the first of them at the start, and where the second ends.
fn code_body(text: &str, run: usize) -> Option<(&str, usize)> {
    let mut at = run;
    loop {
        at += text.get(at..)?.find('`')?;
        let rest = text.get(at..)?;
        let length = rest.len() - rest.trim_start_matches('`').len();
        if length == run {
            return Some((text.get(run..at)?, at + run));
        }
        at += length;
    }
}

#[cfg(test)]
mod tests;
