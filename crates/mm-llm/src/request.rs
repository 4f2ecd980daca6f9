//! What a model is asked.

use mm_schema::ToolSpec;
use serde_json::{Map, Value};

use crate::Message;

/// One call of the model. The same request always gives the same bytes on the wire, and a request whose
/// messages begin with those of another begins with the same bytes: servers find their cached prompt by
/// that.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest<'a> {
    /// The model in the server's own naming.
    pub model: &'a str,
    /// The conversation, oldest first.
    pub messages: &'a [Message],
    /// The tools that the model may call; none are sent when empty.
    pub tools: &'a [ToolSpec],
    /// Further keys of the request, sent at top level as they are (`temperature`, `max_tokens`, what a
    /// server adds of its own). `messages`, `tools`, `tool_choice`, `functions`, `function_call`, `model`
    /// and `stream` are dropped: they come from the conversation.
    pub sampling: Map<String, Value>,
}

impl<'a> ChatRequest<'a> {
    /// A request without tools and without any sampling key.
    pub fn new(model: &'a str, messages: &'a [Message]) -> Self {
        Self { model, messages, tools: &[], sampling: Map::new() }
    }
}
