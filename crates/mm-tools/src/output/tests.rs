//! Tables of cuts, and the rule as a property.

use proptest::prelude::*;

use super::*;

/// Takes a cut text apart: the start, the number in the line between, the end.
fn apart(text: &str) -> (String, usize, String) {
    let (before, rest) = text.split_once("[… ").unwrap();
    let (line, after) = rest.split_once(" …]").unwrap();
    let (number, _) = line.split_once(" character").unwrap();
    let after = after.strip_prefix('\n').unwrap_or(after);
    (before.to_owned(), number.parse().unwrap(), after.to_owned())
}

#[test]
fn start_and_end_are_kept_and_the_line_between_counts_the_rest() {
    let cases = [
        ("", 10, ""),
        ("0123456789", 10, "0123456789"),
        ("0123456789a", 10, "01234\n[… 1 character left out: hint …]\n6789a"),
        ("0123456789ab", 9, "01234\n[… 3 characters left out: hint …]\n89ab"),
        ("0123\n56789abcde", 10, "0123\n[… 5 characters left out: hint …]\nabcde"),
        ("───😀───😀───", 4, "──\n[… 7 characters left out: hint …]\n──"),
        ("abc", 1, "a\n[… 2 characters left out: hint …]"),
        ("abc", 0, "[… 3 characters left out: hint …]"),
        ("", 0, ""),
        ("abc", usize::MAX, "abc"),
    ];
    for (text, max, expected) in cases {
        assert_eq!(cut(text, max, "hint"), expected, "{text:?} to {max}");
    }
}

#[test]
fn the_end_gets_two_thousand_characters_at_most() {
    let text: String = (0..30_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let (start, missing, end) = apart(&cut(&text, 16_000, "hint"));
    assert_eq!((start.len(), missing, end.len()), (14_000 + 1, 14_000, 2000));
    assert!(text.starts_with(start.trim_end()) && text.ends_with(&end));
}

#[test]
fn wide_characters_are_never_split_whatever_the_limit() {
    for max in 0..=120 {
        for text in ["─".repeat(4000), format!("a{}", "😀".repeat(4000))] {
            let (start, missing, end) = apart(&cut(&text, max, "hint"));
            let kept = start.trim_end().chars().count() + end.chars().count();
            assert_eq!((kept, kept + missing), (max, text.chars().count()));
        }
    }
}

#[test]
fn a_flood_takes_no_memory() {
    let mut capture = Capture::new(16_000);
    capture.push("HEAD");
    let piece = "y\n".repeat(32_768);
    for _ in 0..200 {
        capture.push(&piece);
    }
    capture.push("TAIL");
    assert!(capture.head.capacity() + capture.tail.capacity() < 200_000);
    assert_eq!(capture.left_out(), 200 * 65_536 + 8 - 16_000);
    let text = capture.text("hint");
    assert!(text.starts_with("HEADy\n") && text.ends_with("y\nTAIL"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_give_what_the_whole_gives(pieces in prop::collection::vec("[a─😀é]{0,30}", 0..12), max in 0usize..60) {
        let mut capture = Capture::new(max);
        pieces.iter().for_each(|piece| capture.push(piece));
        let whole = pieces.concat();
        let text = capture.text("hint");
        prop_assert_eq!(&text, &cut(&whole, max, "hint"));
        if whole.chars().count() <= max {
            prop_assert_eq!(text, whole);
        } else {
            let (start, missing, end) = apart(&text);
            let start = start.trim_end();
            prop_assert_eq!(start.chars().count() + end.chars().count(), max);
            prop_assert_eq!(end.chars().count(), TAIL.min(max / 2));
            prop_assert_eq!(missing, whole.chars().count() - max);
            prop_assert!(whole.starts_with(start) && whole.ends_with(&end));
        }
    }
}
