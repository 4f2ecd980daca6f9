//! `cargo bench -p mm-tools --bench guard`: command lines of 10 kB and 100 kB judged, ordinary ones and hostile ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod alternate;

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use mm_tools::guard::Guard;

use alternate::alternate;

/// Runs of each; the median counts.
const RUNS: usize = 51;
/// The most that 10 kB of ordinary commands may take.
const MOST: Duration = Duration::from_millis(1);
/// The most that 10 kB may take that are made to be slow.
const MOST_ODD: Duration = Duration::from_millis(2);
/// How many of the lines are ordinary; they stand first.
const ORDINARY: usize = 4;
/// How many times as long as one of 10 kB a byte of 100 kB may take.
const MOST_GROWTH: f64 = 2.0;
/// What the lines are made of, over and over.
const PIECES: [(&str, &str); 12] = [
    ("commands as models write them", "cd src && grep -rn \"fn $name\" --include='*.rs' . | head -n 20; "),
    ("a text in quotes", "echo 'a b c d'; "),
    ("a here-document", "cat <<'E' > a\nsome words of a file\nE\n"),
    ("substitutions", "x=$(git rev-parse HEAD); echo \"at `date` $x\"; "),
    ("functions and loops", "f() { ls \"$1\"; }; for i in a b; do f $i; done; "),
    ("deletions", "rm -rf build/$x ../other ~/.cache/a*; "),
    ("prefixes", "sudo env A=1 nice -n 5 timeout 9 ls; "),
    ("shells in shells", "bash -c \"sh -c 'ls -la'\"; "),
    ("braces", "echo a{b,c}{d,e}{1..9}; "),
    ("a variable that doubles", "a=$a$a; echo $a; "),
    ("brackets that stay open", "$("),
    ("braces that stay open", "echo {a,{"),
];

fn main() -> ExitCode {
    let guard = Guard::default();
    let judge = |text: &str| guard.judge(text, Path::new("/home/me/project"), Some(Path::new("/home/me")));
    println!(
        "{:<34} {:>8} {:>8} {:>8}   at most 1 ms (odd ones 2), {MOST_GROWTH} x a byte",
        "median of 51 runs, in ms", "10 kB", "100 kB", "a byte"
    );
    let mut holds = true;
    for (at, (what, piece)) in PIECES.into_iter().enumerate() {
        let [short, long] = [10_000, 100_000].map(|bytes| piece.repeat(bytes / piece.len()));
        let taken = alternate(
            RUNS,
            &mut [&mut || drop(black_box(judge(&short))), &mut || drop(black_box(judge(&long)))],
        );
        let growth = taken[1].as_secs_f64() / taken[0].as_secs_f64() / 10.0;
        let is_fine = taken[0] <= (if at < ORDINARY { MOST } else { MOST_ODD }) && growth <= MOST_GROWTH;
        holds &= is_fine;
        let [short, long] = [taken[0], taken[1]].map(|taken| taken.as_secs_f64() * 1e3);
        println!(
            "{what:<34} {short:>8.3} {long:>8.3} {growth:>6.2} x{}",
            if is_fine { "" } else { "   BROKEN" }
        );
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
