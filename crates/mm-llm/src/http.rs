//! The HTTP client beneath a provider: proxies, keys, and what a failure says.

use std::error::Error;
use std::fmt::Debug;
use std::io::ErrorKind;

use reqwest::{Client, NoProxy, Proxy, redirect};
use serde_json::Value;

use crate::ProviderError;

/// A key for the `Authorization` header. It never shows in `Debug`, and no error holds it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key; white space around it is an accident of the environment.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether a header can carry it.
    pub(crate) fn is_sendable(&self) -> bool {
        reqwest::header::HeaderValue::from_str(&self.0).is_ok()
    }
}

impl Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Proxies as the environment of a program names them. Loopback addresses and `host.docker.internal` are
/// never sent through one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// For `http` end points (`HTTP_PROXY`).
    pub http: Option<String>,
    /// For `https` end points (`HTTPS_PROXY`).
    pub https: Option<String>,
    /// Hosts that are reached directly (`NO_PROXY`), separated by commas.
    pub except: Option<String>,
}

const NEVER_PROXIED: &str = "localhost,127.0.0.0/8,::1,host.docker.internal";

const HTTP: &str = "HTTP_PROXY";
const HTTPS: &str = "HTTPS_PROXY";

/// The variable of the proxy for a URL, if its host is one that may need a proxy.
fn proxied(url: &str) -> Option<&'static str> {
    let url = reqwest::Url::parse(url).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']);
    let is_local = match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => matches!(host, "localhost" | "host.docker.internal"),
    };
    (!is_local).then_some(if url.scheme() == "https" { HTTPS } else { HTTP })
}

impl ProxySettings {
    /// The variable of the proxy that a URL is reached through, as far as `except` is not concerned.
    pub(crate) fn serving(&self, url: &str) -> Option<&'static str> {
        let name = proxied(url)?;
        let set = if name == HTTPS { &self.https } else { &self.http };
        set.is_some().then_some(name)
    }
}

/// Builds the client that serves every request to `urls`.
pub(crate) fn client(urls: &[String], proxies: &ProxySettings) -> Result<Client, ProviderError> {
    // Without its URL, which may hold a password.
    let proxy = |variable, made: reqwest::Result<Proxy>| {
        made.map_err(|error| ProviderError::BadProxy { variable, why: why_chain(&error) })
    };
    let mut builder = Client::builder().no_proxy().redirect(redirect::Policy::none());
    let except = match &proxies.except {
        Some(more) => format!("{NEVER_PROXIED},{more}"),
        None => NEVER_PROXIED.to_owned(),
    };
    let except = NoProxy::from_string(&except);
    // A variable that nothing needs may be as wrong as it likes.
    let needed = |variable| urls.iter().any(|url| proxied(url) == Some(variable));
    if let Some(http) = proxies.http.as_ref().filter(|_| needed(HTTP)) {
        builder = builder.proxy(proxy(HTTP, Proxy::http(http))?.no_proxy(except.clone()));
    }
    if let Some(https) = proxies.https.as_ref().filter(|_| needed(HTTPS)) {
        builder = builder.proxy(proxy(HTTPS, Proxy::https(https))?.no_proxy(except));
    }
    tls(builder, urls.iter().any(|url| url.starts_with("https:"))).build().map_err(|error| {
        let url = urls.first().cloned().unwrap_or_default();
        ProviderError::BadUrl { url, why: why_chain(&error) }
    })
}

#[cfg(feature = "tls")]
fn tls(builder: reqwest::ClientBuilder, wanted: bool) -> reqwest::ClientBuilder {
    use std::sync::OnceLock;
    static INSTALLED: OnceLock<()> = OnceLock::new();
    // reqwest refuses to build without a provider. A second install, by an embedder, is no fault.
    INSTALLED.get_or_init(|| drop(rustls::crypto::ring::default_provider().install_default()));
    // The system's certificates are only loaded where an end point needs them.
    if wanted { builder } else { builder.tls_certs_only([]) }
}

#[cfg(not(feature = "tls"))]
fn tls(builder: reqwest::ClientBuilder, _wanted: bool) -> reqwest::ClientBuilder {
    builder
}

/// Says in a few words why a request failed.
pub(crate) fn why(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    why_chain(error)
}

fn why_chain(error: &(dyn Error + 'static)) -> String {
    let mut deepest = error;
    loop {
        if let Some(io) = deepest.downcast_ref::<std::io::Error>() {
            match io.kind() {
                ErrorKind::ConnectionRefused => {
                    return "connection refused: nothing listens there".to_owned();
                }
                ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => return "connection reset".to_owned(),
                _ => {}
            }
        }
        match deepest.source() {
            Some(source) => deepest = source,
            None => break,
        }
    }
    let text = deepest.to_string();
    // hyper's word for a body that is not whole.
    if text.contains("unexpected EOF") {
        return "the connection was closed".to_owned();
    }
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

/// Turns the body of an error answer into an error.
pub(crate) fn status_error(status: u16, body: &str, location: Option<&str>) -> ProviderError {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let mut message = match &json {
        Some(json) => error_text(json).unwrap_or_else(|| one_line(body)),
        None => one_line(&without_tags(body)),
    };
    if let Some(overflow) = json.as_ref().and_then(|json| overflow(json, &message)) {
        return overflow;
    }
    match (status, location) {
        (300..=399, Some(location)) => {
            let base = location.split("/chat/completions").next().unwrap_or_default();
            message = format!("it has moved to {}: set baseUrl to that", one_line(base));
        }
        (404, _) if message == "File Not Found" || message.is_empty() || json.is_none() => {
            message = format!("{message} (is the path of baseUrl right? it mostly ends in /v1)");
        }
        (401 | 403, _) => {
            message = format!("{message} (the key comes from the variable that apiKeyEnv names)")
        }
        _ => {}
    }
    ProviderError::Http { status, message: message.trim().to_owned() }
}

/// Gives the error that a JSON value reports, if it reports one: `{"error": …}` in any of its shapes.
pub(crate) fn reported(json: &Value) -> Option<ProviderError> {
    let is_error = json.get("error").is_some_and(says_something) || json.get("object")? == "error";
    let message = is_error.then(|| error_text(json))??;
    Some(overflow(json, &message).unwrap_or(ProviderError::Server { message }))
}

/// Some servers send the key always.
fn says_something(error: &Value) -> bool {
    !matches!(error, Value::Null | Value::Bool(false)) && error.as_str() != Some("")
}

/// The text of an error: `error.message`, `error` or `message` as text, `message.detail`, `detail`.
fn error_text(json: &Value) -> Option<String> {
    let error = json.get("error").filter(|error| says_something(error));
    let candidates = [error.and_then(|e| e.get("message")), error, json.get("message"), json.get("detail")];
    let found = candidates.into_iter().flatten().find(|v| !v.is_null())?;
    Some(one_line(&found.as_str().map_or_else(|| found.to_string(), str::to_owned)))
}

fn overflow(json: &Value, message: &str) -> Option<ProviderError> {
    let error = json.get("error").unwrap_or(json);
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let known = ["exceed_context_size_error", "context_length_exceeded"];
    if !known.contains(&word("type")) && !known.contains(&word("code")) {
        return None;
    }
    let number = |key: &str| error.get(key).and_then(Value::as_u64);
    let (prompt, window) = (number("n_prompt_tokens"), number("n_ctx"));
    Some(ProviderError::ContextOverflow { prompt, window, message: message.to_owned() })
}

/// Cuts a text to one line of at most 300 characters, none of which can play with a terminal. The middle goes: the
/// reason often stands at the end.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    let letters = line.chars().count();
    if letters <= 300 {
        return line;
    }
    let part = |from: usize, count: usize| line.chars().skip(from).take(count).collect::<String>();
    format!("{} … {}", part(0, 147), part(letters - 150, 150))
}

fn without_tags(html: &str) -> String {
    if !html.trim_start().starts_with('<') {
        return html.to_owned();
    }
    let mut text = String::new();
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_body_of_any_shape_becomes_one_line() {
        let rows = [
            (
                500,
                r#"{"error":"pull failed: no space left"}"#,
                "the server answered HTTP 500: pull failed: no space left",
            ),
            (
                404,
                r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError"}"#,
                "the server answered HTTP 404: The model `x` does not exist.",
            ),
            (502, "<html>\n<b>Bad gateway</b></html>", "the server answered HTTP 502: Bad gateway"),
            (500, "", "the server answered HTTP 500"),
            (
                404,
                r#"{"error":{"message":"File Not Found","type":"not_found_error","code":404}}"#,
                "the server answered HTTP 404: File Not Found (is the path of baseUrl right? it mostly ends in /v1)",
            ),
            (
                401,
                r#"{"error":{"message":"Invalid API Key"}}"#,
                "the server answered HTTP 401: Invalid API Key (the key comes from the variable that apiKeyEnv names)",
            ),
            (
                400,
                r#"{"error":{"message":null,"code":7}}"#,
                r#"the server answered HTTP 400: {"message":null,"code":7}"#,
            ),
            (422, r#"{"detail":[{"msg":"bad"}]}"#, r#"the server answered HTTP 422: [{"msg":"bad"}]"#),
            (
                400,
                r#"{"error":{"message":"request (23120 tokens) exceeds","type":"exceed_context_size_error","n_prompt_tokens":23120,"n_ctx":8192}}"#,
                "request (23120 tokens) exceeds (prompt 23120 tokens, window 8192)",
            ),
        ];
        for (status, body, expected) in rows {
            assert_eq!(status_error(status, body, None).to_string(), expected, "{body}");
        }
        let moved = status_error(301, "", Some("https://example.org/v1"));
        assert_eq!(
            moved.to_string(),
            "the server answered HTTP 301: it has moved to https://example.org/v1: set baseUrl to that"
        );
    }

    #[test]
    fn long_bodies_are_cut_at_a_character() {
        let line = one_line(&"é ".repeat(1000));
        assert_eq!(line.chars().count(), 300);
    }

    #[test]
    fn a_key_never_shows() {
        assert_eq!(format!("{:?}", ApiKey::new(" sk-verysecret\n")), "ApiKey(…)");
        assert_eq!(ApiKey::new(" k\n").expose(), "k");
    }
}
