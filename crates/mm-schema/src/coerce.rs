//! Lossless changes of type where a tool's schema asks for another one.

use serde_json::{Map, Number, Value};

/// Changes `value` in place, only where the schema's type is another and nothing is lost.
pub(crate) fn coerce(value: &mut Value, schema: &Value) {
    if let (Value::Object(map), Some(Value::Object(properties))) = (&mut *value, schema.get("properties")) {
        coerce_properties(map, properties, schema);
        return;
    }
    let Some(wanted) = schema.get("type").and_then(Value::as_str) else {
        return;
    };
    match (wanted, &mut *value) {
        ("array", Value::Array(items)) => {
            if let Some(item_schema) = schema.get("items") {
                items.iter_mut().for_each(|item| coerce(item, item_schema));
            }
        }
        ("array", Value::Null | Value::Object(_)) => {}
        ("array", lone) => {
            let mut item = lone.take();
            if let Some(item_schema) = schema.get("items") {
                coerce(&mut item, item_schema);
            }
            *value = Value::Array(vec![item]);
        }
        ("integer" | "number", Value::String(text)) => {
            if let Some(number) = number(text.trim(), wanted) {
                *value = Value::Number(number);
            }
        }
        ("integer", Value::Number(number)) => {
            if let Some(whole) = whole(number) {
                *value = Value::Number(whole);
            }
        }
        ("boolean", Value::String(text)) => match text.trim() {
            "true" | "True" => *value = Value::Bool(true),
            "false" | "False" => *value = Value::Bool(false),
            _ => {}
        },
        // Of 1.10, a version, no reader of JSON leaves more than 1.1: the model is told, and puts it in quotes.
        ("string", Value::Number(number)) if number.is_f64() => {}
        ("string", scalar @ (Value::Number(_) | Value::Bool(_))) => {
            *value = Value::String(scalar.to_string())
        }
        _ => {}
    }
}

/// Coerces each property; an optional one that is `null` counts as left out.
fn coerce_properties(map: &mut Map<String, Value>, properties: &Map<String, Value>, schema: &Value) {
    let required = |key: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|k| k == key))
    };
    map.retain(|key, value| !value.is_null() || required(key) || !properties.contains_key(key));
    for (key, value) in map {
        if let Some(schema) = properties.get(key) {
            coerce(value, schema);
        }
    }
}

fn number(text: &str, wanted: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    if wanted == "number" { Some(number) } else { whole(&number).or(number.is_i64().then_some(number)) }
}

/// `3.0` as 3, where no digit is lost.
fn whole(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    let exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    exact.then(|| Number::from(float as i64))
}
