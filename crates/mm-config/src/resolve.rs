//! Settles each key once: flag over environment over file over default, then the rules on the result.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    config::{Config, Overrides, UnknownKey},
    de::{Decoder, Findings, Unknown},
    defaults::{self, Count, Least, Timeout},
    document::{Document, Node},
    duration::GoDuration,
    env::{AGENT_ASK_USER, AGENT_BASE_URL, AGENT_MODEL, AGENT_PROVIDER, AGENT_YOLO, Environment},
    problem::{Fault, Place, Problem, excerpt, report},
    raw::{Entries, Field, LATER_KEYS, RawConfig},
    slips::slip_of,
};

/// What stands above the file.
#[derive(Clone, Copy)]
pub(crate) struct Above<'a> {
    pub(crate) env: &'a Environment,
    pub(crate) overrides: &'a Overrides,
}

/// Makes a configuration of a document, or every problem it has.
pub(crate) fn resolve(document: Document, origin: &str, above: Above<'_>) -> Result<Config, Vec<Problem>> {
    let Document { root, faults } = document;
    let findings = Findings::default();
    let raw = root.as_ref().filter(|root| !root.is_null()).map(|root| decode(root, &findings));
    let mut resolver = Resolver { root: root.as_ref(), above, faults, warnings: Vec::new() };
    resolver.faults.extend(findings.faults.into_inner());
    let unknown_keys = resolver.unknown(findings.unknown.into_inner());
    let config = resolver.config(raw.unwrap_or_default());
    let Resolver { faults, mut warnings, .. } = resolver;
    if !faults.is_empty() {
        return Err(report(faults, origin));
    }
    warnings.sort_by_key(|(place, _)| *place);
    let warnings = warnings.into_iter().map(|(_, words)| words).collect();
    Ok(Config { warnings, unknown_keys, ..config })
}

/// A root of the wrong shape has been noted; nothing can be read from it.
fn decode(root: &Node, findings: &Findings) -> RawConfig {
    RawConfig::deserialize(Decoder::new(root, findings)).unwrap_or_default()
}

struct Resolver<'a> {
    root: Option<&'a Node>,
    above: Above<'a>,
    faults: Vec<Fault>,
    warnings: Vec<(Option<Place>, String)>,
}

impl Resolver<'_> {
    fn config(&mut self, raw: RawConfig) -> Config {
        let Above { overrides, .. } = self.above;
        let provider = self.above(overrides.provider.as_ref(), AGENT_PROVIDER);
        let model = self.above(overrides.model.as_ref(), AGENT_MODEL);
        let base_url = self.above(overrides.base_url.as_ref(), AGENT_BASE_URL).or(raw.base_url.0);
        let watchdog_timeout = self.timeout(&defaults::WATCHDOG_TIMEOUT, raw.watchdog_timeout);
        let first_token_timeout = self.timeout(&defaults::FIRST_TOKEN_TIMEOUT, raw.first_token_timeout);
        let yolo = self.permitted(raw.yolo.0.unwrap_or(defaults::YOLO), raw.permissions);
        Config {
            provider: self.name("provider", provider, raw.provider.or(defaults::PROVIDER)),
            model: self.name("model", model, raw.model.or(defaults::MODEL)),
            base_url: base_url.filter(|url| !url.is_empty()),
            fallback: raw.fallback.0,
            api_key_env: raw.api_key_env.0.filter(|name| !name.is_empty()),
            context_window: self.count(&defaults::CONTEXT_WINDOW, raw.context_window),
            max_output: self.count(&defaults::MAX_OUTPUT, raw.max_output),
            max_turns: self.count(&defaults::MAX_TURNS, raw.max_turns),
            max_repeated_calls: self.count(&defaults::MAX_REPEATED_CALLS, raw.max_repeated_calls),
            preview_lines: self.count(&defaults::PREVIEW_LINES, raw.preview_lines),
            show_thinking: raw.show_thinking.or(defaults::SHOW_THINKING),
            system: raw.system.0,
            bash_tool: raw.bash_tool.or(defaults::BASH_TOOL),
            edit_tools: raw.edit_tools.or(defaults::EDIT_TOOLS),
            fetch_content_tool: raw.fetch_content_tool.or(defaults::FETCH_CONTENT_TOOL),
            ask_user_tool: self
                .flag(AGENT_ASK_USER, "askUserTool")
                .unwrap_or(raw.ask_user_tool.or(defaults::ASK_USER_TOOL)),
            sampling: sampling(raw.sampling.0.unwrap_or_default()),
            // A first token is never awaited for less than any other.
            first_token_timeout: longer(first_token_timeout, &watchdog_timeout),
            watchdog_timeout,
            bash_timeout: self.timeout(&defaults::BASH_TIMEOUT, raw.bash_timeout),
            yolo: self.flag(AGENT_YOLO, "yolo").unwrap_or(yolo),
            warnings: Vec::new(),
            unknown_keys: Vec::new(),
        }
    }

    /// What a flag or a variable says.
    fn above(&self, flag: Option<&String>, variable: &str) -> Option<String> {
        flag.cloned().or_else(|| self.above.env.get(variable))
    }

    /// A variable that is true or false.
    fn flag(&mut self, variable: &str, key: &str) -> Option<bool> {
        self.above.env.flag(variable).unwrap_or_else(|message| {
            self.faults.push(Fault::rule(None, key, message));
            None
        })
    }

    /// A text that cannot be empty.
    fn name(&mut self, key: &str, above: Option<String>, below: String) -> String {
        let place = if above.is_none() { self.place(key) } else { None };
        let name = above.unwrap_or(below);
        if name.trim().is_empty() {
            self.faults.push(Fault::rule(place, key, format!("{key} must not be empty")));
        }
        name
    }

    fn count(&mut self, count: &Count, field: Field<i64>) -> usize {
        let Some(number) = field.0 else {
            return count.default;
        };
        self.at_least(count.key, count.least, number);
        usize::try_from(number).unwrap_or(usize::MAX)
    }

    fn timeout(&mut self, timeout: &Timeout, field: Field<GoDuration>) -> GoDuration {
        let Some(duration) = field.0 else {
            return GoDuration::seconds(timeout.text, timeout.seconds);
        };
        self.at_least(timeout.key, timeout.least, duration.as_nanos());
        duration
    }

    fn at_least(&mut self, key: &str, least: Least, number: i64) {
        let (broken, words) = match least {
            Least::Zero => (number < 0, ">= 0"),
            Least::AboveZero => (number <= 0, "> 0"),
        };
        if broken {
            self.faults.push(Fault::rule(self.place(key), key, format!("{key} must be {words}")));
        }
    }

    /// What is left of `yolo` once the key that it replaced has spoken.
    fn permitted(&mut self, yolo: bool, permissions: Field<String>) -> bool {
        let Some(permissions) = permissions.0 else {
            return yolo;
        };
        let place = self.place("permissions");
        let yolo = match permissions.as_str() {
            "ask" => false,
            "auto" => yolo,
            _ => {
                let message = "permissions must be \"auto\" or \"ask\"".to_owned();
                self.faults.push(Fault::rule(place, "permissions", message));
                return yolo;
            }
        };
        let warning = format!(
            "permissions: {permissions} is deprecated — use yolo: {yolo} instead \
             (true runs tools without asking, false asks before each change)"
        );
        self.warnings.push((place, warning));
        yolo
    }

    /// Lists the unknown keys and warns of those that look like a slip.
    fn unknown(&mut self, unknown: Vec<Unknown>) -> Vec<UnknownKey> {
        let mut keys = Vec::new();
        for Unknown { path, name, place, known } in unknown {
            let later: &[&str] = if path == name { LATER_KEYS } else { &[] };
            if later.contains(&name.as_str()) {
                continue;
            }
            let slip = slip_of(&name, known.iter().chain(later).copied());
            if let Some(meant) = slip.filter(|key| !later.contains(key)) {
                let name = excerpt(&name);
                let warning =
                    format!("line {}: unknown key {name} is ignored — did you mean {meant}?", place.line);
                self.warnings.push((Some(place), warning));
            }
            let nearest = slip.or_else(|| nearest(&name, known)).map(str::to_owned);
            keys.push(UnknownKey { path, line: place.line, column: place.column, nearest });
        }
        keys
    }

    /// Where the value of a key of the file stands.
    fn place(&self, key: &str) -> Option<Place> {
        self.root?.get(key).map(|node| node.place)
    }
}

/// Comparing takes time in the length of the name, and a name of a page resembles nothing.
fn nearest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    if name.len() > 100 { None } else { mm_schema::nearest(name, known.iter().copied()) }
}

fn longer(duration: GoDuration, least: &GoDuration) -> GoDuration {
    if duration.as_nanos() < least.as_nanos() { least.clone() } else { duration }
}

/// Merges key by key over the defaults; null takes a key away.
fn sampling(entries: Entries) -> Map<String, Value> {
    let mut merged = defaults::sampling();
    for (name, value) in entries.0 {
        match value.0 {
            Some(value) => merged.insert(name, value),
            // `remove` would move the last key into the gap.
            None => merged.shift_remove(&name),
        };
    }
    merged
}

#[cfg(test)]
mod tests;
