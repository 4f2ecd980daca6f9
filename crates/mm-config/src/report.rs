//! Everything that there is to say about a file, whether or not it is valid.

use std::path::Path;

use crate::{
    config::{Config, DEFAULTS, Overrides, UnknownKey},
    document::Node,
    env::Environment,
    problem::{Problem, report},
    read::read,
    resolve::resolve,
    show::{Effective, Origin},
    weight::MAX_BYTES,
};

/// What a check of a file finds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The file, as the caller named it; `<defaults>` when there is none.
    pub path: String,
    /// What is wrong, in file order, that of the environment last.
    pub problems: Vec<Problem>,
    /// What the user should know though nothing is wrong; also told when the program starts.
    pub warnings: Vec<Remark>,
    /// What only a check tells.
    pub hints: Vec<Remark>,
    /// The keys that nothing reads.
    pub unknown_keys: Vec<UnknownKey>,
    /// The configuration; none when there is a problem.
    pub config: Option<Config>,
    /// The configuration as far as it could be read, for checks that go beyond the file: what has a problem is empty
    /// or the default.
    pub draft: Config,
    root: Option<Node>,
}

/// A sentence about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The line concerned, from 1, where there is one.
    pub line: Option<usize>,
    /// What there is to say.
    pub words: String,
}

impl Remark {
    /// A sentence about a line, or about a file as a whole.
    pub fn new(line: Option<usize>, words: String) -> Self {
        Self { line, words }
    }
}

impl Report {
    /// Checks YAML text; `origin` names it in problems.
    pub fn of_yaml(text: &str, origin: &str, env: &Environment, overrides: &Overrides) -> Self {
        let resolved = resolve(text, env, overrides);
        let valid = resolved.faults.is_empty();
        Self {
            path: origin.to_owned(),
            config: valid.then(|| resolved.config.clone()),
            draft: resolved.config,
            root: Some(resolved.root),
            problems: report(resolved.faults, origin),
            warnings: resolved.warnings,
            hints: resolved.hints,
            unknown_keys: resolved.unknown_keys,
        }
    }

    /// Reads and checks a file; no file are the defaults.
    pub fn of_file(path: Option<&Path>, env: &Environment, overrides: &Overrides) -> Self {
        let Some(path) = path else {
            return Self::of_yaml("", DEFAULTS, env, overrides);
        };
        let origin = path.display().to_string();
        match read(path, MAX_BYTES) {
            Ok(text) => Self::of_yaml(&text, &origin, env, overrides),
            Err(fault) => Self {
                problems: report(vec![fault], &origin),
                path: origin,
                warnings: Vec::new(),
                hints: Vec::new(),
                unknown_keys: Vec::new(),
                config: None,
                draft: Config::default(),
                root: None,
            },
        }
    }

    /// Gives where the value of a key comes from, such as `yolo` or `hooks.preToolCall[0].matcher`.
    pub fn origin(&self, key: &str) -> Origin {
        self.root.as_ref().map_or(Origin::Default, |root| Effective::of(&self.draft, root).origin(key))
    }

    /// Gives the values in force and where each comes from; none when there is a problem.
    pub fn effective(&self) -> Option<Effective> {
        Some(Effective::of(self.config.as_ref()?, self.root.as_ref()?))
    }
}
