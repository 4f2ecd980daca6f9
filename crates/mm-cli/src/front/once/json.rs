//! `-p --output json` and `stream-json`: the answer for programs. People still read stderr.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mm_llm::Usage;
use mm_session::{ConfirmRequest, Confirmation, Event, Frontend, Outcome};
use mm_tools::plan::{Plan, Step};
use serde_json::{Value, json};

use crate::front::Presenter;
use crate::output::Output;

/// What stdout carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// One object at the end.
    Object,
    /// One object a line as things happen.
    Events,
}

/// Shows a turn to a program on stdout, and to people on stderr.
#[derive(Debug)]
pub(super) struct Json {
    carries: Carries,
    /// Whether the hooks that ran are told.
    tells_hooks: bool,
    presenter: Presenter,
    output: Output,
    /// What happened so far; `show` has only a shared reference.
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    calls: Vec<Call>,
    /// The text since the last call.
    text: String,
    end: Option<(Outcome, Usage)>,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    summary: String,
    begun: Instant,
    end: Option<CallEnd>,
}

/// How a call ended; there is no result when the turn ended first.
#[derive(Clone, Debug)]
struct CallEnd {
    ok: bool,
    result: Option<String>,
    elapsed: Duration,
}

impl Json {
    pub(super) fn new(carries: Carries, tells_hooks: bool, presenter: Presenter, output: Output) -> Self {
        Self { carries, tells_hooks, presenter, output, seen: Mutex::default() }
    }

    /// Prints what a turn came to: its answer, or the words of its error.
    pub(super) async fn end(&self, answer: Result<&str, String>) {
        let mut seen = std::mem::take(&mut *self.seen());
        let (outcome, counts) = seen.end.take().unwrap_or((Outcome::Interrupted, Usage::default()));
        let error = answer.as_ref().err();
        let object = match self.carries {
            Carries::Events => json!({
                "type": "turn_ended", "outcome": word(&outcome), "error": error, "usage": usage(&counts),
            }),
            Carries::Object => json!({
                "answer": answer.as_ref().ok(),
                "partial": error.and((!seen.text.is_empty()).then_some(&seen.text)),
                "usage": usage(&counts),
                "toolCalls": seen.calls.iter().map(Call::told).collect::<Vec<_>>(),
                "error": error,
            }),
        };
        self.output.answer(format!("{object}\n")).await;
    }

    /// Takes note of an event; gives the lines that it is for a program.
    fn note(&self, event: &Event) -> Vec<Value> {
        let mut seen = self.seen();
        match event {
            Event::Text { text } if self.carries == Carries::Object => seen.text.push_str(text),
            Event::TextWasThinking => seen.text.clear(),
            Event::ToolStarted { id, name, summary, .. } => {
                seen.text.clear();
                seen.calls.push(Call {
                    id: id.clone(),
                    name: name.clone(),
                    summary: summary.clone(),
                    begun: Instant::now(),
                    end: None,
                });
            }
            Event::ToolFinished { id, ok, result, elapsed, .. } => {
                let end = CallEnd { ok: *ok, result: Some(result.clone()), elapsed: *elapsed };
                if let Some(call) = seen.open().find(|call| call.id == *id) {
                    call.end = Some(end);
                }
            }
            Event::TurnEnded { outcome, usage } => {
                seen.end = Some((outcome.clone(), *usage));
                // The words of an error are the program's, so the last line waits for them.
                return seen.open().map(Call::broken_off).collect();
            }
            Event::HookRan { .. } if !self.tells_hooks => return Vec::new(),
            _ => {}
        }
        of(event).into_iter().collect()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn open(&mut self) -> impl Iterator<Item = &mut Call> {
        self.calls.iter_mut().filter(|call| call.end.is_none())
    }
}

impl Call {
    /// Ends it with its turn; gives the event of that.
    fn broken_off(&mut self) -> Value {
        let end = CallEnd { ok: false, result: None, elapsed: self.begun.elapsed() };
        finished((&self.id, &self.name), self.end.insert(end))
    }

    fn told(&self) -> Value {
        let end = self.end.as_ref();
        json!({
            "id": self.id, "name": self.name, "summary": self.summary,
            "ok": end.is_some_and(|end| end.ok),
            "result": end.and_then(|end| end.result.as_deref()),
            "durationMs": end.map(|end| millis(end.elapsed)),
        })
    }
}

#[async_trait]
impl Frontend for Json {
    async fn show(&self, event: Event) {
        let lines = self.note(&event);
        if self.carries == Carries::Events {
            for line in lines {
                self.output.answer(format!("{line}\n")).await;
            }
        }
        self.presenter.show_beside(event).await;
    }

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        super::nobody()
    }
}

/// An event as an object, but for the end of a turn; its `type` is its name in snake case.
fn of(event: &Event) -> Option<Value> {
    Some(match event {
        Event::TurnStarted { question } => json!({ "type": "turn_started", "question": question }),
        Event::Waiting => json!({ "type": "waiting" }),
        Event::ModelLoading => json!({ "type": "model_loading" }),
        Event::Retrying { after } => json!({ "type": "retrying", "afterMs": millis(*after) }),
        Event::PromptProgress { processed, total } => {
            json!({ "type": "prompt_progress", "processed": processed, "total": total })
        }
        Event::Thinking { text } => json!({ "type": "thinking", "text": text }),
        Event::Text { text } => json!({ "type": "text", "text": text }),
        Event::TextWasThinking => json!({ "type": "text_was_thinking" }),
        Event::WritingAnswer => json!({ "type": "writing_answer" }),
        Event::WritingCall { name } => json!({ "type": "writing_call", "name": name }),
        Event::ToolStarted { id, name, kind: _, summary, mended } => {
            json!({ "type": "tool_started", "id": id, "name": name, "summary": summary, "mended": mended })
        }
        Event::ToolProgress { id, text } => json!({ "type": "tool_progress", "id": id, "text": text }),
        Event::ToolFinished { id, name, ok, result, elapsed } => {
            finished((id, name), &CallEnd { ok: *ok, result: Some(result.clone()), elapsed: *elapsed })
        }
        Event::HookRan { event, target, command, verdict, context_len } => json!({
            "type": "hook_ran", "event": event, "target": target, "command": command,
            "decision": verdict.to_string(), "contextLength": context_len,
        }),
        Event::PlanChanged { plan } => json!({ "type": "plan_changed", "plan": plan.as_ref().map(plan_of) }),
        Event::Compacting => json!({ "type": "compacting" }),
        Event::Compacted(done) => json!({
            "type": "compacted", "id": done.id, "summary": done.summary,
            "messagesBefore": done.messages.0, "messagesAfter": done.messages.1,
            "tokensBefore": done.tokens.0, "tokensAfter": done.tokens.1, "durationMs": millis(done.elapsed),
        }),
        Event::Notice { text } => json!({ "type": "notice", "text": text }),
        Event::SaveFailed { why } => json!({ "type": "save_failed", "why": why }),
        Event::TurnEnded { .. } => return None,
    })
}

fn plan_of(plan: &Plan) -> Value {
    let step = |step: &Step| json!({ "text": step.text, "status": step.status.name() });
    json!({ "title": plan.title, "steps": plan.steps.iter().map(step).collect::<Vec<_>>() })
}

fn finished((id, name): (&str, &str), end: &CallEnd) -> Value {
    json!({
        "type": "tool_finished", "id": id, "name": name, "ok": end.ok, "result": end.result,
        "durationMs": millis(end.elapsed),
    })
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered => "answered",
        Outcome::Interrupted => "interrupted",
        Outcome::Failed(_) => "failed",
    }
}

/// Token counts; one that the server did not give is null, and so are all of them together.
fn usage(usage: &Usage) -> Value {
    if *usage == Usage::default() {
        return Value::Null;
    }
    json!({
        "prompt": usage.prompt, "cached": usage.cached, "completion": usage.completion,
        "reasoning": usage.reasoning, "tokensPerSecond": usage.tokens_per_second,
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
