//! What an unquoted word of YAML means: the core schema of YAML 1.2.

/// The meaning of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true` or `false`; `yes` and `on` are text.
    Bool(bool),
    /// A whole number; [`int`] reads it.
    Int,
    /// Any other number, `.inf` and `.nan` included; [`float`] reads it.
    Float,
    /// Everything else, and all that stands in quotes.
    Text,
}

impl Meaning {
    /// Reads an unquoted scalar.
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            // Most texts are told by their first letter.
            _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) => {
                Self::Text
            }
            _ if int(text).is_some() => Self::Int,
            _ if float(text).is_some() => Self::Float,
            _ => Self::Text,
        }
    }
}

/// Reads a decimal number with an optional sign, `0o17` or `0xff`; a leading zero says nothing. What is larger than
/// any key can take is held at the ends of the type.
pub(crate) fn int(text: &str) -> Option<i128> {
    let (digits, radix) = match text.get(..2) {
        Some("0o") => (text.get(2..)?, 8),
        Some("0x") => (text.get(2..)?, 16),
        _ => (text.strip_prefix(['+', '-']).unwrap_or(text), 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let size = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Reads a number with a point or an exponent. Rust reads more (`inf`, `nan`), hence the look at the letters.
pub(crate) fn float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(plain) || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{
        Meaning::{self, Bool, Float, Int, Null, Text},
        float, int,
    };

    #[test]
    fn the_core_schema_decides() {
        let rows: &[(&str, Meaning)] = &[
            ("", Null),
            ("~", Null),
            ("NULL", Null),
            ("nUll", Text),
            ("true", Bool(true)),
            ("FALSE", Bool(false)),
            ("yes", Text),
            ("off", Text),
            ("tRue", Text),
            ("0", Int),
            ("-7", Int),
            ("+7", Int),
            ("010", Int),
            ("0o17", Int),
            ("0xfF", Int),
            ("0x", Text),
            ("0o8", Text),
            ("-0x1", Text),
            ("1_000", Text),
            ("1,5", Text),
            ("99999999999999999999999999999999999999999999", Int),
            ("-99999999999999999999999999999999999999999999", Int),
            ("1.10", Float),
            (".5", Float),
            ("5.", Float),
            ("1e3", Float),
            ("-1E-3", Float),
            (".inf", Float),
            ("inf", Text),
            ("nan", Text),
            (".", Text),
            ("e5", Text),
            ("1e", Text),
            ("-", Text),
            ("1.2.3", Text),
            ("é0", Text),
        ];
        for (text, expected) in rows {
            assert_eq!(Meaning::of(text), *expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(int("0"), Some(0));
        assert_eq!(int("-7"), Some(-7));
        assert_eq!(int("+7"), Some(7));
        assert_eq!(int("010"), Some(10));
        assert_eq!(int("0o17"), Some(15));
        assert_eq!(int("0xfF"), Some(255));
        assert_eq!(int("99999999999999999999999999999999999999999999"), Some(i128::MAX));
        assert_eq!(int("-99999999999999999999999999999999999999999999"), Some(-i128::MAX));
        let floats = [
            ("1.10", 1.1),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("-1E-3", -0.001),
            (".inf", f64::INFINITY),
        ];
        for (text, expected) in floats {
            assert_eq!(float(text).map(f64::to_bits), Some(f64::to_bits(expected)), "{text}");
        }
        assert!(float(".nan").is_some_and(f64::is_nan));
    }
}
