//! What stands above a conversation.

use mm_config::Config;
use mm_tools::output::visible;

use crate::assemble::{self, Engine};
use crate::output::Output;
use crate::render::{self, tokens};

/// Shows name, version, provider, model, end point, window and tools, then what the user should know. A
/// server that does not answer is a warning: it is looked for again at each question.
pub(crate) async fn show(engine: &mut Engine, config: &Config, output: &Output) {
    let found = engine.provider.endpoint().await;
    if found.is_ok() {
        assemble::learn_window(engine).await;
    }
    let endpoint = found.as_ref().map_or("no server", String::as_str);
    let window = engine.session.options().window.map_or("unknown".to_owned(), tokens);
    let names: Vec<&str> = engine.session.tools().names().collect();
    let tools = match (names.is_empty(), &engine.session.options().format) {
        (true, Some(_)) => "none (structured output: JSON answers)".to_owned(),
        (true, None) => "none".to_owned(),
        (false, _) => names.join(", "),
    };
    let skills = match &engine.skills {
        (Some(dir), names) if names.is_empty() && engine.session.options().format.is_none() => {
            format!(" | no skills in {}", dir.display())
        }
        (_, names) if names.is_empty() => String::new(),
        (_, known) => {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            format!(" | skills: {}", names.join(", "))
        }
    };
    let instructions = engine.session.options().instructions.as_ref().map(|read| {
        format!(" | instructions: {} ({} characters)", read.path.display(), read.text.chars().count())
    });
    let trace =
        engine.trace.as_ref().map(|(_, dir)| format!(" | trace: {}", dir.display())).unwrap_or_default();
    let line = format!(
        "mm {} | {} | {} | {endpoint} | window: {window} | tools: {tools}{skills}{}{trace}",
        env!("CARGO_PKG_VERSION"),
        config.provider,
        config.model,
        instructions.unwrap_or_default(),
    );
    output.other(visible(&line.replace('\n', " ")) + "\n").await;
    if let Some(resumed) = engine.resumed.take() {
        output.other(render::resumed(&resumed, engine.session.history())).await;
    }
    let missing = found.err().map(|error| error.to_string());
    for warning in std::mem::take(&mut engine.warnings).into_iter().chain(missing) {
        output.other(format!("[warning: {}]\n", visible(&warning.replace('\n', " ")))).await;
    }
    if engine.streams.stdin_is_terminal {
        output.other("/help lists the commands, Ctrl-C interrupts, Ctrl-D leaves\n\n").await;
    }
}
