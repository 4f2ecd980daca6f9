//! The values in force, each with where it comes from.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde_json::{Map, Value};

use crate::{
    config::Config,
    document::{At, Node},
    duration::GoDuration,
    problem::excerpt,
    scalar::Meaning,
    section::sampling,
};

/// The values in force, as the file would have them, and where each comes from.
#[derive(Clone, Debug)]
pub struct Effective {
    values: Map<String, Value>,
    /// File, environment and flags: what stands there is no default.
    root: Node,
    /// The keys of the top whose value has another reason.
    reasons: BTreeMap<String, Origin>,
    /// The keys of the top whose value nobody set, and which somebody else has filled.
    filled: BTreeSet<String>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A line of the file, from 1.
    Line(usize),
    /// A variable or a flag, by its name.
    Above(String),
    /// Another reason, in words.
    Other(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Above(name) | Self::Other(name) => f.write_str(name),
        }
    }
}

/// One value in force.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// The key, with those it stands under.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where that comes from.
    pub origin: Origin,
}

impl Effective {
    pub(crate) fn of(config: &Config, root: &Node) -> Self {
        let mut values = match serde_json::to_value(config) {
            Ok(Value::Object(values)) => values,
            Ok(_) | Err(_) => Map::new(),
        };
        if let Some(Value::Object(sent)) = values.get_mut("sampling") {
            // What the file takes away has to be taken away by whoever reads this again.
            for name in sampling::defaults().keys().filter(|name| !config.sampling.contains_key(*name)) {
                sent.insert(name.clone(), Value::Null);
            }
        }
        let mut effective =
            Self { values, root: root.clone(), reasons: BTreeMap::new(), filled: BTreeSet::new() };
        effective.settled(config);
        effective
    }

    /// What one key does to another.
    fn settled(&mut self, config: &Config) {
        let text = |key: &str| self.root.get(key).and_then(Node::text);
        let raised = config.first_token_timeout == config.watchdog_timeout
            && text("firstTokenTimeout") != Some(config.first_token_timeout.as_str());
        let mut reasons = Vec::new();
        if raised && self.origin("watchdogTimeout") != Origin::Default {
            let because = self.origin("watchdogTimeout");
            reasons.push(("firstTokenTimeout", format!("not below watchdogTimeout ({because})")));
        }
        let is_above = matches!(self.origin("yolo"), Origin::Above(_));
        if !config.yolo && !is_above && text("permissions") == Some("ask") && text("yolo") != Some("false") {
            reasons.push(("yolo", format!("permissions: ask ({})", self.origin("permissions"))));
        }
        for (key, words) in reasons {
            self.reasons.insert(key.to_owned(), Origin::Other(words));
        }
    }

    /// Replaces a value of the top whose default somebody else knows. [`Effective::to_yaml`] writes it as a comment:
    /// set in a file, it would not follow the provider or the directory any more.
    pub fn fill(&mut self, key: &str, value: Value, origin: Origin) {
        self.values.insert(key.to_owned(), value);
        self.reasons.insert(key.to_owned(), origin);
        self.filled.insert(key.to_owned());
    }

    /// Gives where the value of a key comes from; a key within others is written with points.
    pub fn origin(&self, key: &str) -> Origin {
        let spot = key.split('.').fold(Spot::of(&self.root), Spot::step);
        self.reasons.get(key).cloned().unwrap_or_else(|| spot.origin())
    }

    /// Where a key of the top stands.
    fn spot(&self, key: &str) -> Spot<'_> {
        Spot { reason: self.reasons.get(key), ..Spot::of(&self.root).key(key) }
    }

    /// Gives every value that is no mapping and no list of mappings, in the order of the reference. Names of more than
    /// 60 characters are cut in a setting's key.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (key, value) in &self.values {
            collect(excerpt(key), value, self.spot(key), &mut settings);
        }
        settings
    }

    /// Writes the values as YAML with a comment on each, such that reading it again gives the same configuration.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.values {
            let mut lines = String::new();
            write(&mut lines, 0, &lead(key, 0), value, self.spot(key));
            if self.filled.contains(key) {
                lines = lines.lines().map(|line| format!("#{line}\n")).collect();
            }
            text += &lines;
        }
        text
    }
}

/// Where a value stands, if it stands anywhere.
#[derive(Clone, Copy)]
struct Spot<'e> {
    node: Option<&'e Node>,
    /// The line of its key: the text of `|` begins below that.
    line: Option<u32>,
    reason: Option<&'e Origin>,
    /// Whether null says something here.
    is_sampling: bool,
}

impl<'e> Spot<'e> {
    fn of(root: &'e Node) -> Self {
        Self { node: Some(root), line: None, reason: None, is_sampling: false }
    }

    /// Goes on to a key, or to a place in its list: `matcher`, `preToolCall[0]`.
    fn step(self, part: &str) -> Self {
        let place = || {
            let (list, index) = part.strip_suffix(']')?.rsplit_once('[')?;
            Some((list, index.parse().ok()?))
        };
        let is_name = self.node.is_some_and(|node| node.entry(part).is_some());
        match place().filter(|_| !is_name) {
            Some((list, index)) => self.key(list).item(index),
            None => self.key(part),
        }
    }

    fn key(self, key: &str) -> Self {
        // An agent that is a path alone.
        let short = self.node.filter(|node| node.text().is_some() && !node.is_null() && key == "path");
        let other = || self.node?.entry("env_file").filter(|_| key == "envFile");
        let entry = self.node.and_then(|node| node.entry(key)).or_else(other);
        let line = entry.filter(|entry| entry.value.place().is_some()).map(|entry| entry.place.line);
        Self {
            node: entry.map(|entry| &entry.value).or(short),
            line: line.or(self.line.filter(|_| short.is_some())),
            reason: None,
            is_sampling: self.is_sampling || key == "sampling",
        }
    }

    fn item(self, index: usize) -> Self {
        Self { node: self.node.and_then(|node| node.item(index)), line: None, reason: None, ..self }
    }

    fn origin(self) -> Origin {
        if let Some(reason) = self.reason {
            return reason.clone();
        }
        match self.node.filter(|node| self.is_sampling || !node.is_null()).map(|node| &node.at) {
            None => Origin::Default,
            Some(At::File(place)) => Origin::Line(self.line.unwrap_or(place.line) as usize),
            Some(At::Above(above)) => Origin::Above(above.name.clone()),
        }
    }
}

fn collect(key: String, value: &Value, spot: Spot<'_>, settings: &mut Vec<Setting>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (name, value) in entries {
                collect(format!("{key}.{}", excerpt(name)), value, spot.key(name), settings);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (index, value) in items.iter().enumerate() {
                collect(format!("{key}[{index}]"), value, spot.item(index), settings);
            }
        }
        value => settings.push(Setting { key, value: value.clone(), origin: spot.origin() }),
    }
}

/// A key with what stands behind it; a very long one stands on a line of its own.
fn lead(key: &str, depth: usize) -> String {
    let key = scalar_text(key);
    if key.chars().count() < 1000 { format!("{key}:") } else { format!("? {key}\n{}:", "  ".repeat(depth)) }
}

/// Writes one value behind `lead`, which is `key:` or `-`.
fn write(text: &mut String, depth: usize, lead: &str, value: &Value, spot: Spot<'_>) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            // The first entry of an item stands beside its dash.
            let is_item = lead == "-";
            if !is_item {
                *text += &format!("{indent}{lead}\n");
            }
            for (index, (name, value)) in entries.iter().enumerate() {
                let (lead, spot) = (self::lead(name, depth + 1), spot.key(name));
                if is_item && index == 0 {
                    *text += &format!("{indent}- ");
                    let mut first = String::new();
                    write(&mut first, depth + 1, &lead, value, spot);
                    *text += first.trim_start_matches(' ');
                } else {
                    write(text, depth + 1, &lead, value, spot);
                }
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            *text += &format!("{indent}{lead}\n");
            for (index, value) in items.iter().enumerate() {
                write(text, depth + 1, "-", value, spot.item(index));
            }
        }
        Value::String(lines) if is_block(lines) => {
            let keep = if lines.ends_with('\n') { "" } else { "-" };
            *text += &format!("{indent}{lead} |2{keep}  # {}\n", spot.origin());
            for line in lines.trim_end_matches('\n').split('\n') {
                // No white space behind an empty line.
                let line = if line.is_empty() { String::new() } else { format!("{indent}  {line}") };
                *text += &format!("{line}\n");
            }
        }
        value => *text += &format!("{indent}{lead} {}  # {}\n", flow(value), spot.origin()),
    }
}

/// Whether a text is written line by line: lines without an end that a reader would take away.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let plain = |c: char| {
        c == '\n'
            || c == '\t'
            || !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{85}')
    };
    text.contains('\n') && !body.is_empty() && !body.ends_with('\n') && text.chars().all(plain)
}

/// A value on one line: JSON, but for a text that needs no quotes.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar_text(text),
        value => escaped(&value.to_string()),
    }
}

/// JSON in which no character stands that YAML forbids or takes for the end of a line.
fn escaped(json: &str) -> String {
    let odd = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
    };
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if odd(c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// A text, in quotes unless every reader of YAML takes it for that text without.
fn scalar_text(text: &str) -> String {
    let first = text.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '/' | '.' | '_'));
    let plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ' ' | '(' | ')' | '@' | '+' | ':')
    };
    let inner = text.chars().all(plain) && !text.ends_with([' ', ':']) && !text.contains(": ");
    let word = !matches!(
        text.to_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null" | ".inf" | ".nan"
    );
    let is_text = Meaning::of(text) == Meaning::Text;
    let is_duration = text.parse::<GoDuration>().is_ok();
    if (first && inner && word || is_duration) && is_text {
        text.to_owned()
    } else {
        escaped(&Value::from(text).to_string())
    }
}

#[cfg(test)]
mod tests;
