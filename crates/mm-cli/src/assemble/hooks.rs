//! The hooks.

use std::sync::Arc;

use mm_config::Config;
use mm_hooks::{Hook, HookCommand, HookOptions, HookRunner, Matcher, Moment, NoHooks, OnError, ProcessHooks};
use mm_tools::process::ProcessRunner;

use super::tools;

/// The commands that run at moments of a turn.
pub(super) fn hooks(config: &Config, processes: &ProcessRunner) -> Arc<dyn HookRunner> {
    let hooks: Vec<Hook> = entries(config).map(|(moment, _, entry)| hook(moment, entry)).collect();
    if hooks.is_empty() {
        return Arc::new(NoHooks);
    }
    let options = HookOptions { env_remove: tools::key_variables(config), max_text: config.max_output };
    Arc::new(ProcessHooks::new(hooks, options, processes.clone()))
}

/// All entries in the order in which a turn comes to them, each with its place in the list of its event.
fn entries(config: &Config) -> impl Iterator<Item = (Moment, usize, &mm_config::Hook)> {
    let lists = Moment::ALL.into_iter().filter_map(|moment| {
        let (_, entries) = config.hooks.events().into_iter().find(|(name, _)| *name == moment.name())?;
        Some((moment, entries))
    });
    lists.flat_map(|(moment, entries)| {
        entries.iter().enumerate().map(move |(place, entry)| (moment, place, entry))
    })
}

fn hook(moment: Moment, entry: &mm_config::Hook) -> Hook {
    Hook {
        moment,
        command: match &entry.command {
            mm_config::Command::Shell(line) => HookCommand::Shell(line.clone()),
            mm_config::Command::Argv(words) => HookCommand::Argv(words.clone()),
        },
        matcher: entry.matcher.as_deref().map(Matcher::new),
        timeout: entry.timeout.as_duration(),
        timeout_text: entry.timeout.to_string(),
        on_error: match entry.on_error {
            mm_config::OnError::Fail => OnError::Fail,
            mm_config::OnError::Warn => OnError::Warn,
            mm_config::OnError::Ignore => OnError::Ignore,
        },
    }
}

/// Whether a matcher names tools, so that they have to be known to judge it.
pub(crate) fn names_tools(config: &Config) -> bool {
    entries(config).any(|(moment, _, entry)| is_of_a_tool(moment) && entry.matcher.is_some())
}

/// The matchers that fit no tool of these or no agent, each with its key.
pub(crate) fn unmatched(config: &Config, tools: &[&str]) -> Vec<(Option<String>, String)> {
    let agents: Vec<&str> = config.mm_configs.keys().map(String::as_str).collect();
    let mut warnings = Vec::new();
    for (moment, place, entry) in entries(config) {
        let Some(text) = &entry.matcher else { continue };
        let (kind, names) = if is_of_a_tool(moment) { ("tool", tools) } else { ("agent", agents.as_slice()) };
        let matcher = Matcher::new(text);
        if !names.iter().any(|name| matcher.fits(name)) {
            let key = format!("hooks.{}[{place}].matcher", moment.name());
            let there_are = if names.is_empty() {
                "there is none".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            let words = format!("{key} {text:?} fits no {kind}, so the hook never runs ({there_are})");
            warnings.push((Some(key), words));
        }
    }
    warnings
}

fn is_of_a_tool(moment: Moment) -> bool {
    match moment {
        Moment::PreToolCall | Moment::PostToolCall => true,
        Moment::PreGeneration | Moment::PostGeneration | Moment::PreAsk | Moment::PostAsk => false,
    }
}
