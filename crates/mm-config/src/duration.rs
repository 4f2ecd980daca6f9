//! Durations in the grammar of Go: `20s`, `1h30m`, `1.5h`, `250ms`, `0`.

use std::{fmt, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

use crate::problem::{excerpt, quoted};

/// A duration that remembers how it was written, because messages show it so.
///
/// ```
/// let timeout: mm_config::GoDuration = "1h30m".parse()?;
/// assert_eq!(timeout.as_duration().as_secs(), 5400);
/// assert_eq!(timeout.to_string(), "1h30m");
/// # Ok::<(), mm_config::DurationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoDuration {
    text: String,
    nanos: i64,
}

impl GoDuration {
    /// A duration whose text is known to be right: a default.
    pub(crate) fn seconds(text: &str, seconds: i64) -> Self {
        Self { text: text.to_owned(), nanos: seconds.saturating_mul(1_000_000_000) }
    }

    /// Gives the length; a negative one, which no key of a valid configuration has, is zero.
    pub fn as_duration(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.nanos).unwrap_or(0))
    }

    /// Gives the length in nanoseconds, with its sign.
    pub fn as_nanos(&self) -> i64 {
        self.nanos
    }

    /// Gives the text as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for GoDuration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        Ok(Self { text: text.to_owned(), nanos: nanos(text)? })
    }
}

/// By this name the loader knows that a duration is wanted, and tells what is wrong with one.
pub(crate) const NAME: &str = "duration";

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = GoDuration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as 20s, 3m or 1h30m")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<GoDuration, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, text: D) -> Result<GoDuration, D::Error> {
                text.deserialize_str(self)
            }
        }

        deserializer.deserialize_newtype_struct(NAME, Text)
    }
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl JsonSchema for GoDuration {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        const UNITS: &str = r"^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";
        json_schema!({
            "anyOf": [{ "type": "string", "format": "duration-of-go", "pattern": UNITS }, { "const": 0 }]
        })
    }
}

/// Why a text is no duration. The wording follows the name of what should be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DurationError {
    /// The text is not a row of numbers with units.
    #[error("must be a duration such as 20s, 3m or 1h30m, not {}", quoted(.0))]
    Invalid(String),
    /// A number other than 0 stands without unit.
    #[error("must be a duration with a unit, not {}: write {}s for seconds", excerpt(.0), excerpt(.0).trim_start_matches(['-', '+']))]
    MissingUnit(String),
    /// A unit is not one of Go's.
    #[error("must be a duration in ns, us, ms, s, m or h, not {}", quoted(.0))]
    UnknownUnit(String),
    /// The duration is beyond the 292 years that Go can count.
    #[error("must be a shorter duration than {}", quoted(.0))]
    TooLong(String),
}

/// Go's `time.ParseDuration`, with its limits.
fn nanos(text: &str) -> Result<i64, DurationError> {
    let invalid = || DurationError::Invalid(text.to_owned());
    let too_long = || DurationError::TooLong(text.to_owned());
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(behind) => split_digits(behind),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, behind) = after.split_at(end);
        if unit.is_empty() {
            // Only a lone number can be mended by a unit behind it.
            let lone = behind.is_empty() && total == 0;
            return Err(if lone { DurationError::MissingUnit(text.to_owned()) } else { invalid() });
        }
        let unit = unit_nanos(unit).ok_or_else(|| DurationError::UnknownUnit(text.to_owned()))?;
        total += part(whole, fraction, unit).ok_or_else(too_long)?;
        if total > LIMIT {
            return Err(too_long());
        }
        rest = behind;
    }
    i64::try_from(if negative { -total } else { total }).map_err(|_| too_long())
}

/// The largest size of a duration: only a negative one reaches it.
const LIMIT: i128 = 1 << 63;

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn unit_nanos(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter: both are typed.
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// The length of `whole.fraction` units. The fraction goes through a float, as in Go, so that both round alike.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
fn part(whole: &str, fraction: &str, unit: i128) -> Option<i128> {
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let length = whole.checked_mul(unit).filter(|&length| length <= LIMIT)?;
    let (mut digits, mut scale) = (0_i128, 1.0_f64);
    for digit in fraction.bytes().map(|byte| i128::from(byte - b'0')) {
        let next = digits * 10 + digit;
        if next > LIMIT {
            break;
        }
        digits = next;
        scale *= 10.0;
    }
    Some(length + (digits as f64 * (unit as f64 / scale)) as i128)
}

#[cfg(test)]
mod tests;
