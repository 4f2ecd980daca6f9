//! Compression: a summary in the place of what was said long ago.
//!
//! The summary is asked for behind the very messages that it replaces, with the tools as they are declared, so that the
//! server has all but the last lines in its cache. What is taken out goes to the [`Archive`](crate::tools::Archive).

mod error;
mod measure;

use std::time::Duration;

use futures_util::StreamExt;
use mm_llm::{ChatRequest, FinishReason, Limit, Message, Reply, WaitLimits, watch};
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use error::CompactError;
pub(crate) use measure::Counted;

use crate::store::{Compression, now};
use crate::{Event, Frontend, Session};

/// What every summary in a history begins with.
pub(crate) const SUMMARY: &str = "[summary of the conversation so far, archived as";

/// When and how a conversation is compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactOptions {
    /// Whether it is by itself; [`Session::compact`] works in any case.
    pub enabled: bool,
    /// The percentage of the window above which it is due.
    pub threshold: u8,
    /// The number of messages at which it is due; 0 for never.
    pub max_messages: usize,
    /// The last questions that stay as they are, with all that belongs to them.
    pub keep_last_turns: usize,
    /// What the model is told to do; the built-in words when empty.
    pub prompt: String,
    /// Further keys of the request, with the limit of tokens and without thinking.
    pub sampling: Map<String, Value>,
    /// How long the server may be silent.
    pub waits: WaitLimits,
}

impl Default for CompactOptions {
    /// The defaults of `mm`: not by itself, 75%, 80 messages, 3 questions stay, 1,200 tokens, 40 seconds between two.
    fn default() -> Self {
        Self {
            enabled: false,
            threshold: 75,
            max_messages: 80,
            keep_last_turns: 3,
            prompt: String::new(),
            sampling: Map::from_iter([("max_tokens".to_owned(), 1_200.into())]),
            waits: WaitLimits {
                first: Limit { text: "3m".into(), ..Limit::seconds(180) },
                between: Limit::seconds(40),
            },
        }
    }
}

/// What a compression did.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// What the conversation's archive knows the messages by that were taken out.
    pub id: String,
    /// The summary in their place.
    pub summary: String,
    /// Messages before and after, the system message apart.
    pub messages: (usize, usize),
    /// Tokens before and after, estimated where nobody counted.
    pub tokens: (u64, u64),
    /// How long it took.
    pub elapsed: Duration,
}

impl Session {
    /// Puts a summary in the place of all but the last questions, and keeps the conversation. `wanted` says what it
    /// must hold above all, and may be empty.
    ///
    /// # Errors
    /// See [`CompactError`]; the conversation is as it was then.
    pub async fn compact(
        &mut self,
        wanted: &str,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Compacted, CompactError> {
        let compacted = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(CompactError::Interrupted),
            compacted = self.summed_up(wanted, ui) => compacted,
        };
        match &compacted {
            Ok(compacted) => {
                ui.show(Event::Compacted(compacted.clone())).await;
                self.save_as_it_is("", ui).await;
            }
            Err(error) if error.is_nothing() || error.is_interrupted() || error.is_not_shorter() => {}
            Err(error) => self.shown_error("compression", &error.to_string()).await,
        }
        compacted
    }

    /// Compresses if it is due before a question, and says what is in the way; the question is asked in any case.
    pub(crate) async fn compact_if_due(
        &mut self,
        question: &str,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) {
        let options = &self.options.compact;
        let question = measure::estimate(&[Message::User(question.to_owned())]);
        let tokens = self.tokens().saturating_add(question);
        let messages = self.without_system();
        if !options.enabled || tokens < self.hold_until {
            return;
        }
        if !measure::is_due(options, self.options.window, tokens, messages) {
            return;
        }
        if !self.is_worth_it() {
            return self.hold(question);
        }
        match self.compact("", ui, cancel).await {
            Ok(_) => self.tell_if_still_full(question, ui).await,
            Err(error) if error.is_interrupted() || error.is_nothing() => {}
            Err(error) => {
                not_compressed(&error, ui).await;
                self.hold(question);
            }
        }
    }

    /// Compresses once after the server said that the conversation does not fit. True when it is worth asking again.
    pub(crate) async fn compact_to_fit(&mut self, ui: &dyn Frontend, cancel: &CancellationToken) -> bool {
        if !self.options.compact.enabled {
            return false;
        }
        match self.compact("", ui, cancel).await {
            Ok(_) => true,
            Err(error) if error.is_nothing() || error.is_interrupted() => false,
            Err(error) => {
                not_compressed(&error, ui).await;
                false
            }
        }
    }

    /// Tokens of the conversation with its tools, as well as that is known.
    pub fn tokens(&self) -> u64 {
        measure::size(self.history.messages(), &self.specs, self.counted)
    }

    async fn summed_up(&mut self, wanted: &str, ui: &dyn Frontend) -> Result<Compacted, CompactError> {
        let begun = Instant::now();
        let messages = self.history.messages();
        let range =
            measure::cut(messages, self.options.compact.keep_last_turns).ok_or(CompactError::Nothing)?;
        let before = (self.without_system(), self.tokens());
        let old = measure::estimate(messages.get(range.clone()).unwrap_or_default());
        let asked = self.asked_for_summary(range.end, wanted);
        ui.show(Event::Compacting).await;
        let summary = self.summary(&asked, ui).await?;
        let id = self.parts.archive.next_id();
        let text = format!("{SUMMARY} {id}]\n{summary}");
        let new = measure::estimate(&[Message::User(text.clone())]);
        if new >= old {
            return Err(CompactError::NotShorter { before: old, after: new });
        }
        let taken = self.history.replace(range, text);
        self.parts.archive.add(Compression {
            id: id.clone(),
            at: now(),
            summary: summary.clone(),
            messages: taken,
        });
        self.counted.forget();
        self.hold_until = 0;
        let messages = (before.0, self.without_system());
        let tokens = (before.1, self.tokens());
        Ok(Compacted { id, summary, messages, tokens, elapsed: begun.elapsed() })
    }

    /// The messages that the model sums up, and behind them the wish for it. Where they may not fit the window, what
    /// is long in them is shortened.
    fn asked_for_summary(&self, end: usize, wanted: &str) -> Vec<Message> {
        let prompt = &self.options.compact.prompt;
        let mut wish = if prompt.trim().is_empty() { PROMPT.to_owned() } else { prompt.clone() };
        if !wanted.trim().is_empty() {
            wish.push_str(&format!("\nAbove all keep: {}", wanted.trim()));
        }
        let mut asked = self.history.messages().get(..end).unwrap_or_default().to_vec();
        asked.push(Message::User(wish));
        let limit = self.max_summary().unwrap_or_default();
        let room = self.options.window.map(|window| window.saturating_sub(limit));
        let template = self.counted.template;
        let full = measure::size(&asked, &self.specs, Counted { template, ..Counted::default() });
        if room.is_some_and(|room| full > room) {
            let last = asked.len() - 1;
            asked.iter_mut().take(last).for_each(shorten);
        }
        asked
    }

    async fn summary(&mut self, asked: &[Message], ui: &dyn Frontend) -> Result<String, CompactError> {
        let options = &self.options.compact;
        let request = ChatRequest {
            model: &self.options.model,
            messages: asked,
            tools: &self.specs,
            sampling: options.sampling.clone(),
            schema: None,
        };
        let mut stream = watch(self.parts.provider.chat(&request), options.waits.clone());
        let mut reply = Reply::default();
        while let Some(event) = stream.next().await {
            let event = event?;
            reply.push(&event);
            if let Some(waiting) = crate::steps::waiting(&event) {
                ui.show(waiting).await;
            }
        }
        self.stats.summarized(reply.usage.unwrap_or_default());
        self.read_summary(reply)
    }

    fn read_summary(&self, reply: Reply) -> Result<String, CompactError> {
        let max_tokens = self.max_summary().unwrap_or_default();
        let summary = reply.text.trim();
        match (&reply.finish, reply.calls.first()) {
            (Some(FinishReason::Length), _) if summary.is_empty() => {
                Err(CompactError::OnlyReasoning { max_tokens })
            }
            (Some(FinishReason::Length), _) => Err(CompactError::CutOff { max_tokens }),
            (_, Some(call)) => Err(CompactError::Called { tool: call.name.clone() }),
            (Some(FinishReason::Other(word)), _) => Err(CompactError::Ended(word.clone())),
            _ if summary.is_empty() => Err(CompactError::Empty),
            (Some(FinishReason::Stop | FinishReason::ToolCalls) | None, None) => Ok(summary.to_owned()),
        }
    }

    fn max_summary(&self) -> Option<u64> {
        self.options.compact.sampling.get("max_tokens").and_then(Value::as_u64)
    }

    /// Whether what would be taken out is a fifth of the conversation.
    fn is_worth_it(&self) -> bool {
        let messages = self.history.messages();
        let range = measure::cut(messages, self.options.compact.keep_last_turns);
        let old = range.and_then(|range| messages.get(range)).map_or(0, measure::estimate);
        old * 5 >= measure::estimate(messages)
    }

    /// Waits until the conversation has grown by a fifth.
    fn hold(&mut self, question: u64) {
        let tokens = self.tokens().saturating_add(question);
        self.hold_until = tokens.saturating_add(tokens / 5);
    }

    async fn tell_if_still_full(&mut self, question: u64, ui: &dyn Frontend) {
        let tokens = self.tokens().saturating_add(question);
        let Some(window) = self.options.window else { return };
        let threshold = self.options.compact.threshold;
        if measure::percent(tokens, window) <= f64::from(threshold) {
            return;
        }
        self.hold(question);
        if std::mem::replace(&mut self.told_full, true) {
            return;
        }
        let system = self.history.messages().split_first().map_or(0, |(first, _)| match first {
            Message::System(_) => measure::estimate(std::slice::from_ref(first)),
            Message::User(_) | Message::Assistant { .. } | Message::Tool { .. } => 0,
        });
        let fixed = system + measure::estimate_tools(&self.specs);
        let text = format!(
            "the conversation is still above context.threshold: ~{tokens} of {window} tokens ({threshold}% are {}), \
             ~{fixed} of them for the system message and the tools",
            u128::from(window) * u128::from(threshold) / 100
        );
        ui.show(Event::Notice { text }).await;
    }

    fn without_system(&self) -> usize {
        let is_system = |message: &&Message| matches!(message, Message::System(_));
        self.history.messages().iter().filter(|message| !is_system(message)).count()
    }
}

async fn not_compressed(error: &CompactError, ui: &dyn Frontend) {
    ui.show(Event::Notice { text: format!("the conversation was not compressed: {error}") }).await;
}

/// The most bytes of a result and of another text in messages that are shortened.
const SHORT_RESULT: usize = 600;
const SHORT_TEXT: usize = 2_000;

/// Leaves the beginning of a long text.
fn shorten(message: &mut Message) {
    let (text, most) = match message {
        Message::System(_) => return,
        Message::Tool { text, .. } => (text, SHORT_RESULT),
        Message::User(text) | Message::Assistant { text, .. } => (text, SHORT_TEXT),
    };
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str(" […]");
    }
}

/// What the model is told to do, unless the configuration says otherwise.
const PROMPT: &str = "\
Sum up the conversation so far. Your summary takes the place of it, and you go on from there, so keep what you will need:
- what the user wants, decided and prefers
- what was done, with which files, commands and results
- names, paths, numbers and code that still matter
- what failed and why, and what is left to do
Leave out greetings and what is settled. Write short notes, without an introduction. Do not call a tool.";

#[cfg(test)]
mod tests;
