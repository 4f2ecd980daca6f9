//! Builds the tree of a document from the parser's events, without recursion and within a budget.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use saphyr_parser::ScalarStyle;

use crate::{
    document::{At, Entry, Node, Scalar, Value},
    problem::{Fault, Place, excerpt},
    weight::{MAX_BYTES, MAX_DEPTH, MAX_NODES, Weight},
};

/// A tree under construction.
#[derive(Default)]
pub(crate) struct Builder {
    /// The finished tree.
    pub(crate) root: Option<Node>,
    /// Faults that do not keep the rest from being read.
    pub(crate) faults: Vec<Fault>,
    open: Vec<Frame>,
    anchors: HashMap<usize, (Node, Weight)>,
    spent: Weight,
}

/// A list or mapping whose end has not come yet.
struct Frame {
    place: Place,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    key: Option<Key>,
    /// The lines of the keys so far, once they are too many to look through.
    seen: HashMap<Rc<str>, u32>,
    /// What `<<` takes in, in the order written.
    merged: Vec<Node>,
}

struct Key {
    text: Rc<str>,
    place: Place,
    /// Whether the key is the `<<` that takes in another mapping; in quotes it is a name like others.
    merge: bool,
}

impl Builder {
    /// Takes a single value or a key.
    pub(crate) fn scalar(
        &mut self,
        scalar: Scalar,
        style: ScalarStyle,
        anchor: usize,
        place: Place,
    ) -> Result<(), Fault> {
        self.spend(Weight { nodes: 1, bytes: 0, height: 0 }, place)?;
        let merge = style == ScalarStyle::Plain && scalar.text == "<<";
        if let Some(Frame { content: Content::Mapping(mapping), .. }) = self.open.last_mut()
            && mapping.key.is_none()
            && anchor == 0
        {
            // Most texts are keys, and a key is no value of its own.
            mapping.key = Some(Key { text: Rc::from(scalar.text), place, merge });
            return Ok(());
        }
        let node = Node { at: At::File(place), value: Rc::new(Value::Scalar(scalar)) };
        self.add(node, place, anchor, merge)
    }

    /// Takes an alias: the value it stands for, at the place of the alias.
    pub(crate) fn alias(&mut self, anchor: usize, place: Place) -> Result<(), Fault> {
        let Some((node, weight)) = self.anchors.get(&anchor).map(|(node, weight)| (node.clone(), *weight))
        else {
            return Err(Fault::at(place, None, "the alias stands for a value that contains it"));
        };
        self.spend(weight, place)?;
        if self.open.len() + weight.height > MAX_DEPTH {
            return Err(too_deep(place));
        }
        self.add(Node { at: At::File(place), ..node }, place, 0, false)
    }

    /// Begins a list.
    pub(crate) fn open_sequence(&mut self, anchor: usize, place: Place) -> Result<(), Fault> {
        self.open(Frame { place, anchor, content: Content::Sequence(Vec::new()) })
    }

    /// Begins a mapping.
    pub(crate) fn open_mapping(&mut self, anchor: usize, place: Place) -> Result<(), Fault> {
        self.open(Frame { place, anchor, content: Content::Mapping(Mapping::default()) })
    }

    /// Ends the innermost list or mapping.
    pub(crate) fn close(&mut self) -> Result<(), Fault> {
        let Some(Frame { place, anchor, content }) = self.open.pop() else {
            return Ok(());
        };
        let value = match content {
            Content::Sequence(items) => Value::Sequence(items),
            Content::Mapping(mapping) => Value::Mapping(self.merge(mapping)),
        };
        self.add(Node { at: At::File(place), value: Rc::new(value) }, place, anchor, false)
    }

    fn open(&mut self, frame: Frame) -> Result<(), Fault> {
        self.spend(Weight { nodes: 1, bytes: 0, height: 0 }, frame.place)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(frame.place));
        }
        self.open.push(frame);
        Ok(())
    }

    fn spend(&mut self, weight: Weight, place: Place) -> Result<(), Fault> {
        self.spent.nodes += weight.nodes;
        self.spent.bytes += weight.bytes;
        if self.spent.nodes > MAX_NODES {
            let message = "the file has more than 10,000 values, those that aliases stand for included";
            return Err(Fault::at(place, None, message));
        }
        if self.spent.bytes > MAX_BYTES {
            return Err(Fault::at(place, None, "the aliases of the file stand for more than 1 MiB of text"));
        }
        Ok(())
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, node: Node, place: Place, anchor: usize, merge: bool) -> Result<(), Fault> {
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), Weight::of(&node)));
        }
        let Some((Frame { content, .. }, outer)) = self.open.split_last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match content {
            Content::Sequence(items) => items.push(node),
            Content::Mapping(mapping) => match mapping.key.take() {
                None => mapping.key = Some(key_of(&node, place, merge)?),
                Some(key) => self.faults.extend(mapping.put(key, node, || path(outer))),
            },
        }
        Ok(())
    }

    /// Adds what `<<` takes in: keys that stand in the mapping itself win, then earlier ones.
    fn merge(&mut self, mapping: Mapping) -> Vec<Entry> {
        let Mapping { mut entries, merged, .. } = mapping;
        if merged.is_empty() {
            return entries;
        }
        let mut known: HashSet<Rc<str>> = entries.iter().map(|entry| Rc::clone(&entry.key)).collect();
        let mut taken = Vec::new();
        for node in merged {
            match &*node.value {
                Value::Sequence(nodes) => taken.extend(nodes.iter().cloned()),
                Value::Scalar(_) | Value::Mapping(_) => taken.push(node),
            }
        }
        for node in taken {
            let Value::Mapping(more) = &*node.value else {
                let place = node.place().unwrap_or(Place::START);
                self.faults.push(Fault::at(place, None, "<< takes a mapping or a list of mappings"));
                continue;
            };
            for entry in more {
                if known.insert(Rc::clone(&entry.key)) {
                    entries.push(entry.clone());
                }
            }
        }
        entries
    }
}

impl Mapping {
    /// Puts a value under its key; a key that is there already is a fault, and the first one stays.
    fn put(&mut self, key: Key, value: Node, path: impl Fn() -> String) -> Option<Fault> {
        if key.merge {
            self.merged.push(value);
            return None;
        }
        if let Some(line) = self.line_of(&key.text) {
            let path = format!("{}{}", path(), excerpt(&key.text));
            let message = format!("{path} is already set on line {line}");
            return Some(Fault { twice: true, ..Fault::at(key.place, Some(path), message) });
        }
        self.entries.push(Entry { key: key.text, place: key.place, value });
        if self.entries.len() == FEW {
            let lines = self.entries.iter().map(|entry| (Rc::clone(&entry.key), entry.place.line));
            self.seen = lines.collect();
        } else if let Some(last) = self.entries.last().filter(|_| self.entries.len() > FEW) {
            self.seen.insert(Rc::clone(&last.key), last.place.line);
        }
        None
    }

    /// The line of a key that is there already.
    fn line_of(&self, key: &str) -> Option<u32> {
        if self.entries.len() >= FEW {
            return self.seen.get(key).copied();
        }
        self.entries.iter().find(|entry| &*entry.key == key).map(|entry| entry.place.line)
    }
}

/// So many keys are looked through one by one faster than by hashing.
const FEW: usize = 12;

/// The way to the mapping that stands in all of `outer`, ready for a key behind it.
fn path(outer: &[Frame]) -> String {
    let step = |frame: &Frame| match &frame.content {
        Content::Sequence(items) => format!("[{}]", items.len()),
        Content::Mapping(Mapping { key: Some(key), .. }) => format!(".{}", excerpt(&key.text)),
        Content::Mapping(_) => String::new(),
    };
    let steps: String = outer.iter().map(step).collect();
    if steps.is_empty() { steps } else { format!("{}.", steps.trim_start_matches('.')) }
}

fn key_of(node: &Node, place: Place, merge: bool) -> Result<Key, Fault> {
    match &*node.value {
        Value::Scalar(scalar) => Ok(Key { text: Rc::from(scalar.text.as_str()), place, merge }),
        Value::Sequence(_) => {
            Err(Fault::at(place, None, "a key must be text, not a list — put it in quotes"))
        }
        Value::Mapping(_) => {
            Err(Fault::at(place, None, "a key must be text, not a mapping — put {{…}} in quotes"))
        }
    }
}

/// The fault of a list or mapping in too many others.
pub(crate) fn too_deep(place: Place) -> Fault {
    Fault::at(place, None, format!("lists and mappings are nested more than {MAX_DEPTH} deep"))
}
