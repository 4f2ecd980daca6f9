//! The file as JSON Schema: for editors, for the variables of single-valued keys, and for the reference.

mod tighten;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{
    config::Config,
    rules::{BOUNDS, Bound},
};

/// Gives the JSON Schema of the file, draft 2020-12: every key with its description, its default and its bounds.
///
/// It is a little stricter than the loader, so that an editor marks what the loader only warns of: keys that
/// nothing reads. What two values say together it cannot check.
pub fn json_schema() -> Value {
    let mut schema = generated();
    if let Some(top) = schema.as_object_mut() {
        // An editor need not know where the text comes from.
        top.insert("patternProperties".into(), json!({ "^x-": {} }));
    }
    open_to_null(&mut schema);
    for (path, bound) in BOUNDS {
        each_at(&mut schema, path, &mut |key| limit(key, *bound));
    }
    tighten::tighten(&mut schema);
    schema
}

/// A key with a single value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalarKey {
    /// The key with those it stands under, `context.threshold`.
    pub(crate) path: String,
    /// The variable that sets it, `MM_CONTEXT_THRESHOLD`.
    pub(crate) variable: String,
    pub(crate) kind: Kind,
}

/// How the value of a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Bool,
    Number,
}

/// Gives every key that has one value and stands in no list and under no free name.
pub(crate) fn scalar_keys() -> Vec<ScalarKey> {
    let mut keys = Vec::new();
    collect(&generated(), "", &mut keys);
    keys
}

fn collect(schema: &Value, above: &str, keys: &mut Vec<ScalarKey>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, key) in properties {
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        match kind(key) {
            Some(kind) => keys.push(ScalarKey { variable: variable(&path), path, kind }),
            None => collect(key, &path, keys),
        }
    }
}

fn kind(key: &Value) -> Option<Kind> {
    let types = key.get("type").map(|kinds| match kinds {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<_>>(),
    });
    match types.as_deref().and_then(<[_]>::first).copied() {
        Some("boolean") => Some(Kind::Bool),
        Some("integer" | "number") => Some(Kind::Number),
        Some("string") => Some(Kind::Text),
        Some(_) => None,
        // A duration, or one of a few words.
        None => ["anyOf", "oneOf", "enum"].iter().any(|word| key.get(word).is_some()).then_some(Kind::Text),
    }
}

/// Gives the lists and mappings that no variable can set, without those within lists.
pub(crate) fn larger_keys() -> Vec<String> {
    fn collect(schema: &Value, above: &str, keys: &mut Vec<String>) {
        for (name, key) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            if kind(key).is_none() {
                collect(key, &path, keys);
                keys.push(path);
            }
        }
    }
    let mut keys = Vec::new();
    collect(&generated(), "", &mut keys);
    keys
}

/// `MM_` and the path in upper snake case.
pub(crate) fn variable(path: &str) -> String {
    let mut name = crate::env::PREFIX.to_owned();
    for c in path.chars() {
        match c {
            '.' => name.push('_'),
            c if c.is_ascii_uppercase() => name.extend(['_', c]),
            c => name.push(c.to_ascii_uppercase()),
        }
    }
    name
}

/// What schemars makes of the types, with the three parameters of `sampling` that have a default.
fn generated() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>().to_value();
    each_at(&mut schema, "sampling", &mut |sampling| {
        let defaults = sampling.remove("default").unwrap_or_default();
        let rows = [
            ("temperature", "number", "The randomness of each choice; 0 is none."),
            ("top_p", "number", "The share of the likeliest tokens that are chosen from."),
            ("max_tokens", "integer", "The tokens of an answer, thinking and calls of tools included."),
        ];
        let key = |(name, kind, what): (&str, &str, &str)| {
            let default = defaults.get(name).cloned().unwrap_or_default();
            (name.to_owned(), json!({ "description": what, "type": kind, "default": default }))
        };
        sampling.insert("properties".into(), rows.map(key).into_iter().collect::<Map<_, _>>().into());
    });
    plain(&mut schema);
    schema
}

/// Takes away what only a program reads: sizes of machine words, null as the default of what is absent, line ends in
/// descriptions.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let machine = |format: &Value| {
                format.as_str().is_some_and(|format| format.starts_with("uint") || format == "duration-of-go")
            };
            if object.get("format").is_some_and(machine) {
                object.remove("format");
                object.remove("minimum");
                object.remove("maximum");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            object.remove("writeOnly");
            if let Some(Value::String(words)) = object.get_mut("description") {
                *words = words.replace('\n', " ");
            }
            // A key that is called `properties` or `default` is still walked through.
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Calls `change` on the schema of a key; `*` steps into a list, under a free name, or to each key of a mapping
/// that has neither.
fn each_at(schema: &mut Value, path: &str, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    if step.is_empty() {
        return schema.as_object_mut().into_iter().for_each(change);
    }
    if let Some(next) = schema.pointer_mut(&format!("/properties/{step}")) {
        return each_at(next, rest, change);
    }
    let inner = ["items", "additionalProperties"];
    let Some(object) = schema.as_object_mut().filter(|_| step == "*") else {
        return;
    };
    match inner.into_iter().find(|word| object.get(*word).is_some_and(Value::is_object)) {
        Some(word) => object.get_mut(word).into_iter().for_each(|next| each_at(next, rest, change)),
        None => {
            let keys = object.get_mut("properties").and_then(Value::as_object_mut);
            keys.into_iter().flatten().for_each(|(_, next)| each_at(next, rest, change));
        }
    }
}

/// Each key may be null, which keeps its default; text may be a number or a boolean, which is taken as written.
fn open_to_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let is_word = object.contains_key("const") || object.contains_key("enum");
    let is_duration = object.contains_key("pattern");
    if object.get("type") == Some(&json!("string")) && !is_word && !is_duration {
        object.insert("type".into(), json!(["string", "number", "boolean"]));
    }
    if let Some(Value::Array(kinds)) = object.get_mut("type")
        && kinds.contains(&json!("string"))
        && !is_word
        && !kinds.contains(&json!("number"))
    {
        kinds.extend([json!("number"), json!("boolean")]);
    }
    for form in object.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        open_to_null(form);
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        for key in properties.values_mut() {
            open_to_null(key);
            if let Some(key) = key.as_object_mut() {
                nullable(key);
            }
        }
        let known = object.get("additionalProperties");
        if known.is_none() {
            object.insert("additionalProperties".into(), Value::Bool(false));
        }
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(inner) {
            open_to_null(inner);
        }
    }
}

fn nullable(key: &mut Map<String, Value>) {
    match key.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Some(kind @ Value::String(_)) => *kind = json!([kind.take(), "null"]),
        _ => {}
    }
    for choice in ["enum", "anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = key.get_mut(choice) {
            let null = if choice == "enum" { Value::Null } else { json!({ "type": "null" }) };
            if !choices.contains(&null) {
                choices.push(null);
            }
        }
    }
}

fn limit(key: &mut Map<String, Value>, bound: Bound) {
    if let Some(Value::Array(forms)) = key.get_mut("anyOf") {
        // A duration: its text has no sign, and where 0 is too short it does not begin with one.
        for form in forms.iter_mut().filter_map(Value::as_object_mut) {
            if let Some(pattern) = form.get_mut("pattern") {
                *pattern = json!(pattern.as_str().unwrap_or_default().replace("[+-]?", "\\+?"));
            }
        }
        if matches!(bound, Bound::Above(_)) {
            forms.retain(|form| form.get("const").is_none());
            for form in
                forms.iter_mut().filter_map(Value::as_object_mut).filter(|f| f.contains_key("pattern"))
            {
                form.insert("not".into(), json!({ "pattern": "^[^1-9]*$" }));
            }
        }
        return;
    }
    let (least, most) = match bound {
        Bound::AtLeast(least) => (least, None),
        Bound::Above(limit) => (limit + 1, None),
        Bound::Between(least, most) => (least, Some(most)),
    };
    key.insert("minimum".into(), json!(least));
    if let Some(most) = most {
        key.insert("maximum".into(), json!(most));
    }
}

#[cfg(test)]
mod tests;
