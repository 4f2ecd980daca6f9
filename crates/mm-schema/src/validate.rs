//! Whether arguments fit a tool's schema, and where they do not.

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
            path if path.is_empty() => fault.to_string(),
            path => format!("{path}: {fault}"),
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(ArgumentError::Schema { faults }) }
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
