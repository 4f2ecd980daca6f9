//! What an unquoted word of YAML means: the core schema of YAML 1.2.

/// The meaning of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true` or `false`; `yes` and `on` are text.
    Bool(bool),
    /// A whole number, held at the ends of the type when it is larger than any key can take.
    Int(i128),
    /// Any other number, `.inf` and `.nan` included.
    Float(f64),
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
            ".nan" | ".NaN" | ".NAN" => Self::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Self::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => Self::Float(f64::NEG_INFINITY),
            _ => int(text).map(Self::Int).or_else(|| float(text).map(Self::Float)).unwrap_or(Self::Text),
        }
    }
}

/// A decimal number with an optional sign, `0o17` or `0xff`; a leading zero says nothing.
fn int(text: &str) -> Option<i128> {
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

/// A number with a point or an exponent. Rust reads more (`inf`, `nan`), hence the look at the letters.
fn float(text: &str) -> Option<f64> {
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(plain) || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Meaning::{self, Bool, Float, Int, Null, Text};

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
            ("0", Int(0)),
            ("-7", Int(-7)),
            ("+7", Int(7)),
            ("010", Int(10)),
            ("0o17", Int(15)),
            ("0xfF", Int(255)),
            ("0x", Text),
            ("0o8", Text),
            ("-0x1", Text),
            ("1_000", Text),
            ("1,5", Text),
            ("99999999999999999999999999999999999999999999", Int(i128::MAX)),
            ("-99999999999999999999999999999999999999999999", Int(-i128::MAX)),
            ("1.10", Float(1.1)),
            (".5", Float(0.5)),
            ("5.", Float(5.0)),
            ("1e3", Float(1000.0)),
            ("-1E-3", Float(-0.001)),
            (".inf", Float(f64::INFINITY)),
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
        assert!(matches!(Meaning::of(".nan"), Float(x) if x.is_nan()));
    }
}
