//! Every case of `tests/fixtures/guard/cases.json`, by name.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/guard/cases.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    waiting: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    title: String,
    command: String,
    /// The verdict that is best.
    expect: Verdict,
    /// Those that will do.
    accept: Vec<Verdict>,
    #[serde(default)]
    config: Config,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Plain,
    Risky,
    Catastrophic,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Config {
    enabled: bool,
    deny_patterns: Vec<String>,
    allow_patterns: Vec<String>,
    /// No rule yet: the cases with it wait.
    #[allow(dead_code)]
    workspace_only: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { enabled: true, deny_patterns: Vec::new(), allow_patterns: Vec::new(), workspace_only: false }
    }
}

fn verdict(case: &Case) -> Verdict {
    let guard = if case.config.enabled { Guard::default() } else { Guard::without_rules() };
    let guard = guard.with_patterns(&case.config.deny_patterns, &case.config.allow_patterns).unwrap();
    let risk = guard.judge(&case.command, Path::new("/home/me/project"), Some(Path::new("/home/me")));
    match risk.level {
        RiskLevel::Plain => Verdict::Plain,
        RiskLevel::Risky => Verdict::Risky,
        RiskLevel::Catastrophic => Verdict::Catastrophic,
    }
}

#[test]
fn each_command_has_its_verdict() {
    let file: File = serde_json::from_str(FILE).unwrap();
    let (mut right, mut best, mut wrong) = (0, 0, Vec::new());
    for case in &file.cases {
        if let Some(why) = file.waiting.get(&case.id) {
            println!("waits {} {}: {why}", case.id, case.title);
            continue;
        }
        let found = verdict(case);
        best += usize::from(found == case.expect);
        if case.accept.contains(&found) {
            right += 1;
            println!("right {} {}", case.id, case.title);
        } else {
            wrong.push(format!(
                "{} {}: {found:?}, not {:?}: {}",
                case.id, case.title, case.accept, case.command
            ));
        }
    }
    println!(
        "{right} right, {best} of them the best verdict, {} waiting, {} in all",
        file.waiting.len(),
        file.cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((right, file.waiting.len(), file.cases.len()), (87, 11, 98));
}
