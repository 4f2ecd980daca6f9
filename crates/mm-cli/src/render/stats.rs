//! What answers took, as a table.

use std::time::Duration;

use mm_session::{Counts, Statistics};

use super::numbers::tokens;

/// A count of the table, for the last answer or for all.
type Cell = fn(&Counts) -> Option<String>;

const ROWS: [(&str, Cell); 9] = [
    ("calls of the model", |counts| Some(counts.calls.to_string())),
    ("prompt tokens", |counts| counts.usage.prompt.map(tokens)),
    ("  of them cached", |counts| counts.usage.cached.map(tokens)),
    ("  in per cent", |counts| counts.cached_percent().map(|percent| format!("{percent}%"))),
    ("generated tokens", |counts| counts.usage.completion.map(tokens)),
    ("tokens a second", |counts| counts.tokens_per_second().map(|rate| format!("{rate:.1}"))),
    ("to the first token", |counts| counts.first_token().map(time)),
    ("calls of tools", |counts| Some(counts.tool_calls.to_string())),
    ("time in tools", |counts| (counts.tool_calls > 0).then(|| time(counts.tools))),
];

/// The table, and how full the window is; `used` are the tokens of the conversation.
pub(crate) fn stats(stats: &Statistics, used: u64, window: Option<u64>) -> String {
    let mut text = format!("{:<18} {:>9} {:>9}\n", "", "answer", "all");
    for (name, cell) in ROWS {
        let shown = |counts| cell(counts).unwrap_or_else(|| "–".to_owned());
        text.push_str(&format!("{name:<18} {:>9} {:>9}\n", shown(&stats.last), shown(&stats.all)));
    }
    text.push_str(&format!("context used: {}\n", context(used, window)));
    text
}

/// `12.3k/32.8k, 38%`.
fn context(used: u64, window: Option<u64>) -> String {
    match window {
        Some(window) if window > 0 => {
            format!("{}/{}, {}%", tokens(used), tokens(window), (used as f64 * 100.0 / window as f64) as u64)
        }
        Some(_) | None => format!("~{}, the window is unknown", tokens(used)),
    }
}

fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.0} s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm_llm::Usage;

    #[test]
    fn what_nobody_counted_is_a_dash_and_never_a_zero() {
        let last = Counts {
            calls: 2,
            usage: Usage {
                prompt: Some(12_300),
                cached: Some(11_900),
                completion: Some(250),
                tokens_per_second: Some(41.25),
                ..Usage::default()
            },
            begun: 2,
            waited: Duration::from_millis(840),
            generated: Duration::from_secs(6),
            tool_calls: 1,
            tools: Duration::from_secs(31),
        };
        let text =
            stats(&Statistics { last, all: Counts { calls: 9, ..Counts::default() } }, 12_345, Some(32_768));
        let expected = concat!(
            "                      answer       all\n",
            "calls of the model         2         9\n",
            "prompt tokens          12.3k         –\n",
            "  of them cached       11.9k         –\n",
            "  in per cent            96%         –\n",
            "generated tokens         250         –\n",
            "tokens a second         41.2         –\n",
            "to the first token    0.42 s         –\n",
            "calls of tools             1         0\n",
            "time in tools           31 s         –\n",
            "context used: 12.3k/32.8k, 37%\n",
        );
        assert_eq!(text, expected);
        assert!(
            stats(&Statistics::default(), 900, None).ends_with("context used: ~900, the window is unknown\n")
        );
    }
}
