//! A table of what terminals are told, and properties over what they might be told.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn clean(pieces: &[&[u8]]) -> String {
    let mut screen = Screen::default();
    let mut text: String = pieces.iter().map(|bytes| screen.push(bytes)).collect();
    text.push_str(&screen.finish());
    text
}

#[test]
fn bytes_become_the_text_that_stays_on_a_screen() {
    let cases: &[(&[u8], &str)] = &[
        (b"plain\ttext\n", "plain\ttext\n"),
        (b"no end", "no end"),
        (b"dos\r\nlines\r\n", "dos\nlines\n"),
        (b"kept\r", "kept"),
        (b"10%\r100%\rok\n", "ok\n"),
        (b"first\nlong frame\rshort\nlast", "first\nshort\nlast"),
        (b"\r\x1b[2Kfetch 1%\r\x1b[2K\x1b[32mfetch 100%\x1b[0m\nok\n", "fetch 100%\nok\n"),
        (b"gone\r\x1b[K\n", "\n"),
        (b"stays\x1b[K\n", "stays\n"),
        (b"gone\r\x1b[J\n", "\n"),
        (b"gone\x1b[2K\x1b[1Gnew\n", "new\n"),
        (b"frame\x1b[1000Dnew\n", "new\n"),
        (b"|\x08/\x08-\x08done\n", "done\n"),
        (b"a\x08\x08\x08b\n", "b\n"),
        (b"N\x08NA\x08AM\x08ME\x08E\n", "NAME\n"),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;5;200mpink\x1b[m\n", "red pink\n"),
        (b"\x1b]0;title\x07text \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "text link\n"),
        (b"\x1bPsixel\x1b\\after \x1b(Bcharset\n", "after charset\n"),
        (b"open \x1b]0;never closed\nnext line\n", "open \nnext line\n"),
        (b"open \x1b[31\nm stays\n", "open \nm stays\n"),
        (b"bell\x07 null\x00 del\x7f ff\x0c\n", "bell null del ff\n"),
        ("c1 \u{9b}31m\u{85} \u{b0}\u{a0}\n".as_bytes(), "c1 31m °\u{a0}\n"),
        ("schön ≤ 😀\n".as_bytes(), "schön ≤ 😀\n"),
        (b"bad \xff\xfe end\n", "bad \u{fffd}\u{fffd} end\n"),
        (b"latin \xe9t\xe9\n", "latin \u{fffd}t\u{fffd}\n"),
        (b"cut \xe2\x89", "cut \u{fffd}"),
        (b"\x1b[2Jcleared\n", "cleared\n"),
        (b"old\r\tnew\n", "\tnew\n"),
        (b"", ""),
    ];
    for (bytes, expected) in cases {
        assert_eq!(clean(&[bytes]), *expected, "{:?}", String::from_utf8_lossy(bytes));
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(clean(&single), *expected, "{:?} byte by byte", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn finished_lines_come_out_at_once_and_the_rest_waits() {
    let mut screen = Screen::default();
    assert_eq!(screen.push(b"one\ntw"), "one\n");
    assert_eq!(screen.push(b"o\r"), "");
    assert_eq!(screen.push(b"2\nthree"), "2\n");
    assert_eq!(screen.finish(), "three");
    assert_eq!(screen.finish(), "");
}

#[test]
fn an_endless_line_is_not_held_back() {
    let mut screen = Screen::default();
    let piece = [b'x'; 50_000];
    assert_eq!(screen.push(&piece), "");
    assert_eq!(screen.push(&piece).len(), LINE_LIMIT);
    assert_eq!(screen.push(b"\x1b[31m"), "");
    assert_eq!(screen.push(&piece).len(), LINE_LIMIT);
    assert_eq!(screen.finish().len(), 150_000 - 2 * LINE_LIMIT);
}

#[test]
fn what_a_broken_sequence_collects_is_bounded() {
    let mut screen = Screen::default();
    screen.push(b"\x1b]0;");
    for _ in 0..100 {
        assert_eq!(screen.push(&[b'x'; 65_536]), "");
    }
    assert!(std::mem::size_of_val(&screen.parser) < 8192, "the buffer is part of the parser");
    assert_eq!(screen.push(b"\nnext\n"), "\nnext\n");
}

/// Pieces that mean something to a screen, more often than random bytes would.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => vec(any::<u8>(), 0..6),
        8 => "[a-z ]{0,8}".prop_map(String::into_bytes),
        16 => prop_oneof![
            Just("\n"),
            Just("\r"),
            Just("\r\n"),
            Just("\x08"),
            Just("\t"),
            Just("\x1b[K"),
            Just("\x1b[2K"),
            Just("\x1b[1G"),
            Just("\x1b[999D"),
            Just("\x1b[31m"),
            Just("\x1b]0;t"),
            Just("\x07"),
            Just("\x1b\\"),
            Just("\x1bP1q"),
            Just("\x1bX"),
            Just("\x18"),
            Just("≤"),
            Just("\u{2713}\u{2b1c}"),
            Just("😀"),
            Just("\u{9b}")
        ]
        .prop_map(|text: &str| text.as_bytes().to_vec()),
        1 => Just(vec![b'x'; LINE_LIMIT - 3]),
        1 => Just("é".repeat(LINE_LIMIT / 2 + 1).into_bytes()),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn splitting_anywhere_changes_nothing(bytes in bytes(), cuts in vec(any::<prop::sample::Index>(), 0..8)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
        prop_assert_eq!(clean(&pieces), clean(&[&bytes]));
    }

    #[test]
    fn nothing_but_tabs_and_line_feeds_controls(bytes in bytes()) {
        let text = clean(&[&bytes]);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\t' && c != '\n'));
    }

    #[test]
    fn plain_text_stays_as_it_is(text in "[^\\p{Cc}]{0,40}(\n[^\\p{Cc}]{0,40}){0,4}") {
        prop_assert_eq!(clean(&[text.as_bytes()]), text);
    }
}
