//! The elements of a page as a flat tree.
//!
//! Tags are cut by a tokenizer that follows the standard for browsers; here is what the standard says of tags that are
//! left out or closed in the wrong order, as far as text depends on it. Time and memory are linear in the page, whatever
//! it holds: elements nest to a fixed depth, below which they stand beside each other.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::names::{
    attribute, element, is_barrier, is_block, is_formatting, is_heading, is_silent, is_table_part, is_void,
    name_at, place_of,
};

/// How deep elements nest. Browsers stop at 512; real pages stay below 60.
const DEEPEST: usize = 128;
/// The most elements and texts of a page.
const MOST_NODES: usize = 1_000_000;
/// The longest value of an attribute that is kept; URLs with their own data are longer.
const LONGEST_VALUE: usize = 4096;
/// No node.
const NONE: u32 = u32::MAX;

/// A node's number; the root has 0, and every node a higher one than its parent.
pub(super) type Id = u32;

/// A page as elements and texts.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// All texts, one behind the other.
    text: String,
    /// Those of all elements, one element behind the other.
    attributes: Vec<(&'static str, String)>,
    title: String,
    base: Option<String>,
    /// Whether an element holds one that begins a line.
    has_block: Vec<bool>,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: Id,
    first: Id,
    last: Id,
    next: Id,
    kind: Kind,
}

fn nameless() -> Kind {
    Kind::Element { name: place_of(""), from: 0, to: 0 }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The place of its name, and of its attributes.
    Element {
        name: u8,
        from: u32,
        to: u32,
    },
    Text {
        start: u32,
        end: u32,
    },
}

impl Tree {
    pub(super) fn parse(html: &str) -> Self {
        let mut builder = Builder::new();
        let handle = |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
            builder.event(event);
            None
        };
        let mut emitter = CallbackEmitter::new(handle);
        // Scripts and styles are no tags.
        emitter.naively_switch_states(true);
        Tokenizer::new_with_emitter(html, emitter).for_each(drop);
        builder.finish()
    }

    /// All nodes, parents before their children.
    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = Id> {
        0..u32::try_from(self.nodes.len()).unwrap_or(NONE)
    }

    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.nodes.get(id as usize).map(|node| node.parent).filter(|parent| *parent != NONE)
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let some = |id: Id| (id != NONE).then_some(id);
        let first = self.nodes.get(id as usize).and_then(|node| some(node.first));
        std::iter::successors(first, move |id| some(self.nodes.get(*id as usize)?.next))
    }

    /// The name of an element; a text has none, and neither has an element that nobody knows.
    pub(super) fn name(&self, id: Id) -> &'static str {
        match self.nodes.get(id as usize).map(|node| node.kind) {
            Some(Kind::Element { name, .. }) => name_at(name),
            Some(Kind::Text { .. }) | None => "",
        }
    }

    /// The text of a node that is one.
    pub(super) fn text(&self, id: Id) -> Option<&str> {
        match self.nodes.get(id as usize)?.kind {
            Kind::Text { start, end } => self.text.get(start as usize..end as usize),
            Kind::Element { .. } => None,
        }
    }

    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        match self.nodes.get(id as usize)?.kind {
            Kind::Element { from, to, .. } => {
                let of_it = self.attributes.get(from as usize..to as usize)?;
                of_it.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
            }
            Kind::Text { .. } => None,
        }
    }

    pub(super) fn has_block(&self, id: Id) -> bool {
        self.has_block.get(id as usize).copied().unwrap_or(false)
    }

    pub(super) fn title(&self) -> String {
        self.title.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// What is passed over until its end tag.
#[derive(Debug)]
struct Silence {
    name: &'static str,
    depth: usize,
}

#[derive(Debug)]
struct Builder {
    tree: Tree,
    open: Vec<Id>,
    /// How many of the open ones are paragraphs: most blocks look for one.
    paragraphs: usize,
    /// How many elements stand beside each other for being too deep.
    beyond: usize,
    silence: Option<Silence>,
    in_title: bool,
    tag: &'static str,
    tag_attributes: Vec<(&'static str, String)>,
}

impl Builder {
    fn new() -> Self {
        let root = Node { parent: NONE, first: NONE, last: NONE, next: NONE, kind: nameless() };
        let tree = Tree {
            nodes: vec![root],
            text: String::new(),
            attributes: Vec::new(),
            title: String::new(),
            base: None,
            has_block: Vec::new(),
            is_cut: false,
        };
        Self {
            tree,
            open: vec![0],
            paragraphs: 0,
            beyond: 0,
            silence: None,
            in_title: false,
            tag: "",
            tag_attributes: Vec::new(),
        }
    }

    fn event(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = element(name);
                self.tag_attributes.clear();
            }
            CallbackEvent::AttributeName { name } => {
                self.tag_attributes.push((attribute(name), String::new()));
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some((name, kept)) = self.tag_attributes.last_mut()
                    && !name.is_empty()
                    && value.len() <= LONGEST_VALUE
                {
                    *kept = String::from_utf8_lossy(value).into_owned();
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => self.start(self_closing),
            CallbackEvent::EndTag { name } => self.end(element(name)),
            CallbackEvent::String { value } => self.string(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    fn start(&mut self, self_closing: bool) {
        let name = self.tag;
        if let Some(silence) = &mut self.silence {
            // HTML within a drawing ends it: somebody forgot to.
            let breaks_out = silence.name == "svg" && is_block(name);
            if !breaks_out {
                silence.depth += usize::from(silence.name == name && !self_closing);
                return;
            }
            self.silence = None;
        }
        match name {
            "title" => self.in_title = self.tree.title.is_empty(),
            "base" if self.tree.base.is_none() => {
                let href = self.tag_attributes.iter().find(|(name, _)| *name == "href");
                self.tree.base = href.map(|(_, href)| href.clone());
            }
            "meta" | "link" | "base" => {}
            _ if is_silent(name) => {
                let is_empty = self_closing && name == "svg";
                self.silence = (!is_empty).then_some(Silence { name, depth: 1 });
            }
            _ => {
                self.close_implied(name);
                self.open_element(name, self_closing);
            }
        }
    }

    fn open_element(&mut self, name: &'static str, self_closing: bool) {
        let from = self.tree.attributes.len();
        self.tree.attributes.extend(self.tag_attributes.drain(..).filter(|(name, _)| !name.is_empty()));
        let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(self.tree.attributes.len())) else {
            return;
        };
        let Some(id) = self.push(Kind::Element { name: place_of(name), from, to }) else { return };
        if is_void(name) || (self_closing && name == "math") {
            return;
        }
        if self.open.len() < DEEPEST {
            self.open.push(id);
            self.paragraphs += usize::from(name == "p");
        } else {
            self.beyond += 1;
        }
    }

    /// Closes what the start of an element ends without a word.
    fn close_implied(&mut self, name: &str) {
        match name {
            "li" => self.close_up_to(&["li"], |open| matches!(open, "ul" | "ol" | "menu" | "dir")),
            "dt" | "dd" => self.close_up_to(&["dt", "dd"], |open| open == "dl"),
            "tr" => self.close_up_to(&["tr"], |open| open == "table"),
            "td" | "th" => self.close_up_to(&["td", "th"], |open| matches!(open, "tr" | "table")),
            "thead" | "tbody" | "tfoot" => {
                self.close_up_to(&["thead", "tbody", "tfoot"], |open| open == "table");
                self.close_up_to(&["tr"], |open| open == "table");
            }
            "a" => self.close_up_to(&["a"], is_barrier),
            _ => {}
        }
        if is_block(name) && self.paragraphs > 0 {
            self.close_up_to(&["p"], is_barrier);
        }
        if is_heading(name) && is_heading(self.current()) {
            self.open.pop();
        }
    }

    fn current(&self) -> &'static str {
        self.open.last().map_or("", |id| self.tree.name(*id))
    }

    /// Closes the nearest open element of a name, with all within, unless something stops the search.
    fn close_up_to(&mut self, names: &[&str], stops: impl Fn(&str) -> bool) {
        for at in (1..self.open.len()).rev() {
            let open = self.open.get(at).map_or("", |id| self.tree.name(*id));
            if names.contains(&open) {
                let closed = self.open.drain(at..).filter(|id| self.tree.name(*id) == "p").count();
                self.paragraphs -= closed;
                self.beyond = 0;
                return;
            }
            if stops(open) {
                return;
            }
        }
    }

    fn end(&mut self, name: &'static str) {
        if let Some(silence) = &mut self.silence {
            if silence.name == name {
                silence.depth -= 1;
            }
            if silence.depth == 0 {
                self.silence = None;
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "br" => drop(self.push(Kind::Element { name: place_of("br"), from: 0, to: 0 })),
            _ if is_silent(name) || is_void(name) => {}
            _ if self.beyond > 0 => self.beyond -= 1,
            _ => self.close(name),
        }
    }

    /// Closes an element at its end tag, as far as that reaches.
    fn close(&mut self, name: &'static str) {
        if name == "table" {
            self.close_up_to(&[name], |_| false);
        } else if is_table_part(name) {
            self.close_up_to(&[name], |open| open == "table");
        } else if name == "li" {
            self.close_up_to(&[name], |open| is_barrier(open) || matches!(open, "ul" | "ol"));
        } else if is_heading(name) {
            self.close_up_to(&["h1", "h2", "h3", "h4", "h5", "h6"], is_barrier);
        } else if is_block(name) || is_formatting(name) {
            self.close_up_to(&[name], is_barrier);
        } else {
            self.close_up_to(&[name], is_block);
        }
    }

    fn string(&mut self, text: &str) {
        if self.silence.is_some() {
            return;
        }
        if self.in_title {
            self.tree.title.push_str(text);
            return;
        }
        let start = self.tree.text.len();
        self.tree.text.push_str(text);
        let end = self.tree.text.len();
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            self.push(Kind::Text { start, end });
        }
    }

    fn push(&mut self, kind: Kind) -> Option<Id> {
        if self.tree.nodes.len() >= MOST_NODES {
            self.tree.is_cut = true;
            return None;
        }
        let id = Id::try_from(self.tree.nodes.len()).ok()?;
        let parent = self.open.last().copied().unwrap_or(0);
        self.tree.nodes.push(Node { parent, first: NONE, last: NONE, next: NONE, kind });
        let above = self.tree.nodes.get_mut(parent as usize)?;
        let before = std::mem::replace(&mut above.last, id);
        if before == NONE {
            above.first = id;
        } else if let Some(before) = self.tree.nodes.get_mut(before as usize) {
            before.next = id;
        }
        Some(id)
    }

    fn finish(mut self) -> Tree {
        let mut has_block = vec![false; self.tree.nodes.len()];
        for id in self.tree.ids().rev() {
            let is_one = is_block(self.tree.name(id)) || has_block.get(id as usize) == Some(&true);
            if is_one
                && let Some(above) = self.tree.parent(id).and_then(|above| has_block.get_mut(above as usize))
            {
                *above = true;
            }
        }
        self.tree.has_block = has_block;
        self.tree
    }
}
