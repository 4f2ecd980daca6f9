//! Long texts at a prompt: a few words stand for each, until the question is sent.

/// What the editor shows as it is, at most.
const LINES: usize = 20;
const CHARS: usize = 2_000;

/// The texts that words stand for.
#[derive(Debug)]
pub(super) struct Pastes {
    kept: Vec<(String, String)>,
    lines: usize,
    chars: usize,
}

impl Default for Pastes {
    fn default() -> Self {
        Self { kept: Vec::new(), lines: LINES, chars: CHARS }
    }
}

impl Pastes {
    /// Takes the size of the screen into account, of which the editor needs to see all that it edits.
    pub(super) fn fit(&mut self, rows: usize, columns: usize) {
        self.lines = (rows / 2).clamp(2, LINES);
        self.chars = (rows * columns / 2).clamp(20, CHARS);
    }

    /// Gives a text back, or words that stand for it when it is long.
    pub(super) fn shorten(&mut self, text: String) -> String {
        let lines = text.lines().count();
        if lines <= self.lines && text.chars().nth(self.chars).is_none() {
            return text;
        }
        if let Some((words, _)) = self.kept.iter().find(|(_, kept)| *kept == text) {
            return words.clone();
        }
        let what = match lines {
            0 | 1 => format!("{} characters", thousands(text.chars().count())),
            lines => format!("{} lines", thousands(lines)),
        };
        let mut words = format!("[pasted {what}]");
        let mut number = 1;
        while self.kept.iter().any(|(other, _)| *other == words) {
            number += 1;
            words = format!("[pasted {what} #{number}]");
        }
        self.kept.push((words.clone(), text));
        words
    }

    /// Puts every text in the place of the words that stand for it.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("[pasted ") {
            let (before, behind) = rest.split_at(at);
            expanded.push_str(before);
            let known =
                self.kept.iter().find_map(|(words, kept)| Some((kept, behind.strip_prefix(&**words)?)));
            rest = match known {
                Some((kept, behind)) => {
                    expanded.push_str(kept);
                    behind
                }
                None => {
                    expanded.push('[');
                    behind.get(1..).unwrap_or_default()
                }
            };
        }
        expanded + rest
    }
}

/// A number with commas.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits
        .chars()
        .enumerate()
        .flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_a_few_words_until_it_is_sent() {
        let mut pastes = Pastes::default();
        assert_eq!(pastes.shorten("a\nb".into()), "a\nb");
        let long = "line\n".repeat(12_345);
        let other = "else\n".repeat(12_345);
        let wide = "é".repeat(2_001);
        assert_eq!(pastes.shorten(long.clone()), "[pasted 12,345 lines]");
        assert_eq!(pastes.shorten(other.clone()), "[pasted 12,345 lines #2]");
        assert_eq!(pastes.shorten(long.clone()), "[pasted 12,345 lines]");
        assert_eq!(pastes.shorten(wide.clone()), "[pasted 2,001 characters]");
        let rows = [
            ("a [pasted 12,345 lines] b".to_owned(), format!("a {long} b")),
            ("[pasted 12,345 lines #2][pasted 2,001 characters]".to_owned(), format!("{other}{wide}")),
            ("[pasted 12,345 line]".to_owned(), "[pasted 12,345 line]".to_owned()),
            ("[pasted 3 lines]".to_owned(), "[pasted 3 lines]".to_owned()),
        ];
        for (text, expected) in rows {
            assert_eq!(pastes.expand(&text), expected, "{text}");
        }
        // Words in a kept text stand for themselves.
        let tricky = format!("{}[pasted 12,345 lines]", "x".repeat(2_001));
        let words = pastes.shorten(tricky.clone());
        assert_eq!(pastes.expand(&words), tricky);
    }

    #[test]
    fn numbers_are_easy_to_read() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), expected);
        }
    }
}
