//! The questions that were asked, as they were typed, so that one can be asked again or taken back.

use mm_session::{CompactError, Compacted};
use mm_tools::files::{Mark, Undone};
use mm_tools::output::visible;
use mm_tools::plan::Plan;
use tokio_util::sync::CancellationToken;

use super::Line;
use crate::command::Flow;
use crate::signals::Wish;

/// A question and where the files stood before it.
#[derive(Debug)]
pub(super) struct Asked {
    typed: String,
    files: Mark,
    plan: Option<Plan>,
}

impl Line {
    /// Takes note of a question before it is asked.
    pub(super) fn note(&mut self, typed: &str) {
        let (files, plan) = (self.engine.files.mark(), self.engine.session.plan());
        self.asked.push(Asked { typed: typed.to_owned(), files, plan });
    }

    /// Forgets a question that did not enter the conversation: `before` is how many were in it.
    pub(super) fn forget_unless_asked(&mut self, before: usize) {
        if self.engine.session.questions() == before {
            self.asked.pop();
        }
    }

    /// Forgets the questions: another conversation begins.
    pub(crate) fn forget_questions(&mut self) {
        self.asked.clear();
    }

    /// Compresses the conversation, until the user interrupts it.
    pub(crate) async fn compact(&mut self, wanted: &str) -> Result<Compacted, CompactError> {
        let cancel = CancellationToken::new();
        let Self { engine, ui, signals, killed, .. } = self;
        let mut compacting = std::pin::pin!(engine.session.compact(wanted, &*ui, &cancel));
        loop {
            tokio::select! {
                compacted = &mut compacting => return compacted,
                wish = signals.next() => {
                    *killed |= wish == Wish::End;
                    cancel.cancel();
                }
            }
        }
    }

    /// Waits for a program that has the terminal, and asks it to end when this one has to. What Ctrl-C means is its own.
    pub(crate) async fn while_lent<T>(
        &mut self,
        work: impl Future<Output = T>,
        end: &CancellationToken,
    ) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                wish = self.signals.next() => if wish == Wish::End {
                    self.killed = true;
                    end.cancel();
                }
            }
        }
    }

    /// Whether the program has to end.
    pub(crate) fn is_ending(&self) -> bool {
        self.killed
    }

    /// Shows what the model thinks from now on, or no longer; gives which.
    pub(crate) fn toggle_thinking(&mut self) -> bool {
        self.ui.presenter.toggle_thinking()
    }

    /// Forgets a Ctrl-C that was meant for a program that had the terminal.
    pub(crate) fn forget_interrupts(&mut self) {
        self.signals.forget_interrupts();
    }

    /// Asks the last question once more, in place of what came of it.
    pub(crate) async fn retry(&mut self) -> Flow {
        let Some(question) = self.engine.session.take_back(&self.ui).await else {
            return self.failed("there is no question to ask again".to_owned()).await;
        };
        // Of a conversation that was resumed nobody knows what was typed.
        let typed = self.asked.pop().map_or(question, |asked| asked.typed);
        self.output.other(format!("> {}\n", visible(&typed))).await;
        self.ask(&typed).await
    }

    /// Takes the last question back, with what the file tools wrote for it; gives it as it was typed.
    pub(crate) async fn undo(&mut self) -> Option<(String, Vec<Undone>)> {
        let question = self.engine.session.take_back(&self.ui).await?;
        match self.asked.pop() {
            Some(asked) => {
                self.engine.session.set_plan(asked.plan);
                Some((asked.typed, self.engine.files.undo(asked.files).await))
            }
            None => Some((question, Vec::new())),
        }
    }
}
