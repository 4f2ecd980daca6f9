//! The shape of the answers.

use std::sync::Arc;

use mm_config::{Config, Problem};
use mm_session::AnswerFormat;
use mm_tools::ToolSet;

use super::Surroundings;
use crate::error::CliError;

/// What switches a tool off.
const SWITCHES: [(&str, &str); 7] = [
    ("bash", "bashTool: false"),
    ("read_file", "editTools: false"),
    ("write_file", "editTools: false"),
    ("edit_file", "editTools: false"),
    ("fetch_content", "fetchContentTool: false"),
    ("read_skill", "skillsDir: \"\""),
    ("plan", "planTool: false"),
];

/// The shape that `structuredOutput` asks for, if it does.
pub(super) fn format(config: &Config) -> Result<Option<Arc<AnswerFormat>>, CliError> {
    let block = config.structured_output.as_str();
    if block.trim().is_empty() {
        return Ok(None);
    }
    let schema = mm_schema::translate(block)?;
    let format = AnswerFormat::new(schema.value()).map_err(|error| CliError::Engine(error.to_string()))?;
    let mut format = format.declared_as(block);
    format.retries = u32::try_from(config.structured_retries).unwrap_or(u32::MAX);
    Ok(Some(Arc::new(format)))
}

/// What is wrong with a shape beside tools: a server that holds the model to a schema lets it call none.
pub(crate) fn clash(config: &Config, tools: &ToolSet) -> Option<String> {
    if config.structured_output.trim().is_empty() || tools.is_empty() {
        return None;
    }
    let names: Vec<&str> = tools.names().collect();
    let built_in = SWITCHES.iter().filter(|(name, _)| names.contains(name)).map(|(_, switch)| *switch);
    let declared = (!config.tools.is_empty()).then_some("tools: []");
    let mut switches: Vec<&str> = built_in.chain(declared).collect();
    // One switch for several tools is told once.
    switches.dedup();
    Some(format!(
        "structuredOutput cannot be used with tools — this agent declares: {} (switch them off: {})",
        names.join(", "),
        switches.join(", ")
    ))
}

/// The clash as the end of the program.
pub(super) fn check(config: &Config, tools: &ToolSet, around: &Surroundings) -> Result<(), CliError> {
    let problem = |message| Problem::beyond(around.file.as_deref(), None, "structuredOutput", message);
    clash(config, tools).map_or(Ok(()), |message| Err(CliError::Config(vec![problem(message)])))
}
