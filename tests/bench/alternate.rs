//! Work that is done in turn, for the benches that measure in process.

use std::time::{Duration, Instant};

/// Does the work in turn, so that whatever else the machine does meets all of it, and gives the medians of so many runs.
pub(crate) fn alternate(runs: usize, work: &mut [&mut dyn FnMut()]) -> Vec<Duration> {
    let mut taken = vec![Vec::new(); work.len()];
    for _ in 0..runs {
        for (taken, run) in taken.iter_mut().zip(work.iter_mut()) {
            let begin = Instant::now();
            run();
            taken.push(begin.elapsed());
        }
    }
    let median = |mut taken: Vec<Duration>| {
        taken.sort();
        taken[runs / 2]
    };
    taken.into_iter().map(median).collect()
}
