//! The front ends: who shows a turn and answers for the user.

pub(crate) mod line;
pub(crate) mod once;
mod stdin;

use std::sync::{Mutex, PoisonError};

use mm_session::Event;

use crate::output::Output;
use crate::render::{Look, Shown, Writer};

/// Shows events on the terminal; shared by the front ends that write lines.
#[derive(Debug)]
pub(crate) struct Presenter {
    output: Output,
    // `show` has only a shared reference; held while an event becomes text, never while that is written.
    writer: Mutex<Writer>,
}

impl Presenter {
    pub(crate) fn new(output: Output, look: Look) -> Self {
        Self { output, writer: Mutex::new(Writer::new(look)) }
    }

    /// Shows thinking from now on, or no longer; gives which.
    pub(crate) fn toggle_thinking(&self) -> bool {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).toggle_thinking()
    }

    pub(crate) async fn show(&self, event: Event) {
        self.put(event, true).await;
    }

    /// Shows all but the answer, which a program reads.
    pub(crate) async fn show_beside(&self, event: Event) {
        self.put(event, false).await;
    }

    async fn put(&self, event: Event, with_answer: bool) {
        let shown = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take(event);
        if shown.is_empty() || self.output.gone().is_cancelled() {
            return; // nobody reads the answer any more, and the end is quiet
        }
        for shown in shown {
            match shown {
                Shown::Answer(text) if with_answer => self.output.answer(text).await,
                Shown::Answer(_) => {}
                Shown::Other(text) => self.output.other(text).await,
                Shown::Spinner(phase) => self.output.spinner(phase.as_deref()).await,
            }
        }
    }
}
