//! `cargo bench --bench config`: what a check of a configuration costs, beside the start of the program in the same run.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

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
    let (by_line, crowded) = (file("by_line.yaml", &by_line()), file("crowded.yaml", &crowded()));
    let hostile = [
        ("alias bomb", file("bomb.yaml", &bomb())),
        ("1 MiB of brackets", file("brackets.yaml", &"[".repeat(1 << 20))),
        ("1 MiB of braces", file("braces.yaml", &"{a: ".repeat(1 << 18))),
    ];

    let taken = alternate(&[&["--version"], &["config", "check", &by_line], &["config", "check", &crowded]]);
    let (start, ratio) = (taken[0], |at: usize| taken[at].as_secs_f64() / taken[0].as_secs_f64());
    println!("{:<34} {:>8}   at most", "median of 51 runs", "ms");
    println!("{:<34} {:>8.2}", "mm --version", millis(start));
    let row = |name: &str, at: usize, most: &str| {
        println!("{name:<34} {:>8.2}   {most} ({:.2} x)", millis(taken[at]), ratio(at));
    };
    row("config check, 500 lines", 1, "2 x");
    row("config check, 500 crowded lines", 2, "-");
    let mut fine = ratio(1) < 2.0;
    for (name, path) in &hostile {
        let taken = alternate(&[&["config", "check", path]])[0];
        println!("{name:<34} {:>8.2}   100 ms", millis(taken));
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
            // The one that is shipped, where it stands apart from the one that was built beside this bench.
            let mm = std::env::var_os("BENCH_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_mm").into());
            let mut command = Command::new(mm);
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

/// 500 lines as people write them: a shipped file, and tools with a key a line and a word about each.
fn by_line() -> String {
    lines(|text, at| {
        let _ = write!(
            text,
            "  # Number {at} of the things that are done often here; the script says what it\n  # needs, and asks before it \
             changes anything that cannot be made again.\n  - name: tool{at}\n    description: Does the thing of number \
             {at}.\n    parameters:\n      what:\n        type: string\n        description: what to do it with\n      \
             often:\n        type: integer\n        required: false\n        default: 1\n    command:\n      - \
             ./thing.sh\n      - --often={{{{often}}}}\n      - --\n      - \"{{{{what}}}}\"\n    timeout: 60s\n"
        );
    })
}

/// 500 lines with as much on each as there is room for.
fn crowded() -> String {
    lines(|text, at| {
        let _ = write!(
            text,
            "  - name: tool{at}\n    description: Does the thing of number {at}.\n    parameters:\n\
             \x20     what: {{ type: string, description: what to do it with }}\n\
             \x20     often: {{ type: integer, enum: [1, 2, 3], required: false, default: 1 }}\n\
             \x20   command: [\"./thing.sh\", \"--often={{{{often}}}}\", \"--\", \"{{{{what}}}}\"]\n    timeout: 60s\n"
        );
    })
}

fn lines(tool: impl Fn(&mut String, usize)) -> String {
    let mut text = include_str!("../../examples/agents/agent.lsp.yaml").to_owned() + "tools:\n";
    let mut at = 0;
    while text.lines().count() < 500 {
        tool(&mut text, at);
        at += 1;
    }
    text
}

fn bomb() -> String {
    (1..=9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("{text}a{level}: &a{level} [{aliases}]\n")
    })
}
