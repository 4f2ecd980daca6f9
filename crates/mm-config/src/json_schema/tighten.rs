//! The rules of single texts and lists, and those between the keys of one mapping, as far as a schema can say them.

use serde_json::{Map, Value, json};

use super::each_at;
use crate::section::{BUILT_IN, LONGEST_NAME};

/// A key with what its schema says besides.
type Row = (&'static str, Value);

/// Adds the rules.
pub(super) fn tighten(schema: &mut Value) {
    for (path, rule) in texts().into_iter().chain(tools()).chain(hooks()).chain(servers()) {
        each_at(schema, path, &mut |key| extend(key, &rule));
    }
    each_at(schema, "mmConfigs", &mut agents);
}

fn not_blank() -> Value {
    json!({ "pattern": "\\S" })
}

fn texts() -> Vec<Row> {
    vec![
        ("provider", json!({ "enum": ["dmr", "llamacpp", "llmman", "ollama", null] })),
        ("baseUrl", json!({ "pattern": "^\\s*(https?://.*)?$" })),
        ("fallback", json!({ "pattern": "^\\s*(https?://.*)?$" })),
        ("model", not_blank()),
        ("acp.name", not_blank()),
        ("sessions.dir", json!({ "minLength": 1 })),
        ("agentsMd", not_empty_while(&json!({ "not": { "const": false } }), &[], "path")),
        ("trace", not_empty_while(&json!({ "const": true }), &["enabled"], "dir")),
        ("permissions", json!({ "deprecated": true })),
    ]
}

/// A text that cannot be empty while `enabled` is on.
fn not_empty_while(on: &Value, required: &[&str], key: &str) -> Value {
    json!({
        "if": { "properties": { "enabled": on }, "required": required },
        "then": { "properties": { key: { "minLength": 1 } } },
    })
}

fn tools() -> Vec<Row> {
    let name = json!({ "pattern": "^[A-Za-z][A-Za-z0-9_-]*$", "maxLength": LONGEST_NAME });
    let program = json!({ "pattern": "\\S", "not": { "pattern": "\\{\\{.*\\}\\}" } });
    vec![
        ("tools.*", json!({ "required": ["name", "description", "command"] })),
        ("tools.*.name", merged(&name, &json!({ "not": { "enum": BUILT_IN } }))),
        ("tools.*.description", not_blank()),
        ("tools.*.command", json!({ "minItems": 1, "prefixItems": [program] })),
        ("tools.*.parameters", json!({ "propertyNames": name })),
        ("tools.*.parameters.*", parameter()),
        (
            "tools.*.parameters.*.enum",
            json!({ "minItems": 1, "items": { "not": { "type": ["null", "array", "object"] } } }),
        ),
    ]
}

/// Values have the type of the parameter, and a default is for one that can be left out.
fn parameter() -> Value {
    let typed = |kind: &str| {
        let value = json!({ "type": [kind, "null"] });
        json!({
            "if": { "properties": { "type": { "const": kind } }, "required": ["type"] },
            "then": { "properties": { "enum": { "items": value }, "default": value } },
        })
    };
    let optional = json!({
        "if": { "properties": { "default": { "not": { "type": "null" } } }, "required": ["default"] },
        "then": { "properties": { "required": { "const": false } }, "required": ["required"] },
    });
    json!({ "allOf": [typed("integer"), typed("number"), typed("boolean"), optional] })
}

fn hooks() -> Vec<Row> {
    let no_matcher = json!({ "type": "null" });
    let command = json!({ "pattern": "\\S", "minItems": 1, "prefixItems": [not_blank()] });
    vec![
        ("hooks.*.*", json!({ "required": ["command"] })),
        ("hooks.*.*.command", command),
        ("hooks.preGeneration.*.matcher", no_matcher.clone()),
        ("hooks.postGeneration.*.matcher", no_matcher),
    ]
}

fn servers() -> Vec<Row> {
    let given = |key: &str| json!({ "properties": { key: not_blank() }, "required": [key] });
    let has_type =
        |types: &[&str]| json!({ "properties": { "type": { "enum": types } }, "required": ["type"] });
    let extension = json!({ "type": "string", "pattern": "^\\.." });
    let server = json!({
        "anyOf": [given("command"), given("url")],
        "allOf": [
            { "if": has_type(&["stdio"]), "then": given("command") },
            { "if": has_type(&["sse", "http"]), "then": given("url") },
        ],
        // The other name of a key, which an editor need not offer.
        "patternProperties": { "^env_file$": { "type": ["string", "null"] } },
    });
    let no_search = json!({
        "properties": {
            "enabled": { "const": true }, "useBm25": { "const": false }, "useRegex": { "enum": [false, null] },
        },
        "required": ["enabled", "useBm25"],
    });
    vec![
        ("lsp.servers.*", json!({ "required": ["name", "command", "extensions"] })),
        ("lsp.servers.*.name", not_blank()),
        ("lsp.servers.*.command", not_blank()),
        ("lsp.servers.*.extensions", json!({ "minItems": 1, "items": extension })),
        ("mcp.servers.*", server),
        ("mcp.discovery", json!({ "not": no_search })),
        ("mmConfigs.*.command", json!({ "minItems": 1, "prefixItems": [not_blank()] })),
    ]
}

/// An agent is a path or a mapping.
fn agents(key: &mut Map<String, Value>) {
    let long = key.remove("additionalProperties").unwrap_or_default();
    let one = json!({ "anyOf": [{ "required": ["path"] }, { "required": ["command"] }], "not": { "required": ["path", "command"] } });
    let long = merged(&long, &one);
    let path = json!({ "type": ["string", "number", "boolean"], "pattern": "\\S" });
    key.insert("additionalProperties".into(), json!({ "anyOf": [path, long] }));
    key.insert("propertyNames".into(), json!({ "pattern": "^(?!with-context)[a-z0-9][a-z0-9-]*$" }));
}

fn merged(schema: &Value, more: &Value) -> Value {
    let mut merged = schema.as_object().cloned().unwrap_or_default();
    extend(&mut merged, more);
    Value::Object(merged)
}

fn extend(key: &mut Map<String, Value>, rule: &Value) {
    for (word, value) in rule.as_object().into_iter().flatten() {
        key.insert(word.clone(), value.clone());
    }
}
