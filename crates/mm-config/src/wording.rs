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
        TEXT if scalar.meaning == Meaning::Null => format!(" (write \"{}\")", excerpt(&scalar.text)),
        LIST if scalar.meaning != Meaning::Null => list_hint(&scalar.text, path),
        _ => String::new(),
    }
}

/// What is wrong with text that is no YAML, and what to do; the parser's own words where we know no better.
pub(crate) fn syntax(parser: &str) -> &str {
    const KNOWN: [(&str, &str); 15] = [
        ("tab", "a tab cannot stand here — indent with spaces"),
        ("quoted scalar, found unexpected end", "the quote that begins here is never closed"),
        (
            "mapping values are not allowed",
            "a colon cannot stand here — put a value that holds \": \" in quotes, and write each key in the column of \
             its neighbours",
        ),
        ("did not find expected key", "the keys of a mapping stand in one column — mend the indentation"),
        ("expected '-' indicator", "the items of a list begin with - in one column — mend the indentation"),
        ("unexpected character", "a value cannot begin like this — put it in quotes"),
        ("misplaced bracket", "a value cannot begin like this — put it in quotes"),
        ("unknown anchor", "no & names what this * stands for — put a value that begins with * in quotes"),
        ("',' or ']'", "a list in brackets goes on — a comma or the closing ] is missing"),
        ("',' or '}'", "a mapping in braces goes on — a comma or the closing } is missing"),
        ("unknown escape", "in double quotes \\ begins an escape — use single quotes, or write \\\\"),
        (
            "block sequence entries are not allowed",
            "a list cannot begin here — begin it on a line of its own",
        ),
        ("trailing content", "something follows the closing quote — put the whole value in quotes"),
        ("simple key expected", "a colon behind the key is missing"),
        ("could not find expected ':'", "a colon behind the key is missing"),
    ];
    KNOWN.iter().find(|(part, _)| parser.contains(part)).map_or(parser, |(_, words)| words)
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
    let digits: String = scalar.text.trim().chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let whole = digits.strip_suffix(".0").unwrap_or(&digits);
    match (whole.parse::<i64>(), scalar.meaning) {
        (Ok(number), Meaning::Text | Meaning::Float) => format!(" (write {number})"),
        _ => String::new(),
    }
}

/// One text for a list of one; a command line for the list of its words.
fn list_hint(text: &str, path: &Path<'_>) -> String {
    let is_command = matches!(path.steps().last(), Some(Step::Key("command" | "args")));
    let words: Vec<&str> = if is_command { text.split_whitespace().collect() } else { vec![text] };
    let total = words.iter().map(|word| word.len()).sum::<usize>();
    if total > 60 || text.is_empty() {
        return String::new();
    }
    let items: Vec<String> = words.into_iter().map(quoted).collect();
    format!(" (write [{}])", items.join(", "))
}
