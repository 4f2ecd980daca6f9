//! The pieces of a reply put together.

use mm_schema::ToolCall;

use crate::{ChatEvent, FinishReason, Usage};

/// A reply, whole or as far as it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The answer's text.
    pub text: String,
    /// What the model thought.
    pub reasoning: String,
    /// The calls, with their arguments as the model wrote them: perhaps cut, perhaps no JSON.
    pub calls: Vec<ToolCall>,
    /// Why the model stopped; `None` while it has not, or when the stream broke.
    pub finish: Option<FinishReason>,
    /// Token counts, where the server gives them.
    pub usage: Option<Usage>,
}

impl Reply {
    /// Adds a piece. Arguments for a slot that never started are dropped.
    pub fn push(&mut self, event: &ChatEvent) {
        match event {
            ChatEvent::Waiting(_) | ChatEvent::PromptProgress { .. } | ChatEvent::CallInText => {}
            ChatEvent::Text(text) => self.text.push_str(text),
            ChatEvent::Reasoning(text) => self.reasoning.push_str(text),
            ChatEvent::TextWasReasoning => self.reasoning.push_str(&std::mem::take(&mut self.text)),
            ChatEvent::CallStarted { id, name, .. } => {
                let (id, name) = (id.clone(), name.clone());
                self.calls.push(ToolCall { id, name, arguments: String::new() });
            }
            ChatEvent::CallArguments { slot, text } => {
                if let Some(call) = self.calls.get_mut(*slot) {
                    call.arguments.push_str(text);
                }
            }
            ChatEvent::Usage(usage) => self.usage = Some(*usage),
            ChatEvent::Finished(finish) => self.finish = Some(finish.clone()),
        }
    }
}
