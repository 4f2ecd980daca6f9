//! The words of a wrong type: what was found, and what was probably meant.

use crate::{
    de::{Path, Step},
    document::{Scalar, Value},
    problem::{excerpt, quoted},
    scalar::Meaning,
};

/// How messages name a boolean.
pub(crate) const BOOL: &str = "true or false";
/// How messages name a whole number.
pub(crate) const WHOLE: &str = "a whole number";
/// How messages name text.
pub(crate) const TEXT: &str = "text";
/// How messages name a list.
pub(crate) const LIST: &str = "a list";
/// How messages name a command.
pub(crate) const TEXT_OR_LIST: &str = "text or a list";
/// How messages name a duration.
pub(crate) const DURATION: &str = "a duration such as 20s, 3m or 1h30m";

/// Names what stands in the file.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a mapping".to_owned(),
        Value::Scalar(Scalar { meaning: Meaning::Text, text }) => quoted(text),
        Value::Scalar(Scalar { meaning: Meaning::Null, .. }) => "null".to_owned(),
        Value::Scalar(scalar) => excerpt(&scalar.text),
    }
}

/// Says what to write, where that can be told from what was written.
pub(crate) fn hint(wanted: &str, value: &Value, path: &Path<'_>) -> String {
    let Value::Scalar(scalar) = value else {
        return String::new();
    };
    match wanted {
        BOOL => bool_hint(&scalar.text),
        WHOLE => whole_hint(scalar),
        // Of `~` and of nothing at all nobody can tell what was meant.
        TEXT if scalar.text.eq_ignore_ascii_case("null") => format!(" (write \"{}\")", excerpt(&scalar.text)),
        LIST if scalar.meaning != Meaning::Null => list_hint(&scalar.text, path),
        _ => String::new(),
    }
}

/// The allowed texts of a key, as in `"auto" or "ask"`.
pub(crate) fn choice(variants: &[&str]) -> String {
    let quoted: Vec<String> = variants.iter().map(|variant| format!("\"{variant}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What a text that is none of the allowed ones breaks.
pub(crate) fn no_choice(name: &str, variants: &[&str], found: &str) -> String {
    match name {
        "ParameterType" => format!(" {} must be one of {}", quoted(found), variants.join(", ")),
        _ => format!(" must be {}", choice(variants)),
    }
}

/// What a word that stands for a boolean elsewhere is to be written as.
pub(crate) fn bool_hint(text: &str) -> String {
    let (meant, word) = match text.to_lowercase().as_str() {
        "yes" | "on" | "y" => ("true", true),
        "no" | "off" | "n" => ("false", true),
        "true" | "t" | "1" => ("true", false),
        "false" | "f" | "0" => ("false", false),
        _ => return String::new(),
    };
    if word { format!(" (which is text in YAML 1.2: write {meant})") } else { format!(" (write {meant})") }
}

/// `"10"`, `1_000` and `3.0` are whole numbers to whoever writes them.
pub(crate) fn whole_hint(scalar: &Scalar) -> String {
    let digits: String = scalar.text.trim().chars().filter(|c| *c != '_').collect();
    let whole = digits.strip_suffix(".0").unwrap_or(&digits);
    match (whole.parse::<i64>(), scalar.meaning) {
        (Ok(number), Meaning::Text | Meaning::Float) => format!(" (write {number})"),
        _ => String::new(),
    }
}

/// One text for a list of one; a command line for the list of its words, unless it needs a shell.
fn list_hint(text: &str, path: &Path<'_>) -> String {
    const TEXTS: [&str; 3] = ["extensions", "denyPatterns", "allowPatterns"];
    let words: Vec<&str> = match path.steps().last() {
        Some(Step::Key("command" | "args")) => text.split_whitespace().collect(),
        Some(Step::Key(key)) if TEXTS.contains(key) => vec![text],
        Some(Step::Key(_) | Step::Index(_)) | None => return String::new(),
    };
    let is_plain = |c: char| !matches!(c, '"' | '\'' | '\\' | '|' | '&' | ';' | '<' | '>' | '$' | '`');
    if text.len() > 60 || words.is_empty() || !text.chars().all(is_plain) {
        return " (write each word as an item of its own)".to_owned();
    }
    let items: Vec<String> = words.into_iter().map(quoted).collect();
    format!(" (write [{}])", items.join(", "))
}
