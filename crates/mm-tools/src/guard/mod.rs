//! The command guard: what `bash` never runs, and what it would rather be asked about.
//!
//! A guard rail and no sandbox: it reads the command that the model wrote as a shell would, and sees nothing of what the
//! programs in it do then.
//!
//! ```
//! use std::path::Path;
//! use mm_tools::{RiskLevel, guard::Guard};
//!
//! let guard = Guard::default();
//! let judge = |command| guard.judge(command, Path::new("/work/project"), Some(Path::new("/home/me"))).level;
//! assert_eq!(judge("env X=1 sh -c 'rm -rf -- ~'"), RiskLevel::Catastrophic);
//! assert_eq!(judge("rm -rf build && cargo build"), RiskLevel::Risky);
//! assert_eq!(judge("grep -r 'rm -rf /' . # as text"), RiskLevel::Plain);
//! ```

mod expand;
mod judge;
mod place;
mod programs;
mod rules;
mod shell;

use std::path::Path;

use regex::{Regex, RegexBuilder};

use judge::{Finding, Judge};
use place::Place;
use rules::{DENY_PATTERNS, UNREADABLE};
pub use rules::{RULES, Rule};

use crate::{Risk, RiskLevel};

/// The bytes that a compiled pattern may take.
const LARGEST: usize = 1 << 20;
/// The work that a command is worth, in bytes for one of its own, and besides.
const WORK: (usize, usize) = (16, 10_000);

/// Judges commands by the built-in rules and by the user's patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    is_enabled: bool,
    deny: Vec<Pattern>,
    allow: Vec<Pattern>,
}

impl Default for Guard {
    /// The built-in rules, no patterns.
    fn default() -> Self {
        Self { is_enabled: true, deny: Vec::new(), allow: Vec::new() }
    }
}

/// A pattern that is no regular expression, or too large a one.
#[derive(Debug, thiserror::Error)]
#[error("{pattern:?} is not a regular expression that can be used")]
#[non_exhaustive]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
}

impl Guard {
    /// A guard without the built-in rules.
    pub fn without_rules() -> Self {
        Self { is_enabled: false, ..Self::default() }
    }

    /// Adds regular expressions: what one of `deny` matches anywhere is never run; the one simple command that one of
    /// `allow` matches, as it is written, is not held to the built-in rules.
    ///
    /// # Errors
    /// A pattern that cannot be used.
    pub fn with_patterns(mut self, deny: &[String], allow: &[String]) -> Result<Self, BadPattern> {
        self.deny = deny.iter().map(|pattern| Pattern::new(pattern)).collect::<Result<_, _>>()?;
        self.allow = allow.iter().map(|pattern| Pattern::new(pattern)).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Judges a command that runs in a project by its worst part. Nothing is looked up or run; the time grows with the
    /// length of the command, and no text makes it panic.
    pub fn judge(&self, command: &str, project: &Path, home: Option<&Path>) -> Risk {
        if let Some(pattern) = self.deny.iter().find(|pattern| pattern.fits(command)) {
            let why = format!(
                "the pattern {} of the user's configuration denies it: leave it to the user",
                pattern.0
            );
            return Risk { level: RiskLevel::Catastrophic, rule: DENY_PATTERNS.id, why };
        }
        if !self.is_enabled {
            return Risk::default();
        }
        // No command can hold the character, and here it means something else.
        let command = command.replace(shell::UNKNOWN, "");
        let place = Place::new(project, home);
        let (factor, besides) = WORK;
        let mut judge = Judge::new(&place, &self.allow, factor * command.len() + besides);
        judge.text(&expand::Value::known(command.clone()), &expand::Value::default());
        if let Some(fault) = judge.fault
            && let Some(name) = dangerous_name(&command)
            && judge.worst.as_ref().is_none_or(|worst| worst.rule.level < RiskLevel::Catastrophic)
        {
            let why = format!("{fault}, and it names {name}: {}", UNREADABLE.instead);
            return Risk { level: UNREADABLE.level, rule: UNREADABLE.id, why };
        }
        judge.worst.map(told).unwrap_or_default()
    }
}

/// What is found, in words.
fn told(finding: Finding) -> Risk {
    let Finding { rule, command } = finding;
    let instead = if rule.instead.is_empty() { String::new() } else { format!(": {}", rule.instead) };
    Risk { level: rule.level, rule: rule.id, why: format!("`{command}` {}{instead}", rule.does) }
}

/// A name among the words of a text that a rule is about.
fn dangerous_name(command: &str) -> Option<&str> {
    let is_between = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.');
    command.split(is_between).find(|name| !name.is_empty() && programs::is_known(name))
}

/// A regular expression, compared as it is written.
#[derive(Clone, Debug)]
struct Pattern(Regex);

impl Pattern {
    fn new(pattern: &str) -> Result<Self, BadPattern> {
        let compiled = RegexBuilder::new(pattern).size_limit(LARGEST).build();
        compiled.map(Self).map_err(|_| BadPattern { pattern: pattern.to_owned() })
    }

    fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
