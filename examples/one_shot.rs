//! One question to a local server, the answer as it comes: `mm-llm` alone.
//!
//! ```sh
//! cargo run --example one_shot -- http://127.0.0.1:8080/v1 "Why is the sky blue?"
//! ```
#![allow(clippy::print_stdout)]

use std::io::Write;

use futures_util::StreamExt;
use mm_llm::{
    ChatEvent, ChatRequest, Limit, Message, OpenAi, OpenAiOptions, Provider, Reply, WaitLimits, preset, watch,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let base_url = args.next();
    let question = args.next().unwrap_or_else(|| "Why is the sky blue?".to_owned());

    // The row of the table of providers that fits any OpenAI-compatible server.
    let llamacpp = preset("llamacpp").ok_or("no such preset")?;
    let provider = OpenAi::new(OpenAiOptions { base_url, ..OpenAiOptions::new(llamacpp) })?;

    let messages = [Message::User(question)];
    let mut request = ChatRequest::new("any", &messages);
    request.sampling.insert("max_tokens".to_owned(), 64.into());
    // Without limits a server that is silent is waited for as long as the stream is polled.
    let limits = WaitLimits { first: Limit::seconds(180), between: Limit::seconds(20) };
    let mut stream = watch(provider.chat(&request), limits);

    let mut reply = Reply::default();
    while let Some(event) = stream.next().await {
        let event = event?;
        match &event {
            ChatEvent::Text(text) => print!("{text}"),
            ChatEvent::PromptProgress { processed, total, .. } => {
                println!("(read {processed} of {total} tokens)")
            }
            _ => {}
        }
        std::io::stdout().flush()?;
        reply.push(&event);
    }
    println!();
    if let Some(tokens) = reply.usage.and_then(|usage| usage.completion) {
        println!("({tokens} tokens)");
    }
    Ok(())
}
