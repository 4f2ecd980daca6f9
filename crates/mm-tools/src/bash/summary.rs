//! A command on one line, for the user to read before it runs.

use crate::output::visible;

/// The most characters shown.
const WIDTH: usize = 200;

/// Shows line ends as ` ⏎ `, and characters that would move the cursor or turn the text round by their
/// number: what is confirmed has to be what is seen.
pub(crate) fn one_line(command: &str) -> String {
    let lines: Vec<String> = command.trim().lines().map(|line| visible(line.trim_end())).collect();
    let line = lines.join(" ⏎ ").replace('\t', " ");
    match line.char_indices().nth(WIDTH) {
        None => line,
        Some(_) => line.chars().take(WIDTH - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_takes_one_line_and_hides_nothing() {
        let cases = [
            ("ls -la", "ls -la"),
            ("\ncd x\r\n\tmake\n", "cd x ⏎  make"),
            ("echo \u{1b}[2Jhi", "echo \\u{1b}[2Jhi"),
            ("echo a\rrm b", "echo a\\u{d}rm b"),
            ("echo \u{202e}x", "echo \\u{202e}x"),
            ("", ""),
        ];
        for (command, expected) in cases {
            assert_eq!(one_line(command), expected);
        }
        assert_eq!(one_line(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(one_line(&"é".repeat(201)), format!("{}…", "é".repeat(199)));
    }
}
