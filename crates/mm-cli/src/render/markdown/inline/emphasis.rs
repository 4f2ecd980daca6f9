//! Which runs of `*`, `_` and `~` belong together, by the rules of CommonMark.

use crate::render::markdown::Paint;
use crate::render::markdown::style::{Span, Style};

/// A part of a line.
#[derive(Debug)]
pub(super) enum Node {
    /// Text that is decided.
    Spans(Vec<Span>),
    /// Marks that may begin or end something.
    Run(Run),
}

/// Several of the same mark.
#[derive(Debug)]
pub(super) struct Run {
    mark: char,
    /// As many as were written.
    count: usize,
    /// As many as have no other half.
    left: usize,
    opens: bool,
    closes: bool,
}

impl Node {
    /// A run of marks between two characters.
    pub(super) fn run(mark: char, count: usize, before: char, after: char) -> Self {
        let is_space = |c: char| c.is_whitespace();
        let is_other = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let left = !is_space(after) && (!is_other(after) || is_space(before) || is_other(before));
        let right = !is_space(before) && (!is_other(before) || is_space(after) || is_other(after));
        let (opens, closes) = match mark {
            '_' => (left && (!right || is_other(before)), right && (!left || is_other(after))),
            '~' => (left && count == 2, right && count == 2),
            _ => (left, right),
        };
        Self::Run(Run { mark, count, left: count, opens, closes })
    }

    /// Gives the text over a look that all of the block has.
    pub(super) fn spans(self, base: Style, paint: Paint, out: &mut Vec<Span>) {
        match self {
            Self::Spans(spans) => {
                out.extend(spans.into_iter().map(|span| Span { style: base.and(span.style), ..span }));
            }
            Self::Run(run) => {
                let count = if paint == Paint::Nothing { run.count } else { run.left };
                out.push(Span::new(run.mark.to_string().repeat(count), base));
            }
        }
    }
}

/// Finds the halves that belong together and gives what is between them its look. Gives the first run that may begin
/// something and has not ended.
pub(super) fn pair(nodes: &mut [Node]) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..nodes.len() {
        while let Some(position) = opener(nodes, &open, at) {
            let Some(begin) = open.get(position).copied() else { break };
            let used = close(nodes, begin, at);
            open.truncate(position + usize::from(used == Left::Some));
        }
        if matches!(nodes.get(at), Some(Node::Run(run)) if run.opens && run.left > 0) {
            open.push(at);
        }
    }
    open.first().copied()
}

/// Whether a run that began something has marks left.
#[derive(PartialEq, Eq)]
enum Left {
    None,
    Some,
}

/// The place among the open runs of the one that a run ends.
fn opener(nodes: &[Node], open: &[usize], at: usize) -> Option<usize> {
    let Some(Node::Run(end)) = nodes.get(at) else { return None };
    if !end.closes || end.left == 0 {
        return None;
    }
    open.iter().rposition(|begin| match nodes.get(*begin) {
        Some(Node::Run(begin)) => {
            let is_both = begin.closes || end.opens;
            let sum_counts = is_both && (begin.count + end.count) % 3 == 0;
            let are_threes = begin.count % 3 == 0 && end.count % 3 == 0;
            begin.mark == end.mark && (!sum_counts || are_threes)
        }
        Some(Node::Spans(_)) | None => false,
    })
}

/// Takes the marks of two runs that belong together and gives what is between them its look.
fn close(nodes: &mut [Node], begin: usize, end: usize) -> Left {
    let left = |node: Option<&Node>| match node {
        Some(Node::Run(run)) => run.left,
        Some(Node::Spans(_)) | None => 0,
    };
    let is_strong = left(nodes.get(begin)) > 1 && left(nodes.get(end)) > 1;
    let used = if is_strong { 2 } else { 1 };
    let mut style = if is_strong { Style::BOLD } else { Style::ITALIC };
    for at in [begin, end] {
        if let Some(Node::Run(run)) = nodes.get_mut(at) {
            run.left = run.left.saturating_sub(used);
            if run.mark == '~' {
                style = Style::STRUCK;
            }
        }
    }
    for node in nodes.get_mut(begin + 1..end).unwrap_or_default() {
        match node {
            Node::Spans(spans) => spans.iter_mut().for_each(|span| span.style = style.and(span.style)),
            // Marks without another half are text.
            Node::Run(run) => {
                let text = run.mark.to_string().repeat(run.left);
                if run.left == run.count {
                    *node = Node::Spans(vec![Span::new(text, style)]);
                }
            }
        }
    }
    if left(nodes.get(begin)) > 0 { Left::Some } else { Left::None }
}
