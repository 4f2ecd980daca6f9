//! Chunks as servers send them, with every field optional: what is missing, null or of an odd type is
//! passed over, so that it never costs the text beside it.

use std::borrow::Cow;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::{Map, Value};

/// Writes a payload anew that cannot be read as it is: without a key whose value has an odd type, and with what JSON
/// does not allow in a text mended. `None` when nothing in it can be used.
pub(crate) fn mend(data: &str) -> Option<String> {
    let value = serde_json::from_str(data).or_else(|_| serde_json::from_str(&mended(data)));
    value.ok().filter(Value::is_object).map(|value| usable(value).to_string())
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

/// Writes control characters within strings as JSON has them, half of a pair of UTF-16 as the sign for what cannot be
/// read, and a number that is none (`NaN`, `1e999`) as null: servers cut text by UTF-16, and divide by nothing.
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
            c if !in_string && is_word(c) => {
                let start = rest.as_str();
                let end = start.find(|c| !is_word(c)).unwrap_or(start.len());
                let word = format!("{c}{}", start.get(..end).unwrap_or_default());
                let is_number = word.parse::<f64>().is_ok_and(f64::is_finite);
                let is_sound = is_number || matches!(word.as_str(), "true" | "false" | "null");
                text.push_str(if is_sound { &word } else { "null" });
                rest = start.get(end..).unwrap_or_default().chars();
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

/// Whether a character stands in a number or in a word such as `true`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
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

/// One event of a stream, or a whole answer; borrows its text from the payload.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk<'a> {
    #[serde(default, borrow, deserialize_with = "first")]
    pub(crate) choices: Option<Choice<'a>>,
    // In boxes, since few chunks have them and each chunk is moved about.
    pub(crate) usage: Option<Box<Value>>,
    pub(crate) timings: Option<Box<Value>>,
    #[serde(default, deserialize_with = "progress")]
    pub(crate) prompt_progress: Option<Box<Progress>>,
    pub(crate) error: Option<Box<Value>>,
}

impl Chunk<'_> {
    /// Whether it says nothing of an answer; then it may be an error in a form of its own.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { choices, usage, timings, prompt_progress, error: _ } = self;
        choices.is_none() && usage.is_none() && timings.is_none() && prompt_progress.is_none()
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice<'a> {
    /// In a stream.
    #[serde(borrow)]
    pub(crate) delta: Option<Delta<'a>>,
    /// In a whole answer.
    #[serde(borrow)]
    pub(crate) message: Option<Box<Delta<'a>>>,
    #[serde(default, borrow)]
    pub(crate) finish_reason: Text<'a>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Delta<'a> {
    #[serde(default, borrow)]
    pub(crate) content: Text<'a>,
    /// llama.cpp, llmman, vLLM.
    #[serde(default, borrow)]
    pub(crate) reasoning_content: Text<'a>,
    /// Ollama.
    #[serde(default, borrow)]
    pub(crate) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(crate) tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CallDelta<'a> {
    #[serde(default, deserialize_with = "index")]
    pub(crate) index: Option<u64>,
    #[serde(default, borrow)]
    pub(crate) id: Text<'a>,
    #[serde(borrow)]
    pub(crate) function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct FunctionDelta<'a> {
    #[serde(default, borrow)]
    pub(crate) name: Text<'a>,
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

/// Text, however it is wrapped: a string, null, or a list of parts. Anything else is as good as none.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'a> Text<'a> {
    /// Gives the text, if there is any.
    pub(crate) fn some(self) -> Option<Cow<'a, str>> {
        Some(self.0).filter(|text| !text.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let part = Value::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Cow::Owned(part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut text = String::new();
        while let Some(Text(part)) = parts.next_element()? {
            text.push_str(&part);
        }
        Ok(Cow::Owned(text))
    }
}

/// Takes the first of a list and passes over the others.
fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Choice<'de>>, D::Error> {
    struct First;
    impl<'de> Visitor<'de> for First {
        type Value = Option<Choice<'de>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of choices")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let first = list.next_element()?;
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(first)
        }
    }
    deserializer.deserialize_any(First)
}

fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Value::deserialize(deserializer).map(|value| value.as_u64())
}

fn progress<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Progress>>, D::Error> {
    Value::deserialize(deserializer).map(|value| serde_json::from_value(value).ok())
}
