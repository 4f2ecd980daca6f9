//! `/model`: says which model answers, or takes another one.

use mm_llm::Provider;
use mm_schema::nearest;
use mm_tools::output::visible;

use super::{Command, Flow};
use crate::assemble;
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["model"],
    argument: "[name]",
    about: "list the models of the server, or go on with another one",
    exists: |_| true,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, name: &str) -> Flow {
    if name.contains(char::is_whitespace) {
        return line.failed("/model takes one name".to_owned()).await;
    }
    let provider = line.engine.provider.clone();
    let Some(models) = line.unless_interrupted(provider.models()).await else {
        line.output.other("[interrupted]\n").await;
        return Flow::Stay;
    };
    let models = match models {
        Ok(models) => models,
        Err(error) => return line.failed(error.to_string()).await,
    };
    let now = line.engine.session.options().model.clone();
    if name.is_empty() {
        let mut text = format!("{now} answers\n");
        for model in &models {
            let mark = if model.id == now { "*" } else { " " };
            text.push_str(&format!(" {mark} {}\n", model.id));
        }
        line.output.other(visible(&text)).await;
        return Flow::Stay;
    }
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    // A server may take names that it does not list, such as one without its tag.
    let is_listed = ids.is_empty() || ids.iter().any(|id| *id == name || id.starts_with(&format!("{name}:")));
    let doubt = match is_listed {
        true => String::new(),
        false => {
            let near =
                nearest(name, ids.iter().copied()).map_or(String::new(), |near| format!(": is it {near}?"));
            format!(" — the server does not list it{near}")
        }
    };
    line.engine.session.set_model(name);
    assemble::forget_window(&mut line.engine);
    assemble::learn_window(&mut line.engine).await;
    line.output.other(visible(&format!("({name} answers from now on{doubt})\n"))).await;
    Flow::Stay
}
