//! `cargo bench -p mm-schema --bench schema`: Go declarations of several lengths translated, and a large answer checked.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod alternate;

use std::fmt::Write;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use mm_schema::{AnswerSchema, translate};
use serde_json::Value;

use alternate::alternate;

/// Runs of each; the median counts.
const RUNS: usize = 51;
/// The most that 1,000 lines may take.
const MOST: Duration = Duration::from_millis(5);
/// How many times as long as one of 1,000 a line of 10,000 may take.
const MOST_GROWTH: f64 = 2.0;
/// The most that an answer of 1 MB may take.
const MOST_ANSWER: Duration = Duration::from_millis(50);

fn main() -> ExitCode {
    let blocks = [100, 1_000, 10_000].map(block);
    let schema = translate(&blocks[0]).unwrap();
    let answers = AnswerSchema::new(schema.value()).unwrap();
    let (good, bad) = (answer("1.5"), answer("\"x\""));
    let words = format!("Here it is: {good} [1]");
    let taken = alternate(
        RUNS,
        &mut [
            &mut || drop(black_box(translate(&blocks[0]).unwrap())),
            &mut || drop(black_box(translate(&blocks[1]).unwrap())),
            &mut || drop(black_box(translate(&blocks[2]).unwrap())),
            &mut || drop(black_box(serde_json::from_str::<Value>(&good).unwrap())),
            &mut || drop(black_box(answers.check(&good).unwrap())),
            &mut || drop(black_box(answers.check(&bad).unwrap_err())),
            &mut || assert!(answers.find(&words).is_some()),
        ],
    );
    let growth = nanos(taken[2]) / nanos(taken[1]) / 10.0;
    let most_growth = format!("{MOST_GROWTH} x a line of 1,000 ({growth:.2} x)");
    let rows = [
        ("100 lines", Some(100.0), "-", true),
        ("1,000 lines", Some(1_000.0), "5 ms", taken[1] <= MOST),
        ("10,000 lines", Some(10_000.0), most_growth.as_str(), growth <= MOST_GROWTH),
        ("an answer of 1 MB, parsed alone", None, "-", true),
        ("checked", None, "50 ms", taken[4] <= MOST_ANSWER),
        ("checked, a fault in each part", None, "-", true),
        ("found among words", None, "-", true),
    ];
    println!("{:<34} {:>8} {:>10}   at most", "median of 51 runs", "ms", "ns a line");
    for ((what, lines, most, holds), taken) in rows.iter().zip(taken) {
        let each = lines.map_or(String::new(), |lines: f64| format!("{:.0}", nanos(taken) / lines));
        let verdict = if *holds { "" } else { "   BROKEN" };
        println!("{what:<34} {:>8.3} {each:>10}   {most}{verdict}", nanos(taken) / 1e6);
    }
    if rows.iter().all(|(.., holds)| *holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn nanos(taken: Duration) -> f64 {
    taken.as_secs_f64() * 1e9
}

/// So many lines as people write them: ten a type, each but the first used by the one before it.
fn block(lines: usize) -> String {
    let mut text = "var Answer []Thing0\n".to_owned();
    for at in 0..lines / 10 {
        let next = if at + 1 < lines / 10 { format!("[]Thing{}", at + 1) } else { "[]string".to_owned() };
        let _ = write!(
            text,
            "// Number {at} of the things.\ntype Thing{at} struct {{\n\tName string `json:\"name\"` // as it is called\n\
             \t// In metres.\n\tX, Y float64\n\tOwner *string `json:\"owner\"` // null when nobody owns it\n\
             \tWords map[string][]string `json:\"words,omitempty\"`\n\tParts {next} `json:\"parts\"`\n}}\n\n"
        );
    }
    text
}

/// A list of things, 1 MB of it, with a value of each.
fn answer(y: &str) -> String {
    let thing = format!(r#"{{"name":"a","X":0,"Y":{y},"owner":null,"words":{{"b":["c"]}},"parts":[]}}"#);
    format!("[{}]", vec![thing.as_str(); (1 << 20) / (thing.len() + 1)].join(","))
}
