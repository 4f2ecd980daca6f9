//! Chunks as servers send them, with every field optional: what is missing, null or of an odd type is
//! passed over, so that it never costs the text beside it.

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::{Map, Value};

/// Reads a payload. One with a field of an odd type, or with text that JSON does not allow, is looked through once
/// more for what can be used.
pub(crate) fn chunk(data: &str) -> serde_json::Result<Chunk> {
    serde_json::from_str(data).or_else(|error| {
        let usable = |value: Value| if value.is_object() { Some(usable(value)) } else { None };
        let value = serde_json::from_str(data).or_else(|_| serde_json::from_str(&mended(data)));
        value.ok().and_then(usable).and_then(|value| serde_json::from_value(value).ok()).ok_or(error)
    })
}

/// Takes away what no chunk can have: a key whose value has the wrong type.
fn usable(mut chunk: Value) -> Value {
    keep(&mut chunk, "choices", Value::is_array);
    let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
    for choice in choices.into_iter().flatten() {
        if !choice.is_object() {
            *choice = Value::Object(Map::new());
        }
        for part in ["delta", "message"] {
            keep(choice, part, Value::is_object);
            let Some(delta) = choice.get_mut(part) else { continue };
            keep(delta, "tool_calls", Value::is_array);
            if let Some(calls) = delta.get_mut("tool_calls").and_then(Value::as_array_mut) {
                calls.retain(Value::is_object);
                calls.iter_mut().for_each(|call| keep(call, "function", Value::is_object));
            }
        }
    }
    chunk
}

fn keep(object: &mut Value, key: &str, fits: fn(&Value) -> bool) {
    if let Some(object) = object.as_object_mut()
        && object.get(key).is_some_and(|value| !fits(value))
    {
        object.remove(key);
    }
}

/// Writes control characters within strings as JSON has them, and half of a pair of UTF-16 as the sign for what cannot
/// be read: servers that cut text by UTF-16 send halves.
fn mended(data: &str) -> String {
    let mut text = String::with_capacity(data.len());
    let mut in_string = false;
    let mut rest = data.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => in_string = !in_string,
            '\\' => {
                text.push_str(&escape(&mut rest));
                continue;
            }
            c if in_string && c.is_ascii_control() => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
                continue;
            }
            _ => {}
        }
        text.push(c);
    }
    text
}

/// The escape that begins with the backslash just taken.
fn escape(rest: &mut std::str::Chars<'_>) -> String {
    let unit = |rest: &mut std::str::Chars<'_>| {
        let text = rest.as_str().strip_prefix('u')?.get(..4)?.to_owned();
        u16::from_str_radix(&text, 16).ok().map(|unit| (unit, text))
    };
    let Some((high, text)) = unit(rest) else {
        return std::iter::once('\\').chain(rest.next()).collect();
    };
    *rest = rest.as_str().get(5..).unwrap_or_default().chars();
    match high {
        0xd800..=0xdbff => {
            let mut ahead = rest.as_str().strip_prefix('\\').unwrap_or_default().chars();
            match unit(&mut ahead) {
                Some((0xdc00..=0xdfff, low)) => {
                    *rest = ahead.as_str().get(5..).unwrap_or_default().chars();
                    format!("\\u{text}\\u{low}")
                }
                _ => "\\ufffd".to_owned(),
            }
        }
        0xdc00..=0xdfff => "\\ufffd".to_owned(),
        _ => format!("\\u{text}"),
    }
}

/// One event of a stream, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk {
    #[serde(deserialize_with = "lenient")]
    pub(crate) object: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) choices: Vec<Choice>,
    pub(crate) usage: Option<Value>,
    pub(crate) timings: Option<Value>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) prompt_progress: Option<Progress>,
    pub(crate) error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    /// In a stream.
    #[serde(deserialize_with = "or_default")]
    pub(crate) delta: Delta,
    /// In a whole answer.
    pub(crate) message: Option<Delta>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta {
    pub(crate) content: Content,
    /// llama.cpp, llmman, vLLM.
    pub(crate) reasoning_content: Content,
    /// Ollama.
    pub(crate) reasoning: Content,
    #[serde(deserialize_with = "or_default")]
    pub(crate) tool_calls: Vec<CallDelta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CallDelta {
    #[serde(deserialize_with = "lenient")]
    pub(crate) index: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) id: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) function: FunctionDelta,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionDelta {
    #[serde(deserialize_with = "lenient")]
    pub(crate) name: Option<String>,
    /// A piece of a string, a whole string, or an object.
    pub(crate) arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Progress {
    pub(crate) total: u64,
    #[serde(default)]
    pub(crate) cache: u64,
    pub(crate) processed: u64,
}

/// Text, however it is wrapped: a string, null, or a list of parts.
#[derive(Debug, Default)]
pub(crate) struct Content(pub(crate) String);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor).map(Self)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<String, E> {
        Ok(text)
    }

    fn visit_unit<E: de::Error>(self) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<String, A::Error> {
        let part = Value::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<String, A::Error> {
        let mut text = String::new();
        while let Some(Content(part)) = parts.next_element()? {
            text.push_str(&part);
        }
        Ok(text)
    }
}

/// Takes `T`, and its default for null or for anything else.
fn lenient<'de, D: Deserializer<'de>, T: de::DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None), // as in most chunks: no error need be made to find that out
        value => Ok(serde_json::from_value(value).ok()),
    }
}

/// Takes `T`, and its default for null.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(d: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}
