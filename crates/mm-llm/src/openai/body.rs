//! The body of a request, byte for byte the same for the same conversation.

use mm_schema::{ToolCall, ToolSpec};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

use crate::{ChatRequest, Message, Preset, ProviderError};

/// Keys that come from the conversation, whatever the sampling map says.
const RESERVED: [&str; 7] =
    ["messages", "tools", "tool_choice", "functions", "function_call", "model", "stream"];
/// The key of a schema; without one it is the user's.
const FORMAT: &str = "response_format";

/// Serialises a streaming request without the keys that the server has refused.
pub(crate) fn body(
    request: &ChatRequest<'_>,
    preset: &Preset,
    refused: &[&str],
) -> Result<Vec<u8>, ProviderError> {
    serde_json::to_vec(&Body { request, preset, refused }).map_err(|_| ProviderError::Protocol {
        what: "the request cannot be written as JSON",
        near: String::new(),
    })
}

/// Takes a key of the top out of a request that was written.
pub(crate) fn without(body: &[u8], key: &str) -> Option<Vec<u8>> {
    let mut request: serde_json::Map<String, Value> = serde_json::from_slice(body).ok()?;
    request.shift_remove(key)?;
    serde_json::to_vec(&request).ok()
}

struct Body<'a> {
    request: &'a ChatRequest<'a>,
    preset: &'a Preset,
    refused: &'a [&'a str],
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let request = self.request;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", request.model)?;
        map.serialize_entry("messages", &Messages(request.messages))?;
        if !request.tools.is_empty() {
            map.serialize_entry("tools", &Tools(request.tools))?;
        }
        let mine = [
            ("stream_options", serde_json::json!({"include_usage": true}), true),
            ("return_progress", Value::Bool(true), self.preset.progress),
        ];
        map.serialize_entry("stream", &true)?;
        for (key, value, wanted) in &mine {
            if *wanted && !request.sampling.contains_key(*key) && !self.refused.contains(key) {
                map.serialize_entry(key, value)?;
            }
        }
        if let Some(schema) = request.schema {
            map.serialize_entry(FORMAT, &Format::of(schema))?;
        }
        let is_taken = |key: &str| RESERVED.contains(&key) || key == FORMAT && request.schema.is_some();
        for (key, value) in request.sampling.iter().filter(|(key, _)| !is_taken(key)) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// The form of an answer that follows a schema.
#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    json_schema: FormatSchema<'a>,
}

#[derive(Serialize)]
struct FormatSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

impl<'a> Format<'a> {
    fn of(schema: &'a Value) -> Self {
        Self { r#type: "json_schema", json_schema: FormatSchema { name: "output", strict: true, schema } }
    }
}

struct Messages<'a>(&'a [Message]);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for message in self.0 {
            seq.serialize_element(&WireMessage::from(message))?;
        }
        seq.end()
    }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

impl<'a> From<&'a Message> for WireMessage<'a> {
    fn from(message: &'a Message) -> Self {
        let plain = |role, content| Self { role, content, tool_calls: Vec::new(), tool_call_id: None };
        match message {
            Message::System(text) => plain("system", text),
            Message::User(text) => plain("user", text),
            Message::Assistant { text, calls } => {
                Self { tool_calls: calls.iter().map(WireCall::from).collect(), ..plain("assistant", text) }
            }
            Message::Tool { call_id, text } => Self { tool_call_id: Some(call_id), ..plain("tool", text) },
        }
    }
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> From<&'a ToolCall> for WireCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        let function = WireFunction { name: &call.name, arguments: &call.arguments };
        Self { id: &call.id, r#type: "function", function }
    }
}

struct Tools<'a>(&'a [ToolSpec]);

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireSpec<'a>,
}

#[derive(Serialize)]
struct WireSpec<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|spec| WireTool {
            r#type: "function",
            function: WireSpec {
                name: &spec.name,
                description: &spec.description,
                parameters: &spec.parameters,
            },
        }))
    }
}
