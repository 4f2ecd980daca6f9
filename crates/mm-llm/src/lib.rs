//! A streaming client for OpenAI-compatible chat servers on the user's own machine: llama.cpp, Ollama,
//! llmman, Docker Model Runner.
//!
//! A [`Provider`] turns a [`ChatRequest`] into a [`ChatStream`] of [`ChatEvent`]s, whatever oddities the
//! server has; a [`Reply`] collects them. Dropping the stream closes the connection, which is how such
//! servers are told to stop.
//!
//! ```no_run
//! use futures_util::StreamExt;
//! use mm_llm::{ChatEvent, ChatRequest, Message, OpenAi, OpenAiOptions, Provider, Reply, preset};
//!
//! # async fn run() -> Result<(), mm_llm::ProviderError> {
//! let llamacpp = preset("llamacpp").unwrap_or_else(|| unreachable!());
//! let provider = OpenAi::new(OpenAiOptions::new(llamacpp))?;
//! let messages = [Message::User("Why is the sky blue?".into())];
//! let mut stream = provider.chat(&ChatRequest::new("any", &messages));
//! let mut reply = Reply::default();
//! while let Some(event) = stream.next().await {
//!     let event = event?;
//!     if let ChatEvent::Text(text) = &event {
//!         print!("{text}");
//!     }
//!     reply.push(&event);
//! }
//! # Ok(()) }
//! ```

mod message;
mod request;

mod event;
mod reply;

mod provider;

mod openai;
mod preset;

mod endpoint;
mod http;
mod reasoning;
mod retry;
mod text_calls;

mod watchdog;

mod observer;
mod trace;

mod error;

#[cfg(feature = "testing")]
pub mod testing;

pub use error::{Phase, ProviderError};
pub use event::{ChatEvent, FinishReason, Usage, Waiting};
pub use http::{ApiKey, ProxySettings};
pub use message::Message;
pub use observer::{Observer, Sent, WatchAnswer};
pub use openai::{OpenAi, OpenAiOptions, SseDecoder, check_endpoint};
pub use preset::{PRESETS, Preset, StateRoute, ThinkingSwitch, preset};
pub use provider::{ChatStream, ModelInfo, Provider, Unloaded};
pub use reply::Reply;
pub use request::ChatRequest;
pub use trace::Trace;
pub use watchdog::{Limit, WaitLimits, watch};
