//! `mm config show`: every value in force and where it comes from.

use mm_config::{Config, Effective, Origin, Overrides, Report};
use serde_json::{Value, json};

use crate::args::Form;
use crate::assemble::{Surroundings, provider, system_prompt};
use crate::error::CliError;

/// The values as YAML with a comment each, or as a JSON list.
pub(super) fn text(around: &Surroundings, overrides: &Overrides, form: Form) -> Result<String, CliError> {
    let report = Report::of_file(around.file.as_deref(), &around.env, overrides);
    let (Some(config), Some(mut effective)) = (&report.config, report.effective()) else {
        return Err(CliError::Config(report.problems));
    };
    fill(&mut effective, config, around)?;
    Ok(match form {
        Form::Text => format!("# {}\n{}", report.path.escape_debug(), effective.to_yaml()),
        Form::Json => format!("{:#}\n", json(&effective)),
    })
}

/// What the file leaves to the provider and to the program.
fn fill(effective: &mut Effective, config: &Config, around: &Surroundings) -> Result<(), CliError> {
    let preset = provider::preset(config)?;
    let of_provider = || Origin::Other(format!("default of {}", preset.name));
    if config.base_url.is_empty() {
        effective.fill("baseUrl", preset.base_url.into(), of_provider());
    }
    if config.fallback.is_none() {
        effective.fill("fallback", preset.fallback.unwrap_or_default().into(), of_provider());
    }
    if config.api_key_env.is_empty() {
        effective.fill("apiKeyEnv", preset.key_variable.unwrap_or_default().into(), of_provider());
    }
    if config.system.is_none() {
        let text = system_prompt(config, around)?;
        effective.fill("system", text.into(), Origin::Other("built in".to_owned()));
    }
    Ok(())
}

fn json(effective: &Effective) -> Value {
    let settings = effective.settings().into_iter().map(
        |setting| json!({ "key": setting.key, "value": setting.value, "origin": setting.origin.to_string() }),
    );
    settings.collect()
}
