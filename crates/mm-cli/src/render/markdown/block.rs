//! What kind of block a line belongs to, told from as little of its beginning as possible.

/// The most quotes and lists within each other.
const DEEPEST: usize = 16;
/// The longest beginning that is looked at again with each character.
const LONGEST: usize = 200;

/// What a block stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    Item(Item),
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The columns that a line has to be indented by to belong to it. Models often indent less than they should.
    needed: usize,
    /// The columns of its text.
    offset: usize,
    /// What it begins with, as it is shown.
    pub(super) mark: String,
    /// Whether this is its first line.
    pub(super) is_new: bool,
}

/// What a line begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// Text, or more of it.
    Text,
    Heading(usize),
    Rule,
    /// A line under a heading.
    Underline,
    Fence(Fence),
    /// Code by its indentation.
    Code,
    /// A line of a table, or text.
    Row,
}

/// The line that begins a block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    pub(super) language: String,
}

/// What a beginning is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// The kind, the containers, and where the text begins.
    Line { kind: Kind, containers: Vec<Container>, at: usize },
    /// Another character is needed.
    More,
    /// The whole line is needed.
    Whole,
}

/// Looks at the beginning of a line, or at all of it, without its end.
pub(super) fn look(lead: &str, is_whole: bool, around: &[Container], in_text: bool) -> Seen {
    if lead.len() > LONGEST && !is_whole {
        return Seen::Whole;
    }
    let in_list = around.iter().any(|container| matches!(container, Container::Item(_)));
    let mut line = Line { rest: lead, is_whole, in_text, in_list, containers: Vec::new() };
    if line.rest.trim_start().is_empty() && !is_whole {
        return Seen::More;
    }
    line.match_all(around);
    line.finish(lead, around)
}

struct Line<'a> {
    rest: &'a str,
    is_whole: bool,
    in_text: bool,
    in_list: bool,
    containers: Vec<Container>,
}

/// A step in a line.
enum Step {
    /// Into another container.
    Deeper,
    Is(Kind),
    More,
    Whole,
}

impl<'a> Line<'a> {
    fn match_all(&mut self, around: &[Container]) {
        for container in around {
            let is_in = match container {
                Container::Quote => self.quote(),
                Container::Item(_) if self.rest.trim().is_empty() => true,
                Container::Item(item) => {
                    let is_in = indent(self.rest) >= item.needed;
                    if is_in {
                        self.rest = without_indent(self.rest, item.offset);
                    }
                    is_in
                }
            };
            if !is_in {
                return;
            }
            let item = |item: &Item| Container::Item(Item { is_new: false, ..item.clone() });
            self.containers.push(match container {
                Container::Quote => Container::Quote,
                Container::Item(old) => item(old),
            });
        }
    }

    fn quote(&mut self) -> bool {
        let Some(rest) = self.rest.trim_start_matches([' ', '\t']).strip_prefix('>') else { return false };
        self.rest = rest.strip_prefix([' ', '\t']).unwrap_or(rest);
        true
    }

    fn finish(mut self, lead: &str, around: &[Container]) -> Seen {
        loop {
            let kind = match self.step() {
                Step::Deeper => continue,
                Step::More => return Seen::More,
                Step::Whole => return Seen::Whole,
                Step::Is(kind) => kind,
            };
            // A line of text goes on, however it is indented; without a list or quote of its own it stays where it was.
            let goes_on = kind == Kind::Text && self.in_text && self.is_within(around);
            let containers = if goes_on { plain(around) } else { self.containers };
            let rest = if kind == Kind::Code { self.rest } else { self.rest.trim_start_matches([' ', '\t']) };
            return Seen::Line { kind, containers, at: lead.len() - rest.len() };
        }
    }

    /// Whether the containers are the outer ones of those.
    fn is_within(&self, around: &[Container]) -> bool {
        let around = plain(around);
        around.get(..self.containers.len()).is_some_and(|outer| outer == self.containers)
    }

    fn step(&mut self) -> Step {
        let text = self.rest.trim_start_matches([' ', '\t']);
        let is_list = self.containers.iter().any(|container| matches!(container, Container::Item(_)));
        let indented = indent(self.rest) >= 4 && !self.in_text;
        let Some(first) = text.chars().next() else {
            // An item that holds nothing, or an empty quote, still has its mark.
            let is_new = |container: &Container| matches!(container, Container::Item(item) if item.is_new);
            return match self.is_whole {
                true if self.containers.iter().any(is_new) => Step::Is(Kind::Text),
                true => Step::Is(Kind::Blank),
                false => Step::More,
            };
        };
        if indented && !is_list {
            return Step::Is(Kind::Code);
        }
        if first == '>' && self.containers.len() < DEEPEST {
            self.quote();
            self.containers.push(Container::Quote);
            self.in_text = false;
            return Step::Deeper;
        }
        let seen = self.rule(text).or_else(|| self.item(text));
        seen.unwrap_or_else(|| match first {
            _ if indented => Step::Is(Kind::Code),
            '#' => self.heading(text),
            '`' | '~' => self.fence(text, first),
            '|' => if_whole(self.is_whole, Kind::Row),
            '=' if self.in_text && text.trim_end().chars().all(|c| c == '=') => {
                if_whole(self.is_whole, Kind::Underline)
            }
            _ => Step::Is(Kind::Text),
        })
    }

    fn rule(&self, text: &str) -> Option<Step> {
        let mark = text.chars().next().filter(|c| matches!(c, '-' | '*' | '_'))?;
        if !text.chars().all(|c| c == mark || c == ' ' || c == '\t') {
            return None;
        }
        let count = text.chars().filter(|c| *c == mark).count();
        match self.is_whole {
            false => Some(Step::More),
            true => (count > 2).then_some(Step::Is(Kind::Rule)),
        }
    }

    fn item(&mut self, text: &'a str) -> Option<Step> {
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let mark = match text.chars().nth(digits) {
            None if digits > 0 && digits < 10 && !self.is_whole => return Some(Step::More),
            Some('-' | '*' | '+') if digits == 0 => 1,
            Some('.' | ')') if digits > 0 && digits < 10 => digits + 1,
            _ => return None,
        };
        let (mark, rest) = text.split_at_checked(mark)?;
        let gap = indent(rest);
        let is_empty = rest.trim().is_empty();
        match self.is_whole {
            false if is_empty => return Some(Step::More),
            // A mark alone under a text begins no list.
            true if is_empty && self.in_text && !self.in_list => return None,
            _ if gap == 0 && !is_empty || self.containers.len() == DEEPEST => return None,
            _ => {}
        }
        let gap = if is_empty || gap > 4 { 1 } else { gap };
        let before = indent(self.rest);
        let shown = if mark.len() == 1 { "• ".to_owned() } else { format!("{mark} ") };
        let item = Item {
            needed: before + mark.len().min(2),
            offset: before + mark.len() + gap,
            mark: shown,
            is_new: true,
        };
        self.rest = without_indent(rest, gap);
        self.containers.push(Container::Item(item));
        self.in_text = false;
        Some(if is_empty { Step::Is(Kind::Text) } else { Step::Deeper })
    }

    fn heading(&self, text: &str) -> Step {
        let level = text.chars().take_while(|c| *c == '#').count();
        match text.chars().nth(level) {
            _ if level > 6 => Step::Is(Kind::Text),
            None if !self.is_whole => Step::More,
            None | Some(' ' | '\t') => Step::Is(Kind::Heading(level)),
            Some(_) => Step::Is(Kind::Text),
        }
    }

    fn fence(&self, text: &str, mark: char) -> Step {
        let length = text.chars().take_while(|c| *c == mark).count();
        let info = text.get(length..).unwrap_or_default();
        match (length, self.is_whole) {
            (..3, false) if info.is_empty() => Step::More,
            (..3, _) => Step::Is(Kind::Text),
            (_, _) if mark == '`' && info.contains('`') => Step::Is(Kind::Text),
            (_, false) => Step::Whole,
            (_, true) => {
                let word = info.trim().trim_start_matches('{').split([' ', ',', '{', '}', ':']).next();
                let language = word.unwrap_or_default().trim_start_matches('.').to_owned();
                Step::Is(Kind::Fence(Fence { mark, length, indent: indent(self.rest), language }))
            }
        }
    }
}

impl Fence {
    /// Reads a line behind the fence: the code of it, `None` where the block has ended before it.
    pub(super) fn code<'a>(&self, line: &'a str, around: &[Container]) -> Option<Code<'a>> {
        let mut rest = line;
        for container in around {
            rest = match container {
                Container::Quote => {
                    let rest = rest.trim_start().strip_prefix('>')?;
                    rest.strip_prefix(' ').unwrap_or(rest)
                }
                Container::Item(item) => without_indent(rest, item.offset),
            };
        }
        let text = rest.trim();
        let closes = text.chars().count() >= self.length && text.chars().all(|c| c == self.mark);
        Some(if closes { Code::End } else { Code::Line(without_indent(rest, self.indent)) })
    }
}

/// A line in a block of code.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Code<'a> {
    Line(&'a str),
    End,
}

/// The same containers, as they are behind their first line.
pub(super) fn plain(containers: &[Container]) -> Vec<Container> {
    let plain = |container: &Container| match container {
        Container::Quote => Container::Quote,
        Container::Item(item) => Container::Item(Item { is_new: false, ..item.clone() }),
    };
    containers.iter().map(plain).collect()
}

fn if_whole(is_whole: bool, kind: Kind) -> Step {
    if is_whole { Step::Is(kind) } else { Step::Whole }
}

/// The columns of the white space at the start; a tab counts for four.
fn indent(text: &str) -> usize {
    let spaces = text.chars().take_while(|c| matches!(c, ' ' | '\t'));
    spaces.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The text without so many columns of white space, or without what there is of it.
pub(super) fn without_indent(text: &str, columns: usize) -> &str {
    let mut left = columns;
    text.trim_start_matches(|c| {
        let wide = match c {
            ' ' => 1,
            '\t' => 4,
            _ => return false,
        };
        let fits = left > 0;
        left = left.saturating_sub(wide);
        fits
    })
}
