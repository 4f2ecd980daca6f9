//! Values in the places of their names.

use serde_json::{Number, Value};

/// Puts values into each entry but the program. What a value holds is never looked at again.
pub(super) fn filled<'v>(command: &[String], value: impl Fn(&str) -> Option<&'v Value>) -> Vec<String> {
    let (program, arguments) = command.split_at(command.len().min(1));
    let filled = arguments.iter().filter_map(|entry| match only(entry) {
        Some(name) => value(name).map(text),
        None => Some(entry_filled(entry, &value)),
    });
    program.iter().cloned().chain(filled).collect()
}

/// The name in an entry that is a placeholder and nothing else.
fn only(entry: &str) -> Option<&str> {
    let name = entry.strip_prefix("{{")?.strip_suffix("}}")?;
    (!name.contains("{{") && !name.contains("}}")).then_some(name)
}

fn entry_filled<'v>(entry: &str, value: &impl Fn(&str) -> Option<&'v Value>) -> String {
    let mut filled = String::with_capacity(entry.len());
    let mut rest = entry;
    for name in mm_schema::placeholders(entry) {
        let Some((before, behind)) = rest.split_once(&format!("{{{{{name}}}}}")) else { break };
        filled.push_str(before);
        filled.push_str(&value(name).map(text).unwrap_or_default());
        rest = behind;
    }
    filled + rest
}

/// A value as an argument: text as it is, a number as people write it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => plain(number),
        other => other.to_string(),
    }
}

/// `1` for 1.0 and `10000000` for 1e7: programs that take numbers seldom know the other forms.
fn plain(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => format!("{float}"),
        None => number.to_string(),
    }
}

/// The name of a number that was not kept as it was written: from 2^53 on not every whole number has its own.
pub(super) fn inexact(args: &Value) -> Option<&str> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_inexact = |value: &Value| {
        value.is_f64() && value.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() >= EXACT)
    };
    let mut args = args.as_object()?.iter();
    args.find(|(_, value)| is_inexact(value)).map(|(name, _)| name.as_str())
}

/// A command line for a person, who sees where an argument begins and ends.
pub(super) fn shown(argv: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^{}".contains(c);
    let quoted = |entry: &String| match !entry.is_empty() && entry.chars().all(is_plain) {
        true => entry.clone(),
        false => format!("'{}'", entry.replace('\'', r"'\''")),
    };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_stand_in_the_places_of_their_names() {
        let values =
            json!({"a": "x y", "b": "{{a}}$&\\1", "n": 1.0, "big": 1e7, "huge": 1e21, "f": 0.5, "yes": true});
        let rows: [(&[&str], &[&str]); 12] = [
            (&["p"], &["p"]),
            (&["p", "{{a}}"], &["p", "x y"]),
            (&["p", "--x={{a}}-{{b}}"], &["p", "--x=x y-{{a}}$&\\1"]),
            (&["p", "{{a}}{{a}}"], &["p", "x yx y"]),
            (&["p", "{{gone}}", "z"], &["p", "z"]),
            (&["p", "--x={{gone}}"], &["p", "--x="]),
            (&["p", "{{n}}", "{{big}}", "{{huge}}"], &["p", "1", "10000000", "1000000000000000000000"]),
            (&["p", "{{f}}", "{{yes}}"], &["p", "0.5", "true"]),
            (&["p", "{a}", "}}{{", "{{a"], &["p", "{a}", "}}{{", "{{a"]),
            (&["p", "{{{{a}}"], &["p", "{{x y"]),
            (&["{{a}}", "b"], &["{{a}}", "b"]),
            (&[], &[]),
        ];
        for (command, expected) in rows {
            let command: Vec<String> = command.iter().map(|entry| (*entry).to_owned()).collect();
            assert_eq!(filled(&command, |name| values.get(name)), expected, "{command:?}");
        }
    }

    #[test]
    fn a_person_sees_where_an_argument_ends() {
        let rows: [(&[&str], &str); 4] = [
            (&["./scripts/release.sh", "1.4.2", "beta"], "./scripts/release.sh 1.4.2 beta"),
            (&["p", "", "a b", "it's"], r"p '' 'a b' 'it'\''s'"),
            (&["p", "--x=1", "*", "$HOME", "é"], "p --x=1 '*' '$HOME' é"),
            (&["p", "a\nb"], "p 'a\nb'"),
        ];
        for (argv, expected) in rows {
            let argv: Vec<String> = argv.iter().map(|entry| (*entry).to_owned()).collect();
            assert_eq!(shown(&argv), expected);
        }
    }
}
