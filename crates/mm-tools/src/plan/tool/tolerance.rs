//! Plans as weak models write them: steps as texts or one list in a text, other words for a status.

use serde_json::{Map, Value};

/// Brings steps into `[{"text", "status"}, …]`; what cannot be understood stays as it is, and the schema says what is
/// wrong with it.
pub(super) fn plan(args: Value) -> Value {
    let Value::Object(mut args) = args else { return args };
    if let Some(Value::String(action)) = args.get_mut("action") {
        *action = action.trim().to_lowercase();
    }
    if let Some(steps) = args.get_mut("steps") {
        let list = match steps.take() {
            Value::Array(list) => list,
            Value::String(lines) => lines.lines().map(Value::from).collect(),
            lone @ Value::Object(_) => vec![lone],
            other => {
                *steps = other;
                return Value::Object(args);
            }
        };
        *steps = list.into_iter().map(step).collect();
    }
    Value::Object(args)
}

fn step(step: Value) -> Value {
    let mut step = match step {
        Value::Object(step) => step,
        Value::String(line) => Map::from_iter([("text".to_owned(), Value::from(without_mark(&line)))]),
        other => return other,
    };
    for other in ["step", "title", "content", "description", "name"] {
        if !step.contains_key("text")
            && let Some(value) = step.shift_remove(other)
        {
            step.insert("text".to_owned(), value);
        }
    }
    if let Some(Value::String(status)) = step.get_mut("status") {
        *status = word(status).to_owned();
    }
    Value::Object(step)
}

/// The status that is meant; an unknown word stays, for the schema to name.
fn word(written: &str) -> &str {
    let plain = written.trim().to_lowercase().replace(['-', ' '], "_");
    match plain.as_str() {
        "todo" | "to_do" | "pending" | "open" | "not_started" => "todo",
        "doing" | "in_progress" | "active" | "current" | "started" => "doing",
        "done" | "complete" | "completed" | "finished" => "done",
        "skipped" | "skip" | "cancelled" | "canceled" => "skipped",
        _ => written,
    }
}

/// A line of a list without its bullet or number.
fn without_mark(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches(['-', '*', '•']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.strip_prefix(['.', ')']).filter(|_| digits.len() < bare.len());
    numbered.filter(|rest| rest.starts_with(' ')).unwrap_or(bare).trim()
}
