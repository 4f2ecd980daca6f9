//! What a bench needs of the program: the way of an answer to a terminal, without the terminal.

use mm_session::{Event, Outcome};

use crate::render::{Answers, Columns, Look, Paint, Shown, Writer};

/// A terminal that shows an answer.
#[derive(Debug)]
pub struct Terminal(Writer);

impl Terminal {
    /// A terminal of so many columns.
    pub fn new(columns: usize) -> Self {
        let answers = Answers::Markdown(Paint::Colours, Columns::Fixed(columns));
        Self(Writer::new(Look {
            preview_lines: 20,
            show_thinking: true,
            show_hooks: true,
            show_compressions: true,
            answers,
            dim: true,
            lists_done: false,
        }))
    }

    /// Shows a piece of the answer; gives how many bytes that takes.
    pub fn show(&mut self, text: &str) -> usize {
        self.take(Event::Text { text: text.to_owned() })
    }

    /// Ends the answer; gives how many bytes that takes.
    pub fn end(&mut self) -> usize {
        self.take(Event::TurnEnded { outcome: Outcome::Answered, usage: mm_llm::Usage::default() })
    }

    fn take(&mut self, event: Event) -> usize {
        let bytes = |shown: Shown| match shown {
            Shown::Answer(text) | Shown::Other(text) => text.len(),
            Shown::Spinner(_) => 0,
        };
        self.0.take(event).into_iter().map(bytes).sum()
    }
}
