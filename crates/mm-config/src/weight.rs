//! What a value costs, and how much a file may spend.

use crate::document::{Node, Value};

/// The largest text, in bytes: that of the file, and that which its aliases stand for.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// How many values a file may have, what its aliases stand for counted as often as it is used.
pub(crate) const MAX_NODES: usize = 10_000;
/// How many lists and mappings may stand in one another.
pub(crate) const MAX_DEPTH: usize = 64;

/// The cost of a value. Aliases are cheap to write, so they are paid for by what they stand for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    pub(crate) nodes: usize,
    /// The text of keys and single values.
    pub(crate) bytes: usize,
    /// The lists and mappings in one another; none in a single value.
    pub(crate) height: usize,
}

impl Weight {
    /// A single value that stands in the text itself, whose length is limited already.
    pub(crate) const ONE: Self = Self { nodes: 1, bytes: 0, height: 0 };

    /// Adds up a finished value, which recurses no deeper than `MAX_DEPTH`.
    pub(crate) fn of(node: &Node) -> Self {
        let mut sum = Self::ONE;
        let mut add = |key: usize, child: Self| {
            sum.nodes += child.nodes;
            sum.bytes += key + child.bytes;
            sum.height = sum.height.max(child.height);
        };
        match &*node.value {
            Value::Scalar(scalar) => {
                return Self { bytes: scalar.text.len(), ..sum };
            }
            Value::Sequence(items) => items.iter().for_each(|item| add(0, Self::of(item))),
            Value::Mapping(entries) => {
                entries.iter().for_each(|entry| add(entry.key.len(), Self::of(&entry.value)));
            }
        }
        Self { height: sum.height + 1, ..sum }
    }
}
