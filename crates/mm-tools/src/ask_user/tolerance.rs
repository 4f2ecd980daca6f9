//! Questions as weak models write them: a lone one, texts alone, kinds and options in other words.

use serde_json::{Map, Value, json};

/// Brings any of these into `{"questions": [{"question", "kind", …}, …]}`; what is none of them stays as it is, and
/// the schema says what is wrong with it.
pub(super) fn questions(args: Value) -> Value {
    let Value::Object(mut args) = args else { return args };
    let list = match args.shift_remove("questions") {
        Some(Value::Array(list)) => list,
        Some(lone @ (Value::Object(_) | Value::String(_))) => vec![lone],
        Some(other) => {
            args.insert("questions".to_owned(), other);
            return Value::Object(args);
        }
        // One question without the list around it.
        None if args.contains_key("question") => return json!({"questions": [one(Value::Object(args))]}),
        None => return Value::Object(args),
    };
    json!({"questions": list.into_iter().map(one).collect::<Vec<_>>()})
}

fn one(question: Value) -> Value {
    let mut question = match question {
        Value::Object(question) => question,
        Value::String(text) => Map::from_iter([("question".to_owned(), text.into())]),
        other => return other,
    };
    for (other, name) in [("text", "question"), ("choices", "options"), ("type", "kind")] {
        if !question.contains_key(name)
            && let Some(value) = question.shift_remove(other)
        {
            question.insert(name.to_owned(), value);
        }
    }
    let options = question.get("options").map(options).filter(|options| !options.is_empty());
    match &options {
        Some(options) => drop(question.insert("options".to_owned(), options.clone().into())),
        None => drop(question.shift_remove("options")),
    }
    let kind = kind(question.get("kind").and_then(Value::as_str), options.as_deref());
    question.insert("kind".to_owned(), kind.into());
    if let Some(Value::Array(several)) = question.get("default") {
        let joined: Vec<String> = several.iter().map(text).collect();
        question.insert("default".to_owned(), joined.join(", ").into());
    }
    Value::Object(question)
}

/// The kind that is meant, else the one that fits the options.
fn kind(written: Option<&str>, options: Option<&[String]>) -> &'static str {
    let is_yes_no = |options: &[String]| {
        options.len() == 2
            && options.iter().all(|option| matches!(option.to_lowercase().as_str(), "yes" | "no"))
    };
    let written = written.unwrap_or_default().trim().to_lowercase().replace(['-', ' '], "_");
    match (written.as_str(), options) {
        (
            "choose_many" | "multi" | "multiple" | "multi_select" | "multiselect" | "checkbox" | "many",
            Some(_),
        ) => "choose_many",
        (_, Some(options)) if is_yes_no(options) => "yes_no",
        (_, Some(_)) => "choose",
        ("yes_no" | "yesno" | "yes/no" | "boolean" | "bool" | "confirm", None) => "yes_no",
        (_, None) => "text",
    }
}

/// The options as texts, each once.
fn options(written: &Value) -> Vec<String> {
    let all: Vec<String> = match written {
        Value::Array(list) => list.iter().map(text).collect(),
        Value::String(line) => line.split([',', '\n']).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let mut once: Vec<String> = Vec::new();
    for option in all.iter().map(|option| option.trim()).filter(|option| !option.is_empty()) {
        if !once.iter().any(|known| known == option) {
            once.push(option.to_owned());
        }
    }
    once
}

/// An option as a text: itself, or the name that an object has.
fn text(option: &Value) -> String {
    match option {
        Value::String(text) => text.clone(),
        Value::Object(object) => ["label", "text", "value", "name", "option"]
            .iter()
            .find_map(|key| object.get(*key).and_then(Value::as_str))
            .map_or_else(|| option.to_string(), str::to_owned),
        other => other.to_string(),
    }
}
