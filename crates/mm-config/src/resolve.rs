//! Settles each key once: flag over environment over file over default, then the rules on the result.

use serde::Deserialize;

use crate::{
    config::{Config, Overrides, Permissions, UnknownKey},
    de::{Decoder, Findings, Note, Path, Unknown},
    document::{At, Document, Node, Value},
    env::Environment,
    json_schema::scalar_keys,
    layers,
    problem::{Fault, Place, excerpt},
    report::Remark,
    section::{check_mm_configs, check_tools, sampling, structured_output, unknown_event},
    slips::slip_of,
};

/// What became of a text.
pub(crate) struct Resolved {
    /// Meaningless with a fault.
    pub(crate) config: Config,
    pub(crate) faults: Vec<Fault>,
    pub(crate) warnings: Vec<Remark>,
    pub(crate) hints: Vec<Remark>,
    pub(crate) unknown_keys: Vec<UnknownKey>,
    /// File, environment and flags laid over one another.
    pub(crate) root: Node,
}

/// Makes a configuration of a text, and finds everything that there is to say about it.
pub(crate) fn resolve(text: &str, env: &Environment, overrides: &Overrides) -> Resolved {
    let Document { root, faults } = Document::parse(text);
    let layered = layers::over(root.unwrap_or_else(empty), env, overrides);
    let findings = Findings::new(&layered.root, faults.into_iter().chain(layered.faults).collect());
    findings.warnings.borrow_mut().extend(layered.warnings.into_iter().map(|words| (None, words)));
    let mut config = if layered.root.is_null() {
        Config::default()
    } else {
        Config::deserialize(Decoder::new(&layered.root, &findings)).unwrap_or_default()
    };
    let unknown_keys = unknown(&findings);
    // Where decoding broke off, the values are not those of the file.
    if !findings.stopped.get() {
        check(&mut config, text, &findings);
    }
    let Findings { faults, warnings, hints, .. } = findings;
    let faults = faults.into_inner();
    let (warnings, hints) = (in_order(warnings.into_inner()), in_order(hints.into_inner()));
    Resolved { config, faults, warnings, hints, unknown_keys, root: layered.root }
}

/// A file without content, or one that cannot be read: nothing stands in it.
fn empty() -> Node {
    Node { at: At::File(Place::START), value: std::rc::Rc::new(Value::Mapping(Vec::new())) }
}

fn in_order(mut notes: Vec<Note>) -> Vec<Remark> {
    notes.sort_by_key(|(place, _)| (place.is_none(), *place));
    notes
        .into_iter()
        .map(|(place, words)| Remark { line: place.map(|place| place.line as usize), words })
        .collect()
}

/// The rules that are more than the bound of one number.
fn check(config: &mut Config, text: &str, findings: &Findings<'_>) {
    for (key, value) in [("provider", &config.provider), ("model", &config.model)] {
        if value.trim().is_empty() {
            findings.broken(&Path::Top.key(key), " must not be empty");
        }
    }
    structured_output::check(&config.structured_output, text, findings);
    sampling::check(&config.sampling, findings);
    let has_shape = !config.structured_output.trim().is_empty();
    sampling::warn(&config.sampling, has_shape, findings);
    names(config, findings);
    config.sessions.check(findings);
    config.agents_md.check(findings);
    config.trace.check(findings);
    config.acp.check(findings);
    config.lsp.check(findings);
    config.hooks.check(findings);
    check_tools(&mut config.tools, findings);
    config.mcp.check(findings);
    config.guard.check(findings);
    check_mm_configs(&config.mm_configs, findings);
    declared_twice(findings);
    if let Some(permissions) =
        config.permissions.take().filter(|_| !findings.is_faulty(&Path::Top.key("permissions")))
    {
        config.yolo = permitted(config.yolo, permissions, findings);
    }
    // A first token is never awaited for less than any other.
    if config.first_token_timeout.as_nanos() < config.watchdog_timeout.as_nanos() {
        config.first_token_timeout = config.watchdog_timeout.clone();
    }
}

/// Texts that are taken as they are, though something else was probably meant.
fn names(config: &Config, findings: &Findings<'_>) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !config.api_key_env.chars().all(is_name) {
        // Without the text, which may be the key.
        let words = "apiKeyEnv is the name of a variable that holds the key, and this is no such name";
        findings.warn(&Path::Top.key("apiKeyEnv"), words.to_owned());
    }
    for (key, text, instead) in [
        ("provider", &config.provider, "AGENT_PROVIDER"),
        ("model", &config.model, "AGENT_MODEL"),
        ("baseUrl", &config.base_url, "AGENT_BASE_URL"),
    ] {
        if text.contains("${") {
            let words = format!("{key}: no variable is put into the text — set {instead} instead");
            findings.warn(&Path::Top.key(key), words);
        }
    }
}

/// What is left of `yolo` once the key that it replaced has spoken.
fn permitted(yolo: bool, permissions: Permissions, findings: &Findings<'_>) -> bool {
    let (path, yolo_path) = (Path::Top.key("permissions"), Path::Top.key("yolo"));
    let layer = |path| findings.node(path).and_then(Node::layer);
    // A variable that says what `yolo` is stands above what the file says in either way.
    let wins = layer(&path) >= layer(&yolo_path);
    let (word, yolo) = match permissions {
        Permissions::Ask => ("ask", yolo && !wins),
        Permissions::Auto => ("auto", yolo),
    };
    let instead = yolo && permissions != Permissions::Ask;
    let warning = format!(
        "permissions: {word} is deprecated — use yolo: {instead} instead \
         (true runs tools without asking, false asks before each change)"
    );
    findings.warn(&path, warning);
    yolo
}

/// A parameter that is there twice has a message of its own.
fn declared_twice(findings: &Findings<'_>) {
    for fault in findings.faults.borrow_mut().iter_mut().filter(|fault| fault.twice) {
        let Some((tool, name)) = fault.key.as_deref().and_then(|key| key.split_once(".parameters.")) else {
            continue;
        };
        let index = tool.strip_prefix("tools[").and_then(|rest| rest.strip_suffix(']')?.parse().ok());
        if let Some(index) = index.filter(|_| !name.contains('.')) {
            let tools = Path::Top.key("tools");
            let subject = findings.subject(&tools.index(index).key("parameters").key(name));
            fault.message = format!("{subject}: declared twice");
        }
    }
}

/// Lists the unknown keys. A key of the top that begins with `x-` is there for its anchor.
fn unknown(findings: &Findings<'_>) -> Vec<UnknownKey> {
    let mut keys = Vec::new();
    for Unknown { path, name, place, known } in findings.unknown.take() {
        let is_top = path == excerpt(&name);
        if is_top && name.starts_with("x-") {
            continue;
        }
        if path.strip_prefix("hooks.") == Some(&excerpt(&name)) {
            let fault = Fault::rule(Some(place), path, unknown_event(&name));
            findings.faults.borrow_mut().push(fault);
            continue;
        }
        let slip = slip_of(&name, known.iter().copied());
        let elsewhere = || if is_top && keys.len() < 100 { deeper(&name) } else { None };
        let nearest = slip
            .or_else(|| if keys.len() < 100 { nearest(&name, known) } else { None })
            .map(str::to_owned)
            .or_else(elsewhere);
        let (line, column) = (place.line as usize, place.column as usize);
        keys.push(UnknownKey { path, line, column, nearest, is_slip: slip.is_some() });
    }
    keys
}

/// The key of a section that has the name of one at the top: its indentation was lost.
fn deeper(name: &str) -> Option<String> {
    const SECTIONS: [(&str, &str); 1] = [("mcpServers", "mcp.servers")];
    if let Some((_, path)) = SECTIONS.iter().find(|(other, _)| *other == name) {
        return Some((*path).to_owned());
    }
    let inner = format!(".{name}");
    let mut paths = scalar_keys().into_iter().map(|key| key.path).filter(|path| path.ends_with(&inner));
    let path = paths.next()?;
    // Several sections have an `enabled`.
    paths.next().is_none().then_some(path)
}

/// Comparing takes time in the length of the name, and a name of a page resembles nothing.
fn nearest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    if name.len() > 100 { None } else { mm_schema::nearest(name, known.iter().copied()) }
}

#[cfg(test)]
mod tests;
