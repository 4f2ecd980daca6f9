//! What conversations in files cost, against the same bytes without them: a save and a load of 20 MB beside making,
//! writing and parsing as much JSON, and a list of 1,000 files of 1 MB beside opening each.
//!
//! ```sh
//! cargo bench -p mm-session --bench sessions
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod alternate;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use mm_llm::Message;
use mm_session::History;
use mm_session::store::{DirStore, SessionRecord, SessionStore};

use alternate::alternate;

/// Runs of each; the median counts.
const RUNS: usize = 9;
const MESSAGES: usize = 1_000;
const BYTES: usize = 20_000_000;
const FILES: usize = 1_000;
const FILE: usize = 1_000_000;
/// The most that each may take, and in times of its floor.
const MOST_SAVE: (Duration, f64) = (Duration::from_millis(150), 2.0);
const MOST_LOAD: (Duration, f64) = (Duration::from_millis(300), 2.0);
const MOST_LIST: (Duration, f64) = (Duration::from_millis(100), 8.0);

fn main() -> ExitCode {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = DirStore::new(dir.path().join("one"));
    let record = record("big", BYTES / MESSAGES);
    runtime.block_on(store.save(record.clone())).unwrap();
    let path = store.dir().join("big.json");
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > BYTES);

    let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();

    let many = DirStore::new(dir.path().join("many"));
    std::fs::create_dir(many.dir()).unwrap();
    fill(&many, &runtime);

    let taken = alternate(
        RUNS,
        &mut [
            &mut || write(dir.path(), &serde_json::to_vec(&value).unwrap()),
            &mut || runtime.block_on(store.save(record.clone())).unwrap(),
            &mut || {
                let bytes = std::fs::read(&path).unwrap();
                let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                assert!(value.is_object());
            },
            &mut || {
                let loaded = runtime.block_on(store.load("big")).unwrap();
                let (history, mended) = History::restore("system", loaded.messages);
                assert_eq!((history.messages().len(), mended), (MESSAGES + 1, 0));
            },
            &mut || open_each(many.dir()),
            &mut || {
                let listed = runtime.block_on(many.list()).unwrap();
                assert!(listed.len() == FILES && listed.iter().all(|row| row.head.is_ok()));
            },
        ],
    );
    let limited = |at: usize, (most, times): (Duration, f64)| {
        let ratio = taken[at].as_secs_f64() / taken[at - 1].as_secs_f64();
        let words = format!("{} ms and {times} x that ({ratio:.2} x)", most.as_millis());
        (taken[at], words, taken[at] <= most && ratio <= times)
    };
    let floor = |at: usize| (taken[at], String::new(), true);
    let rows = [
        ("20 MB made, written and synced", floor(0)),
        ("save: 1,000 messages, 20 MB", limited(1, MOST_SAVE)),
        ("20 MB read and parsed", floor(2)),
        ("load: 1,000 messages, 20 MB", limited(3, MOST_LOAD)),
        ("1,000 files opened, 4 KiB read", floor(4)),
        ("list: 1,000 sessions of 1 MB", limited(5, MOST_LIST)),
    ];
    println!("{:<32} {:>9}   at most", format!("median of {RUNS} runs"), "ms");
    for (what, (taken, most, holds)) in &rows {
        let verdict = if *holds { "" } else { "   BROKEN" };
        println!("{what:<32} {:>9.2}   {most}{verdict}", taken.as_secs_f64() * 1e3);
    }
    if rows.iter().all(|(_, (_, _, holds))| *holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A conversation of questions and answers of so many bytes each.
fn record(id: &str, bytes: usize) -> SessionRecord {
    let text = "Some \"words\" of a line,\nand more.\t".repeat(bytes / 34);
    let mut record = SessionRecord::new(id, "What is this?", "m", Path::new("/work"));
    for _ in 0..MESSAGES / 2 {
        record.messages.extend([Message::User(text.clone()), Message::assistant(text.clone())]);
    }
    record
}

/// Files of one conversation under many names.
fn fill(many: &DirStore, runtime: &tokio::runtime::Runtime) {
    runtime.block_on(many.save(record("0000", FILE / MESSAGES))).unwrap();
    let bytes = std::fs::read(many.dir().join("0000.json")).unwrap();
    for n in 1..FILES {
        std::fs::write(many.dir().join(format!("{n:04}.json")), &bytes).unwrap();
    }
}

/// The least that a save has to do.
fn write(dir: &Path, bytes: &[u8]) {
    let (fresh, path) = (dir.join("fresh"), dir.join("floor"));
    let mut file = File::create(&fresh).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    std::fs::rename(fresh, path).unwrap();
    File::open(dir).unwrap().sync_all().unwrap();
}

/// The least that a list has to do.
fn open_each(dir: &Path) {
    let mut start = [0; 4096];
    for entry in std::fs::read_dir(dir).unwrap() {
        assert!(File::open(entry.unwrap().path()).unwrap().read(&mut start).unwrap() > 0);
    }
}
