use serde::Deserialize;

use super::*;
use crate::document::Document;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Sample {
    small: u8,
    number: f64,
    names: Vec<String>,
    items: Vec<Item>,
    mode: Mode,
    wrapped: Wrapped,
    any: serde_json::Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Item {
    name: String,
    on: bool,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Fast,
    Slow,
}

#[derive(Debug, Default, Deserialize)]
struct Wrapped(i32);

/// Decodes a text and gives its faults and unknown keys.
fn decode(text: &str) -> (Sample, Vec<String>, Vec<String>) {
    let document = Document::parse(text);
    assert_eq!(document.faults, []);
    let root = document.root.unwrap();
    let findings = Findings::new(&root, Vec::new());
    let sample = Sample::deserialize(Decoder::new(&root, &findings)).unwrap_or_default();
    let faults = findings.faults.into_inner().into_iter().map(|fault| fault.message).collect();
    let unknown =
        findings.unknown.into_inner().into_iter().map(|key| format!("{} {}", key.place, key.path)).collect();
    (sample, faults, unknown)
}

#[test]
fn all_shapes_decode() {
    let text =
        "{small: 0xFF, number: 7, names: [a, 1.10, true], mode: slow, wrapped: -3, any: {a: [1, 1.0, ~]}}";
    let (sample, faults, unknown) = decode(text);
    assert_eq!((faults.len(), unknown.len()), (0, 0));
    assert_eq!(sample.small, 255);
    assert_eq!(sample.number.to_string(), "7");
    assert_eq!(sample.names, ["a", "1.10", "true"]);
    assert_eq!(sample.mode, Mode::Slow);
    assert_eq!(sample.wrapped.0, -3);
    assert_eq!(sample.any.to_string(), r#"{"a":[1,1.0,null]}"#);
}

#[test]
fn every_fault_of_a_file_is_noted() {
    let text = "\
small: 256
number: x
names: [a, [b]]
items:
  - {name: [], on: yes}
  - 7
mode: quick
wrapped: 3.5
any: [.nan, 99999999999999999999]
";
    let (sample, faults, _) = decode(text);
    assert_eq!(
        faults,
        [
            "line 1, column 8: small must be at most 255",
            "line 2, column 9: number must be a number, not \"x\"",
            "line 3, column 12: names[1] must be text, not a list",
            "line 5, column 12: items[0].name must be text, not a list",
            "line 5, column 20: items[0].on must be true or false, not \"yes\" \
             (which is text in YAML 1.2: write true)",
            "line 6, column 5: items[1] must be a mapping, not 7",
            "mode must be \"fast\" or \"slow\"",
            "line 8, column 10: wrapped must be a whole number, not 3.5",
            "line 9, column 7: any[0] must be a finite number, not .nan",
            "line 9, column 13: any[1] must be at most 18446744073709551615",
        ]
    );
    assert_eq!(sample.items.len(), 2, "an empty value stands for a wrong one");
}

#[test]
fn unknown_keys_are_listed_with_their_way() {
    let (sample, faults, unknown) = decode("x: 1\nitems:\n  - {name: a, nmae: b}\n");
    assert_eq!(faults.len(), 0);
    assert_eq!(unknown, ["line 1, column 1 x", "line 3, column 15 items[0].nmae"]);
    assert_eq!(sample.items[0].name, "a");
}

#[test]
fn the_top_is_a_mapping() {
    for (text, found) in [("[a]", "a list"), ("x", "\"x\""), ("7", "7")] {
        assert_eq!(decode(text).1, [format!("line 1, column 1: the file must be a mapping, not {found}")]);
    }
}
