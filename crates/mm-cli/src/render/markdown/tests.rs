use proptest::prelude::*;

use super::measure::width;
use super::*;

/// What comes of a text in so many columns, in attributes.
fn written(text: &str, columns: usize, paint: Paint) -> String {
    let mut markdown = Markdown::new(paint, Columns::Fixed(columns));
    markdown.push(text) + &markdown.finish()
}

/// The same without attributes.
fn plain(text: &str, columns: usize) -> String {
    without_attributes(&written(text, columns, Paint::Colours))
}

fn without_attributes(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').unwrap().1)
}

#[test]
fn each_kind_of_block_has_its_lines() {
    let rows = [
        ("a b\nc", "a b\nc\n"),
        ("a\r\nb\rc", "a\nb\\u{d}c\n"),
        ("a\n\n\n\nb\n\n", "a\n\nb\n"),
        ("# A\n## B ##\n### C#\n#d\n####### e", "A\nB\nC#\n#d\n####### e\n"),
        ("A\n===\nB\n---", "A\n═══\nB\n────────────────────────────────────────\n"),
        (
            "* * *\n---",
            "────────────────────────────────────────\n────────────────────────────────────────\n",
        ),
        ("- a\n- b\n  c\nd\n\ne", "• a\n• b\n  c\n  d\n\ne\n"),
        ("* a\n  * b\n    * c\n  * d\n* e", "• a\n  • b\n    • c\n  • d\n• e\n"),
        ("1. a\n  - b\n  - c\n2) d", "1. a\n   • b\n   • c\n2) d\n"),
        ("10. a\n\n    b\n11. c", "10. a\n\n    b\n11. c\n"),
        ("  - a\n  - b", "• a\n• b\n"),
        ("1. >  \n2. a", "1. │ \n2. a\n"),
        ("-\n- a\n+", "•\n• a\n•\n"),
        ("-a\n1.b\n**c** d\n2026 was", "-a\n1.b\nc d\n2026 was\n"),
        ("> a\n> > b\n> c\nd\n\ne", "│ a\n│ │ b\n│ │ c\n│ │ d\n\ne\n"),
        ("> a\n>\n> b", "│ a\n│\n│ b\n"),
        ("> - a\n>   b\n> - c", "│ • a\n│   b\n│ • c\n"),
        ("- > a\n  > b", "• │ a\n  │ b\n"),
        ("```\na *b*\n\n  c\n```\nd", "  a *b*\n\n    c\nd\n"),
        ("~~~~ x\n```\n~~~\n~~~~~", "  ```\n  ~~~\n"),
        ("```c\nint a;", "  int a;\n"),
        ("- a\n  ```\n  b\n c\n  ```\n- d", "• a\n    b\n    c\n• d\n"),
        ("> ```\n> a\nb", "│   a\nb\n"),
        ("```\n\ta\n```", "      a\n"),
        ("``` a `` b\n``c``", "``` a  b\nc``\n"),
        ("``` a `c\nb", "``` a `c\nb\n"),
        ("a\n\n    b\n    *c*\n\nd", "a\n\n  b\n  *c*\n\nd\n"),
        ("a\n    b", "a\nb\n"),
        (
            "one two three four five six seven eight nine ten eleven twelve\nthirteen",
            "one two three four five six seven eight\nnine ten eleven twelve thirteen\n",
        ),
        (
            "one two three four five six seven eight nine ten eleven twelve  \nthirteen",
            "one two three four five six seven eight\nnine ten eleven twelve\nthirteen\n",
        ),
        (
            "one two three four five six seven eight nine ten eleven twelve\n- a",
            "one two three four five six seven eight\nnine ten eleven twelve\n• a\n",
        ),
        ("a\\\nb", "a\nb\n"),
        ("**a\nb** c", "a\nb c\n"),
        ("**a\n\nb**", "**a\n\nb**\n"),
        ("*a\n- b*", "*a\n• b*\n"),
        ("a<br>b", "a\nb\n"),
        ("[a](http://b)", "a (http://b)\n"),
        ("a\u{1b}[2J\u{202e}b", "a\\u{1b}[2J\\u{202e}b\n"),
        ("```\na\u{1b}[2J\n```", "  a\\u{1b}[2J\n"),
        ("", ""),
        ("\n", ""),
    ];
    for (text, expected) in rows {
        assert_eq!(plain(text, 40), expected, "{text:?}");
    }
}

#[test]
fn tables_stand_in_columns_or_as_a_list() {
    let rows = [
        (40, "| a | bb |\n|:-:|---:|\n| **ccc** | d |", " a  │ bb\n────┼───\nccc │  d\n"),
        (40, "|a|b|\n|-|-|\n|c \\| `d|e`|f|g|", "a       │ b\n────────┼──────\nc | d|e │ f | g\n"),
        (40, "| a |\nb", "| a |\nb\n"),
        (40, "| a | b |\n| c | d |\n| e | f |\n|---|---|", "| a | b |\n| c | d |\ne │ f\n──┼──\n"),
        (
            20,
            "| a | b |\n|---|---|\n| one two three four | x |\n\nc",
            "a                │ b\n─────────────────┼──\none two three    │ x\nfour             │\n\nc\n",
        ),
        (
            16,
            "| k | v | w |\n|---|---|---|\n| 1 | some words | other words |\n| 2 | c | |",
            "k: 1\nv: some words\nw: other words\n\nk: 2\nv: c\n",
        ),
        (40, "- a\n\n  | b |\n  |---|\n  | 日本 |", "• a\n\n  b\n  ────\n  日本\n"),
        (40, "| a<br>b | c |\n|---|---|", "a │ c\nb │\n──┼──\n"),
    ];
    for (columns, text, expected) in rows {
        assert_eq!(plain(text, columns), expected, "{text:?}");
    }
}

#[test]
fn lines_hang_where_their_block_begins() {
    let text = "- one two three four five\n  > six seven eight nine ten\n";
    assert_eq!(plain(text, 16), "• one two three\n  four five\n  │ six seven\n  │ eight nine\n  │ ten\n");
    // What stands deep keeps half of the line.
    let deep = "> > > > > > > > words in the depth";
    for line in plain(deep, 20).lines() {
        assert!(width(line.trim_start_matches(['│', ' '])) >= 5, "{line}");
    }
}

#[test]
fn looks_are_attributes_or_the_marks_stay() {
    let text = "# A\n**b** *c* `d` ~~e~~ [f](g)\n> h\n";
    let colours = "\u{1b}[1;4mA\u{1b}[0m\n\u{1b}[1mb\u{1b}[0m \u{1b}[3mc\u{1b}[0m \u{1b}[36md\u{1b}[0m \
                   \u{1b}[9me\u{1b}[0m \u{1b}[4mf\u{1b}[0m \u{1b}[2m(g)\u{1b}[0m\n\u{1b}[2m│ \u{1b}[0mh\n";
    assert_eq!(written(text, 40, Paint::Colours), colours);
    let marks = written("# A\n**b** *c* `d` ~~e~~\n> h\n\n```rust\nlet a;\n```", 40, Paint::Nothing);
    assert_eq!(marks, "# A\n**b** *c* `d` ~~e~~\n│ h\n\n  let a;\n");
}

/// What a terminal of that size makes of a text, and what stands above it.
fn screen(text: &str, columns: u16, rows: u16) -> String {
    let mut terminal = vt100::Parser::new(rows, columns, 1000);
    let written = written(text, columns.into(), Paint::Colours);
    terminal.process(written.replace('\n', "\r\n").as_bytes());
    terminal.screen_mut().set_scrollback(usize::MAX);
    let above = terminal.screen().scrollback();
    let mut lines: Vec<String> = Vec::new();
    for at in (0..=above).rev() {
        terminal.screen_mut().set_scrollback(at);
        lines.extend(terminal.screen().rows(0, columns).next());
    }
    terminal.screen_mut().set_scrollback(0);
    lines.extend(terminal.screen().rows(0, columns).skip(1));
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}

const ANSWER: &str = include_str!("../../../../../tests/fixtures/screens/answer.md");

#[test]
fn an_answer_is_readable_on_every_screen() {
    for (columns, rows) in [(80, 24), (40, 24), (20, 5)] {
        let name = format!("{columns}x{rows}");
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/screens");
        let path = path.join(format!("answer.{name}.txt"));
        let seen = screen(ANSWER, columns, rows);
        if std::env::var_os("MM_UPDATE_SCREENS").is_some() {
            std::fs::write(&path, &seen).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(seen, expected, "{name}: MM_UPDATE_SCREENS=1 writes it anew");
        for (line, laid_out) in seen.lines().zip(plain(ANSWER, columns.into()).lines()) {
            assert_eq!(line, laid_out.trim_end(), "the terminal broke no line");
        }
    }
}

#[test]
fn a_line_is_as_wide_as_the_terminal_when_it_begins() {
    let mut markdown = Markdown::new(Paint::Colours, Columns::Fixed(30));
    let mut out = markdown.push("- one two three ");
    markdown.set_columns(Columns::Fixed(16));
    out += &markdown.push("four five six seven eight nine ten eleven\n");
    out += &markdown.finish();
    assert_eq!(out, "• one two three four five six\n  seven eight\n  nine ten\n  eleven\n");
}

/// Pieces of Markdown, and of what looks like it.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,12}",
        4 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        1 => prop::sample::select(vec![
            "**", "*", "_", "`", "~~", "[a](b)", "[", "](", ")", "![", "<br>", "<http://a>", "&amp;", "&", "\\", "\\*", "|", "| a | b |\n",
            "|---|---|\n", "```\n", "```rust\n", "~~~\n", "# ", "### ", "- ", "* ", "1. ", "12) ", "> ", "---\n", "===\n", "    ", "\t",
            "  ", "\n\n", "\r\n", "\r", "日本語", "é", "e\u{301}", "👩‍👩‍👧", "🇫🇷", "❤\u{fe0f}", "\u{1b}[2J", "\u{202e}", "\u{a0}", "http://example.org/a/b",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_split_anywhere_gives_the_same_bytes(text in markdown(), cuts in prop::collection::vec(0..400_usize, 0..20)) {
        for paint in [Paint::Colours, Paint::Nothing] {
            let mut streamed = Markdown::new(paint, Columns::Fixed(30));
            let mut out = String::new();
            let mut piece = String::new();
            for (at, c) in text.char_indices() {
                if cuts.contains(&at) {
                    out += &streamed.push(&std::mem::take(&mut piece));
                }
                piece.push(c);
            }
            out += &streamed.push(&piece);
            out += &streamed.finish();
            prop_assert_eq!(&out, &written(&text, 30, paint));
        }
    }

    #[test]
    fn nothing_written_is_lost_and_no_line_is_too_wide(text in markdown(), columns in 8..60_usize) {
        let shown = plain(&text, columns);
        for line in shown.lines() {
            prop_assert!(width(line) <= columns, "{:?} in {} columns", line, columns);
        }
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        // What marks take away, or a narrow table tells more than once.
        let marks = ["](", "<", "&", "|", "```", "~~~"];
        if !marks.iter().any(|mark| text.contains(mark)) {
            prop_assert_eq!(letters(&shown), letters(&visible(&text.replace("\r\n", "\n"))));
        }
        prop_assert!(shown.is_empty() || shown.ends_with('\n'));
    }

    #[test]
    fn any_text_at_all_is_laid_out(text in any::<String>(), columns in 0..60_usize) {
        written(&text, columns, Paint::Colours);
    }
}

/// What is made to be slow, or to take room: each takes its time, but none the square of it.
#[test]
fn floods_are_laid_out() {
    let floods = [
        "*",
        "*a ",
        "_a* ",
        "a*b_",
        "> ",
        "- ",
        "-",
        "`",
        "`a ``b ",
        "[",
        "[a](",
        "[a](b ",
        "![",
        "<",
        "&",
        "|",
        "| a ",
        "| a |\n",
        "#",
        " ",
        "\t",
        "\\",
        "~~",
        "1",
        "1. ",
        "日",
        "e\u{301}",
        "\u{301}",
        "👩\u{200d}",
        "🇫",
        "x",
        "x ",
        "http",
        "```a\n",
        "\u{1b}",
        "\r",
        "| a | b |\n|---|---|\n",
    ];
    for flood in floods {
        let text = flood.repeat(3000 / flood.len());
        for columns in [20, 80] {
            let shown = plain(&text, columns);
            assert!(shown.lines().all(|line| width(line) <= columns), "{flood:?}");
        }
    }
}
