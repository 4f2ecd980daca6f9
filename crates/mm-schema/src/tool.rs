//! What a tool is called and takes, and a call of it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// A tool as the model is told about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name that the model calls, unique within a request.
    pub name: String,
    /// What the tool does and when to use it, for the model.
    pub description: String,
    /// A JSON Schema of type `object` for the arguments.
    pub parameters: Value,
}

impl ToolSpec {
    /// Makes a specification whose parameters are the fields of `A`.
    ///
    /// The schema is cut to what a model needs: no `$schema`, `title`, `format`, `default`, bounds
    /// that only restate the Rust type, or `null` beside an optional field's type. Each byte of it is
    /// read by the model before the first question.
    pub fn of<A: JsonSchema>(name: impl Into<String>, description: impl Into<String>) -> Self {
        let generator = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).into_generator();
        let mut parameters = generator.into_root_schema_for::<A>().to_value();
        shorten(&mut parameters);
        if let Value::Object(schema) = &mut parameters {
            schema.remove("description");
        }
        Self { name: name.into(), description: description.into(), parameters }
    }
}

/// A call that the model asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Ties the result to the call; never empty, stays the same in the history.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as JSON text. In a history it is always a valid JSON object, byte for byte as the
    /// model wrote it wherever that was valid, so that a server finds its cached prompt again.
    pub arguments: String,
}

const NOISE: [&str; 5] = ["$schema", "title", "format", "default", "additionalProperties"];

fn shorten(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    NOISE.iter().for_each(|key| drop(map.shift_remove(*key)));
    if map.get("minimum").is_some_and(|min| min.as_f64() == Some(0.0)) {
        map.shift_remove("minimum");
    }
    // An optional value is left out, not null.
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    shorten_children(map);
}

fn shorten_children(map: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(shorten);
    }
    if let Some(items) = map.get_mut("items") {
        shorten(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Args {
        /// The command to run.
        command: String,
        /// Seconds.
        timeout: Option<u64>,
        paths: Vec<String>,
        how: Option<How>,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    enum How {
        Fast,
        Slow,
    }

    #[test]
    fn a_schema_holds_only_what_the_model_needs() {
        let spec = ToolSpec::of::<Args>("bash", "Run it.");
        let expected = json!({
            "type": "object",
            "properties": {
                "command": {"description": "The command to run.", "type": "string"},
                "timeout": {"description": "Seconds.", "type": "integer"},
                "paths": {"type": "array", "items": {"type": "string"}},
                "how": {"type": "string", "enum": ["Fast", "Slow"]}
            },
            "required": ["command", "paths"]
        });
        assert_eq!(spec.parameters, expected);
    }
}
