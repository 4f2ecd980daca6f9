//! Whether arguments fit a tool's schema, and where they do not.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::error::ArgumentError;

/// The most faults that are told: a model mends a few at a time.
const MAX_FAULTS: usize = 8;

/// Checks `value` against `schema`.
///
/// A schema that is itself broken checks nothing: whoever wrote it is not the model.
pub(crate) fn check(value: &Value, schema: &Value) -> Result<(), ArgumentError> {
    if !value.is_object() {
        return Err(ArgumentError::NotAnObject { found: kind(value) });
    }
    let Ok(validator) = jsonschema::validator_for(schema) else {
        return Ok(());
    };
    let faults: Vec<String> = validator
        .iter_errors(value)
        .take(MAX_FAULTS)
        .map(|fault| match fault.instance_path().to_string() {
            path if path.is_empty() => words(&fault),
            path => format!("{path}: {}", words(&fault)),
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(ArgumentError::Schema { faults }) }
}

/// The most values that are listed.
const MOST_VALUES: usize = 30;

/// Says a fault: where only some values are right, a model needs to see all of them.
fn words(fault: &ValidationError<'_>) -> String {
    let ValidationErrorKind::Enum { options } = fault.kind() else { return fault.to_string() };
    let Some(options) = options.as_array() else { return fault.to_string() };
    let listed: Vec<String> = options.iter().take(MOST_VALUES).map(Value::to_string).collect();
    let listed = match listed.split_last() {
        _ if options.len() > MOST_VALUES => listed.join(", ") + ", …",
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => listed.concat(),
    };
    format!("{} is not one of {listed}", fault.instance())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
