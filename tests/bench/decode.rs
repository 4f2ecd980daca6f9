//! `cargo bench -p mm-llm --bench decode`: reading a recorded answer, against parsing its payloads alone.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mm_llm::testing::{decode, parse};

/// What llama-server sent: a text, and thinking before one.
const RECORDINGS: [&str; 2] = ["ctx_full_midway_stream.sse", "think_stream_budget_eaten.sse"];
/// How the body comes: llama-server sends each event by itself; what is behind is read at once.
const READS: [&str; 2] = ["an event a read", "one read"];
/// Runs of each; the median counts.
const RUNS: usize = 101;
/// Events of a run, at least.
const EVENTS: usize = 5_000;
/// How many times as long as the parser the whole may take.
const MOST: f64 = 1.5;

fn main() -> ExitCode {
    let mut fine = true;
    println!("{:<48} {:>9} {:>9} {:>7}   at most", "median, ns an event", "decoder", "parser", "ratio");
    for name in RECORDINGS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/llm/recordings");
        let body = std::fs::read_to_string(folder.join(name)).unwrap();
        let events: Vec<&str> = body.split_inclusive("\n\n").collect();
        let times = EVENTS.div_ceil(events.len());
        for reads in READS {
            let pieces = if reads == READS[0] { events.clone() } else { vec![body.as_str()] };
            let [whole, parsed] = alternate(&body, &pieces, times);
            let count = (events.len() * times) as f64;
            let ratio = whole.as_secs_f64() / parsed.as_secs_f64();
            let each = |taken: Duration| taken.as_secs_f64() * 1e9 / count;
            let verdict = if ratio <= MOST { "" } else { "   BROKEN" };
            let what = format!("{name}, {reads}");
            println!(
                "{what:<48} {:>9.0} {:>9.0} {ratio:>7.2}   {MOST} x{verdict}",
                each(whole),
                each(parsed)
            );
            fine &= ratio <= MOST;
        }
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the decoder and the parser in turn, so many times over a recording, and gives the medians.
fn alternate(body: &str, pieces: &[&str], times: usize) -> [Duration; 2] {
    let payloads: Vec<&str> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter(|data| *data != "[DONE]")
        .collect();
    let mut taken = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let begin = Instant::now();
        for _ in 0..times {
            decode(pieces.iter().map(|piece| piece.as_bytes()), |event| drop(black_box(event))).unwrap();
        }
        taken[0].push(begin.elapsed());
        let begin = Instant::now();
        for _ in 0..times {
            assert!(payloads.iter().all(|payload| parse(payload)));
        }
        taken[1].push(begin.elapsed());
    }
    taken.map(|mut taken| {
        taken.sort();
        taken[RUNS / 2]
    })
}
