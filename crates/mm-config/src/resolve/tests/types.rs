use serde_json::{Map, Value, json};

use super::*;

/// What an entry of a list or of a free mapping must have beside the key that is tried.
const ENTRIES: [(&str, &str); 6] = [
    ("lsp.servers.*", r#"{"name": "a", "command": "b", "extensions": [".x"]}"#),
    ("tools.*", r#"{"name": "t", "description": "d", "command": ["c"]}"#),
    ("tools.*.parameters.*", "{}"),
    ("hooks.*.*", r#"{"command": "c"}"#),
    ("mcp.servers.*", r#"{"command": "c"}"#),
    ("mmConfigs.*", r#"{"path": "p"}"#),
];

/// The steps to a key, `*` for an item and `<>` for a free name, and its schema.
type Key = (Vec<String>, Value);

fn collect(schema: &Value, steps: &[String], keys: &mut Vec<Key>) {
    let deeper = |step: &str| [steps, &[step.to_owned()]].concat();
    for (name, key) in schema["properties"].as_object().into_iter().flatten() {
        let steps = deeper(name);
        collect(key, &steps, keys);
        keys.push((steps, key.clone()));
    }
    if schema["items"].is_object() {
        collect(&schema["items"], &deeper("*"), keys);
    }
    match &schema["additionalProperties"] {
        Value::Object(free) if !free.contains_key("properties") && free.contains_key("anyOf") => {
            let long = free["anyOf"].as_array().unwrap().iter().find(|form| form["properties"].is_object());
            collect(long.unwrap(), &deeper("<>"), keys);
        }
        free if free.is_object() => collect(free, &deeper("<>"), keys),
        _ => {}
    }
}

/// Every key of the file, those within lists and free mappings included.
fn keys() -> Vec<Key> {
    let mut keys = Vec::new();
    collect(&crate::json_schema(), &[], &mut keys);
    keys
}

pub(super) fn top_keys() -> Vec<String> {
    let schema = crate::json_schema();
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

/// A file of one line in which nothing but the key has a value, and the key as messages name it.
fn file(steps: &[String], value: Value) -> (String, String) {
    let mut tree = value;
    for (at, step) in steps.iter().enumerate().rev() {
        let pattern = steps[..at].join(".").replace("<>", "*");
        let beside = ENTRIES.iter().find(|(path, _)| crate::rules::fits_text(&pattern, path));
        tree = match step.as_str() {
            "*" => json!([tree]),
            name => {
                let mut map = match beside {
                    Some((_, beside)) => serde_json::from_str::<Map<_, _>>(beside).unwrap(),
                    None => Map::new(),
                };
                map.insert(name.replace("<>", "x"), tree);
                Value::Object(map)
            }
        };
    }
    let mut name = String::new();
    for step in steps {
        match step.as_str() {
            "*" => name += "[0]",
            "<>" => name += ".x",
            step => name = format!("{name}.{step}"),
        }
    }
    let tool = if steps.join(".") == "tools.*.name" { "tools[0] ()" } else { "tools[0] (t)" };
    let name = name.trim_start_matches('.').replace("tools[0]", tool);
    (format!("{tree}\n"), name)
}

fn types(schema: &Value) -> Vec<String> {
    match &schema["type"] {
        Value::Array(types) => types.iter().map(|kind| kind.as_str().unwrap().to_owned()).collect(),
        Value::String(kind) => vec![kind.clone()],
        _ => Vec::new(),
    }
}

/// A value of a wrong type, and the end of the message about it.
fn wrong(steps: &[String], schema: &Value) -> Option<(Value, &'static str)> {
    let types = types(schema);
    let first = types.first().map(String::as_str);
    let is_duration = schema.pointer("/anyOf/0/pattern").is_some();
    let last = steps.last().map(String::as_str);
    if schema["oneOf"].is_array() || schema["enum"].is_array() {
        // One of a few words.
        return Some((json!([1]), ", not a list"));
    }
    Some(match first {
        Some("boolean") => {
            (json!("yes"), "must be true or false, not \"yes\" (which is text in YAML 1.2: write true)")
        }
        Some("number") => (json!("hot"), "must be a number, not \"hot\""),
        Some("integer") => (json!("many"), "must be a whole number, not \"many\""),
        Some("string") => (json!([1]), "must be text, not a list"),
        Some("array") => {
            let words = match last {
                Some("command" | "args") => "must be a list, not \"a b\" (write [\"a\", \"b\"])",
                Some("extensions" | "denyPatterns" | "allowPatterns") => {
                    "must be a list, not \"a b\" (write [\"a b\"])"
                }
                _ => "must be a list, not \"a b\"",
            };
            (json!("a b"), words)
        }
        Some("object") => (json!([1]), "must be a mapping, not a list"),
        _ if is_duration => (json!(5), "must be a duration with a unit, not 5: write 5s for seconds"),
        // Text or a list.
        _ if last == Some("command") => (json!({ "a": 1 }), "must be text or a list, not a mapping"),
        // Any value.
        _ => return None,
    })
}

#[test]
fn every_key_of_a_wrong_type_is_one_line_with_place_key_and_right_form() {
    let keys = keys();
    let mut tried = 0;
    for (steps, schema) in &keys {
        let Some((value, words)) = wrong(steps, schema) else {
            continue;
        };
        tried += 1;
        let (text, name) = file(steps, value);
        let told = problems(&text);
        let is_parameters = steps.join(".") == "tools.*.parameters";
        assert_eq!(told.len(), 1, "{text}{told:?}");
        if is_parameters {
            assert_eq!(told[0], "line 1: parameters must be a mapping of name → {type, description, …}");
            continue;
        }
        assert!(told[0].starts_with("line 1, column "), "{text}{told:?}");
        assert!(told[0].contains(&format!(": {name} must be ")), "{name} {told:?}");
        assert!(told[0].ends_with(words), "{name} {told:?}");
    }
    assert!(tried > 110, "{tried} of {}", keys.len());
}

#[test]
fn every_key_that_is_null_has_its_default() {
    // In `sampling` null takes a default away.
    for (steps, _) in keys().into_iter().filter(|(steps, _)| steps.len() == 1 || steps[0] != "sampling") {
        let required = ["lsp.servers.*.name", "lsp.servers.*.command", "lsp.servers.*.extensions"];
        let required = [&required[..], &["tools.*.name", "tools.*.description", "tools.*.command"]].concat();
        let path = steps.join(".");
        let (text, name) = file(&steps, Value::Null);
        if steps.len() == 2 && steps[0] == "hooks" {
            assert_eq!(config(&text), Config::default());
            continue;
        }
        let alone = ["hooks.", "mcp.servers.<>.command", "mmConfigs.<>.path"];
        if required.contains(&&*path)
            || alone.iter().any(|one| path.starts_with(one) && path.ends_with(['d', 'h']))
        {
            assert_eq!(problems(&text).len(), 1, "{text}");
            continue;
        }
        // The same file with something else that changes nothing in its place.
        let (other, _) = file(&[&steps[..steps.len() - 1], &["x-nothing".to_owned()]].concat(), Value::Null);
        let without = Config { unknown_keys: Vec::new(), ..config(&other) };
        assert_eq!(config(&text), without, "{name}");
    }
}

#[test]
fn every_wrong_type_is_told_in_one_run() {
    let text: String = top_keys().iter().map(|key| format!("{key}: [[1]]\n")).collect();
    let told = problems(&text);
    assert_eq!(told.len(), top_keys().len(), "{told:#?}");
    for (line, key) in (1..).zip(top_keys()) {
        assert!(told[line - 1].starts_with(&format!("line {line}, column ")), "{key} {told:#?}");
    }
}

#[test]
fn hints_name_the_right_form() {
    let rows = [
        ("maxTurns: \"10\"", "line 1, column 11: maxTurns must be a whole number, not \"10\" (write 10)"),
        ("maxTurns: 1_000", "line 1, column 11: maxTurns must be a whole number, not \"1_000\" (write 1000)"),
        ("maxTurns: 3.0", "line 1, column 11: maxTurns must be a whole number, not 3.0 (write 3)"),
        ("editTools: 1", "line 1, column 12: editTools must be true or false, not 1 (write true)"),
        (
            "bashTool: off",
            "line 1, column 11: bashTool must be true or false, not \"off\" (which is text in YAML 1.2: write false)",
        ),
        (
            "bashTimeout: soon",
            "line 1, column 14: bashTimeout must be a duration such as 20s, 3m or 1h30m, not \"soon\"",
        ),
        (
            "maxTurns: 99999999999999999999",
            "line 1, column 11: maxTurns must be at most 18446744073709551615",
        ),
        ("\n\n  {yolo: \"a\\nb\"}", "line 3, column 10: yolo must be true or false, not \"a\\nb\""),
        (
            "sampling: {top_p: .nan, x: [.inf]}",
            "line 1, column 19: sampling.top_p must be a finite number, not .nan\n\
             line 1, column 29: sampling.x[0] must be a finite number, not .inf",
        ),
        (
            "sampling: {seed: 99999999999999999999}",
            "line 1, column 18: sampling.seed must be at most 18446744073709551615",
        ),
        ("- a", "line 1, column 1: the file must be a mapping, not a list"),
        ("guard: {denyPatterns: [~]}", "line 1, column 24: guard.denyPatterns[0] must be text, not null"),
        (
            "guard: {denyPatterns: [null]}",
            "line 1, column 24: guard.denyPatterns[0] must be text, not null (write \"null\")",
        ),
        ("hooks: {preAsk: ./x.sh}", "line 1, column 17: hooks.preAsk must be a list, not \"./x.sh\""),
        ("mmConfigs:\n  a:\n", "mmConfigs.a: the path must not be empty"),
        ("maxTurns: 1,5", "line 1, column 11: maxTurns must be a whole number, not \"1,5\""),
        (
            "bashTimeout: -5",
            "line 1, column 14: bashTimeout must be a duration with a unit, not -5: write 5s for seconds",
        ),
        (
            "hooks: {preAsk: [{command: {a: b}}]}",
            "line 1, column 28: hooks.preAsk[0].command must be text or a list, not a mapping",
        ),
        (
            "mcp: {servers: {a: {command: 'a \"b c\"', args: 'x | y'}}}",
            "line 1, column 47: mcp.servers.a.args must be a list, not \"x | y\" (write each word as an item of its own)",
        ),
        (
            "mcp: {servers: {a: {command: c, env_file: e, envFile: f}}}",
            "line 1, column 43: mcp.servers.a.env_file is envFile by another name, and that is set too",
        ),
        ("tools: [5]", "line 1, column 9: tools[0] () must be a mapping, not 5"),
    ];
    for (text, expected) in rows {
        assert_eq!(problems(text).join("\n"), expected, "{text}");
    }
}
