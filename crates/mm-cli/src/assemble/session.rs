//! The conversation.

use mm_config::{Config, GoDuration};
use mm_llm::{Limit, WaitLimits};
use mm_session::SessionOptions;

use super::{Surroundings, format};
use crate::error::CliError;

pub(super) fn options(config: &Config, around: &Surroundings) -> Result<SessionOptions, CliError> {
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
        window: (config.context_window > 0).then_some(config.context_window as u64),
        yolo: config.yolo,
        ask_risky: config.guard.ask_risky,
        agent: config.acp.name.clone(),
        home: around.home.clone(),
        config: around.file.clone(),
        ..SessionOptions::new(config.model.clone(), around.cwd.clone())
    })
}

fn limit(duration: &GoDuration) -> Limit {
    Limit { duration: duration.as_duration(), text: duration.to_string() }
}
