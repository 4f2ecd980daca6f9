//! `-p --output json` and `stream-json`: the answer for programs. People still read stderr.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use mm_llm::Usage;
use mm_session::{Answer, ConfirmRequest, Confirmation, Event, Frontend, Outcome};
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
    pub(super) carries: Carries,
    pub(super) presenter: Presenter,
    pub(super) output: Output,
    /// The calls so far; `show` has only a shared reference.
    pub(super) calls: Mutex<Vec<Value>>,
}

impl Json {
    /// Prints what a turn came to.
    pub(super) async fn end(&self, answer: Result<&Answer, String>) {
        if self.carries == Carries::Events {
            return; // the last event has said it
        }
        let calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        let object = json!({
            "answer": answer.as_ref().ok().map(|answer| answer.text.as_str()),
            "usage": answer.as_ref().map_or(Value::Null, |answer| usage(&answer.usage)),
            "toolCalls": calls,
            "error": answer.as_ref().err(),
        });
        self.output.answer(format!("{object}\n")).await;
    }

    fn note(&self, event: &Event) {
        if let Event::ToolFinished { .. } | Event::ToolStarted { .. } = event {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            match event {
                Event::ToolStarted { id, name, summary, .. } => {
                    calls.push(json!({ "id": id, "name": name, "summary": summary }));
                }
                Event::ToolFinished { id, ok, result, elapsed, .. } => {
                    let call = calls.iter_mut().rev().find(|call| call.get("id") == Some(&json!(id)));
                    if let Some(Value::Object(call)) = call {
                        call.insert("ok".into(), json!(ok));
                        call.insert("result".into(), json!(result));
                        call.insert("durationMs".into(), millis(*elapsed));
                    }
                }
                _ => {}
            }
        }
    }
}

#[async_trait]
impl Frontend for Json {
    async fn show(&self, event: Event) {
        self.note(&event);
        if self.carries == Carries::Events {
            self.output.answer(format!("{}\n", of(&event))).await;
        }
        // The answer is for the program alone.
        if !matches!(event, Event::Text { .. } | Event::TextWasThinking) {
            self.presenter.show(event).await;
        }
    }

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        super::nobody()
    }
}

/// An event as an object; its `type` is its name in snake case.
fn of(event: &Event) -> Value {
    match event {
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
        Event::WritingCall { name } => json!({ "type": "writing_call", "name": name }),
        Event::ToolStarted { id, name, summary, mended } => {
            json!({ "type": "tool_started", "id": id, "name": name, "summary": summary, "mended": mended })
        }
        Event::ToolProgress { id, text } => json!({ "type": "tool_progress", "id": id, "text": text }),
        Event::ToolFinished { id, name, ok, result, elapsed } => json!({
            "type": "tool_finished", "id": id, "name": name, "ok": ok, "result": result,
            "durationMs": millis(*elapsed),
        }),
        Event::Notice { text } => json!({ "type": "notice", "text": text }),
        Event::TurnEnded { outcome, usage: counts } => {
            let (word, error) = match outcome {
                Outcome::Answered => ("answered", None),
                Outcome::Interrupted => ("interrupted", None),
                Outcome::Failed(error) => ("failed", Some(error)),
            };
            json!({ "type": "turn_ended", "outcome": word, "error": error, "usage": usage(counts) })
        }
    }
}

/// Token counts; one that the server did not give is null.
fn usage(usage: &Usage) -> Value {
    json!({
        "prompt": usage.prompt, "cached": usage.cached, "completion": usage.completion,
        "reasoning": usage.reasoning, "tokensPerSecond": usage.tokens_per_second,
    })
}

fn millis(duration: std::time::Duration) -> Value {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).into()
}
