//! A turn with a tool, watched as a stream of events: `mm-session` with `bash` from `mm-tools`.
//!
//! ```sh
//! cargo run --example event_stream -- http://127.0.0.1:8080/v1 "Which files are here?"
//! ```
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use futures_util::StreamExt;
use mm_llm::{OpenAi, OpenAiOptions, preset};
use mm_session::{Channel, Event, Session, SessionOptions, SessionParts};
use mm_tools::ToolSet;
use mm_tools::bash::{Bash, BashOptions};
use mm_tools::process::ProcessRunner;
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let base_url = args.next();
    let question = args.next().unwrap_or_else(|| "Which files are here?".to_owned());
    let llamacpp = preset("llamacpp").ok_or("no such preset")?;
    let provider = Arc::new(OpenAi::new(OpenAiOptions { base_url, ..OpenAiOptions::new(llamacpp) })?);

    let processes = ProcessRunner::new();
    let mut tools = ToolSet::new();
    tools.add(Arc::new(Bash::new(BashOptions::default(), processes.clone())))?;
    let parts = SessionParts { tools, ..SessionParts::new(provider) };
    let mut session = Session::new(parts, SessionOptions::new("any", std::env::current_dir()?));

    // The turn waits for whoever reads the events, so both run side by side.
    let (channel, mut events) = Channel::new();
    let cancel = CancellationToken::new();
    let turn = async {
        let answer = session.turn(&question, &channel, &cancel).await;
        drop(channel);
        answer
    };
    let watch = async {
        while let Some(event) = events.next().await {
            match event {
                Event::ToolStarted { name, summary, .. } => println!("{name}: {summary}"),
                Event::ToolFinished { ok, elapsed, .. } => println!("  {ok} after {elapsed:.1?}"),
                Event::TurnEnded { usage, .. } => println!("({} tokens)", usage.total().unwrap_or(0)),
                _ => {}
            }
        }
    };
    let (answer, ()) = tokio::join!(turn, watch);
    println!("{}", answer?.text);
    processes.shutdown().await;
    Ok(())
}
