//! A compression, told in a line.

use mm_session::Compacted;

use super::numbers::tokens;

/// What a compression did: messages and tokens before and after, and how long it took.
pub(crate) fn compacted(done: &Compacted) -> String {
    let Compacted { id: _, summary: _, messages, tokens: (before, after), elapsed } = done;
    let seconds = elapsed.as_secs_f64();
    let (before, after) = (tokens(*before), tokens(*after));
    format!("🗜️ {} → {} messages, ~{before} → ~{after} tokens ({seconds:.1} s)\n", messages.0, messages.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_compression_is_told_in_a_line() {
        let done = Compacted {
            id: "c1".into(),
            summary: "s".into(),
            messages: (84, 9),
            tokens: (21_400, 2_900),
            elapsed: Duration::from_millis(3_120),
        };
        assert_eq!(compacted(&done), "🗜️ 84 → 9 messages, ~21.4k → ~2.9k tokens (3.1 s)\n");
    }
}
