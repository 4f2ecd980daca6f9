//! `mm config check`: everything that there is to say about a file.

use std::fmt::Write;
use std::process::ExitCode;

use mm_config::{Origin, Overrides, Problem, Remark, Report, UnknownKey};
use serde_json::{Value, json};

use crate::app::print;
use crate::args::Form;
use crate::assemble::{self, Surroundings, provider, warnings};
use crate::error::CliError;

/// Checks the file. What is wrong goes to stderr like everywhere; otherwise stdout has what else was found.
pub(super) fn run(around: &Surroundings, overrides: &Overrides, form: Form) -> Result<ExitCode, CliError> {
    let mut report = Report::of_file(around.file.as_deref(), &around.env, overrides);
    let engine = beyond_the_file(&mut report, around);
    let failed = !report.problems.is_empty() || !engine.is_empty();
    if form == Form::Json {
        print(&format!("{:#}\n", json(&report, &engine)))?;
        return Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    let outcome = if failed {
        Err(CliError::Check { problems: report.problems.clone(), engine, rest: findings(&report) })
    } else {
        print(&text(&report))
    };
    // The program ends here; taking a large file's tree apart would be a fifth of the work.
    std::mem::forget(report);
    outcome
}

/// What the program would say at its start though the file is valid: warnings, and whole lines of errors.
fn beyond_the_file(report: &mut Report, around: &Surroundings) -> Vec<String> {
    if report.config.is_some() {
        let unmatched = assemble::unmatched_hooks(&report.draft, around);
        for (key, words) in warnings::of(&report.draft, around).into_iter().chain(unmatched) {
            let line = match key.map(|key| report.origin(&key)) {
                Some(Origin::Line(line)) => Some(line),
                _ => None,
            };
            report.warnings.push(Remark::new(line, words));
        }
    }
    if let Some((key, message)) = assemble::clash(&report.draft, around).filter(|_| report.config.is_some()) {
        let line = match report.origin(key) {
            Origin::Line(line) => Some(line),
            _ => None,
        };
        report.problems.push(Problem::beyond(around.file.as_deref(), line, key, message));
    }
    let faulty = |key: &str| report.problems.iter().any(|problem| problem.key.as_deref() == Some(key));
    let errors = provider::check(&report.draft).into_iter().filter(|(key, _)| !faulty(key));
    let line = |(key, error): (&str, CliError)| {
        let text = error.to_string();
        format!("{} — {key}: {}]", text.trim_end_matches(']'), report.origin(key))
    };
    errors.map(line).collect()
}

fn text(report: &Report) -> String {
    let total = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut text = findings(report);
    let counts = [
        (report.unknown_keys.len(), "unknown key"),
        (report.warnings.len(), "warning"),
        (report.hints.len(), "hint"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| total(*count, what)).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(", {}", counts.join(", ")) };
    let _ = writeln!(text, "{}: valid{counts}", plain(&report.path));
    text
}

/// A line for each thing that is not wrong.
fn findings(report: &Report) -> String {
    let path = plain(&report.path);
    let mut text = String::new();
    for key in &report.unknown_keys {
        let _ = writeln!(text, "{path}: {}", unknown(key));
    }
    for (kind, remarks) in [("warning", &report.warnings), ("hint", &report.hints)] {
        for Remark { line, words, .. } in remarks {
            let place = line.map_or(String::new(), |line| format!("line {line}: "));
            let _ = writeln!(text, "{path}: {kind}: {place}{}", plain(words));
        }
    }
    text
}

/// A text on one line that cannot play with the terminal.
fn plain(text: &str) -> String {
    mm_tools::output::visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

fn unknown(key: &UnknownKey) -> String {
    let nearest = match &key.nearest {
        Some(nearest) => format!(" — did you mean {nearest}?"),
        None => String::new(),
    };
    // White space at its ends would not be seen.
    let is_plain = key.path.chars().all(|c| !c.is_whitespace() || c == ' ') && key.path.trim() == key.path;
    let name = if is_plain { plain(&key.path) } else { format!("{:?}", key.path) };
    format!("line {}, column {}: unknown key {name}{nearest}", key.line, key.column)
}

fn json(report: &Report, engine: &[String]) -> Value {
    let remark = |remark: &Remark| json!({ "line": remark.line, "message": remark.words });
    let problems = report.problems.iter().map(|problem| {
        json!({
            "line": problem.line, "column": problem.column, "key": problem.key, "message": problem.message,
        })
    });
    let unknown = report.unknown_keys.iter().map(
        |key| json!({ "key": key.path, "line": key.line, "column": key.column, "nearest": key.nearest }),
    );
    json!({
        "path": report.path,
        "valid": report.problems.is_empty() && engine.is_empty(),
        "problems": problems.collect::<Vec<_>>(),
        "engineErrors": engine,
        "unknownKeys": unknown.collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(remark).collect::<Vec<_>>(),
        "hints": report.hints.iter().map(remark).collect::<Vec<_>>(),
    })
}
