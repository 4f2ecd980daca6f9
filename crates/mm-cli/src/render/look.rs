//! How the events of a conversation look.

use super::markdown::{Columns, Paint};

/// How things look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Lines of a tool's output.
    pub(crate) preview_lines: usize,
    /// Whether thinking is shown.
    pub(crate) show_thinking: bool,
    /// Whether the hooks that ran are shown.
    pub(crate) show_hooks: bool,
    /// Whether each compression is told.
    pub(crate) show_compressions: bool,
    /// How answers come.
    pub(crate) answers: Answers,
    /// Whether less important text is dimmed, and diffs have colours.
    pub(crate) dim: bool,
    /// Whether what was done is listed behind an answer.
    pub(crate) lists_done: bool,
}

/// How answers come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// As the model writes them, by whole lines: a pipe gets no half ones.
    WholeLines,
    /// As the model writes them, but for what would act on a terminal.
    AsWritten,
    /// Markdown, laid out.
    Markdown(Paint, Columns),
}
