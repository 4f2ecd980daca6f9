//! JSON as a person reads it: what fits into a line stands in one.

use serde_json::Value;

const WIDTH: usize = 118;

/// Writes a value with a line feed at its end.
pub(super) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text.push('\n');
    text
}

/// Writes a value at an indentation, behind so many characters of its line.
fn write(value: &Value, indent: usize, before: usize, text: &mut String) {
    let line = inline(value);
    // One more for a comma.
    if before + line.chars().count() < WIDTH {
        text.push_str(&line);
        return;
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                let key = format!("{}: ", Value::String(key.clone()));
                separate(at, indent + 2, text);
                text.push_str(&key);
                write(value, indent + 2, indent + 2 + key.chars().count(), text);
            }
            close(indent, '}', text);
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, value) in items.iter().enumerate() {
                separate(at, indent + 2, text);
                write(value, indent + 2, indent + 2, text);
            }
            close(indent, ']', text);
        }
        _ => text.push_str(&line),
    }
}

fn separate(at: usize, indent: usize, text: &mut String) {
    text.push_str(if at > 0 { ",\n" } else { "\n" });
    text.push_str(&" ".repeat(indent));
}

fn close(indent: usize, bracket: char, text: &mut String) {
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push(bracket);
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::String(key.clone()), inline(value))
            };
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}
