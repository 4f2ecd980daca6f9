//! The turn: from a question to its answer.

use tokio_util::sync::CancellationToken;

use crate::steps::notices;
use crate::{Answer, Ending, Event, Frontend, Outcome, Referee, Session, TurnError, Verdict};

impl Session {
    /// Asks a question and gives the answer, running the tools that the model calls on the way.
    ///
    /// Cancelling `cancel` ends it at once: the connection is closed and running tools are ended. However
    /// it ends, the history is valid and the next question works.
    ///
    /// # Errors
    /// See [`TurnError`]; each was also shown as the turn's [`Outcome`].
    pub async fn turn(
        &mut self,
        question: &str,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnError> {
        ui.show(Event::TurnStarted { question: question.to_owned() }).await;
        (self.draft, self.usage, self.tool_calls) = Default::default();
        self.stats.begin();
        self.compacted_to_fit = false;
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(TurnError::Interrupted),
            result = self.rounds(question, ui, cancel) => result,
        };
        self.close(result.as_ref().err());
        self.save(question, result.as_ref().err(), ui).await;
        let outcome = match &result {
            Ok(_) => Outcome::Answered,
            Err(TurnError::Interrupted) => Outcome::Interrupted,
            Err(error) => Outcome::Failed(error.to_string()),
        };
        ui.show(Event::TurnEnded { outcome, usage: self.usage }).await;
        result
    }

    async fn rounds(
        &mut self,
        question: &str,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnError> {
        let question = self.admit(question, ui, cancel).await?;
        self.compact_if_due(&question, ui, cancel).await;
        self.history.question(&question);
        self.questions += 1;
        let mut referee = Referee::new(self.limits()).for_format(self.options.format.clone());
        loop {
            referee.round()?;
            let reply = self.reply_that_fits(ui, cancel).await?;
            match referee.judge(&reply) {
                Verdict::Answer { part, notice } => {
                    self.history.reply(&reply.text, &[]);
                    let text = part.unwrap_or(reply.text);
                    return self.answer(&question, text, notice, ui, cancel).await;
                }
                Verdict::RunCalls { cut } => {
                    self.history.reply(&reply.text, &reply.calls);
                    self.run_calls(reply.calls, cut, &mut referee, ui, cancel).await?;
                }
                Verdict::Nudge { text, notice } => {
                    self.history.reply(&reply.text, &[]);
                    self.history.nudge(&text);
                    notices(notice, ui).await;
                }
                Verdict::Stop(error) if reply.calls.is_empty() => {
                    self.history.break_off(&reply.text, Ending::Failed);
                    return Err(error);
                }
                Verdict::Stop(error) => {
                    self.history.reply(&reply.text, &reply.calls);
                    return Err(error);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
