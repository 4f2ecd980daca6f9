//! What decoding and checking find besides values.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    hash::{BuildHasher, Hash, Hasher, RandomState},
};

use serde::de;

use super::path::{Path, Step};
use crate::{
    document::{At, Node},
    problem::{Fault, Place, excerpt, quoted},
};

/// What decoding and checking find besides values.
pub(crate) struct Findings<'a> {
    pub(crate) root: &'a Node,
    pub(crate) faults: RefCell<Vec<Fault>>,
    /// The paths that have a fault, and those that these stand in, by their hashes: a path can be long.
    faulty: RefCell<HashSet<u64>>,
    around: RefCell<HashSet<u64>>,
    hasher: RandomState,
    pub(crate) unknown: RefCell<Vec<Unknown>>,
    /// What the user should know though nothing is wrong.
    pub(crate) warnings: RefCell<Vec<Note>>,
    /// What only somebody who checks a file wants to know.
    pub(crate) hints: RefCell<Vec<Note>>,
    /// Serde met something that it could not go on from.
    pub(crate) stopped: Cell<bool>,
}

/// A sentence about a place.
pub(crate) type Note = (Option<Place>, String);

/// A key that no struct has.
pub(crate) struct Unknown {
    /// Where it stands, as a path.
    pub(crate) path: String,
    /// The key alone.
    pub(crate) name: String,
    pub(crate) place: Place,
    /// The keys that its mapping may have.
    pub(crate) known: &'static [&'static str],
}

impl<'a> Findings<'a> {
    pub(crate) fn new(root: &'a Node, faults: Vec<Fault>) -> Self {
        Self {
            root,
            faults: RefCell::new(faults),
            faulty: RefCell::default(),
            around: RefCell::default(),
            hasher: RandomState::new(),
            unknown: RefCell::default(),
            warnings: RefCell::default(),
            hints: RefCell::default(),
            stopped: Cell::new(false),
        }
    }

    /// The value at a path.
    pub(crate) fn node(&self, path: &Path<'_>) -> Option<&'a Node> {
        path.steps().iter().try_fold(self.root, step)
    }

    /// Writes down a value of a wrong type. `found` says what stands there, which a variable shows anyway.
    pub(crate) fn mistyped(&self, node: &Node, path: &Path<'_>, words: &str, found: &str) {
        let key = path.text();
        let fault = match &node.at {
            At::File(place) => {
                let subject = key.as_ref().map_or("the file".to_owned(), |_| self.subject(path));
                Fault::at(*place, key, format!("{subject} {words}{found}"))
            }
            At::Above(above) => outside(above, key.unwrap_or_default(), words),
        };
        self.push(path, fault);
    }

    /// Writes down a broken rule: `words` follow the key directly, so they begin with a space, a point or a
    /// colon. What has a fault already gets no second one.
    pub(crate) fn broken(&self, path: &Path<'_>, words: &str) {
        if self.is_faulty(path) {
            return;
        }
        let key = path.to_string();
        let fault = match self.node(path).map(|node| &node.at) {
            Some(At::Above(above)) => outside(above, key, words.trim_start_matches([':', ' '])),
            Some(At::File(place)) => Fault::rule(Some(*place), key, self.subject(path) + words),
            None => Fault::rule(self.place(path), key, self.subject(path) + words),
        };
        self.push(path, fault);
    }

    /// Writes down a broken rule as [`Self::broken`] does, with its line in front.
    pub(crate) fn broken_here(&self, path: &Path<'_>, words: &str) {
        let line = self.place(path).map(|place| place.line);
        let at = self.faults.borrow().len();
        self.broken(path, words);
        if let (Some(line), Some(fault)) = (line, self.faults.borrow_mut().get_mut(at)) {
            fault.message = format!("line {line}: {}", fault.message);
        }
    }

    /// Writes down a rule on `path` that something in it, at `item`, breaks.
    pub(crate) fn broken_in(&self, path: &Path<'_>, item: &Path<'_>, words: &str) {
        if !self.is_faulty(item) {
            self.push(item, Fault::rule(self.place(item), item.to_string(), self.subject(path) + words));
        }
    }

    /// Writes down a broken rule whose message names its subject itself.
    pub(crate) fn plain(&self, path: &Path<'_>, message: String) {
        self.push(path, Fault::rule(self.place(path), path.to_string(), message));
    }

    /// Adds a warning about a key.
    pub(crate) fn warn(&self, path: &Path<'_>, words: String) {
        self.warnings.borrow_mut().push((self.place(path), words));
    }

    /// Adds a hint about a key.
    pub(crate) fn hint(&self, path: &Path<'_>, words: String) {
        self.hints.borrow_mut().push((self.place(path), words));
    }

    /// Names a key as messages do: a declared tool by its number and its name.
    pub(crate) fn subject(&self, path: &Path<'_>) -> String {
        let steps = path.steps();
        let [Step::Key("tools"), Step::Index(index), ..] = steps.as_slice() else {
            return path.to_string();
        };
        let tool = self.root.get("tools").and_then(|tools| tools.item(*index));
        let name = tool.and_then(|tool| tool.get("name")).and_then(Node::text).unwrap_or_default();
        let head = format!("tools[{index}]");
        let text = path.to_string();
        format!("{head} ({}){}", excerpt(name), text.strip_prefix(&head).unwrap_or_default())
    }

    /// The place of a key, or of the nearest thing that it would stand in.
    fn place(&self, path: &Path<'_>) -> Option<Place> {
        let mut node = self.root;
        for next in &path.steps() {
            match step(node, next) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node.place()
    }

    /// Whether a key or something around it has a fault. A key that is there twice has a value all the same.
    pub(crate) fn is_faulty(&self, path: &Path<'_>) -> bool {
        let faulty = self.faulty.borrow();
        self.hashes(path).iter().any(|hash| faulty.contains(hash))
    }

    /// Whether a key, something in it or something around it has a fault.
    pub(crate) fn is_touched(&self, path: &Path<'_>) -> bool {
        let inside = self.hashes(path).last().is_some_and(|hash| self.around.borrow().contains(hash));
        inside || self.is_faulty(path)
    }

    pub(crate) fn push(&self, path: &Path<'_>, fault: Fault) {
        let mut hashes = self.hashes(path);
        self.faulty.borrow_mut().extend(hashes.pop());
        self.around.borrow_mut().extend(hashes);
        self.faults.borrow_mut().push(fault);
    }

    /// The hashes of a path and of everything that it stands in, the outermost first.
    fn hashes(&self, path: &Path<'_>) -> Vec<u64> {
        let mut hasher = self.hasher.build_hasher();
        let hash = |step: &Step<'_>| {
            step.hash(&mut hasher);
            hasher.clone().finish()
        };
        path.steps().iter().map(hash).collect()
    }
}

fn step<'n>(node: &'n Node, step: &Step<'_>) -> Option<&'n Node> {
    match step {
        Step::Key(key) => node.get(key),
        Step::Index(index) => node.item(*index),
    }
}

fn outside(above: &crate::document::Above, key: String, words: &str) -> Fault {
    let message = format!("{}={}: {words}", above.name, quoted(&above.text));
    // A flag and its value are two words.
    let message = if above.name.starts_with('-') { message.replacen('=', " ", 1) } else { message };
    Fault::rule(None, key, message)
}

/// The error that serde sees.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The fault has been written down.
    #[error("noted")]
    Noted,
    /// Words of serde or of a type, to be written down by the decoder of the value.
    #[error("{0}")]
    Words(String),
}

impl de::Error for DecodeError {
    fn custom<T: std::fmt::Display>(words: T) -> Self {
        Self::Words(words.to_string())
    }
}
