//! The URL of a call, as models write them.

use reqwest::Url;

use super::address::{is_own, short};
use super::error::FetchError;

/// Reads a URL. One without a scheme is https, or http where it names a host of the user's own.
pub(super) fn parse(text: &str) -> Result<Url, FetchError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FetchError::NoUrl);
    }
    let bad = |why: String| FetchError::BadUrl { url: short(text), why };
    let url = if has_scheme(text) {
        Url::parse(text).map_err(|error| bad(error.to_string()))?
    } else {
        let bare = text.trim_start_matches('/');
        let plain = Url::parse(&format!("http://{bare}")).map_err(|error| bad(error.to_string()))?;
        if is_own(&plain) {
            plain
        } else {
            Url::parse(&format!("https://{bare}")).map_err(|error| bad(error.to_string()))?
        }
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Credentials);
    }
    Ok(url)
}

/// Whether a text begins with `word:`, and not with a host and its port.
fn has_scheme(text: &str) -> bool {
    let Some((word, rest)) = text.split_once(':') else { return false };
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    is_word && !is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_as_models_write_them() {
        let rows = [
            (" https://example.org/a b ", "https://example.org/a%20b"),
            ("example.org/x", "https://example.org/x"),
            ("//example.org/x", "https://example.org/x"),
            ("example.org:8443/x?y:z", "https://example.org:8443/x?y:z"),
            ("localhost:8000", "http://localhost:8000/"),
            ("127.0.0.1:8000/x", "http://127.0.0.1:8000/x"),
            ("[::1]:8000/x", "http://[::1]:8000/x"),
            ("HTTP://EXAMPLE.org", "http://example.org/"),
            ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
            ("file:///etc/hostname", "file:///etc/hostname"),
            ("javascript:alert(1)", "javascript:alert(1)"),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text).unwrap().as_str(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_url_is_told() {
        let rows = [
            ("", "url is empty"),
            ("http://", "http:// is no URL: empty host"),
            ("http://[::1", "http://[::1 is no URL: invalid IPv6 address"),
            ("two words", "two words is no URL: invalid international domain name"),
            (
                "https://u:p@example.org/",
                "the URL holds a user name or password, which is never sent: leave it out",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
