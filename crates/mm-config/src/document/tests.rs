use std::fmt::Write as _;

use super::*;

/// Writes a tree down: text that is text in quotes, everything else as it was written.
fn show(node: &Node) -> String {
    match &*node.value {
        Value::Scalar(Scalar { meaning: Meaning::Text, text }) => format!("{text:?}"),
        Value::Scalar(Scalar { meaning: Meaning::Null, .. }) => "null".to_owned(),
        Value::Scalar(scalar) => scalar.text.clone(),
        Value::Sequence(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Mapping(entries) => {
            let pairs: Vec<_> = entries.iter().map(|e| format!("{}: {}", e.key, show(&e.value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn read(text: &str) -> String {
    let document = Document::parse(text);
    assert_eq!(document.faults, [], "{text}");
    show(&document.root.unwrap())
}

/// The faults of a text, one a line.
fn faults(text: &str) -> String {
    let messages: Vec<_> = Document::parse(text).faults.into_iter().map(|fault| fault.message).collect();
    messages.join("\n")
}

#[test]
fn values_are_those_of_yaml_1_2() {
    let rows = [
        ("", "null"),
        ("# nothing\n", "null"),
        ("---\n", "null"),
        ("\u{FEFF}a: 1", "{a: 1}"),
        ("a: 1.10\nb: \"1.10\"\nc: '~'\nd:\n", "{a: 1.10, b: \"1.10\", c: \"~\", d: null}"),
        ("a: yes\nb: true\nc: 0x1F\nd: .inf", "{a: \"yes\", b: true, c: 0x1F, d: .inf}"),
        ("a: |\n  x\n  y\nb: >\n  p\n  q\n", "{a: \"x\\ny\\n\", b: \"p q\\n\"}"),
        ("a: [1, {b: c}]\n", "{a: [1, {b: \"c\"}]}"),
        ("a: 1\r\nb:\r\n  - x\r\n", "{a: 1, b: [\"x\"]}"),
        ("a: !!str 1\nb: ! 2\nc: !!int \"3\"\nd: !!float 1\n", "{a: \"1\", b: \"2\", c: 3, d: 1}"),
        ("%YAML 1.2\n---\na: !!map {b: !!seq [1]}\n...\n", "{a: {b: [1]}}"),
        ("a: &x [1, 2]\nb: *x\n", "{a: [1, 2], b: [1, 2]}"),
        ("a: &k name\n*k : 1\n", "{a: \"name\", name: 1}"),
        ("1: a\ntrue: b\n", "{1: \"a\", true: \"b\"}"),
        ("a: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}\n", "{a: {x: 1, y: 2}, c: {y: 3, x: 1}}"),
        ("a: {<<: [{x: 1}, {x: 2, y: 2}], <<: {z: 3}}", "{a: {x: 1, y: 2, z: 3}}"),
        ("\"<<\": 1", "{<<: 1}"),
    ];
    for (text, expected) in rows {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn faults_name_their_place() {
    let rows = [
        ("a: 1\nb: 2\na: 3\n", "line 3, column 1: a is already set on line 1"),
        (
            "s:\n  é: 1\n  é: 2\n  é: 3",
            "line 3, column 3: s.é is already set on line 2\nline 4, column 3: s.é is already set on line 2",
        ),
        ("a: 1\n\"a\": 2", "line 2, column 1: a is already set on line 1"),
        ("{\"x\\ny\": 1, \"x\\ny\": 2}", "line 1, column 13: x\\ny is already set on line 1"),
        ("? [a]\n: b", "line 1, column 3: a key must be text, not a list — put it in quotes"),
        ("{{a: b}: c}", "line 1, column 2: a key must be text, not a mapping — put {{…}} in quotes"),
        (
            "a: 1\n---\nb: 2",
            "line 2, column 1: a second document begins here; a configuration is one document",
        ),
        ("a: !include x.yaml", "line 1, column 4: the tag !include does not fit here"),
        ("a: !!int x", "line 1, column 4: the tag !!int does not fit here"),
        ("a: !!set {x}", "line 1, column 4: the tag !!set does not fit here"),
        ("a: &x [*x]", "line 1, column 8: the alias stands for a value that contains it"),
        ("a: {<<: 1}", "line 1, column 9: << takes a mapping or a list of mappings"),
        ("a: b\0c", "line 1, column 5: the character U+0000 is not allowed in YAML"),
        ("a: b\r\nc: \u{1b}[0m", "line 2, column 4: the character U+001B is not allowed in YAML"),
    ];
    for (text, expected) in rows {
        assert_eq!(faults(text), expected, "{text}");
    }
}

#[test]
fn broken_yaml_is_one_fault_that_says_what_to_do() {
    let quote = "a value cannot begin like this — put it in quotes";
    let colon = "a colon cannot stand here — put a value that holds \": \" in quotes, and write each key in the \
                 column of its neighbours";
    let column = "the keys of a mapping stand in one column — mend the indentation";
    let tab = "a tab cannot stand here — indent with spaces";
    let key = "a key is followed by a colon and a space — write key: value";
    let escape = "in double quotes \\ begins an escape — use single quotes, or write \\\\";
    let list = "a list in brackets goes on — a comma or the closing ] is missing";
    let alias = "a value that begins with * or & is an alias or an anchor — put it in quotes";
    let closed = "the quote that begins here is never closed";
    let top = "this belongs to no key — begin every key of the top in the first column, as key: value";
    let rows = [
        ("a: [1", "1, column 6", list),
        ("a: [1\nb: c\n", "2, column 2", list),
        ("a: {b", "1, column 6", "a mapping in braces goes on — a comma or the closing } is missing"),
        ("a: \"x", "1, column 4", closed),
        ("a: 'x", "1, column 4", closed),
        (
            "a: \"x\nb: c\n",
            "1, column 4",
            "the quote that begins here is not closed before a line that stands too far left — close it",
        ),
        ("a:\n\t- 1", "2, column 1", tab),
        ("a:\n\tb: 1", "2, column 1", tab),
        ("a: |\n\tb", "2, column 1", tab),
        ("model: a\n\n\n\n\tyolo: false\n", "5, column 1", tab),
        ("a: b: c", "1, column 5", colon),
        ("a: b\n  c: d", "2, column 4", colon),
        ("a: b\nmodel:x\nc: d\n", "2, column 1", key),
        ("a: b\nyolo = false\nc: d\n", "2, column 1", key),
        ("a: b\n// words\n\n# c\nc: d\n", "2, column 1", key),
        ("a: |\n  line\nmore\n", "3, column 1", key),
        ("model abc\nyolo: true\n", "1, column 1", key),
        ("a:\n  b c\n  d: e\n", "2, column 3", key),
        ("a:\n  b: 1\n c: 2", "3, column 2", column),
        ("a:\n- b: 1\n c: 2", "3, column 2", column),
        (
            "a: *x",
            "1, column 4",
            "no & names what this * stands for — put a value that begins with * in quotes",
        ),
        ("a: *", "1, column 4", alias),
        ("a: 'x' y", "1, column 8", "something follows the closing quote — put the whole value in quotes"),
        ("a: - b", "1, column 4", "a list cannot begin here — begin it on a line of its own"),
        ("- a\nb: 1", "2, column 1", "the items of a list begin with - in one column — mend the indentation"),
        ("a: \"\\q\"", "1, column 4", escape),
        ("a: \"C:\\Users\"", "1, column 4", escape),
        (
            "a: |,\n  b",
            "1, column 4",
            "behind | and > nothing else stands on the line — write the text below, indented",
        ),
        (" a: b\nc: d\n", "2, column 1", top),
        ("[agent]\na: b\n", "2, column 1", top),
        ("@", "1, column 1", quote),
        ("a: `b`", "1, column 4", quote),
        ("a: }", "1, column 4", quote),
        ("a: %b", "1, column 4", quote),
        ("%", "1, column 2", "a line that begins with % is a directive — put the value in quotes"),
    ];
    let mut wrong = Vec::new();
    for (text, place, words) in rows {
        let (told, expected) = (faults(text), format!("line {place}: this is not valid YAML: {words}"));
        if told != expected {
            wrong.push((text, told, expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_word_of_the_parser_is_left_alone() {
    // Texts of many forms: whatever the parser says of them, we say it in our words.
    let parts = [
        "a", ":", " ", "\n", "- ", "\t", "[", "]", "{", "}", ",", "\"", "'", "|", ">", "*x", "&x", "!t", "%",
        "@", "#", "?",
    ];
    let mut state = 7_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..9 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(parts[(state >> 33) as usize % parts.len()]);
        }
        let told = faults(&text);
        assert!(
            !told.contains("while ") && !told.contains("expected ") && !told.contains("did not"),
            "{text:?} {told}"
        );
    }
}

#[test]
fn duplicate_keys_do_not_hide_what_follows() {
    let text = "a: 1\na: 2\nb: [";
    assert!(
        faults(text)
            .starts_with("line 2, column 1: a is already set on line 1\nline 3, column 5: this is not"),
        "{}",
        faults(text)
    );
}

#[test]
fn aliases_are_paid_for_by_what_they_stand_for() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    let many = "the file has more than 10,000 values, those that aliases stand for included";
    assert_eq!(faults(&bomb), format!("line 5, column 10: {many}"));

    let long = format!("a: &a {}\nb: [{}]", "x".repeat(500_000), "*a, ".repeat(9));
    assert_eq!(faults(&long), "line 2, column 13: the aliases of the file stand for more than 1 MiB of text");

    let wide = format!("a: [{}]", "1,".repeat(10_001));
    assert!(faults(&wide).ends_with(many));

    let mut deep = "a0: &a0 [1]\n".to_owned();
    for level in 1..100 {
        writeln!(deep, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert_eq!(faults(&deep), "line 64, column 12: lists and mappings are nested more than 64 deep");
}

#[test]
fn hostile_texts_end_soon() {
    let too_deep = "lists and mappings are nested more than 64 deep";
    let rows = [
        "[".repeat(10_000),
        "{a: ".repeat(10_000),
        "- ".repeat(10_000),
        "? ".repeat(10_000),
        "[".repeat(MAX_BYTES),
        (0..10_000).fold(String::new(), |text, level| text + &" ".repeat(level.min(80)) + "a:\n"),
    ];
    for text in rows {
        let faults = faults(&text);
        assert!(faults.ends_with(too_deep) || faults.ends_with("recursion limit exceeded"), "{faults}");
        assert!(faults.len() < 1_000_000);
    }
    assert_eq!(read(&("[".repeat(64) + &"]".repeat(64))), "[".repeat(64) + &"]".repeat(64));
}

#[test]
fn a_mebibyte_is_enough() {
    let text = format!("# {}\n", "x".repeat(MAX_BYTES - 3));
    assert_eq!(read(&text), "null");
    assert_eq!(faults(&format!("{text}a: 1")), "line 2, column 1: the file is larger than 1 MiB");
}

#[test]
fn a_mebibyte_of_anything_ends() {
    let parts = [
        "\"", "'", "a ", "a: ", "- ", "\n", "#", "%", "&a ", "*a ", "!t ", "| ", "? ", ": ", ",", "]", "{",
        "\t", "\r", "---\n", "...\n", "a\n", " \n", "\\", "<<: ", "[a: ", "\u{85}", "é", "- a\n", "a: b\n",
        "\"a\": ", "? a\n", "[],",
    ];
    for part in parts {
        let document = Document::parse(&part.repeat(MAX_BYTES / part.len()));
        assert!(document.root.is_some() || !document.faults.is_empty(), "{part:?}");
    }
}
