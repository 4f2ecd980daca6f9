//! The words of a wrong type: what was found, and what was probably meant.

use crate::{
    document::{Scalar, Value},
    problem::quoted,
    scalar::Meaning,
};

/// How messages name a boolean.
pub(crate) const BOOL: &str = "true or false";
/// How messages name a whole number.
pub(crate) const WHOLE: &str = "a whole number";

/// Names what stands in the file.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a mapping".to_owned(),
        Value::Scalar(Scalar { meaning: Meaning::Text, text }) => quoted(text),
        Value::Scalar(Scalar { meaning: Meaning::Null, .. }) => "null".to_owned(),
        Value::Scalar(scalar) => crate::problem::excerpt(&scalar.text),
    }
}

/// Says what to write, where that can be told from what was written.
pub(crate) fn hint(wanted: &str, value: &Value) -> String {
    let Value::Scalar(scalar) = value else {
        return String::new();
    };
    match wanted {
        BOOL => bool_hint(&scalar.text),
        WHOLE => whole_hint(scalar),
        _ => String::new(),
    }
}

fn bool_hint(text: &str) -> String {
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
fn whole_hint(scalar: &Scalar) -> String {
    let digits: String = scalar.text.trim().chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let whole = digits.strip_suffix(".0").unwrap_or(&digits);
    match (whole.parse::<i64>(), scalar.meaning) {
        (Ok(number), Meaning::Text | Meaning::Float(_)) => format!(" (write {number})"),
        _ => String::new(),
    }
}
