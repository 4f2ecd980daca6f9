//! The tools.

use std::sync::Arc;

use mm_config::Config;
use mm_llm::PRESETS;
use mm_tools::ToolSet;
use mm_tools::bash::{Bash, BashOptions};
use mm_tools::guard::Guard;
use mm_tools::process::ProcessRunner;

use crate::error::CliError;

pub(super) fn tools(config: &Config, processes: &ProcessRunner) -> Result<ToolSet, CliError> {
    let mut tools = ToolSet::new();
    if config.bash_tool {
        let options = BashOptions {
            timeout: config.bash_timeout.as_duration(),
            timeout_text: config.bash_timeout.to_string(),
            env_remove: key_variables(config),
            guard: guard(config)?,
            ..BashOptions::default()
        };
        tools
            .add(Arc::new(Bash::new(options, processes.clone())))
            .map_err(|error| CliError::Engine(error.to_string()))?;
    }
    Ok(tools)
}

/// The guard of `bash`. What it cannot use stops the start: it must not be believed in.
pub(crate) fn guard(config: &Config) -> Result<Guard, CliError> {
    let section = &config.guard;
    let guard = if section.enabled { Guard::default() } else { Guard::without_rules() };
    let guard = guard.with_patterns(&section.deny_patterns, &section.allow_patterns);
    guard.map_err(|error| CliError::Engine(error.to_string()))
}

/// The variables that hold API keys: no command sees them.
fn key_variables(config: &Config) -> Vec<String> {
    let known = PRESETS.iter().filter_map(|preset| preset.key_variable).map(str::to_owned);
    known.chain([config.api_key_env.clone()]).filter(|name| !name.is_empty()).collect()
}
