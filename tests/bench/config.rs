//! `cargo bench --bench config`: what a check of a configuration costs, beside the start of the program in the same run.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::fmt::Write;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Runs of each command; the median counts.
const RUNS: usize = 51;

fn main() -> ExitCode {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let ordinary = file("500.yaml", &five_hundred_lines());
    let hostile = [
        ("alias bomb", file("bomb.yaml", &bomb())),
        ("1 MiB of brackets", file("brackets.yaml", &"[".repeat(1 << 20))),
        ("1 MiB of braces", file("braces.yaml", &"{a: ".repeat(1 << 18))),
    ];

    let pair = alternate(&[&["--version"], &["config", "check", &ordinary]]);
    let (start, check) = (pair[0], pair[1]);
    let ratio = check.as_secs_f64() / start.as_secs_f64();
    println!("{:<28} {:>8}   at most", "median of 51 runs", "ms");
    println!("{:<28} {:>8.2}", "mm --version", millis(start));
    println!("{:<28} {:>8.2}   2 x ({ratio:.2} x)", "config check, 500 lines", millis(check));
    let mut fine = ratio < 2.0;
    for (name, path) in &hostile {
        let taken = alternate(&[&["config", "check", path]])[0];
        println!("{name:<28} {:>8.2}   100 ms", millis(taken));
        fine &= taken < Duration::from_millis(100);
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Runs the commands in turn, so that whatever else the machine does meets all of them, and gives the medians.
fn alternate(commands: &[&[&str]]) -> Vec<Duration> {
    let mut taken = vec![Vec::new(); commands.len()];
    for _ in 0..RUNS {
        for (taken, args) in taken.iter_mut().zip(commands) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mm"));
            command.args(*args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let begin = Instant::now();
            command.status().unwrap();
            taken.push(begin.elapsed());
        }
    }
    let median = |mut taken: Vec<Duration>| {
        taken.sort();
        taken.get(RUNS / 2).copied().unwrap_or_default()
    };
    taken.into_iter().map(median).collect()
}

/// A file with every kind of section, most of it declared tools.
fn five_hundred_lines() -> String {
    let mut text = include_str!("../../examples/agents/agent.lsp.yaml").to_owned();
    text += "tools:\n";
    for at in 0.. {
        if text.lines().count() > 492 {
            break;
        }
        let _ = write!(
            text,
            "  - name: tool{at}\n    description: Does the thing of number {at}.\n    parameters:\n\
             \x20     what: {{ type: string, description: what to do it with }}\n\
             \x20     often: {{ type: integer, enum: [1, 2, 3], required: false, default: 1 }}\n\
             \x20   command: [\"./thing.sh\", \"--often={{{{often}}}}\", \"--\", \"{{{{what}}}}\"]\n    timeout: 60s\n"
        );
    }
    text
}

fn bomb() -> String {
    (1..=9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("{text}a{level}: &a{level} [{aliases}]\n")
    })
}
