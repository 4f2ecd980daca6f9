//! From the words of a command to the arguments that the program gets, as far as they can be known.

use std::borrow::Cow;

use super::judge::Judge;
use super::shell::{Form, Part, UNKNOWN, Word};

/// The most words that braces may make of one.
const MOST: usize = 64;
/// The longest word in which braces are looked for, in characters.
const LONGEST: usize = 1_000;
/// The longest value that is followed, in bytes.
const LARGEST: usize = 16 << 10;

/// Where text came from that nobody has looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Taint {
    #[default]
    None,
    /// Decoded or unpacked.
    Decoded,
    /// Downloaded.
    Fetched,
}

/// A text, with [`UNKNOWN`] for what is not known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) taint: Taint,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), taint: Taint::None }
    }

    pub(super) fn unknown(taint: Taint) -> Self {
        Self { text: UNKNOWN.to_string(), taint }
    }

    pub(super) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.taint = self.taint.max(other.taint);
        self.push(&other.text);
    }

    pub(super) fn push(&mut self, text: &str) {
        if self.text.len() + text.len() > LARGEST {
            self.text = UNKNOWN.to_string();
        } else {
            self.text.push_str(text);
        }
    }
}

/// An argument of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) value: Value,
    /// Whether it is a pattern for file names.
    pub(super) is_pattern: bool,
}

impl Field {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self { value: Value::known(text), is_pattern: false }
    }

    pub(super) fn unknown(taint: Taint) -> Self {
        Self { value: Value::unknown(taint), is_pattern: false }
    }

    pub(super) fn text(&self) -> &str {
        &self.value.text
    }

    pub(super) fn is_known(&self) -> bool {
        self.value.is_known()
    }
}

impl Judge<'_> {
    /// The arguments that words become.
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::new();
        for word in words {
            match braces(word) {
                Some(words) => {
                    for pieces in words {
                        self.expand(pieces.into_iter(), &mut fields);
                    }
                }
                None => self.expand(word.parts.iter().map(piece), &mut fields),
            }
        }
        fields
    }

    /// The text of a word that stays one, as in an assignment.
    pub(super) fn value(&mut self, word: &Word) -> Value {
        let mut value = Value::default();
        for (at, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted } => {
                    let is_first = at == 0 && !quoted;
                    value.push(&if is_first { self.tilde(text) } else { Cow::Borrowed(text.as_str()) });
                }
                part => {
                    let more = self.part(part);
                    value.append(&more);
                }
            }
        }
        self.spend(value.text.len());
        value
    }

    fn expand<'w>(&mut self, pieces: impl Iterator<Item = Piece<'w>>, fields: &mut Vec<Field>) {
        let mut field: Option<Field> = None;
        for (at, piece) in pieces.enumerate() {
            match piece {
                Piece::Text { text, quoted } => {
                    let field = field.get_or_insert_default();
                    field.is_pattern |= !quoted && text.contains(['*', '?', '[']);
                    field.value.push(&if at == 0 && !quoted { self.tilde(&text) } else { text });
                }
                Piece::Part(part) => {
                    let quoted = is_quoted(part);
                    if let Part::Parameter { name, form: Form::Plain, .. } = part
                        && name == "@"
                    {
                        self.arguments(&mut field, fields);
                        continue;
                    }
                    let value = self.part(part);
                    if quoted {
                        field.get_or_insert_default().value.append(&value);
                    } else {
                        split(&value, &mut field, fields);
                    }
                }
            }
        }
        fields.extend(field);
        self.spend(fields.last().map_or(1, |field| field.text().len() + 1));
    }

    /// `$@`: the first and the last one join what stands beside them.
    fn arguments(&mut self, field: &mut Option<Field>, fields: &mut Vec<Field>) {
        for (at, value) in self.positional().to_vec().into_iter().enumerate() {
            if at > 0 {
                fields.extend(field.take());
            }
            field.get_or_insert_default().value.append(&value);
        }
    }

    /// What a part becomes, whole.
    fn part(&mut self, part: &Part) -> Value {
        match part {
            Part::Text { text, .. } => Value::known(text.clone()),
            Part::Parameter { name, form, .. } => self.parameter(name, form),
            Part::Output { list, .. } => {
                let mut value = self.apart(|judge| judge.list(list, &Value::default()));
                value.text.truncate(value.text.trim_end_matches('\n').len());
                value
            }
            Part::Process { list, reads } => {
                let input = if *reads { Value::default() } else { Value::unknown(Taint::None) };
                let value = self.apart(|judge| judge.list(list, &input));
                // The name of a file that nobody knows, with the taint of what is in it.
                let taint = if *reads { value.taint } else { Taint::None };
                Value { text: format!("/dev/fd/{UNKNOWN}"), taint }
            }
            Part::Arithmetic(word) => {
                self.value(word);
                Value::unknown(Taint::None)
            }
        }
    }

    fn parameter(&mut self, name: &str, form: &Form) -> Value {
        let found = self.variable(name);
        match form {
            Form::Plain => found.unwrap_or_else(|| Value::unknown(Taint::None)),
            Form::Or(word) => {
                let other = self.value(word);
                found.filter(|value| !value.text.is_empty()).unwrap_or(other)
            }
            Form::Then(word) => self.value(word),
            Form::Other(word) => {
                self.value(word);
                Value::unknown(found.map(|value| value.taint).unwrap_or_default())
            }
        }
    }

    /// The home for `~`, another one for `~name`.
    fn tilde<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(rest) = text.strip_prefix('~') else { return Cow::Borrowed(text) };
        let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Cow::Owned(match name {
            "" => self.place.home() + rest,
            "+" => format!("{}{rest}", self.cwd.as_deref().unwrap_or("\0")),
            "root" => format!("/root{rest}"),
            name if name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c)) => {
                format!("/home/{name}{rest}")
            }
            _ => return Cow::Borrowed(text),
        })
    }
}

fn is_quoted(part: &Part) -> bool {
    match part {
        Part::Text { quoted, .. } | Part::Parameter { quoted, .. } | Part::Output { quoted, .. } => *quoted,
        Part::Process { .. } | Part::Arithmetic(_) => true,
    }
}

/// Splits what is not quoted at its blanks.
fn split(value: &Value, field: &mut Option<Field>, fields: &mut Vec<Field>) {
    let mut is_first = true;
    for piece in value.text.split([' ', '\t', '\n']) {
        if !is_first {
            fields.extend(field.take());
        }
        is_first = false;
        if !piece.is_empty() {
            let field = field.get_or_insert_default();
            field.is_pattern |= piece.contains(['*', '?', '[']);
            field.value.append(&Value { text: piece.to_owned(), taint: value.taint });
        }
    }
}

/// A part of a word after its braces are expanded.
#[derive(Clone, Debug)]
enum Piece<'w> {
    Text { text: Cow<'w, str>, quoted: bool },
    Part(&'w Part),
}

/// A character that braces may be made of, or anything else.
#[derive(Clone, Debug)]
enum Item<'w> {
    Plain(char),
    Quoted(&'w str),
    Part(&'w Part),
}

/// The words that `a{b,c}` stands for; `None` where there are no braces, or too many.
fn braces(word: &Word) -> Option<Vec<Vec<Piece<'_>>>> {
    let plain = |part: &Part| match part {
        Part::Text { text, quoted: false } => text.contains('{'),
        _ => false,
    };
    if !word.parts.iter().any(plain) {
        return None;
    }
    let mut items = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text { text, quoted: false } => items.extend(text.chars().map(Item::Plain)),
            Part::Text { text, .. } => items.push(Item::Quoted(text)),
            part => items.push(Item::Part(part)),
        }
    }
    let mut words = Vec::new();
    if items.len() > LONGEST || !alternatives(&items, 0, &mut words) {
        return None;
    }
    Some(words.into_iter().map(|items| pieces(&items)).collect())
}

fn piece(part: &Part) -> Piece<'_> {
    match part {
        Part::Text { text, quoted } => Piece::Text { text: Cow::Borrowed(text), quoted: *quoted },
        part => Piece::Part(part),
    }
}

fn pieces<'w>(items: &[Item<'w>]) -> Vec<Piece<'w>> {
    let mut pieces: Vec<Piece<'w>> = Vec::new();
    for item in items {
        match (item, pieces.last_mut()) {
            (Item::Plain(c), Some(Piece::Text { text, quoted: false })) => text.to_mut().push(*c),
            (Item::Plain(c), _) => pieces.push(Piece::Text { text: c.to_string().into(), quoted: false }),
            (Item::Quoted(text), _) => pieces.push(Piece::Text { text: Cow::Borrowed(*text), quoted: true }),
            (Item::Part(part), _) => pieces.push(Piece::Part(part)),
        }
    }
    pieces
}

/// Expands the first braces, then what comes of it. `false` when it becomes too much.
fn alternatives<'w>(items: &[Item<'w>], depth: usize, words: &mut Vec<Vec<Item<'w>>>) -> bool {
    if depth > 16 || words.len() >= MOST {
        return false;
    }
    let opens = items.iter().enumerate().filter(|(_, item)| matches!(item, Item::Plain('{')));
    // Each `{` is looked at to its end: a few of them are enough.
    for (open, _) in opens.take(8) {
        let Some((close, cuts)) = group(items, open) else { continue };
        let (before, after) = (items.get(..open), items.get(close + 1..));
        let mut from = open + 1;
        for to in cuts.iter().copied().chain([close]) {
            let inner = items.get(from..to).unwrap_or_default();
            let word = [before.unwrap_or_default(), inner, after.unwrap_or_default()].concat();
            if !alternatives(&word, depth + 1, words) {
                return false;
            }
            // `..` is two characters, of which the first is the cut.
            let is_range = matches!(items.get(to), Some(Item::Plain('.')));
            from = to + if is_range { 2 } else { 1 };
        }
        return true;
    }
    words.push(items.to_vec());
    true
}

/// The end of the braces that open at `open`, and where their parts are cut; of a range the ends are enough.
fn group(items: &[Item<'_>], open: usize) -> Option<(usize, Vec<usize>)> {
    let (mut depth, mut commas, mut range) = (0_usize, Vec::new(), None);
    for (at, item) in items.iter().enumerate().skip(open + 1) {
        match item {
            Item::Plain('{') => depth += 1,
            Item::Plain('}') if depth > 0 => depth -= 1,
            Item::Plain('}') => {
                let cuts = if commas.is_empty() { range.into_iter().collect() } else { commas };
                return (!cuts.is_empty()).then_some((at, cuts));
            }
            Item::Plain(',') if depth == 0 => commas.push(at),
            Item::Plain('.') if depth == 0 && matches!(items.get(at + 1), Some(Item::Plain('.'))) => {
                range = range.or(Some(at));
            }
            _ => {}
        }
    }
    None
}
