//! A message as it stands in a file.

use std::borrow::Cow;

use mm_llm::Message;
use mm_schema::ToolCall;
use serde::{Deserialize, Serialize};

/// A message in the form of the OpenAI chat protocol.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "a message")]
pub(super) struct MessageTwin<'a> {
    role: Role,
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Vec<CallTwin<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a call")]
struct CallTwin<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type", default)]
    kind: CallKind,
    function: FunctionTwin<'a>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CallKind {
    #[default]
    Function,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a name and arguments")]
struct FunctionTwin<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> From<&'a Message> for MessageTwin<'a> {
    fn from(message: &'a Message) -> Self {
        let plain = |role, text: &'a str| Self {
            role,
            content: Some(Cow::Borrowed(text)),
            tool_calls: None,
            tool_call_id: None,
        };
        match message {
            Message::System(text) => plain(Role::System, text),
            Message::User(text) => plain(Role::User, text),
            Message::Assistant { text, calls } => Self {
                tool_calls: (!calls.is_empty()).then(|| calls.iter().map(CallTwin::from).collect()),
                ..plain(Role::Assistant, text)
            },
            Message::Tool { call_id, text } => {
                Self { tool_call_id: Some(Cow::Borrowed(call_id)), ..plain(Role::Tool, text) }
            }
        }
    }
}

impl From<MessageTwin<'_>> for Message {
    fn from(twin: MessageTwin<'_>) -> Self {
        let text = twin.content.unwrap_or_default().into_owned();
        match twin.role {
            Role::System => Self::System(text),
            Role::User => Self::User(text),
            Role::Assistant => {
                let calls = twin.tool_calls.unwrap_or_default().into_iter().map(ToolCall::from);
                Self::Assistant { text, calls: calls.collect() }
            }
            Role::Tool => Self::Tool { call_id: twin.tool_call_id.unwrap_or_default().into_owned(), text },
        }
    }
}

impl<'a> From<&'a ToolCall> for CallTwin<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self {
            id: Cow::Borrowed(&call.id),
            kind: CallKind::Function,
            function: FunctionTwin {
                name: Cow::Borrowed(&call.name),
                arguments: Cow::Borrowed(&call.arguments),
            },
        }
    }
}

impl From<CallTwin<'_>> for ToolCall {
    fn from(twin: CallTwin<'_>) -> Self {
        Self {
            id: twin.id.into_owned(),
            name: twin.function.name.into_owned(),
            arguments: twin.function.arguments.into_owned(),
        }
    }
}
