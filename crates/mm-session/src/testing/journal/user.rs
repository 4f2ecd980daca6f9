//! The user of a journal: sees everything, answers what is asked, interrupts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mm_llm::Usage;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::tools::Results;
use super::{Confirmed, JournalError};
use crate::{Compacted, ConfirmRequest, Confirmation, Event, Frontend, Outcome};

/// What stands for a time and for tokens per second.
const TIME: &str = "<time>";
const SPEED: &str = "<speed>";

pub(super) struct User {
    results: Arc<Results>,
    interrupt_at: Option<usize>,
    // A front end is shared; held only for a push or a pop.
    state: Mutex<State>,
}

struct State {
    told: Vec<Value>,
    answers: VecDeque<Confirmed>,
    unanswered: usize,
    cancel: CancellationToken,
}

impl User {
    pub(super) fn new(answers: &[Confirmed], interrupt_at: Option<usize>, results: Arc<Results>) -> Self {
        let answers = answers.iter().cloned().collect();
        let state = State { told: Vec::new(), answers, unanswered: 0, cancel: CancellationToken::new() };
        Self { results, interrupt_at, state: Mutex::new(state) }
    }

    /// Begins a turn; gives what an interruption cancels.
    pub(super) fn begin(&self) -> CancellationToken {
        let cancel = CancellationToken::new();
        self.state().cancel = cancel.clone();
        cancel
    }

    /// What was shown and asked so far.
    pub(super) fn told(&self) -> Vec<Value> {
        self.state().told.clone()
    }

    /// Says what was missing, or left over.
    pub(super) fn check(&self) -> Result<(), JournalError> {
        let state = self.state();
        if state.unanswered > 0 {
            return Err(JournalError::unsound(format!("{} confirmations are missing", state.unanswered)));
        }
        if !state.answers.is_empty() {
            let why = format!("{} of the confirmations were not needed", state.answers.len());
            return Err(JournalError::unsound(why));
        }
        match self.interrupt_at {
            Some(at) if at >= state.told.len() => {
                Err(JournalError::unsound(format!("there is no event {at} to interrupt at")))
            }
            _ => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was shown or asked; true when the user interrupts at it.
    fn tell(&self, event: Value) -> bool {
        let mut state = self.state();
        if state.told.last_mut().is_some_and(|last| goes_on(last, &event)) {
            return false;
        }
        let interrupts = self.interrupt_at == Some(state.told.len());
        if interrupts {
            state.cancel.cancel();
        }
        state.told.push(event);
        interrupts
    }
}

#[async_trait]
impl Frontend for User {
    async fn show(&self, event: Event) {
        match &event {
            Event::ToolStarted { id, name, .. } => self.results.started(id, name),
            Event::ToolFinished { id, .. } => self.results.finished(id),
            _ => {}
        }
        if self.tell(told(event)) {
            // Nothing more of the turn happens before it sees the interruption.
            tokio::task::yield_now().await;
        }
    }

    async fn confirm(&self, request: ConfirmRequest<'_>) -> Confirmation {
        let ConfirmRequest { tool, summary, arguments, risk: _, diff: _ } = request;
        let answer = {
            let mut state = self.state();
            // Whoever interrupts instead of an answer gives none.
            let interrupts = self.interrupt_at == Some(state.told.len());
            if interrupts { None } else { state.answers.pop_front() }
        };
        let said = serde_json::to_value(&answer).unwrap_or_default();
        let asked = json!({
            "event": "asked", "tool": tool, "summary": summary, "arguments": arguments, "answer": said
        });
        if self.tell(asked) {
            std::future::pending::<()>().await;
        }
        answer.map(Confirmation::from).unwrap_or_else(|| {
            self.state().unanswered += 1;
            Confirmation::Refuse
        })
    }
}

/// Adds a piece of text to the one before it: how many come together is a matter of time.
fn goes_on(last: &mut Value, event: &Value) -> bool {
    let is_piece = matches!(event["event"].as_str(), Some("text" | "thinking"));
    match (last, event["text"].as_str()) {
        (Value::Object(last), Some(text)) if is_piece && last.get("event") == event.get("event") => {
            if let Some(Value::String(before)) = last.get_mut("text") {
                before.push_str(text);
            }
            true
        }
        _ => false,
    }
}

/// An event as a journal has it.
fn told(event: Event) -> Value {
    match event {
        Event::TurnStarted { question } => json!({"event": "turn_started", "question": question}),
        Event::Waiting => json!({"event": "waiting"}),
        Event::ModelLoading => json!({"event": "model_loading"}),
        Event::Retrying { after: _ } => json!({"event": "retrying", "after": TIME}),
        Event::PromptProgress { processed, total } => {
            json!({"event": "prompt_progress", "processed": processed, "total": total})
        }
        Event::Thinking { text } => json!({"event": "thinking", "text": text}),
        Event::Text { text } => json!({"event": "text", "text": text}),
        Event::TextWasThinking => json!({"event": "text_was_thinking"}),
        Event::WritingAnswer => json!({"event": "writing_answer"}),
        Event::WritingCall { name } => json!({"event": "writing_call", "name": name}),
        Event::ToolStarted { id, name, kind: _, summary, mended } => {
            json!({"event": "tool_started", "id": id, "name": name, "summary": summary, "mended": mended})
        }
        Event::ToolProgress { id, text } => json!({"event": "tool_progress", "id": id, "text": text}),
        Event::ToolFinished { id, name, ok, result, elapsed: _ } => json!({
            "event": "tool_finished", "id": id, "name": name, "ok": ok, "result": result, "elapsed": TIME
        }),
        Event::HookRan { event, target, command, verdict, context_len } => json!({
            "event": "hook_ran", "at": event, "target": target, "command": command,
            "decision": verdict.to_string(), "contextLength": context_len,
        }),
        Event::PlanChanged { plan } => {
            json!({"event": "plan_changed", "plan": plan.map(|plan| plan.to_string())})
        }
        Event::Compacting => json!({"event": "compacting"}),
        Event::Compacted(Compacted { id, summary, messages, tokens, elapsed: _ }) => json!({
            "event": "compacted", "id": id, "summary": summary, "messages": [messages.0, messages.1],
            "tokens": [tokens.0, tokens.1], "elapsed": TIME,
        }),
        Event::Notice { text } => json!({"event": "notice", "text": text}),
        Event::SaveFailed { why } => json!({"event": "save_failed", "why": why}),
        Event::TurnEnded { outcome, usage: counts } => {
            let outcome = match outcome {
                Outcome::Answered => json!("answered"),
                Outcome::Interrupted => json!("interrupted"),
                Outcome::Failed(why) => json!({"failed": why}),
            };
            json!({"event": "turn_ended", "outcome": outcome, "usage": usage(counts)})
        }
    }
}

/// Token counts as a journal has them: what the server did not give is not there.
pub(super) fn usage(counts: Usage) -> Value {
    let Usage { prompt, cached, completion, reasoning, tokens_per_second } = counts;
    let counts = [
        ("prompt", prompt.map(Value::from)),
        ("cached", cached.map(Value::from)),
        ("completion", completion.map(Value::from)),
        ("reasoning", reasoning.map(Value::from)),
        ("tokens_per_second", tokens_per_second.map(|_| Value::from(SPEED))),
    ];
    let known = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?)));
    Value::Object(known.collect::<Map<_, _>>())
}
