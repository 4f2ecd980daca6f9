//! Answers that fit, that do not, and that have to be found.

use serde_json::json;

use super::*;
use crate::translate;

fn answers(block: &str) -> AnswerSchema {
    AnswerSchema::new(translate(block).unwrap().value()).unwrap()
}

#[test]
fn an_answer_fits_or_each_fault_is_told() {
    let city = answers(
        "type City struct { Name string `json:\"name\"`; Mayor *string `json:\"mayor\"`; Size int `json:\"size\"` }
        var Cities []City",
    );
    let rows = [
        (r#"[{"name": "a", "mayor": null, "size": 3}]"#, None),
        ("[]", None),
        ("", Some("this is not valid JSON: EOF while parsing a value at line 1, column 0")),
        ("[] []", Some("this is not valid JSON: trailing characters at line 1, column 4")),
        ("{}", Some(r#"{} is not of type "array""#)),
        (
            r#"[{"name": 1, "mayor": null, "size": 1.5, "x": 0}]"#,
            Some(
                r#"/0/name: 1 is not of type "string"; /0/size: 1.5 is not of type "integer"; /0: Additional properties are not allowed ('x' was unexpected)"#,
            ),
        ),
        (
            r#"[{"name": "a", "mayor": null, "size": 3, "na\u006de": "b"}]"#,
            Some(r#"this is not valid JSON: the key "name" is there twice at line 1, column 58"#),
        ),
        (r#"[{"name": "a", "size": 1}]"#, Some(r#"/0: "mayor" is a required property"#)),
    ];
    for (text, fault) in rows {
        assert_eq!(city.check(text).map_err(|error| error.to_string()).err().as_deref(), fault, "{text}");
    }
}

/// Of a value that may be null the fault is that of the value, with its place.
#[test]
fn a_fault_behind_a_pointer_has_its_place() {
    let block = "type P struct { Age *int; Boss *P }\nvar X P";
    let rows = [
        (r#"{"Age": "x", "Boss": null}"#, r#"/Age: "x" is not of type "integer""#),
        (r#"{"Age": 1, "Boss": {"Age": "y", "Boss": null}}"#, r#"/Boss/Age: "y" is not of type "integer""#),
        (r#"{"Age": 1, "Boss": {"Age": 2}}"#, r#"/Boss: "Boss" is a required property"#),
    ];
    for (text, expected) in rows {
        assert_eq!(answers(block).check(text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_value_in_words_that_does_not_fit_is_told_by_its_faults() {
    let object = answers("var X struct { A int `json:\"a\"` }");
    let rows = [
        ("```json\n{\"a\": \"1\"}\n```", r#"/a: "1" is not of type "integer""#),
        (
            "See {\"b\": 1}.",
            r#"Additional properties are not allowed ('b' was unexpected); "a" is a required property"#,
        ),
        ("{\"a\": 1} or {\"a\": 2}", "more than one value in it fits: answer with one"),
        ("{} or []", "this is not valid JSON: trailing characters at line 1, column 4"),
        ("no", "this is not valid JSON: expected ident at line 1, column 2"),
    ];
    for (text, expected) in rows {
        assert_eq!(object.read(text).unwrap_err().to_string(), expected, "{text}");
    }
    let odd = answers("var X map[string]int").check(r#"{"a\n[error]": "x"}"#).unwrap_err().to_string();
    assert_eq!(odd, r#"/a\n[error]: "x" is not of type "integer""#);
    let long =
        answers("var X map[string]int").check(&format!(r#"{{"{}": "x"}}"#, "k".repeat(100_000))).unwrap_err();
    assert!(long.to_string().len() < 500, "{long}");
    let large = answers("var X []string").check(&format!("[{}1]", "1,".repeat(1 << 20))).unwrap_err();
    assert_eq!(large.to_string(), r#"/0: 1 is not of type "string""#);
}

#[test]
fn many_faults_are_counted_and_long_ones_cut() {
    let numbers = answers("var N []int");
    let Err(AnswerError::Faults { faults, more }) = numbers.check(&json!(vec!["x"; 1000]).to_string()) else {
        panic!("it does not fit");
    };
    assert_eq!((faults.len(), more, faults[7].pointer.as_str()), (8, 992, "/7"));
    let long = numbers.check(&json!(["x".repeat(1000)]).to_string()).unwrap_err();
    assert_eq!(long.to_string(), r#"/0: this value is not of type "integer""#);
    let keys = answers("var X struct{}").check(&json!({"é".repeat(1000): 1}).to_string()).unwrap_err();
    assert!(keys.to_string().chars().count() <= MAX_FAULT + 1, "{keys}");
}

#[test]
fn a_schema_that_cannot_be_used_is_an_error() {
    let rows = [
        json!({"type": "strin"}),
        json!({"type": 1}),
        json!({"$ref": "#/$defs/Missing"}),
        json!({"$ref": "http://127.0.0.1:9/x.json"}),
        json!({"pattern": "("}),
        json!([]),
    ];
    for schema in rows {
        let error = AnswerSchema::new(&schema).unwrap_err();
        assert!(matches!(error, AnswerError::Unusable { .. }), "{schema}: {error}");
    }
}

#[test]
fn an_answer_is_found_in_words_and_fences() {
    let object = answers("var X struct { A int `json:\"a\"` }");
    let rows = [
        (" {\"a\": 1}\n", Some("{\"a\": 1}")),
        ("```json\n{\"a\": 1}\n```", Some("{\"a\": 1}")),
        ("~~~\n{\"a\": 1}\n~~~~\nand so on", Some("{\"a\": 1}")),
        ("````json5\n```\n{\"a\": 1}\n````", Some("{\"a\": 1}")),
        ("```json\n{\"a\": 1}", Some("{\"a\": 1}")),
        ("```json {\"a\": 1} ```", Some("{\"a\": 1}")),
        ("Sure! It's {\"a\": 1}, isn't it?", Some("{\"a\": 1}")),
        ("He said \"so\": {\"a\": 1}.", Some("{\"a\": 1}")),
        ("With {braces} and [1] first: {\"a\": 1}", Some("{\"a\": 1}")),
        ("Done :-] so {\"a\": 1}", Some("{\"a\": 1}")),
        ("{\n  \"a\":\n    1\n}\nDone.", Some("{\n  \"a\":\n    1\n}")),
        // What closed may be a part of something that is broken.
        ("An open { before {\"a\": 1}", None),
        ("A \"{\" in quotes,\nthen {\"a\": 1}", None),
        ("Crossed {[}] then {\"a\": 1}", None),
        ("{\"x\": {\"a\": 1}", None),
        ("{\"x\"], {\"a\": 1}}", None),
        ("{\"x\n\": {\"a\": 1}}", None),
        ("The first {\"a\": 1}, then {\"a\": 2", None),
        // The outer value is the answer, and it does not fit.
        ("{\"x\": {\"a\": 1}}", None),
        ("[{\"a\": 1}]", None),
        ("{\"a\": 1} or {\"a\": 2}", None),
        ("{\"a\": 1}\n```\n{\"a\": 1}\n```", None),
        ("{\"a\": \"1\"} no, {\"a\": 1}", Some("{\"a\": 1}")),
        ("{\"a\": 1", None),
        ("nothing", None),
        ("", None),
    ];
    for (text, expected) in rows {
        assert_eq!(object.find(text), expected, "{text}");
    }
    let text = answers("var X string");
    let rows = [
        ("\"a\"", Some("\"a\"")),
        ("```\n\"a\"\n```", Some("\"a\"")),
        ("The answer is \"a\".", None),
        ("```\na\n```", None),
    ];
    for (given, expected) in rows {
        assert_eq!(text.find(given), expected, "{given}");
    }
}

/// A model that has lost its way writes one thing over and over.
#[test]
fn a_megabyte_of_anything_is_searched() {
    let object = answers("var X struct { A int `json:\"a\"` }");
    for piece in [
        "[",
        "{",
        "{\"",
        "[]",
        "{}",
        "}",
        "\"",
        "```\n",
        "`",
        "[{\"a\":",
        "{\"a\":1}x",
        "\\",
        "{\\\"",
        "{\"\n",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        assert_eq!(object.find(&text), None, "{piece}");
        assert!(object.check(&text).is_err(), "{piece}");
    }
}

#[test]
fn every_schema_of_a_block_can_be_used() {
    let file = include_str!("../../../../tests/fixtures/structured-output/cases.json");
    let cases: Vec<Value> = serde_json::from_str(file).unwrap();
    for schema in cases.iter().filter_map(|case| case["expected"].get("schema")) {
        assert!(AnswerSchema::new(schema).is_ok(), "{schema}");
    }
}

#[test]
fn names_of_any_script_are_names() {
    let summer = answers("type Été struct { Âge 数 }; type 数 int; type A Été; var X []A");
    assert!(summer.check(r#"[{"Âge": 1}]"#).is_ok());
    assert_eq!(
        summer.check(r#"[{"Âge": "1"}]"#).unwrap_err().to_string(),
        r#"/0/Âge: "1" is not of type "integer""#
    );
    let keys = answers(r#"var X struct { A int `json:"$ref"`; B int `json:"$id"`; C int `json:"a/b~%"` }"#);
    assert!(keys.check(r#"{"$ref": 1, "$id": 2, "a/b~%": 3}"#).is_ok());
}

/// Whatever a block may declare can be checked.
#[test]
fn a_long_chain_of_types_is_a_schema_that_can_be_used() {
    let chain = |shape: &dyn Fn(usize) -> String| {
        let types: String = (0..10_000).map(|n| format!("type T{n} {}\n", shape(n + 1))).collect();
        answers(&format!("{types}type T10000 int\nvar X T0\n"))
    };
    let lists = chain(&|next| format!("struct {{ A []T{next} }}"));
    assert!(lists.check(r#"{"A": [{"A": []}]}"#).is_ok());
    let structs = chain(&|next| format!("struct {{ A T{next} }}"));
    assert!(structs.check(r#"{"A": {"A": {}}}"#).is_err());
    let names = chain(&|next| format!("T{next}"));
    assert!(names.check("1").is_ok());
    assert!(names.check("[]").is_err());
}
