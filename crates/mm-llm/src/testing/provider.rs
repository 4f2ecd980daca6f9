//! A provider without a server.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use mm_schema::ToolSpec;
use serde_json::Value;

use crate::{
    ChatEvent, ChatRequest, ChatStream, FinishReason, Message, ModelInfo, Provider, ProviderError, Unloaded,
};

/// One step of a scripted reply.
#[derive(Debug)]
pub enum Step {
    /// Gives an event.
    Event(ChatEvent),
    /// Ends the stream with an error.
    Fail(ProviderError),
    /// Waits, in tokio's time.
    Wait(Duration),
    /// Never goes on.
    Hang,
}

/// What a [`ScriptedProvider`] was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenRequest {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools.
    pub tools: Vec<ToolSpec>,
    /// The schema of the answer.
    pub schema: Option<Value>,
}

/// Gives one scripted reply a call, in order, and remembers the requests. A call beyond the script fails.
#[derive(Debug, Default)]
pub struct ScriptedProvider {
    // Behind locks since a provider is shared; held only for a push or a pop.
    replies: Mutex<VecDeque<Vec<Step>>>,
    seen: Mutex<Vec<SeenRequest>>,
}

impl ScriptedProvider {
    /// Makes a provider from the steps of each reply.
    pub fn new(replies: impl IntoIterator<Item = Vec<Step>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), seen: Mutex::default() }
    }

    /// A reply of text alone.
    pub fn text(text: &str) -> Vec<Step> {
        vec![Step::Event(ChatEvent::Text(text.into())), Step::Event(ChatEvent::Finished(FinishReason::Stop))]
    }

    /// A reply that calls tools: rows of (id, name, arguments).
    pub fn calls(calls: &[(&str, &str, &str)]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (slot, (id, name, arguments)) in calls.iter().enumerate() {
            steps.push(ChatEvent::CallStarted { slot, id: (*id).into(), name: (*name).into() });
            steps.push(ChatEvent::CallArguments { slot, text: (*arguments).into() });
        }
        steps.push(ChatEvent::Finished(FinishReason::ToolCalls));
        steps.into_iter().map(Step::Event).collect()
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Provider for ScriptedProvider {
    fn name(&self) -> &str {
        "scripted"
    }

    fn chat(&self, request: &ChatRequest<'_>) -> ChatStream {
        let seen = SeenRequest {
            messages: request.messages.to_vec(),
            tools: request.tools.to_vec(),
            schema: request.schema.cloned(),
        };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let over = || ProviderError::Server { message: "the script has no further reply".into() };
        let steps = next.unwrap_or_else(|| vec![Step::Fail(over())]);
        ChatStream::new(stream::iter(steps).filter_map(|step| async {
            match step {
                Step::Event(event) => Some(Ok(event)),
                Step::Fail(error) => Some(Err(error)),
                Step::Wait(time) => {
                    tokio::time::sleep(time).await;
                    None
                }
                Step::Hang => std::future::pending().await,
            }
        }))
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        Ok(Vec::new())
    }

    async fn loaded(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        Ok(Vec::new())
    }

    async fn context_window(&self, _model: &str) -> Option<u64> {
        None
    }

    async fn unload(&self, _model: &str) -> Result<Unloaded, ProviderError> {
        Ok(Unloaded::Unsupported)
    }
}
