//! What differs between what was expected and what happened.

use std::fmt;

use serde_json::Value;

use super::{Expected, JournalError};

/// The most characters of a value that are shown.
const SHOWN: usize = 400;
/// The characters before the place where two texts part that are shown.
const BEFORE: usize = 40;

/// The first place where something else happened than was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The place in the journal as a JSON pointer, such as `/expect/requests/0/model`.
    pub pointer: String,
    /// What the journal has there, if anything.
    pub expected: Option<Value>,
    /// What happened, if anything.
    pub found: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parted = match (&self.expected, &self.found) {
            (Some(Value::String(a)), Some(Value::String(b))) => {
                a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
            }
            _ => 0,
        };
        let from = parted.saturating_sub(BEFORE);
        let shown = |value: &Option<Value>| match value {
            None => "nothing".to_owned(),
            Some(Value::String(text)) => {
                let rest: String = text.chars().skip(from).collect();
                let dots = if from > 0 { "…" } else { "" };
                shorten(&format!("{dots}{}", Value::String(rest)))
            }
            Some(value) => shorten(&value.to_string()),
        };
        let (expected, found) = (shown(&self.expected), shown(&self.found));
        write!(f, "{}\n  expected: {expected}\n  found:    {found}", self.pointer)
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The first difference, looked for in the order in which a reader would ask: what was sent, what was shown, what
/// remains. That there are more or fewer requests comes behind the events, which say why.
pub(super) fn first(expected: &Expected, found: &Expected) -> Option<Difference> {
    let shared = expected.requests.len().min(found.requests.len());
    let sent = |of: &Expected| of.requests.iter().take(shared).cloned().collect::<Vec<_>>();
    list("/expect/requests", &sent(expected), &sent(found), Keys::InOrder)
        .or_else(|| list("/expect/events", &expected.events, &found.events, Keys::Any))
        .or_else(|| list("/expect/requests", &expected.requests, &found.requests, Keys::InOrder))
        .or_else(|| list("/expect/history", &expected.history, &found.history, Keys::InOrder))
        .or_else(|| value("/expect/outcome", &expected.outcome, &found.outcome, Keys::Any))
        .or_else(|| value("/expect/statistics", &expected.statistics, &found.statistics, Keys::Any))
}

/// Whether the order of keys matters: it does for what a server reads, which finds its cached prompt by the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    InOrder,
    Any,
}

fn value(at: &str, expected: &Value, found: &Value, keys: Keys) -> Option<Difference> {
    let whole = || Difference {
        pointer: at.to_owned(),
        expected: Some(expected.clone()),
        found: Some(found.clone()),
    };
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, a) in a {
                let at = format!("{at}/{}", escaped(key));
                let difference = match b.get(key) {
                    Some(b) => value(&at, a, b, keys),
                    None => Some(Difference { pointer: at, expected: Some(a.clone()), found: None }),
                };
                if difference.is_some() {
                    return difference;
                }
            }
            if let Some((key, b)) = b.iter().find(|(key, _)| !a.contains_key(*key)) {
                let pointer = format!("{at}/{}", escaped(key));
                return Some(Difference { pointer, expected: None, found: Some(b.clone()) });
            }
            // The same keys in another order.
            (keys == Keys::InOrder && !a.keys().eq(b.keys())).then(|| Difference {
                expected: Some(a.keys().cloned().collect()),
                found: Some(b.keys().cloned().collect()),
                pointer: at.to_owned(),
            })
        }
        (Value::Array(a), Value::Array(b)) => list(at, a, b, keys),
        _ => (expected != found).then(whole),
    }
}

fn list(at: &str, expected: &[Value], found: &[Value], keys: Keys) -> Option<Difference> {
    let inner = expected.iter().zip(found).enumerate();
    let inner = inner.map(|(n, (a, b))| value(&format!("{at}/{n}"), a, b, keys)).find_map(|found| found);
    let shared = expected.len().min(found.len());
    inner.or_else(|| {
        (expected.len() != found.len()).then(|| Difference {
            pointer: format!("{at}/{shared}"),
            expected: expected.get(shared).cloned(),
            found: found.get(shared).cloned(),
        })
    })
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Checks that each request begins with the bytes of the one before, up to the end of its messages, and declares the
/// same tools.
pub(super) fn check_prefixes(bodies: &[String]) -> Result<(), JournalError> {
    let parts = bodies.iter().map(|body| split(body)).collect::<Option<Vec<_>>>();
    let parts = parts.ok_or_else(|| JournalError::broken("a request has no messages"))?;
    for (first, pair) in parts.windows(2).enumerate() {
        let [(before, tools), (after, later_tools)] = pair else { continue };
        let second = first + 1;
        if !after.starts_with(before) {
            let same = after.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
            return Err(JournalError::broken(format!(
                "request {second} leaves the bytes of request {first} at byte {same}, in its messages"
            )));
        }
        if tools != later_tools {
            let why = format!("request {second} declares other tools than request {first}");
            return Err(JournalError::broken(why));
        }
    }
    Ok(())
}

/// A body up to the end of its messages, and its tools.
fn split(body: &str) -> Option<(&str, String)> {
    let parsed: Value = serde_json::from_str(body).ok()?;
    // Written by the same serialiser, so the bytes are the same.
    let messages = parsed.get("messages")?.to_string();
    let end = body.find(&messages)? + messages.len() - 1;
    let tools = parsed.get("tools").map(Value::to_string).unwrap_or_default();
    Some((body.get(..end)?, tools))
}
