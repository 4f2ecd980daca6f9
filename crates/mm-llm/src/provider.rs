//! The seam between an agent and whatever generates text.

use std::fmt::Debug;
use std::pin::Pin;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures_util::Stream;

use crate::{ChatEvent, ChatRequest, ProviderError};

/// A server that answers.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// The provider's name, such as `llamacpp`.
    fn name(&self) -> &str;

    /// Starts a call. Nothing is sent before the stream is polled.
    fn chat(&self, request: &ChatRequest<'_>) -> ChatStream;

    /// Lists the models that the server knows.
    ///
    /// # Errors
    /// When no server answers. A list that cannot be read is empty: it is only advice.
    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError>;

    /// Lists the models that are in the server's memory.
    ///
    /// # Errors
    /// When no server answers.
    async fn loaded(&self) -> Result<Vec<ModelInfo>, ProviderError>;

    /// Gives the tokens of the context window that is served for a model; `None` where the server does not
    /// say. Never the window that the model was trained with.
    async fn context_window(&self, model: &str) -> Option<u64>;

    /// Frees the memory that a model takes on the server.
    ///
    /// # Errors
    /// When no server answers, or the server says what is wrong.
    async fn unload(&self, model: &str) -> Result<Unloaded, ProviderError>;
}

/// What became of the wish to unload a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unloaded {
    /// The server has let it go, or is about to.
    Freed,
    /// It was not in memory.
    NotLoaded,
    /// The server cannot do that.
    Unsupported,
}

/// A model as a server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name for requests.
    pub id: String,
    /// Tokens of the window served for it, where the list says.
    pub window: Option<u64>,
}

/// The events of one reply, ended by [`ChatEvent::Finished`] or by an error. Dropping it closes the
/// connection, so that the server stops generating.
pub struct ChatStream(Pin<Box<dyn Stream<Item = Result<ChatEvent, ProviderError>> + Send>>);

impl ChatStream {
    /// Boxes a stream of events.
    pub fn new(stream: impl Stream<Item = Result<ChatEvent, ProviderError>> + Send + 'static) -> Self {
        Self(Box::pin(stream))
    }
}

impl Stream for ChatStream {
    type Item = Result<ChatEvent, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl Debug for ChatStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChatStream")
    }
}
