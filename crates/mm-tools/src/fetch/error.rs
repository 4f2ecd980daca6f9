//! Why a page could not be fetched, in words that a model can act on.

use std::error::Error;
use std::io;

use super::address::Refusal;

/// What went wrong. The words are short: a small model reads them.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("url is empty")]
    NoUrl,
    #[error("{url} is no URL: {why}")]
    BadUrl { url: String, why: String },
    #[error("the URL holds a user name or password, which is never sent: leave it out")]
    Credentials,
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("this build of mm has no https: give an http URL")]
    #[cfg(not(feature = "tls"))]
    NoTls,
    #[error("the proxy of {variable} cannot be used: {why}")]
    BadProxy { variable: &'static str, why: String },
    #[error("no client can be made: {0}")]
    Client(String),
    #[error("cannot reach {host}: {why}")]
    NoAnswer { host: String, why: String },
    #[error("no answer from {host} within {seconds} s")]
    Slow { host: String, seconds: u64 },
    #[error("more than {most} redirects, the last one to {to}")]
    Redirects { most: usize, to: String },
    #[error("it redirects in a circle, to {0} again: it may want cookies, which are never sent")]
    Circle(String),
    #[error("it redirects to {0:?}, which is no URL")]
    BadRedirect(String),
    #[error("the body is encoded as {0}, which cannot be read")]
    Coding(String),
    #[error("{0}: nothing was written")]
    NotWhole(String),
    #[error("the page is {length} characters long: there is nothing at offset {offset}")]
    Beyond { length: usize, offset: usize },
    #[error("the tool has a fault: {0}")]
    Fault(String),
}

/// A request that failed: by our own rule, or for what the system says.
pub(super) fn of_request(host: &str, error: &reqwest::Error) -> FetchError {
    if let Some(refusal) = chain(error).find_map(|error| error.downcast_ref::<Refusal>()) {
        return refusal.clone().into();
    }
    FetchError::NoAnswer { host: host.to_owned(), why: why(error) }
}

/// An error and what is behind it.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

/// Says in a few words why a connection failed.
pub(super) fn why(error: &reqwest::Error) -> String {
    let io = chain(error).find_map(|error| error.downcast_ref::<io::Error>());
    match io.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => {
            return "connection refused: nothing listens there".to_owned();
        }
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => {
            return "the connection was reset".to_owned();
        }
        Some(_) | None => {}
    }
    let text = chain(error).last().map_or_else(String::new, ToString::to_string);
    if error.is_timeout() {
        return "it does not answer".to_owned();
    }
    // hyper's words for an answer that is not whole.
    let cut =
        ["unexpected EOF", "connection closed before message completed", "end of file before message length"];
    if cut.iter().any(|words| text.contains(words)) {
        return "the connection was closed".to_owned();
    }
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => super::address::short(&text),
    }
}
