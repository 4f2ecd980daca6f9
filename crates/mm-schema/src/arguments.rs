//! From the text that a model wrote to arguments that a tool can take.

use serde_json::Value;

use crate::error::ArgumentError;
use crate::{coerce, repair, validate};

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// A JSON object.
    pub value: Value,
    /// Whether the text had a fault of form that was mended (see [`decode`]).
    pub repaired: bool,
}

/// Reads the arguments of a call and checks them against the tool's schema.
///
/// Empty text means `{}`. Faults of form are mended and reported: a trailing comma, single quotes, a raw
/// line break in a string, missing closing brackets. An open string is a cut, not a fault of form.
/// Values are changed only without loss, where the schema asks for another type: `"3"` to 3, `"true"` to
/// true, a lone value to a list of one.
///
/// # Errors
/// Says what is wrong in words for the model: the place of a syntax fault, or every schema fault with
/// its path.
pub fn decode(text: &str, schema: &Value) -> Result<Decoded, ArgumentError> {
    let Decoded { value, repaired } = read(text)?;
    Ok(Decoded { value: check(value, schema)?, repaired })
}

/// Reads the arguments of a call like [`decode`], and leaves it to [`check`] whether they fit a schema.
///
/// # Errors
/// The place of a syntax fault.
pub fn read(text: &str) -> Result<Decoded, ArgumentError> {
    let (value, repaired) = parse(text)?;
    Ok(Decoded { value, repaired })
}

/// Checks arguments that are JSON already, such as those that a hook rewrote, like [`decode`].
///
/// # Errors
/// As [`decode`].
pub fn check(mut value: Value, schema: &Value) -> Result<Value, ArgumentError> {
    coerce::coerce(&mut value, schema);
    validate::check(&value, schema)?;
    Ok(value)
}

/// Gives the text that may go back to a server: the model's own where it is a JSON object, the mended one
/// where its fault was of form, else `{}` (llama-server answers 500 to anything else in a history).
pub fn for_history(text: &str) -> String {
    match parse(text) {
        Ok((Value::Object(_), false)) if !text.trim().is_empty() => text.to_owned(),
        Ok((value @ Value::Object(_), _)) => value.to_string(),
        _ => "{}".to_owned(),
    }
}

/// Whether the text is one whole JSON object.
pub fn is_complete(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(Value::Object(_)))
}

fn parse(text: &str) -> Result<(Value, bool), ArgumentError> {
    if text.trim().is_empty() {
        return Ok((Value::Object(Default::default()), false));
    }
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, false)),
        Err(fault) => match repair::repair(text).map(|mended| serde_json::from_str(&mended)) {
            Some(Ok(value @ Value::Object(_))) => Ok((value, true)),
            _ => Err(syntax(text, &fault)),
        },
    }
}

fn syntax(text: &str, fault: &serde_json::Error) -> ArgumentError {
    let full = fault.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let line = text.lines().nth(fault.line().saturating_sub(1)).unwrap_or("");
    let before = line.char_indices().take_while(|(at, _)| *at < fault.column()).count();
    let near = line.chars().skip(before.saturating_sub(12)).take(24).collect();
    ArgumentError::Syntax { message, line: fault.line(), column: fault.column(), near }
}

#[cfg(test)]
mod tests;
