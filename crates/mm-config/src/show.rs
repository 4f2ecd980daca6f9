//! The values in force, each with where it comes from.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value};

use crate::{
    config::Config,
    document::{At, Node, Value as Tree},
    duration::GoDuration,
    problem::Place,
    scalar::Meaning,
    section::sampling,
};

/// The values in force, as the file would have them, and where each comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    values: Map<String, Value>,
    /// By path, for what is not a default.
    origins: BTreeMap<String, Origin>,
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
        let mut origins = BTreeMap::new();
        note_origins(root, None, "", &mut origins);
        let mut effective = Self { values, origins };
        effective.settled(config, root);
        effective
    }

    /// What one key does to another.
    fn settled(&mut self, config: &Config, root: &Node) {
        let asks = root.get("permissions").and_then(Node::text) == Some("ask");
        let origin = |key: &str| self.origins.get(key).cloned();
        let raised = config.first_token_timeout == config.watchdog_timeout;
        let (permissions, yolo) = (origin("permissions"), origin("yolo"));
        if raised && let Some(because) = origin("watchdogTimeout") {
            let words = format!("not below watchdogTimeout ({because})");
            self.origins.insert("firstTokenTimeout".into(), Origin::Other(words));
        }
        let asks = !config.yolo && asks && !matches!(yolo, Some(Origin::Above(_)));
        if let Some(because) = permissions.filter(|_| asks) {
            self.origins.insert("yolo".into(), Origin::Other(format!("permissions: ask ({because})")));
        }
    }

    /// Replaces a value of the top whose default somebody else knows.
    pub fn fill(&mut self, key: &str, value: Value, origin: Origin) {
        self.values.insert(key.to_owned(), value);
        self.origins.insert(key.to_owned(), origin);
    }

    /// Gives every value that is no mapping and no list of mappings, in the order of the reference.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (key, value) in &self.values {
            self.collect(key.clone(), value, &mut settings);
        }
        settings
    }

    /// Writes the values as YAML with a comment on each, such that reading it again gives the same configuration.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.values {
            self.write(&mut text, 0, &format!("{}:", scalar_text(key)), key, value);
        }
        text
    }

    fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or(Origin::Default)
    }

    fn collect(&self, key: String, value: &Value, settings: &mut Vec<Setting>) {
        match value {
            Value::Object(entries) if !entries.is_empty() => {
                for (name, value) in entries {
                    self.collect(format!("{key}.{name}"), value, settings);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for (index, value) in items.iter().enumerate() {
                    self.collect(format!("{key}[{index}]"), value, settings);
                }
            }
            value => {
                let origin = self.origin(&key);
                settings.push(Setting { key, value: value.clone(), origin });
            }
        }
    }

    /// Writes one value behind `lead`, which is `key:` or `-`.
    fn write(&self, text: &mut String, depth: usize, lead: &str, key: &str, value: &Value) {
        let indent = "  ".repeat(depth);
        match value {
            Value::Object(entries) if !entries.is_empty() => {
                // The first entry of an item stands beside its dash.
                let is_item = lead == "-";
                if !is_item {
                    *text += &format!("{indent}{lead}\n");
                }
                for (index, (name, value)) in entries.iter().enumerate() {
                    let (name, key) = (format!("{}:", scalar_text(name)), format!("{key}.{name}"));
                    if is_item && index == 0 {
                        *text += &format!("{indent}- ");
                        let mut first = String::new();
                        self.write(&mut first, depth + 1, &name, &key, value);
                        *text += first.trim_start_matches(' ');
                    } else {
                        self.write(text, depth + 1, &name, &key, value);
                    }
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                *text += &format!("{indent}{lead}\n");
                for (index, value) in items.iter().enumerate() {
                    self.write(text, depth + 1, "-", &format!("{key}[{index}]"), value);
                }
            }
            Value::String(lines) if is_block(lines) => {
                let keep = if lines.ends_with('\n') { "" } else { "-" };
                *text += &format!("{indent}{lead} |2{keep}  # {}\n", self.origin(key));
                for line in lines.trim_end_matches('\n').split('\n') {
                    // No white space behind an empty line.
                    let line = if line.is_empty() { String::new() } else { format!("{indent}  {line}") };
                    *text += &format!("{line}\n");
                }
            }
            value => *text += &format!("{indent}{lead} {}  # {}\n", flow(value), self.origin(key)),
        }
    }
}

/// Notes where every single value of the tree comes from, and every list and mapping, which count for those
/// that are empty.
fn note_origins(node: &Node, key: Option<Place>, path: &str, origins: &mut BTreeMap<String, Origin>) {
    if node.is_null() && !path.starts_with("sampling.") {
        return;
    }
    let origin = match &node.at {
        // The text of `|` begins below its key.
        At::File(place) => Origin::Line(key.unwrap_or(*place).line as usize),
        At::Above(above) => Origin::Above(above.name.clone()),
    };
    origins.insert(path.to_owned(), origin);
    match &*node.value {
        // The short form of an agent.
        Tree::Scalar(_)
            if path.starts_with("mmConfigs.") && !path.trim_start_matches("mmConfigs.").contains('.') =>
        {
            if let Some(origin) = origins.get(path).cloned() {
                origins.insert(format!("{path}.path"), origin);
            }
        }
        Tree::Scalar(_) => {}
        Tree::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                note_origins(item, None, &format!("{path}[{index}]"), origins);
            }
        }
        Tree::Mapping(entries) => {
            for entry in entries {
                let key =
                    if path.is_empty() { entry.key.to_string() } else { format!("{path}.{}", entry.key) };
                note_origins(&entry.value, Some(entry.place), &key, origins);
            }
        }
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
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests;
