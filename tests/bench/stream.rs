//! `cargo bench -p mm-cli --features testing --bench stream`: what laying out an answer takes of the processor.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::process::ExitCode;
use std::time::Duration;

use mm_cli::testing::Terminal;
use nix::sys::resource::{UsageWho, getrusage};

/// Tokens of a run.
const TOKENS: usize = 20_000;
/// As fast as they may come.
const EACH_SECOND: f64 = 2_000.0;
/// The most of a core that showing them may take.
const MOST: f64 = 0.4;
/// Runs; the median counts.
const RUNS: usize = 5;
const ANSWER: &str = include_str!("../fixtures/screens/answer.md");

fn main() -> ExitCode {
    println!("{:<44} {:>9} {:>9}   at most", "of a core, at 2,000 tokens a second", "µs each", "share");
    // What is read once, when the first code comes.
    let first = taken("```rust\nlet a = 1;\n```\n", 1);
    println!("{:<44} {:>9.0} {:>9}", "the grammars, once", first.as_secs_f64() * 1e6, "-");
    let code = format!("```rust\n{}```\n", include_str!("stream.rs"));
    let mut fine = true;
    for (what, text, most) in [
        ("an answer with code, a table and lists", ANSWER, MOST),
        ("code alone", &code, MOST),
        ("marks that never close", "*a _b **c [d `e ", MOST),
    ] {
        let mut runs: Vec<Duration> = (0..RUNS).map(|_| taken(text, TOKENS)).collect();
        runs.sort();
        let each = runs.get(RUNS / 2).unwrap().as_secs_f64() / TOKENS as f64;
        let share = each * EACH_SECOND;
        let verdict = if share < most { "" } else { "   BROKEN" };
        println!("{what:<44} {:>9.2} {:>8.2}%   {:.0}%{verdict}", each * 1e6, share * 100.0, most * 100.0);
        fine &= share < most;
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The processor time for so many tokens of a text that is repeated.
fn taken(text: &str, tokens: usize) -> Duration {
    let pieces: Vec<&str> = pieces(text).into_iter().cycle().take(tokens.max(pieces(text).len())).collect();
    let before = processor();
    let mut terminal = Terminal::new(80);
    let bytes: usize = pieces.iter().map(|piece| terminal.show(piece)).sum();
    assert!(bytes + terminal.end() > tokens, "something was shown");
    processor() - before
}

/// Tokens of four characters, about as long as those of models.
fn pieces(text: &str) -> Vec<&str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(4).chain([text.len()]).collect();
    ends.windows(2).filter_map(|ends| text.get(*ends.first()?..*ends.last()?)).collect()
}

fn processor() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time =
        |time: nix::sys::time::TimeVal| Duration::new(time.tv_sec() as u64, time.tv_usec() as u32 * 1000);
    time(usage.user_time()) + time(usage.system_time())
}
