//! Types that contain themselves so that no finite answer exists.

use super::names::Names;
use super::parser::{Declared, Presence, Shape};

/// The first type, in the order of declarations, that is part of such a circle.
///
/// Tarjan's search for strongly connected components, with a stack of its own: a chain of types is as long as the
/// block.
pub(super) fn first<'t, 'a>(types: &'t [Declared<'a>], names: &Names<'_>) -> Option<&'t Declared<'a>> {
    let mut search = Search::default();
    for declared in types {
        let mut needs = Vec::new();
        collect(&declared.shape, names, &mut needs);
        search.nodes.push(Node { needs, ..Node::default() });
    }
    (0..types.len()).for_each(|start| search.visit(start));
    search.first.and_then(|index| types.get(index))
}

/// The declared types that every value of a type contains.
fn collect(shape: &Shape<'_>, names: &Names<'_>, needs: &mut Vec<usize>) {
    match shape {
        Shape::Named(name) => needs.extend(names.get(name)),
        // Those may be empty.
        Shape::List(_) | Shape::Map(_) => {}
        Shape::Struct(fields) => {
            let always = fields.iter().filter(|field| field.presence == Presence::Always);
            always.for_each(|field| collect(&field.shape, names, needs));
        }
    }
}

#[derive(Default)]
struct Node {
    needs: Vec<usize>,
    /// How many of `needs` have been followed.
    followed: usize,
    /// When it was met first, from 1; 0 is not yet.
    met: usize,
    /// The earliest node that it leads back to.
    low: usize,
    is_open: bool,
}

#[derive(Default)]
struct Search {
    nodes: Vec<Node>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    met: usize,
    /// The first node of any circle so far.
    first: Option<usize>,
}

impl Search {
    fn visit(&mut self, start: usize) {
        if self.nodes.get(start).is_none_or(|node| node.met > 0) {
            return;
        }
        let mut path = Vec::new();
        let mut next = Some(start);
        loop {
            if let Some(index) = next.take() {
                self.meet(index);
                path.push(index);
            }
            let Some(&index) = path.last() else { return };
            match self.follow(index) {
                Some(needed) => next = self.look(index, needed),
                None => {
                    path.pop();
                    self.leave(index, path.last().copied());
                }
            }
        }
    }

    fn meet(&mut self, index: usize) {
        self.met += 1;
        self.open.push(index);
        if let Some(node) = self.nodes.get_mut(index) {
            (node.met, node.low, node.is_open) = (self.met, self.met, true);
        }
    }

    fn follow(&mut self, index: usize) -> Option<usize> {
        let node = self.nodes.get_mut(index)?;
        let needed = node.needs.get(node.followed).copied();
        node.followed += 1;
        needed
    }

    /// Gives the needed node if it has not been met, else takes note of where it leads.
    fn look(&mut self, index: usize, needed: usize) -> Option<usize> {
        let (met, is_open) = self.nodes.get(needed).map(|node| (node.met, node.is_open))?;
        if met == 0 {
            return Some(needed);
        }
        if index == needed {
            self.found(index);
        }
        if is_open {
            self.lower(index, met);
        }
        None
    }

    fn leave(&mut self, index: usize, parent: Option<usize>) {
        let Some((met, low)) = self.nodes.get(index).map(|node| (node.met, node.low)) else { return };
        if let Some(parent) = parent {
            self.lower(parent, low);
        }
        if met == low {
            self.close(index);
        }
    }

    /// Takes a component off the stack; one of several nodes is a circle.
    fn close(&mut self, root: usize) {
        let mut is_single = true;
        while let Some(index) = self.open.pop() {
            if let Some(node) = self.nodes.get_mut(index) {
                node.is_open = false;
            }
            if !(index == root && is_single) {
                self.found(index);
            }
            if index == root {
                return;
            }
            is_single = false;
        }
    }

    fn lower(&mut self, index: usize, low: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.low = node.low.min(low);
        }
    }

    fn found(&mut self, index: usize) {
        self.first = Some(self.first.map_or(index, |first| first.min(index)));
    }
}
