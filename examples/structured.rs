//! Answers of a shape: a Rust type by way of `mm-llm` alone, then Go declarations by way of a whole turn.
//!
//! ```sh
//! cargo run --example structured -- http://127.0.0.1:8080/v1
//! ```
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use futures_util::StreamExt;
use mm_llm::{
    ChatRequest, Limit, Message, OpenAi, OpenAiOptions, Provider, Reply, WaitLimits, preset, watch,
};
use mm_schema::{AnswerSchema, Schema};
use mm_session::{AnswerFormat, Session, SessionOptions, SessionParts, Silent};
use tokio_util::sync::CancellationToken;

/// Doc comments are descriptions, which the model does not see here: it is only held to the grammar.
#[derive(schemars::JsonSchema, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct City {
    name: String,
    is_capital: bool,
}

const DECLARATIONS: &str = "type City struct {
    Name    string `json:\"name\"`
    Country string `json:\"country\"` // in English
}
var Answer City";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base_url = std::env::args().nth(1);
    let llamacpp = preset("llamacpp").ok_or("no such preset")?;
    let provider = OpenAi::new(OpenAiOptions { base_url, ..OpenAiOptions::new(llamacpp) })?;

    // One question, one checked value.
    let schema = Schema::of::<City>();
    let answers = AnswerSchema::new(schema.value())?;
    let messages = [Message::User("Which city has the Louvre? Answer in JSON.".to_owned())];
    let mut request = ChatRequest::new("any", &messages).json_schema(schema.value());
    request.sampling.insert("max_tokens".to_owned(), 64.into());
    let limits = WaitLimits { first: Limit::seconds(180), between: Limit::seconds(60) };
    let mut stream = watch(provider.chat(&request), limits);
    let mut reply = Reply::default();
    while let Some(event) = stream.next().await {
        reply.push(&event?);
    }
    let city: City = serde_json::from_value(answers.check(reply.text.trim())?)?;
    println!("{}, {}", city.name, if city.is_capital { "a capital" } else { "no capital" });

    // A conversation: the model sees the declarations, and an answer that does not fit goes back to it once.
    let format = AnswerFormat::new(mm_schema::translate(DECLARATIONS)?.value())?.declared_as(DECLARATIONS);
    let mut options = SessionOptions::new("any", std::env::current_dir()?);
    options.format = Some(Arc::new(format));
    options.sampling.insert("max_tokens".to_owned(), 64.into());
    let mut session = Session::new(SessionParts::new(Arc::new(provider)), options);
    let answer = session.turn("And the Colosseum?", &Silent, &CancellationToken::new()).await?;
    println!("{}", answer.text);
    Ok(())
}
