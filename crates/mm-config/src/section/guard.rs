//! `guard`: what `bash` never runs, or asks about.

use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// The command guard, a guard rail and no sandbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Guard {
    /// Applies the built-in rules. `false` leaves the patterns of this file.
    pub enabled: bool,
    /// Asks about risky commands under `yolo: true` too.
    pub ask_risky: bool,
    /// Regular expressions on the whole command as written, case-sensitive: what one matches is never run.
    pub deny_patterns: Vec<String>,
    /// Regular expressions that lift the one simple command that they match.
    pub allow_patterns: Vec<String>,
}

impl Default for Guard {
    fn default() -> Self {
        Self { enabled: true, ask_risky: false, deny_patterns: Vec::new(), allow_patterns: Vec::new() }
    }
}

/// The bytes that a compiled pattern may take.
const LARGEST: usize = 1 << 20;
/// The bytes of a pattern as written: long ones take seconds to be refused.
const LONGEST: usize = 500;
/// The patterns of a list.
const MOST: usize = 100;

impl Guard {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        let guard = Path::Top.key("guard");
        for (key, patterns) in
            [("denyPatterns", &self.deny_patterns), ("allowPatterns", &self.allow_patterns)]
        {
            let list = guard.key(key);
            if patterns.len() > MOST {
                findings.broken_here(&list, &format!(" has more than {MOST} patterns"));
                continue;
            }
            for (index, pattern) in patterns.iter().enumerate() {
                if pattern.len() > LONGEST {
                    let words = format!(" is longer than {LONGEST} bytes");
                    findings.broken_here(&list.index(index), &words);
                    continue;
                }
                if pattern.is_empty() {
                    // It would match every command.
                    findings.broken_here(&list.index(index), " must not be empty");
                }
                if let Err(error) = RegexBuilder::new(pattern).size_limit(LARGEST).build() {
                    let words = format!(" is not a regular expression: {}", told(&error));
                    findings.broken_here(&list.index(index), &words);
                }
            }
        }
    }
}

/// The last line of the library's words, which draw the pattern above it.
fn told(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
