//! A provider of one's own in a session: whatever can stream text can stand behind a turn. Needs no server.
//!
//! ```sh
//! cargo run --example custom_provider
//! ```
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream;
use mm_llm::{
    ChatEvent, ChatRequest, ChatStream, FinishReason, Message, ModelInfo, Provider, ProviderError, Unloaded,
};
use mm_session::{Session, SessionOptions, SessionParts, Silent};
use tokio_util::sync::CancellationToken;

/// Says back what it hears, a word at a time.
#[derive(Debug)]
struct Echo;

#[async_trait]
impl Provider for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn chat(&self, request: &ChatRequest<'_>) -> ChatStream {
        let heard = match request.messages.last() {
            Some(Message::User(text)) => text.clone(),
            _ => String::new(),
        };
        let words = heard.split_inclusive(' ').map(|word| ChatEvent::Text(word.to_uppercase()));
        let events: Vec<_> = words.chain([ChatEvent::Finished(FinishReason::Stop)]).map(Ok).collect();
        ChatStream::new(stream::iter(events))
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        Ok(vec![ModelInfo { id: "echo".to_owned(), window: None }])
    }

    async fn loaded(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        self.models().await
    }

    async fn context_window(&self, _model: &str) -> Option<u64> {
        None
    }

    async fn unload(&self, _model: &str) -> Result<Unloaded, ProviderError> {
        Ok(Unloaded::Unsupported)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut session = Session::new(SessionParts::new(Arc::new(Echo)), SessionOptions::new("echo", "/"));
    for question in ["hello there", "and again"] {
        let answer = session.turn(question, &Silent, &CancellationToken::new()).await?;
        println!("{question} -> {}", answer.text);
    }
    Ok(())
}
