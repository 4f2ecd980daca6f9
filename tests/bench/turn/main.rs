//! `cargo bench --bench turn`: what mm adds to the least that a client can do, run in turn against the same server.
//!
//! The least is `tests/floor`, which `./bench` builds beside mm. docs/explanation/speed.md says what is measured and why.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    unreachable_pub
)]

mod measure;
mod server;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use measure::{Place, Taken};
use server::{Script, Server};

/// Runs of each program; the median counts.
const STARTS: usize = 51;
const ANSWERS: usize = 51;
const FLOODS: usize = 11;
const TURNS: usize = 9;
/// Calls of bash in a turn.
const ROUNDS: usize = 100;
/// The most memory that mm may take, in KiB.
const PEAK: u64 = 12 << 10;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("measure") {
        return measure::measure(args);
    }
    let bench = Bench::new();
    println!("{:<44} {:>9} {:>9} {:>7}   at most", "median", "mm", "floor", "ratio");
    let mut table = Table::default();
    bench.start(&mut table);
    bench.answer(&mut table);
    bench.flood(&mut table);
    bench.rounds(&mut table);
    let peak = table.peak;
    table.row("peak memory of mm in all of these, MiB", peak as f64 / 1024.0, None, "12", peak <= PEAK);
    if table.broken == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{} of these limits broken", table.broken);
    ExitCode::FAILURE
}

struct Bench {
    mm: PathBuf,
    floor: PathBuf,
    start: PathBuf,
    place: Place,
    _dir: tempfile::TempDir,
}

#[derive(Default)]
struct Table {
    broken: usize,
    /// The most that any run of mm took, in KiB.
    peak: u64,
}

impl Table {
    fn row(&mut self, what: &str, mm: f64, floor: Option<f64>, most: &str, fine: bool) {
        let (floor, ratio) = match floor {
            Some(floor) => (format!("{floor:.2}"), format!("{:.2}", mm / floor)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let verdict = if fine { "" } else { "   BROKEN" };
        println!("{what:<44} {mm:>9.2} {floor:>9} {ratio:>7}   {most}{verdict}");
        self.broken += usize::from(!fine);
    }

    /// A row whose limit is so many times the floor.
    fn times(&mut self, what: &str, mm: Duration, floor: Duration, most: f64) {
        let fine = mm <= floor.mul_f64(most);
        self.row(what, millis(mm), Some(millis(floor)), &format!("{most} x"), fine);
    }
}

impl Bench {
    fn new() -> Self {
        // The one that is shipped, where it stands apart from the one that was built beside this bench.
        let mm = std::env::var_os("BENCH_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_mm").into());
        let mm = PathBuf::from(mm);
        let beside = |name: &str| {
            let path = mm.with_file_name(name);
            assert!(path.exists(), "{} is missing: ./bench builds it", path.display());
            path
        };
        let (floor, start) = (beside("floor"), beside("floor-start"));
        let dir = tempfile::tempdir().unwrap();
        let place = Place { home: dir.path().join("home"), cwd: dir.path().join("cwd") };
        std::fs::create_dir(&place.home).unwrap();
        std::fs::create_dir(&place.cwd).unwrap();
        Self { mm, floor, start, place, _dir: dir }
    }

    /// The start alone.
    fn start(&self, table: &mut Table) {
        let run = |program: &Path, args: &[&str]| self.place.run(program, args, &[]).0;
        let taken = alternate(STARTS, || [run(&self.mm, &["--version"]), run(&self.start, &[])]);
        table.peak = table.peak.max(peak(&taken));
        let [mm, floor] = medians(&taken, |taken| taken.wall);
        table.times("mm --version, wall, ms", mm, floor, 2.0);
    }

    /// A short answer, token by token.
    fn answer(&self, table: &mut Table) {
        let words = words(200);
        let taken = self.ask(&Server::start(Script::tokens(&words)), &words.concat(), ANSWERS, |_| {});
        table.peak = table.peak.max(peak(&taken));
        let [mm, floor] = medians(&taken, |taken| taken.wall);
        table.times("mm -p, 200 tokens, wall, ms", mm, floor, 2.5);
        let [mm, floor] = medians(&taken, |taken| taken.cpu);
        table.times("mm -p, 200 tokens, user and system, ms", mm, floor, 2.5);
    }

    /// An answer as fast as the socket takes it.
    fn flood(&self, table: &mut Table) {
        let words = words(100_000);
        let taken = self.ask(&Server::start(Script::flood(&words)), &words.concat(), FLOODS, |_| {});
        table.peak = table.peak.max(peak(&taken));
        let [mm, floor] = medians(&taken, |taken| taken.wall);
        table.times("mm -p, 100,000 tokens, wall, ms", mm, floor, 1.5);
    }

    /// A turn of many calls, as the server sees it.
    fn rounds(&self, table: &mut Table) {
        let server = Server::start(Script::rounds(ROUNDS));
        let mut seen = Vec::new();
        let taken = self.ask(&server, "done", TURNS, |server| seen.push(server.take()));
        table.peak = table.peak.max(peak(&taken));
        // Runs of mm and of the floor alternate.
        let gaps = |first: usize, rounds: std::ops::Range<usize>| {
            let runs = seen.iter().skip(first).step_by(2);
            median(runs.flat_map(|seen| seen.gaps[rounds.clone()].to_vec()).collect())
        };
        table.times("gap between two requests, all rounds, ms", gaps(0, 0..ROUNDS), gaps(1, 0..ROUNDS), 2.0);
        let (early, late) = (gaps(0, 2..7), gaps(0, ROUNDS - 5..ROUNDS));
        table.row("  around round 5, ms", millis(early), Some(millis(gaps(1, 2..7))), "-", true);
        let fine = late <= early.mul_f64(1.2);
        let floor = gaps(1, ROUNDS - 5..ROUNDS);
        table.row("  the last five, ms", millis(late), Some(millis(floor)), "1.2 x around round 5", fine);
        let connections = seen.iter().step_by(2).map(|seen| seen.connections).max().unwrap();
        table.row("connections in 100 rounds", connections as f64, None, "1", connections == 1);
    }

    /// Asks through both programs in turn, and looks whether both give the answer.
    fn ask(
        &self,
        server: &Server,
        answer: &str,
        runs: usize,
        mut after: impl FnMut(&Server),
    ) -> Vec<[Taken; 2]> {
        let url = server.base_url();
        let config = format!(
            "provider: llamacpp\nmodel: m\nbaseUrl: {url}\nfallback: \"\"\nmaxTurns: 200\nmaxRepeatedCalls: 0\n"
        );
        std::fs::write(self.place.cwd.join("agent.yaml"), config).unwrap();
        let mut run = |program: &Path, args: &[&str], env: &[(&str, &str)]| {
            let (taken, out) = self.place.run(program, args, env);
            let out = String::from_utf8(out).unwrap();
            assert!(out.trim_end() == answer.trim_end(), "{}: another answer", program.display());
            after(server);
            taken
        };
        alternate(runs, || {
            let mm = run(&self.mm, &["-p", "Go on."], &[]);
            [mm, run(&self.floor, &[&url, "Go on."], &[("FLOOR_BASH", "1")])]
        })
    }
}

/// Words with the spaces before them, and now and then the end of a line.
fn words(count: usize) -> Vec<String> {
    let some = ["The", " quick", " brown", " fox", " does", "n't", " jump", " over", " the", " dog", "."];
    let word = |at: usize| if at % 24 == 23 { "\n" } else { some[at % some.len()] };
    (0..count).map(|at| word(at).to_owned()).collect()
}

/// Runs both so many times in turn, so that whatever else the machine does meets both.
fn alternate(runs: usize, both: impl FnMut() -> [Taken; 2]) -> Vec<[Taken; 2]> {
    std::iter::repeat_with(both).take(runs).collect()
}

fn peak(taken: &[[Taken; 2]]) -> u64 {
    taken.iter().map(|[mm, _]| mm.peak).max().unwrap()
}

fn medians(taken: &[[Taken; 2]], of: impl Fn(&Taken) -> Duration) -> [Duration; 2] {
    [0, 1].map(|which| median(taken.iter().map(|pair| of(&pair[which])).collect()))
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values[values.len() / 2]
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
