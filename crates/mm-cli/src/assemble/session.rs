//! The conversation.

use mm_config::{Config, GoDuration};
use mm_llm::Preset;
use mm_llm::{Limit, WaitLimits};
use mm_session::{CompactOptions, SessionOptions};

use super::{Surroundings, format};
use crate::error::CliError;

pub(super) fn options(
    config: &Config,
    preset: &Preset,
    around: &Surroundings,
) -> Result<SessionOptions, CliError> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(SessionOptions {
        sampling: config.sampling.clone(),
        system: config.system.clone(),
        format: format::format(config)?,
        max_turns: count(config.max_turns),
        max_repeated_calls: count(config.max_repeated_calls),
        max_output: config.max_output,
        waits: WaitLimits {
            first: limit(&config.first_token_timeout),
            between: limit(&config.watchdog_timeout),
        },
        compact: compact(config, preset),
        window: (config.context_window > 0).then_some(config.context_window as u64),
        yolo: config.yolo,
        ask_risky: config.guard.ask_risky,
        agent: config.acp.name.clone(),
        home: around.home.clone(),
        config: around.file.clone(),
        ..SessionOptions::new(config.model.clone(), around.cwd.clone())
    })
}

/// A summary thinks only where the server knows no way to switch that off, and may be silent for twice as long.
fn compact(config: &Config, preset: &Preset) -> CompactOptions {
    let section = &config.context;
    let mut sampling = preset.thinking.off(config.sampling.clone());
    sampling.remove("max_completion_tokens");
    sampling.insert("max_tokens".to_owned(), section.summary_max_tokens.into());
    CompactOptions {
        enabled: section.enabled,
        threshold: section.threshold,
        max_messages: section.max_messages,
        keep_last_turns: section.keep_last_turns,
        prompt: section.prompt.clone(),
        sampling,
        waits: WaitLimits {
            first: limit(&config.first_token_timeout),
            between: doubled(&config.watchdog_timeout),
        },
    }
}

fn doubled(duration: &GoDuration) -> Limit {
    let twice = duration.as_duration().saturating_mul(2);
    Limit { duration: twice, text: format!("2 × {duration}") }
}

fn limit(duration: &GoDuration) -> Limit {
    Limit { duration: duration.as_duration(), text: duration.to_string() }
}
