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
    /// The JSON Schema that the answer has to follow. It goes out as `response_format`, which servers turn into a
    /// grammar: what they give still has to be checked, since a server may ignore it and a limit may cut it.
    pub schema: Option<&'a Value>,
}

impl<'a> ChatRequest<'a> {
    /// A request without tools and without any sampling key.
    pub fn new(model: &'a str, messages: &'a [Message]) -> Self {
        Self { model, messages, tools: &[], sampling: Map::new(), schema: None }
    }

    /// The same request for an answer in JSON that follows a schema.
    ///
    /// ```
    /// use mm_llm::{ChatRequest, Message};
    ///
    /// let schema = serde_json::json!({"type": "array", "items": {"type": "string"}});
    /// let messages = [Message::User("Three colours, please.".into())];
    /// let request = ChatRequest::new("any-model", &messages).json_schema(&schema);
    /// assert_eq!(request.schema, Some(&schema));
    /// ```
    pub fn json_schema(self, schema: &'a Value) -> Self {
        Self { schema: Some(schema), ..self }
    }
}
