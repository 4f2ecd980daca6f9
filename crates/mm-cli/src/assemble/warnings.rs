//! What the user should know at the start though nothing is wrong, as far as it needs the disk or the server.

use mm_config::Config;
use mm_config::path::{PathKey, resolve};

use super::Surroundings;

/// Looks at what the configuration names, and at what it asks for that is not there yet.
/// Gives the words, with the key that they are about if it is one.
pub(crate) fn of(config: &Config, around: &Surroundings) -> Vec<(Option<String>, String)> {
    let mut warnings = missing_agents(config, around);
    warnings.extend(longer_than_the_watchdog(config));
    if config.fetch_content_tool && !cfg!(feature = "fetch") {
        let words =
            "this build of mm has no fetch_content: cargo build --release makes one that has".to_owned();
        warnings.push((Some("fetchContentTool".to_owned()), words));
    }
    let idle = without_effect(config);
    if !idle.is_empty() {
        let version = env!("CARGO_PKG_VERSION");
        warnings.push((None, format!("no effect yet in mm {version}: {}", idle.join(", "))));
    }
    warnings
}

/// The automatic compression that cannot know when it is due.
pub(crate) fn of_unknown_window(config: &Config) -> Option<String> {
    let idle = config.context.enabled && config.context.max_messages == 0;
    idle.then(|| {
        "context: the window is unknown and maxMessages is 0, so nothing is compressed by itself — \
         set contextWindow or context.maxMessages"
            .to_owned()
    })
}

/// A limit of commands that the watchdog never lets them reach. The defaults are so, and nobody set them.
fn longer_than_the_watchdog(config: &Config) -> Option<(Option<String>, String)> {
    let (limit, watchdog) = (&config.bash_timeout, &config.watchdog_timeout);
    let is_set = *limit != Config::default().bash_timeout;
    (is_set && limit.as_nanos() > watchdog.as_nanos()).then(|| {
        let words = format!(
            "bashTimeout ({limit}) is above watchdogTimeout ({watchdog}): a command that runs for longer than that ends \
             the turn — raise both"
        );
        (Some("bashTimeout".to_owned()), words)
    })
}

/// The agents whose file is not there.
fn missing_agents(config: &Config, around: &Surroundings) -> Vec<(Option<String>, String)> {
    let missing = |(name, agent): (&String, &mm_config::MmConfig)| {
        let path = resolve(PathKey::MmConfigPath, &agent.path, around.bases());
        let is_missing = !agent.path.is_empty() && !path.exists();
        let key = format!("mmConfigs.{name}");
        is_missing.then(|| (Some(format!("{key}.path")), format!("{key}: {} does not exist", path.display())))
    };
    config.mm_configs.iter().filter_map(missing).collect()
}

/// The keys that are set to something and change nothing yet, but for those that only change what is shown.
/// A feature takes its line away.
fn without_effect(config: &Config) -> Vec<&'static str> {
    let rows = [
        ("lsp", !config.lsp.servers.is_empty()),
        ("mcp", config.mcp.enabled && config.mcp.servers.values().any(|server| server.enabled)),
        ("mmConfigs", !config.mm_configs.is_empty()),
        ("tui", config.tui),
    ];
    rows.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
}
