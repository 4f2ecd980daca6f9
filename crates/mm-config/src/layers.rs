//! Lays environment and flags over the file, as values that know where they come from.

use std::rc::Rc;

use crate::{
    config::Overrides,
    document::{Above, At, Entry, Layer, Node, Scalar, Value},
    env::{
        AGENT_ASK_USER, AGENT_BASE_URL, AGENT_MODEL, AGENT_PROVIDER, AGENT_TRACE, AGENT_YOLO, Environment,
        OTHERS, PREFIX, parse_bool,
    },
    json_schema::{Kind, ScalarKey, larger_keys, scalar_keys, variable},
    problem::{Fault, Place, quoted},
    scalar::Meaning,
    slips::{slip_of, within},
};

/// A file with what stands above it.
pub(crate) struct Layered {
    pub(crate) root: Node,
    pub(crate) faults: Vec<Fault>,
    pub(crate) warnings: Vec<String>,
}

/// The variables with names of their own, and the keys that they set.
pub(crate) const AGENT: [(&str, &str, Kind); 6] = [
    (AGENT_PROVIDER, "provider", Kind::Text),
    (AGENT_MODEL, "model", Kind::Text),
    (AGENT_BASE_URL, "baseUrl", Kind::Text),
    (AGENT_TRACE, "trace.enabled", Kind::Bool),
    (AGENT_YOLO, "yolo", Kind::Bool),
    (AGENT_ASK_USER, "askUserTool", Kind::Bool),
];

/// Lays variables and flags over a file.
pub(crate) fn over(root: Node, env: &Environment, overrides: &Overrides) -> Layered {
    let mut layered = Layered { root, faults: Vec::new(), warnings: Vec::new() };
    layered.variables(env);
    layered.agent_slips(env);
    for (name, key, kind) in AGENT {
        if let Some(text) = env.get(name) {
            layered.put(key, kind, Above { name: name.to_owned(), text, layer: Layer::Agent });
        }
    }
    let flags = [
        ("--provider", "provider", &overrides.provider),
        ("--model", "model", &overrides.model),
        ("--base-url", "baseUrl", &overrides.base_url),
    ];
    for (name, key, value) in flags {
        if let Some(text) = value.clone() {
            layered.put(key, Kind::Text, Above { name: name.to_owned(), text, layer: Layer::Flag });
        }
    }
    layered
}

impl Layered {
    /// `MM_…`: a variable for each single-valued key. The keys are only looked up when there is one.
    fn variables(&mut self, env: &Environment) {
        let names: Vec<&str> = env.names(PREFIX).filter(|name| !OTHERS.contains(name)).collect();
        if names.is_empty() {
            return;
        }
        let keys = scalar_keys();
        for (at, name) in names.into_iter().enumerate() {
            match keys.iter().find(|key| key.variable == name) {
                Some(ScalarKey { path, kind, .. }) => {
                    let text = env.get(name).unwrap_or_default();
                    self.put(path, *kind, Above { name: name.to_owned(), text, layer: Layer::Variable });
                }
                // Whoever has so many of them does not mean mm.
                None if at > 200 => {}
                None => {
                    let known = keys.iter().map(|key| key.variable.as_str()).chain(OTHERS);
                    self.no_variable(name, slip_of(name, known));
                }
            }
        }
    }

    /// Tells of a name that is nearly a variable, or that stands for a key that is more than one value.
    fn no_variable(&mut self, name: &str, meant: Option<&str>) {
        if let Some(path) = larger_keys().into_iter().find(|path| variable(path) == name) {
            self.warnings.push(format!("{name} is no variable of mm: {path} is more than one value"));
        } else if let Some(meant) = meant {
            self.warnings.push(format!("{name} is no variable of mm — did you mean {meant}?"));
        }
    }

    /// `AGENT_…`: other programs have such variables too, so one letter at most is taken for a slip.
    fn agent_slips(&mut self, env: &Environment) {
        let known = AGENT.map(|(name, ..)| name);
        for name in env.names("AGENT_").filter(|name| !known.contains(name)) {
            if let Some(meant) = within(name, known, 1) {
                self.warnings.push(format!("{name} is no variable of mm — did you mean {meant}?"));
            }
        }
    }

    fn put(&mut self, key: &str, kind: Kind, above: Above) {
        let meaning = match kind {
            Kind::Text => Meaning::Text,
            // A variable that is set says something: `null` does not take that back.
            Kind::Number => match Meaning::of(&above.text) {
                Meaning::Null => Meaning::Text,
                meaning => meaning,
            },
            Kind::Bool => match parse_bool(&above.text) {
                Some(value) => Meaning::Bool(value),
                None => {
                    let message = format!("{}={}: must be true or false", above.name, quoted(&above.text));
                    return self.faults.push(Fault::rule(None, key.to_owned(), message));
                }
            },
        };
        let scalar = Value::Scalar(Scalar { text: above.text.clone(), meaning });
        let node = Node { at: At::Above(Rc::new(above)), value: Rc::new(scalar) };
        let steps: Vec<&str> = key.split('.').collect();
        self.root = with(&self.root, &steps, node);
    }
}

/// A tree with a value at a path. What stands in the way and is no mapping stays: it is a fault of its own.
fn with(tree: &Node, steps: &[&str], node: Node) -> Node {
    let Some((step, rest)) = steps.split_first() else {
        return node;
    };
    let mut entries = match &*tree.value {
        Value::Mapping(entries) => entries.clone(),
        Value::Scalar(_) if tree.is_null() => Vec::new(),
        Value::Scalar(_) | Value::Sequence(_) => return tree.clone(),
    };
    let absent = Node { at: At::File(Place::START), value: Rc::new(Value::Mapping(Vec::new())) };
    match entries.iter_mut().find(|entry| &*entry.key == *step) {
        Some(entry) => entry.value = with(&entry.value, rest, node),
        None => {
            let value = with(&absent, rest, node);
            entries.push(Entry { key: Rc::from(*step), place: Place::START, value });
        }
    }
    Node { at: tree.at.clone(), value: Rc::new(Value::Mapping(entries)) }
}
