//! How much of each prompt the server finds in its cache: ten questions in one conversation with the real server.
//!
//! A call's prompt begins with that of the call before and its answer. Of these tokens, the server says how many it had.
//! What a conversation asks for anew is what `mm` changed in the midst of it, and that costs a small machine seconds.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

const QUESTIONS: [&str; 10] = [
    "Which files are here?",
    "What is in notes.txt?",
    "Where are we?",
    "Who am I?",
    "Make a folder called out.",
    "Which files are here?",
    "Which system is this?",
    "What is in old.txt?",
    "Which day is it today?",
    "What is in notes.txt?",
];
/// The least share of the tokens that a call has in common with the one before, in per cent.
const LEAST: f64 = 95.0;

/// What the server said of one call.
struct Call {
    prompt: u64,
    cached: u64,
    generated: u64,
}

fn main() -> ExitCode {
    let Ok(server) = std::env::var("MM_TEST_SERVER") else {
        println!("skipped: MM_TEST_SERVER names no server");
        return ExitCode::SUCCESS;
    };
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("notes.txt", "buy milk\ncall Ada\n"), ("old.txt", "old\n")] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    talk(&server, dir.path());
    let calls = calls(&dir.path().join("traces"));
    println!("{:>4} {:>8} {:>8} {:>8} {:>9}", "call", "prompt", "shared", "cached", "share");
    let (mut shared_all, mut cached_all) = (0, 0);
    for (at, pair) in calls.windows(2).enumerate() {
        // What came after the last token of an answer, such as its end mark, is not in the count.
        let shared = (pair[0].prompt + pair[0].generated).min(pair[1].prompt);
        let cached = pair[1].cached.min(shared);
        (shared_all, cached_all) = (shared_all + shared, cached_all + cached);
        let share = 100.0 * cached as f64 / shared as f64;
        println!("{:>4} {:>8} {shared:>8} {cached:>8} {share:>8.1}%", at + 2, pair[1].prompt);
    }
    let share = 100.0 * cached_all as f64 / shared_all as f64;
    println!("all: {cached_all} of {shared_all} tokens were in the cache, {share:.1}%, at least {LEAST}%");
    if calls.len() > QUESTIONS.len() / 2 && share >= LEAST { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn talk(server: &str, dir: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let binary = std::env::var("BENCH_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_mm").to_owned());
    let mut mm = Command::new(binary)
        .arg("-c")
        .arg(root.join("examples/agents/try.yaml"))
        .current_dir(dir)
        .envs([("AGENT_BASE_URL", server), ("AGENT_TRACE", "true"), ("MM_TRACE_DIR", "traces")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = mm.stdin.take().unwrap();
    for question in QUESTIONS {
        writeln!(stdin, "{question}").unwrap();
    }
    drop(stdin);
    mm.wait().unwrap();
}

/// The calls in their order, as the traces of their answers have them.
fn calls(dir: &Path) -> Vec<Call> {
    let entries = std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path());
    let mut answers: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ext| ext == "sse")).collect();
    answers.sort();
    answers.iter().filter_map(|path| call(&std::fs::read_to_string(path).unwrap())).collect()
}

fn call(stream: &str) -> Option<Call> {
    let payloads = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let last = payloads
        .filter_map(|payload| serde_json::from_str::<Value>(payload).ok())
        .rfind(|chunk| chunk["timings"]["cache_n"].is_u64())?;
    let number = |key: &str| last["timings"][key].as_u64();
    let (cached, read) = (number("cache_n")?, number("prompt_n")?);
    Some(Call { prompt: cached + read, cached, generated: number("predicted_n")? })
}
