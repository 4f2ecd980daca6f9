//! The steps of a turn: admit the question, ask the model, give the answer, close, save.

use std::sync::PoisonError;
use std::time::Duration;

use futures_util::StreamExt;
use mm_hooks::{Decision, HookContext, HookEvent, HookOutcome, HookRun, TokenCounts};
use mm_llm::{ChatEvent, ChatRequest, Reply, Usage, Waiting, watch};
use tokio_util::sync::CancellationToken;

use crate::stats::CallWatch;
use crate::{Answer, Ending, Event, Frontend, Session, SessionOptions, TurnError};

impl Session {
    /// Runs the hooks of an event and shows that they ran, and what they tell.
    pub(crate) async fn hooks(
        &self,
        event: HookEvent<'_>,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> HookOutcome {
        let SessionOptions { cwd, agent, model, .. } = &self.options;
        let mut outcome =
            self.parts.hooks.run(event, &HookContext { session: &self.id, cwd, agent, model, cancel }).await;
        for run in std::mem::take(&mut outcome.ran) {
            let (event, target) = (event.name(), event.target().map(str::to_owned));
            let HookRun { command, verdict, context_len } = run;
            ui.show(Event::HookRan { event, target, command, verdict, context_len }).await;
        }
        notices(std::mem::take(&mut outcome.notices), ui).await;
        outcome
    }

    /// Lets the hooks see the question; gives it as it goes to the model.
    pub(crate) async fn admit(
        &self,
        question: &str,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<String, TurnError> {
        let outcome = self.hooks(HookEvent::PreGeneration { prompt: question }, ui, cancel).await;
        match outcome.decision {
            Decision::Allow | Decision::Ask => {}
            Decision::Deny { reason } => return Err(TurnError::Refused { reason }),
            Decision::Stop { reason } => return Err(TurnError::Hook { reason }),
        }
        let question = outcome.prompt.unwrap_or_else(|| question.to_owned());
        Ok(with_context(question, outcome.context))
    }

    /// Asks the model, and once more after a compression where the conversation did not fit its window.
    pub(crate) async fn reply_that_fits(
        &mut self,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Reply, TurnError> {
        match self.reply(ui).await {
            Err(TurnError::Provider(error)) if error.is_context_overflow() && !self.compacted_to_fit => {
                self.compacted_to_fit = true;
                if self.compact_to_fit(ui, cancel).await { self.reply(ui).await } else { Err(error.into()) }
            }
            reply => reply,
        }
    }

    /// Asks the model once and shows what comes.
    async fn reply(&mut self, ui: &dyn Frontend) -> Result<Reply, TurnError> {
        ui.show(Event::Waiting).await;
        *self.silence.get_mut().unwrap_or_else(PoisonError::into_inner) = Duration::ZERO;
        let request = ChatRequest {
            model: &self.options.model,
            messages: self.history.messages(),
            tools: &self.specs,
            sampling: self.options.sampling.clone(),
            schema: self.options.format.as_ref().map(|format| format.schema()),
        };
        let (mut time, sent) = (CallWatch::start(), self.history.messages().len());
        let mut hidden = Hidden::new(self.options.format.is_some());
        let mut stream = watch(self.parts.provider.chat(&request), self.options.waits.clone());
        while let Some(event) = stream.next().await {
            let event = event?;
            time.saw(&event);
            self.draft.push(&event);
            if let Some(event) = shown(event).and_then(|event| hidden.shown(event)) {
                ui.show(event).await;
            }
        }
        let reply = std::mem::take(&mut self.draft);
        let usage = reply.usage.unwrap_or_default();
        self.usage = sum(self.usage, usage);
        let sent = self.history.messages().get(..sent).unwrap_or_default();
        self.counted.take(usage.prompt.unwrap_or_default(), sent, &self.specs);
        self.stats.called(&time, usage);
        Ok(reply)
    }

    /// Ends the turn that was answered. A hook that must not fail fails it even now: the answer stands in the history.
    pub(crate) async fn answer(
        &self,
        question: &str,
        text: String,
        notice: Option<String>,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnError> {
        if self.options.format.is_some() {
            ui.show(Event::Text { text: text.clone() }).await;
        }
        notices(notice, ui).await;
        self.parts.answers.add(&text);
        let (tool_calls, usage) = (self.tool_calls, counts(self.usage));
        let event = HookEvent::PostGeneration { prompt: question, answer: &text, usage, tool_calls };
        match self.hooks(event, ui, cancel).await.decision {
            Decision::Stop { reason } => Err(TurnError::Hook { reason }),
            // There is nothing left to refuse.
            Decision::Allow | Decision::Ask | Decision::Deny { .. } => {
                Ok(Answer { text, usage: self.usage, tool_calls })
            }
        }
    }

    /// Makes the history whole, with what had come of a reply that broke off.
    pub(crate) fn close(&mut self, error: Option<&TurnError>) {
        let Some(error) = error else { return };
        let ending = if error.is_interrupted() { Ending::Interrupted } else { Ending::Failed };
        let draft = std::mem::take(&mut self.draft);
        self.history.break_off(&draft.text, ending);
    }
}

pub(crate) async fn notices(texts: impl IntoIterator<Item = String>, ui: &dyn Frontend) {
    for text in texts {
        ui.show(Event::Notice { text }).await;
    }
}

/// Stands between a text for the model and a hook's words.
pub(crate) const FROM_HOOK: &str = "\n\n[from a hook]\n";

/// Adds a hook's words to a text for the model, marked as such.
pub(crate) fn with_context(text: String, context: Option<String>) -> String {
    match context {
        Some(context) => format!("{text}{FROM_HOOK}{context}"),
        None => text,
    }
}

/// Keeps back an answer that must be whole and checked before anybody sees it.
struct Hidden {
    hides: bool,
    told: bool,
}

impl Hidden {
    fn new(hides: bool) -> Self {
        Self { hides, told: false }
    }

    /// Gives the event to show.
    fn shown(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Text { .. } if self.hides => {
                (!std::mem::replace(&mut self.told, true)).then_some(Event::WritingAnswer)
            }
            Event::TextWasThinking if self.hides => None,
            event => Some(event),
        }
    }
}

/// Told when a call stands in the midst of other text, where nothing runs it.
const CALL_IN_TEXT: &str = "the model wrote a call as part of its text, and nothing was run: the server's tool \
                            parser does not fit the model (llama-server needs --jinja, or another chat template)";

/// What a reply waits for, where it is known.
pub(crate) fn waiting(event: &ChatEvent) -> Option<Event> {
    match event {
        ChatEvent::Waiting(Waiting::Loading) => Some(Event::ModelLoading),
        ChatEvent::Waiting(Waiting::Retry { after }) => Some(Event::Retrying { after: *after }),
        ChatEvent::PromptProgress { total, processed, .. } => {
            Some(Event::PromptProgress { processed: *processed, total: *total })
        }
        ChatEvent::Text(_)
        | ChatEvent::Reasoning(_)
        | ChatEvent::TextWasReasoning
        | ChatEvent::CallStarted { .. }
        | ChatEvent::CallArguments { .. }
        | ChatEvent::CallInText
        | ChatEvent::Usage(_)
        | ChatEvent::Finished(_) => None,
    }
}

fn shown(event: ChatEvent) -> Option<Event> {
    match event {
        ChatEvent::Waiting(_) | ChatEvent::PromptProgress { .. } => waiting(&event),
        ChatEvent::Text(text) => Some(Event::Text { text }),
        ChatEvent::Reasoning(text) => Some(Event::Thinking { text }),
        ChatEvent::TextWasReasoning => Some(Event::TextWasThinking),
        ChatEvent::CallStarted { name, .. } => Some(Event::WritingCall { name }),
        ChatEvent::CallInText => Some(Event::Notice { text: CALL_IN_TEXT.to_owned() }),
        ChatEvent::CallArguments { .. } | ChatEvent::Usage(_) | ChatEvent::Finished(_) => None,
    }
}

fn counts(usage: Usage) -> TokenCounts {
    let Usage { prompt, cached, completion, reasoning, tokens_per_second: _ } = usage;
    TokenCounts { prompt, cached, completion, reasoning }
}

pub(crate) fn sum(a: Usage, b: Usage) -> Usage {
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        // A server may say anything.
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    Usage {
        prompt: add(a.prompt, b.prompt),
        cached: add(a.cached, b.cached),
        completion: add(a.completion, b.completion),
        reasoning: add(a.reasoning, b.reasoning),
        tokens_per_second: b.tokens_per_second.or(a.tokens_per_second),
    }
}
