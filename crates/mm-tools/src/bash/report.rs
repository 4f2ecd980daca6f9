//! What the model reads of a finished command.

use crate::ToolOutput;
use crate::process::{Ending, Finished};

/// How to get at output that was cut.
const ADVICE: &str = "narrow the command, or send its output to a file and read parts of it";

/// The most pids that are listed.
const LISTED: usize = 10;

pub(crate) fn report(finished: &Finished, limit: &str) -> ToolOutput {
    let output = finished.output.text(ADVICE);
    let output = output.trim_end_matches('\n');
    let mut parts = Vec::new();
    if !output.is_empty() {
        parts.push(output.to_owned());
    } else if matches!(finished.ending, Ending::Exited(_) | Ending::Signaled { .. }) {
        parts.push("[no output]".to_owned());
    }
    parts.extend(still_running(&finished.still_running));
    parts.extend(ending(finished.ending, limit));
    ToolOutput { text: parts.join("\n"), ok: finished.ending == Ending::Exited(0) }
}

fn still_running(pids: &[u32]) -> Option<String> {
    let [first, others @ ..] = pids else { return None };
    if others.is_empty() {
        return Some(format!("[still running: 1 process, pid {first}]"));
    }
    let mut listed: Vec<String> = pids.iter().take(LISTED).map(u32::to_string).collect();
    if pids.len() > LISTED {
        listed.push("…".to_owned());
    }
    Some(format!("[still running: {} processes, pids {}]", pids.len(), listed.join(", ")))
}

fn ending(ending: Ending, limit: &str) -> Option<String> {
    match ending {
        Ending::Exited(0) => None,
        Ending::Exited(code) => Some(format!("[exit code: {code}]")),
        // What a shell above it would have said, and what builds are usually killed for.
        Ending::Signaled { name: name @ "KILL", number } => Some(format!(
            "[killed by signal: {name} ({number})]\n[exit code: 137, perhaps for lack of memory]"
        )),
        Ending::Signaled { name, number } => Some(format!("[killed by signal: {name} ({number})]")),
        Ending::TimedOut => Some(format!("[error: {limit} timeout exceeded]")),
        Ending::Interrupted => Some("[interrupted by the user]".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Capture;

    fn check(written: &str, ending: Ending, still_running: &[u32], expected: &str) {
        let mut output = Capture::new(100);
        output.push(written);
        let finished = Finished { output, ending, still_running: still_running.to_vec() };
        let report = report(&finished, "30s");
        assert_eq!(report.text, expected);
        assert_eq!(report.ok, ending == Ending::Exited(0));
    }

    #[test]
    fn the_text_says_what_was_written_and_how_it_ended() {
        let segv = Ending::Signaled { name: "SEGV", number: 11 };
        check("a\nb\n", Ending::Exited(0), &[], "a\nb");
        check("", Ending::Exited(0), &[], "[no output]");
        check("\n\n", Ending::Exited(2), &[], "[no output]\n[exit code: 2]");
        check("a", Ending::Exited(2), &[], "a\n[exit code: 2]");
        check("", segv, &[], "[no output]\n[killed by signal: SEGV (11)]");
        check("a\n", Ending::TimedOut, &[], "a\n[error: 30s timeout exceeded]");
        check("", Ending::TimedOut, &[], "[error: 30s timeout exceeded]");
        check("", Ending::Interrupted, &[], "[interrupted by the user]");
        check("a", Ending::Exited(0), &[4242], "a\n[still running: 1 process, pid 4242]");
        check(
            "",
            Ending::Exited(1),
            &[7, 9],
            "[no output]\n[still running: 2 processes, pids 7, 9]\n[exit code: 1]",
        );
        let many: Vec<u32> = (1..=12).collect();
        let listed = "[still running: 12 processes, pids 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …]";
        check("a", Ending::Exited(0), &many, &format!("a\n{listed}"));
    }
}
