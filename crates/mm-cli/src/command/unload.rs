//! `/unload`: frees the memory that a model takes on the server.

use mm_llm::{Provider, Unloaded};
use mm_tools::output::visible;

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["unload"],
    argument: "[model]",
    about: "free the memory of a model on the server",
    exists: |config| config.unload_models,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, model: &str) -> Flow {
    let provider = line.engine.provider.clone();
    let model = if model.is_empty() { line.engine.session.options().model.clone() } else { model.to_owned() };
    let Some(unloaded) = line.unless_interrupted(provider.unload(&model)).await else {
        line.output.other("[interrupted]\n").await;
        return Flow::Stay;
    };
    let shown = visible(&model);
    let told = match unloaded {
        Ok(Unloaded::Freed) => format!("({shown} is unloaded)\n"),
        Ok(Unloaded::NotLoaded) => format!("({shown} was not loaded)\n"),
        Ok(Unloaded::Unsupported) => {
            "(this server cannot unload a model: end it to free its memory)\n".to_owned()
        }
        Err(error) => return line.failed(error.to_string()).await,
    };
    line.output.other(told).await;
    Flow::Stay
}
