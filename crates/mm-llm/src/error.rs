//! What can go wrong between a question and its answer.

use std::error::Error;

/// A failure of a provider, as one line that a person can act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// The end point cannot be used at all.
    #[error("{url} cannot be used as an end point: {why}")]
    BadUrl {
        /// The URL as configured.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A proxy cannot be used.
    #[error("the proxy of {variable} cannot be used: {why}")]
    BadProxy {
        /// The environment variable that names it.
        variable: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The API key cannot be sent.
    #[error(
        "the API key holds a character that no HTTP header can carry, such as a line end: set the variable of the key \
         (apiKeyEnv) anew"
    )]
    BadKey,
    /// Nothing answers at any end point.
    #[error("no server answers: {}{hint}", list(tried))]
    NoServer {
        /// Each end point tried, with the reason.
        tried: Vec<(String, String)>,
        /// How to start the server.
        hint: String,
    },
    /// The server was there and is not any more, or closed the connection without an answer.
    #[error("cannot reach {url}: {why}")]
    Connect {
        /// The URL of the request.
        url: String,
        /// The reason in short.
        why: String,
        /// The failure beneath.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The server was silent for too long.
    #[error("{phase} after {after}{}", if *loading { " (it says: Loading model)" } else { "" })]
    Timeout {
        /// What was waited for.
        phase: Phase,
        /// The limit as the user wrote it.
        after: String,
        /// Whether the server was still loading the model.
        loading: bool,
    },
    /// The server answered with an error status.
    #[error("the server answered HTTP {status}{}", message_part(message))]
    Http {
        /// The status.
        status: u16,
        /// The server's own words in one line, perhaps empty, with a hint where there is one.
        message: String,
    },
    /// The prompt is longer than the context window.
    #[error("{message}{}", window_part(message, *prompt, *window))]
    ContextOverflow {
        /// Tokens of the prompt, where the server says.
        prompt: Option<u64>,
        /// Tokens of the window, where the server says.
        window: Option<u64>,
        /// The server's own words.
        message: String,
    },
    /// The server reported an error within its answer.
    #[error("the server reports: {message}")]
    Server {
        /// The server's own words.
        message: String,
    },
    /// The server's answer cannot be read.
    #[error("{what}{}", near_part(near))]
    Protocol {
        /// What is wrong.
        what: &'static str,
        /// The place, perhaps empty.
        near: String,
    },
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// What a [`ProviderError::Timeout`] waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first token of a reply.
    FirstToken,
    /// The next token.
    NextToken,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FirstToken => "no first token from the server",
            Self::NextToken => "connection hang detected",
        })
    }
}

impl ProviderError {
    /// Whether the server was silent for too long.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// Whether the prompt did not fit the context window.
    pub fn is_context_overflow(&self) -> bool {
        matches!(self, Self::ContextOverflow { .. })
    }

    /// Whether nothing answered at all, so that another end point may.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::NoServer { .. })
    }
}

fn list(tried: &[(String, String)]) -> String {
    tried.iter().map(|(url, why)| format!("{url} ({why})")).collect::<Vec<_>>().join(", ")
}

fn message_part(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn window_part(message: &str, prompt: Option<u64>, window: Option<u64>) -> String {
    let says = |n: u64| message.contains(&n.to_string());
    match (prompt, window) {
        (Some(prompt), Some(window)) if says(prompt) && says(window) => String::new(),
        (Some(prompt), Some(window)) => format!(" (prompt {prompt} tokens, window {window})"),
        _ => String::new(),
    }
}

fn near_part(near: &str) -> String {
    if near.is_empty() { String::new() } else { format!(": {near}") }
}
