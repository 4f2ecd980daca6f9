//! `mm models`: what the server has.

use std::collections::HashSet;

use mm_llm::{OpenAi, Provider};
use mm_tools::output::visible;
use serde_json::json;

use crate::args::Form;
use crate::error::CliError;
use crate::render::tokens;

/// One model a line, with its window and whether it is in memory, where the server says so.
pub(crate) async fn text(provider: &OpenAi, form: Form) -> Result<String, CliError> {
    let models = provider.models().await?;
    // Where the server cannot tell what is loaded, nothing is said of it.
    let loaded = provider.loaded().await.unwrap_or_default();
    let loaded: HashSet<String> = loaded.into_iter().map(|model| model.id).collect();
    let is_loaded = |id: &str| loaded.contains(id);
    if form == Form::Json {
        let rows = models
            .iter()
            .map(|model| json!({ "id": model.id, "window": model.window, "loaded": is_loaded(&model.id) }));
        return Ok(format!("{:#}\n", rows.collect::<serde_json::Value>()));
    }
    let line = |model: &mm_llm::ModelInfo| {
        let window = model.window.map(|window| format!("window {}", tokens(window)));
        let loaded = is_loaded(&model.id).then(|| "loaded".to_owned());
        let more: Vec<String> = window.into_iter().chain(loaded).collect();
        let more = if more.is_empty() { String::new() } else { format!("  ({})", more.join(", ")) };
        format!("{}{more}\n", visible(&model.id.replace('\n', " ")))
    };
    Ok(models.iter().map(line).collect())
}
