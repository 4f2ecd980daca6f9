//! A tool of one's own in a set with the built-in ones, its contract checked, used in a turn. Needs no server: a
//! scripted model calls it. With the base URL of a server, a real one does.
//!
//! ```sh
//! cargo run --example custom_tool
//! cargo run --example custom_tool -- http://127.0.0.1:8080/v1 'How many words has README.md?'
//! ```
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use async_trait::async_trait;
use mm_llm::testing::ScriptedProvider;
use mm_llm::{OpenAi, OpenAiOptions, Provider, preset};
use mm_schema::ToolSpec;
use mm_session::{Session, SessionOptions, SessionParts, Silent};
use mm_tools::files::{FileOptions, Files};
use mm_tools::read_file::ReadFile;
use mm_tools::testing::check_contract;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput, ToolSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Counts the words of a file.
#[derive(Debug)]
struct CountWords {
    definition: ToolSpec,
}

/// The schema that the model sees is made of this, comments included.
#[derive(Deserialize, JsonSchema)]
struct Args {
    /// Relative to the working directory
    path: String,
}

impl CountWords {
    fn new() -> Self {
        Self { definition: ToolSpec::of::<Args>("count_words", "Counts the words of a text file.") }
    }
}

#[async_trait]
impl Tool for CountWords {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        // `reading`: never asked about, and it may run beside other calls that only read.
        let path = Args::deserialize(args).map(|args| args.path).unwrap_or_default();
        Preview::reading(mm_tools::output::visible(&path).replace('\n', " "))
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match Args::deserialize(args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::error(error),
        };
        // A tool fails by its text: the model reads it and tries another way.
        match tokio::fs::read_to_string(cx.cwd.join(&args.path)).await {
            Ok(text) => ToolOutput::ok(format!("{} words", text.split_whitespace().count())),
            Err(error) => ToolOutput::error(format!("{} cannot be read: {error}", args.path)),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?;
    let tool = Arc::new(CountWords::new());
    // In a project of yours this is a test.
    let place = tempfile::tempdir()?;
    std::fs::write(place.path().join("tea.txt"), "Boil the water.")?;
    check_contract(&*tool, &ToolContext::new(place.path()), &[json!({"path": "tea.txt"})]).await?;
    println!("count_words holds to the contract");

    let mut tools = ToolSet::new();
    tools.add(Arc::new(ReadFile::new(Files::new(FileOptions::default()))))?;
    tools.add(tool)?;
    let mut args = std::env::args().skip(1);
    let provider: Arc<dyn Provider> = match args.next() {
        Some(base_url) => {
            let preset = preset("llamacpp").ok_or("no such provider")?;
            Arc::new(OpenAi::new(OpenAiOptions { base_url: Some(base_url), ..OpenAiOptions::new(preset) })?)
        }
        None => Arc::new(ScriptedProvider::new([
            ScriptedProvider::calls(&[("call_1", "count_words", r#"{"path": "README.md"}"#)]),
            ScriptedProvider::text("It was counted."),
        ])),
    };
    let question = args.next().unwrap_or_else(|| "How many words has README.md?".to_owned());
    let parts = SessionParts { tools, ..SessionParts::new(provider) };
    let mut session = Session::new(parts, SessionOptions::new("any", cwd));
    let answer = session.turn(&question, &Silent, &CancellationToken::new()).await?;
    for message in session.history().messages() {
        if let mm_llm::Message::Tool { text, .. } = message {
            println!("a tool said: {text}");
        }
    }
    println!("{}", answer.text);
    Ok(())
}
