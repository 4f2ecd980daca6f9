use super::*;

fn laid_out(text: &str, columns: usize) -> String {
    let lines = lines(&[Span::new(text, Style::PLAIN)], Paint::Colours, columns);
    for (line, wide) in &lines {
        assert_eq!(width(line), *wide, "{line:?}");
        assert!(*wide <= columns, "{line:?}");
    }
    lines.into_iter().map(|(line, _)| line + "|").collect()
}

#[test]
fn words_go_where_they_fit_and_long_ones_are_broken() {
    let rows = [
        ("one two three", 8, "one two|three|"),
        ("one  two", 10, "one  two|"),
        ("a\n\n b ", 10, "a|b|"),
        ("abcdefghijkl", 10, "abcdefghij|kl|"),
        ("ab abcdefghijkl", 10, "ab|abcdefghij|kl|"),
        ("日本語の文章です", 10, "日本語の文|章です|"),
        ("ab日本語", 8, "ab日本語|"),
        ("日本語日本。語", 10, "日本語日|本。語|"),
        (
            "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e",
            8,
            "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}|e|",
        ),
        ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧🇫🇷", 8, "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧|🇫🇷|"),
        (
            "some words and then http://example.org/a-long-one",
            40,
            "some words and then|http://example.org/a-long-one|",
        ),
        ("an abominable-mixture-of-everything", 30, "an abominable-mixture-of-every|thing|"),
    ];
    for (text, columns, expected) in rows {
        assert_eq!(laid_out(text, columns), expected, "{text:?} in {columns}");
    }
}

#[test]
fn a_word_with_room_is_shown_as_it_comes() {
    let mut wrap = Wrap::new(Paint::Colours, Columns::Fixed(30));
    let shown: Vec<String> = "so it is far to the end of the line"
        .chars()
        .map(|c| {
            wrap.char(c, Style::PLAIN);
            wrap.taken()
        })
        .collect();
    assert_eq!(shown.join("|"), "s|o|| i|t|| i|s|| f|a|r|||| to|||| the|||| end||| of|||| the|\nl|i|n|e");
}
