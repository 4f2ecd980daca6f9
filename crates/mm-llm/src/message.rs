//! One message of a conversation.

use mm_schema::ToolCall;

/// One message, in the roles of the OpenAI chat protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// What the model is told before everything else.
    System(String),
    /// A question.
    User(String),
    /// An answer, calls, or both; never neither, since llama-server refuses such a message.
    Assistant {
        /// The answer's text, empty where there are only calls.
        text: String,
        /// The calls in the order that the model made them.
        calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Tool {
        /// The `id` of the call.
        call_id: String,
        /// What the tool gave.
        text: String,
    },
}

impl Message {
    /// An answer without calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }
}
