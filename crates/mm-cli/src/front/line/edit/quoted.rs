//! A text of several lines between `"""` and `"""`.

const MARK: &str = "\"\"\"";

/// Whether a text has begun and not ended.
pub(super) fn is_open(text: &str) -> bool {
    text.trim_start().strip_prefix(MARK).is_some_and(|text| !text.trim_end().ends_with(MARK))
}

/// The text between the marks; `None` when there are none.
pub(super) fn inner(text: &str) -> Option<&str> {
    let text = text.trim().strip_prefix(MARK)?.strip_suffix(MARK)?;
    let text = text.strip_prefix('\n').unwrap_or(text);
    Some(text.strip_suffix('\n').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_several_lines_ends_with_its_mark() {
        let rows = [
            ("hello", false, None),
            ("\"\"\"", true, None),
            ("\"\"\"one\ntwo", true, None),
            ("\"\"\"\none\ntwo\n\"\"\"", false, Some("one\ntwo")),
            (" \"\"\"one\n\n two\"\"\" ", false, Some("one\n\n two")),
            ("\"\"\"one\"\"\"", false, Some("one")),
            ("\"\"\"\"\"\"", false, Some("")),
            ("\"\"\"\"", true, None),
            ("say \"\"\"", false, None),
        ];
        for (text, open, expected) in rows {
            assert_eq!((is_open(text), inner(text)), (open, expected), "{text}");
        }
    }
}
