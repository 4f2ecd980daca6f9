//! `cargo bench -p mm-tools --bench files`: 40 lines in the middle of 2 GB, and an edit of 50 MB beside `cp` and `sync`.
//! Needs 2.2 GB in the directory for temporary files; what it reads should fit into the memory of the machine.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod alternate;

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use mm_tools::edit_file::EditFile;
use mm_tools::files::Files;
use mm_tools::read_file::ReadFile;
use mm_tools::write_file::WriteFile;
use mm_tools::{Tool, ToolContext};
use serde_json::{Value, json};

use alternate::alternate;

/// Runs of each; the median counts.
const RUNS: usize = 9;
/// The bytes of a line of the files, with its end.
const LINE: usize = 64;
const LARGE: usize = 2 << 30;
const EDITED: usize = 50_000_000;
/// The most that 40 lines may take, and in KiB by how much memory may grow for them.
const MOST: Duration = Duration::from_secs(1);
const MOST_MEMORY: u64 = 20 << 10;
/// The most that an edit may take, in times of `cp` and `sync`.
const MOST_TIMES: f64 = 3.0;

fn main() -> ExitCode {
    let dir = tempfile::tempdir().unwrap();
    let (large, edited) = (dir.path().join("large"), dir.path().join("edited"));
    fill(&large, LARGE);
    fill(&edited, EDITED);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let cx = ToolContext::new(dir.path());
    let files = Files::default();
    let run = |tool: &dyn Tool, args: Value| {
        let output = runtime.block_on(tool.run(&args, &cx));
        assert!(output.ok, "{}", output.text);
        output.text
    };
    let (reader, editor, writer) =
        (ReadFile::new(files.clone()), EditFile::new(files.clone()), WriteFile::new(files));
    let middle = LARGE / LINE / 2;

    let forty = || {
        let text = run(&reader, json!({"path": "large", "offset": middle, "limit": 40}));
        assert!(text.starts_with(&format!("{middle}\t{:063}\n", middle - 1)), "{text}");
    };
    // Before anything else raises the peak.
    let before = peak_kib();
    forty();
    let memory = peak_kib().saturating_sub(before);
    let (mut turn, mut new) = (0usize, 0);
    let taken = alternate(
        RUNS,
        &mut [
            &mut || assert_eq!(read_half(&large), LARGE / 2),
            &mut || forty(),
            &mut || shell(dir.path(), "cp edited copied && sync copied"),
            &mut || {
                let line = |turn: usize| {
                    if turn.is_multiple_of(2) { format!("{:063}", EDITED / LINE / 2) } else { "x".repeat(63) }
                };
                run(&editor, json!({"path": "edited", "old": line(turn), "new": line(turn + 1)}));
                turn += 1;
            },
            &mut || drop(run(&reader, json!({"path": "edited", "limit": 200}))),
            &mut || {
                new += 1;
                run(&writer, json!({"path": format!("new{new}"), "content": "a line\n".repeat(1000)}));
            },
        ],
    );
    let times = taken[3].as_secs_f64() / taken[2].as_secs_f64();
    let rows = [
        ("1 GB read and thrown away", taken[0], String::new(), true),
        ("read_file: 40 lines amid 2 GB", taken[1], "1 s".to_owned(), taken[1] <= MOST),
        ("cp and sync of 50 MB", taken[2], String::new(), true),
        (
            "edit_file in 50 MB",
            taken[3],
            format!("{MOST_TIMES} x cp and sync ({times:.2} x)"),
            times <= MOST_TIMES,
        ),
        ("read_file: 200 lines of 50 MB", taken[4], String::new(), true),
        ("write_file: 1,000 new lines", taken[5], String::new(), true),
    ];
    println!("{:<32} {:>9}   at most", format!("median of {RUNS} runs"), "ms");
    for (what, taken, most, holds) in &rows {
        let verdict = if *holds { "" } else { "   BROKEN" };
        println!("{what:<32} {:>9.2}   {most}{verdict}", taken.as_secs_f64() * 1e3);
    }
    let fits = memory <= MOST_MEMORY;
    let verdict = if fits { "" } else { "   BROKEN" };
    println!("{:<32} {memory:>7} KiB   {MOST_MEMORY} KiB{verdict}", "memory for the 40 lines");
    if fits && rows.iter().all(|(.., holds)| *holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// So many bytes of lines with their number.
fn fill(path: &Path, bytes: usize) {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    (0..bytes / LINE).for_each(|n| writeln!(file, "{n:063}").unwrap());
    file.into_inner().unwrap().sync_all().unwrap();
}

/// The least that whoever counts lines has to do.
fn read_half(path: &Path) -> usize {
    let (mut file, mut buffer) = (File::open(path).unwrap().take(LARGE as u64 / 2), vec![0; 256 << 10]);
    std::iter::from_fn(|| Some(file.read(&mut buffer).unwrap()).filter(|count| *count > 0)).sum()
}

fn shell(dir: &Path, command: &str) {
    assert!(Command::new("sh").args(["-c", command]).current_dir(dir).status().unwrap().success());
}

/// The peak of this process so far; 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
