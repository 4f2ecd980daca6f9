//! Whether a request that failed is sent again, and when: a table of failures.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use crate::ProviderError;

/// How often a request is sent again.
pub(crate) const MORE_TRIES: u32 = 2;
/// The longest wait that a server may ask for.
const LONGEST: Duration = Duration::from_secs(60);
/// How often a server that loads its model is asked.
const LOADING: Duration = Duration::from_millis(500);
/// Keys of ours that a strict server may refuse.
const OPTIONAL: [&str; 2] = ["stream_options", "return_progress"];

/// A request that was not answered with a stream.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: ProviderError,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    /// Whether nothing of an answer came.
    pub(crate) unheard: bool,
}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        Self { error, retry_after: None, unheard: false }
    }
}

/// What to do about a refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is final.
    Never,
    /// Send the same once more.
    After(Duration),
    /// The server loads the model: ask until it has, which does not count as a try.
    Loading(Duration),
    /// Send it without this key, now.
    Without(&'static str),
}

impl Refusal {
    /// Judges a refusal after so many tries besides the first.
    pub(crate) fn again(&self, tried: u32, sent: &[u8]) -> Again {
        let (status, message) = match &self.error {
            ProviderError::Http { status, message } => (*status, message.as_str()),
            _ if self.unheard && tried < MORE_TRIES => return Again::After(pause(tried)),
            _ => return Again::Never,
        };
        if status == 503 && message.contains("Loading model") {
            return Again::Loading(LOADING);
        }
        if matches!(status, 400 | 422) {
            let sent_key = |key: &&str| {
                let quoted = format!("\"{key}\":");
                message.contains(*key) && sent.windows(quoted.len()).any(|part| part == quoted.as_bytes())
            };
            return OPTIONAL.into_iter().find(sent_key).map_or(Again::Never, Again::Without);
        }
        let passing = matches!(status, 408 | 429 | 502 | 503 | 504);
        let wait = self.retry_after.unwrap_or_else(|| pause(tried));
        if passing && tried < MORE_TRIES && wait <= LONGEST { Again::After(wait) } else { Again::Never }
    }
}

impl Refusal {
    /// The error, with the wait that was too long to be waited.
    pub(crate) fn told(self) -> ProviderError {
        match (self.error, self.retry_after) {
            (ProviderError::Http { status, message }, Some(wait)) if wait > LONGEST => {
                let message = format!("{message} (it asks to wait {} s)", wait.as_secs());
                ProviderError::Http { status, message: message.trim_start().to_owned() }
            }
            (error, _) => error,
        }
    }
}

/// Half a second, then doubled; a tenth more or less, so that several clients do not come back together.
fn pause(tried: u32) -> Duration {
    let share = RandomState::new().hash_one(tried) % 200;
    let millis = (500_u64 << tried.min(6)) * (900 + share) / 1000;
    Duration::from_millis(millis)
}

/// Reads `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = httpdate::parse_http_date(value).ok()?;
    // A date that is over is no wait.
    Some(then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, message: &str, retry_after: Option<u64>) -> Refusal {
        let error = ProviderError::Http { status, message: message.into() };
        Refusal { error, retry_after: retry_after.map(Duration::from_secs), unheard: false }
    }

    /// The decision without the part of chance.
    fn kind(again: &Again) -> String {
        match again {
            Again::Never => "never".into(),
            Again::After(wait) if *wait < Duration::from_millis(600) => "soon".into(),
            Again::After(wait) if *wait < Duration::from_millis(1200) => "later".into(),
            Again::After(wait) => format!("{}s", wait.as_secs()),
            Again::Loading(_) => "loading".into(),
            Again::Without(key) => format!("without {key}"),
        }
    }

    #[test]
    fn a_table_of_refusals() {
        let sent = br#"{"stream":true,"stream_options":{"include_usage":true},"return_progress":true}"#;
        let rows = [
            (refusal(408, "", None), 0, "soon"),
            (refusal(429, "", None), 1, "later"),
            (refusal(429, "", None), 2, "never"),
            (refusal(429, "", Some(7)), 0, "7s"),
            (refusal(429, "", Some(0)), 0, "soon"),
            (refusal(503, "server busy", Some(60)), 0, "60s"),
            (refusal(503, "server busy", Some(61)), 0, "never"),
            (refusal(502, "Bad gateway", None), 0, "soon"),
            (refusal(504, "", None), 0, "soon"),
            (refusal(503, "Loading model", None), 2, "loading"),
            (refusal(500, "template", None), 0, "never"),
            (refusal(500, "Loading model", None), 0, "never"),
            (refusal(401, "", None), 0, "never"),
            (refusal(404, "", None), 0, "never"),
            (refusal(422, "stream_options: extra_forbidden", None), 0, "without stream_options"),
            (refusal(400, "unknown field return_progress", None), 2, "without return_progress"),
            (refusal(400, "unknown field temperature", None), 0, "never"),
            (Refusal { unheard: true, ..ProviderError::Cancelled.into() }, 0, "soon"),
            (Refusal { unheard: true, ..ProviderError::Cancelled.into() }, 2, "never"),
            (ProviderError::Cancelled.into(), 0, "never"),
        ];
        for (refusal, tried, expected) in rows {
            assert_eq!(kind(&refusal.again(tried, sent)), expected, "{refusal:?} {tried}");
        }
        let told = refusal(503, "busy", Some(61)).told().to_string();
        assert_eq!(told, "the server answered HTTP 503: busy (it asks to wait 61 s)");
        let without = refusal(422, "stream_options is not permitted", None);
        assert_eq!(without.again(0, b"{\"stream\":true}"), Again::Never, "it was not sent");
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 08:00:00 GMT").unwrap();
        let rows = [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Mon, 30 Nov 2026 08:00:09 GMT", Some(9)),
            ("Mon, 30 Nov 2026 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ];
        for (value, expected) in rows {
            assert_eq!(retry_after(value, now), expected.map(Duration::from_secs), "{value}");
        }
    }
}
