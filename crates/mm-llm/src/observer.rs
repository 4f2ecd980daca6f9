//! Who watches what goes over the wire.

use std::fmt::Debug;

/// Sees every request to a chat end point, each try by itself.
pub trait Observer: Debug + Send + Sync {
    /// A request is about to be sent. Gives who watches its answer; dropping that without
    /// [`end`](WatchAnswer::end) means that nobody waits for the answer any more.
    fn sent(&self, request: &Sent<'_>) -> Box<dyn WatchAnswer>;
}

/// A request as it goes out. Headers are not part of it, so that no key ever is.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// Such as `POST`.
    pub method: &'static str,
    /// The URL, without a password.
    pub url: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// Sees one answer.
pub trait WatchAnswer: Debug + Send {
    /// The head has come.
    fn head(&mut self, status: u16, content_type: Option<&str>);
    /// Bytes of the body have come.
    fn bytes(&mut self, bytes: &[u8]);
    /// The answer is over, with the reason if it broke off or never came.
    fn end(&mut self, error: Option<&str>);
}
