//! YAML text as a tree of values that know their places, within limits that no file can exceed.

use std::{borrow::Cow, rc::Rc};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use crate::{
    problem::{Fault, Place, excerpt},
    scalar::Meaning,
    syntax,
    tree::Builder,
    weight::MAX_BYTES,
};

/// A text as far as it could be read.
#[derive(Debug)]
pub(crate) struct Document {
    /// The value of the file; null for an empty one, none where the text is no YAML.
    pub(crate) root: Option<Node>,
    /// What is wrong with the text itself.
    pub(crate) faults: Vec<Fault>,
}

/// A value and where it comes from. Cloning is cheap: aliases share what they stand for.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) value: Rc<Value>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum At {
    /// A place of the file.
    File(Place),
    /// A variable or a flag, which stand above the file.
    Above(Rc<Above>),
}

/// A variable or a flag with its value.
#[derive(Debug)]
pub(crate) struct Above {
    /// `AGENT_YOLO`, `--model`.
    pub(crate) name: String,
    /// The value as it was given.
    pub(crate) text: String,
    pub(crate) layer: Layer,
}

/// The layers above the file, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    /// `MM_…`
    Variable,
    /// `AGENT_…`
    Agent,
    /// The command line.
    Flag,
}

/// The three shapes of a value.
#[derive(Debug)]
pub(crate) enum Value {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<Entry>),
}

/// A single value: its text as written (without quotes) and what that means.
#[derive(Debug)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
}

/// A key of a mapping with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Rc<str>,
    pub(crate) place: Place,
    pub(crate) value: Node,
}

impl Node {
    /// The value under `key`, if this is a mapping that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry under `key`, if this is a mapping that has it.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &*self.value {
            Value::Mapping(entries) => entries.iter().find(|entry| &*entry.key == key),
            Value::Scalar(_) | Value::Sequence(_) => None,
        }
    }

    /// Where it stands in the file, if it stands there.
    pub(crate) fn place(&self) -> Option<Place> {
        match &self.at {
            At::File(place) => Some(*place),
            At::Above(_) => None,
        }
    }

    /// The layer above the file that it comes from; none is the file itself.
    pub(crate) fn layer(&self) -> Option<Layer> {
        match &self.at {
            At::File(_) => None,
            At::Above(above) => Some(above.layer),
        }
    }

    /// The item with this number, if this is a list that has it.
    pub(crate) fn item(&self, index: usize) -> Option<&Self> {
        match &*self.value {
            Value::Sequence(items) => items.get(index),
            Value::Scalar(_) | Value::Mapping(_) => None,
        }
    }

    /// The text of a single value, as written.
    pub(crate) fn text(&self) -> Option<&str> {
        match &*self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// Whether this is null, written or left out.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&*self.value, Value::Scalar(Scalar { meaning: Meaning::Null, .. }))
    }
}

impl Document {
    /// Reads a text. Of broken text the first fault is given, of readable text every one.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if let Some(fault) = too_large(text.as_bytes()).or_else(|| unprintable(text)) {
            return Self { root: None, faults: vec![fault] };
        }
        let mut builder = Builder::default();
        // The pull interface: the parser's own loader recurses as deep as the text says.
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let taken = match event {
                Ok((event, span)) => take(&mut builder, event, place(&span.start)),
                Err(error) => Err(syntax::fault(error.info(), place(error.marker()), text)),
            };
            if let Err(fault) = taken {
                builder.faults.push(fault);
                return Self { root: None, faults: builder.faults };
            }
        }
        let root = builder.root.unwrap_or_else(|| null(Place::START));
        Self { root: Some(root), faults: builder.faults }
    }
}

/// Hands one event to the builder.
fn take(builder: &mut Builder, event: Event<'_>, place: Place) -> Result<(), Fault> {
    match event {
        Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        Event::DocumentStart(_) if builder.root.is_some() => {
            Err(Fault::at(place, None, "a second document begins here; a configuration is one document"))
        }
        Event::DocumentStart(_) => Ok(()),
        Event::Alias(anchor) => builder.alias(anchor, place),
        Event::Scalar(text, style, anchor, tag) => {
            let meaning = meaning(&text, style, tag).map_err(|tag| misfit(place, &tag))?;
            builder.scalar(Scalar { text: text.into_owned(), meaning }, style, anchor, place)
        }
        Event::SequenceStart(anchor, tag) => {
            fitting(tag, "seq").map_err(|tag| misfit(place, &tag))?;
            builder.open_sequence(anchor, place)
        }
        Event::MappingStart(anchor, tag) => {
            fitting(tag, "map").map_err(|tag| misfit(place, &tag))?;
            builder.open_mapping(anchor, place)
        }
        Event::SequenceEnd | Event::MappingEnd => builder.close(),
    }
}

/// Says what a scalar means, or gives back the tag that it cannot have.
fn meaning(text: &str, style: ScalarStyle, tag: Option<Cow<'_, Tag>>) -> Result<Meaning, String> {
    let Some(tag) = tag.map(full) else {
        return Ok(if style == ScalarStyle::Plain { Meaning::of(text) } else { Meaning::Text });
    };
    let meaning = Meaning::of(text);
    let fits = match tag.strip_prefix(CORE) {
        Some("str") => return Ok(Meaning::Text),
        Some("null") => matches!(meaning, Meaning::Null),
        Some("bool") => matches!(meaning, Meaning::Bool(_)),
        Some("int") => matches!(meaning, Meaning::Int),
        Some("float") => matches!(meaning, Meaning::Float | Meaning::Int),
        Some(_) => false,
        None if tag == "!" => return Ok(Meaning::Text),
        None => false,
    };
    if fits { Ok(meaning) } else { Err(tag) }
}

/// Checks the tag of a list or mapping, or gives it back.
fn fitting(tag: Option<Cow<'_, Tag>>, wanted: &str) -> Result<(), String> {
    match tag.map(full) {
        Some(tag) if tag != "!" && tag.strip_prefix(CORE) != Some(wanted) => Err(tag),
        Some(_) | None => Ok(()),
    }
}

/// The tags of YAML itself; others, such as `!include`, would change what a value means unseen.
const CORE: &str = "tag:yaml.org,2002:";

fn full(tag: Cow<'_, Tag>) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

fn misfit(place: Place, tag: &str) -> Fault {
    Fault::at(place, None, format!("the tag {} does not fit here", excerpt(&tag.replace(CORE, "!!"))))
}

/// The null that a file without content is.
fn null(place: Place) -> Node {
    let value = Value::Scalar(Scalar { text: String::new(), meaning: Meaning::Null });
    Node { at: At::File(place), value: Rc::new(value) }
}

fn place(marker: &Marker) -> Place {
    Place::new(marker.line(), marker.col() + 1)
}

/// The fault of a text that is longer than allowed, at the first byte too many.
pub(crate) fn too_large(bytes: &[u8]) -> Option<Fault> {
    let allowed = bytes.get(..MAX_BYTES).filter(|allowed| allowed.len() < bytes.len())?;
    Some(Fault::at(Place::after(allowed), None, "the file is larger than 1 MiB"))
}

/// The fault of a character that YAML forbids. The parser would take some of them for the end of the text.
fn unprintable(text: &str) -> Option<Fault> {
    let forbidden = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{FFFE}' | '\u{FFFF}' => true,
        _ => c.is_control(),
    };
    let (at, c) = text.char_indices().find(|&(_, c)| forbidden(c))?;
    let place = Place::after(text.as_bytes().get(..at)?);
    Some(Fault::at(place, None, format!("the character U+{:04X} is not allowed in YAML", u32::from(c))))
}

#[cfg(test)]
mod tests;
