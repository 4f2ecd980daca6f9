use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "n": {"type": "integer"},
            "up": {"type": "boolean"},
            "ratio": {"type": "number"},
            "paths": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["command"]
    })
}

#[test]
fn faults_of_form_are_mended() {
    let rows = [
        (r#"{"command": "ls",}"#, json!({"command": "ls"})),
        (r#"{'command': 'ls'}"#, json!({"command": "ls"})),
        (r#"{'command': 'echo "hi"'}"#, json!({"command": "echo \"hi\""})),
        (r#"{'command': 'it\'s'}"#, json!({"command": "it's"})),
        ("{\"command\": \"a\nb\"}", json!({"command": "a\nb"})),
        ("{\"command\": \"a\tb\"}", json!({"command": "a\tb"})),
        (r#"{"command": "ls""#, json!({"command": "ls"})),
        (r#"{"command": "ls", "paths": ["a", "b""#, json!({"command": "ls", "paths": ["a", "b"]})),
        (r#"{"command": "ls", "paths": ["a",]}"#, json!({"command": "ls", "paths": ["a"]})),
        (r#"{"command": "echo {a,}",}"#, json!({"command": "echo {a,}"})),
    ];
    for (text, expected) in rows {
        let decoded = decode(text, &schema()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!((decoded.value, decoded.repaired), (expected, true), "{text}");
    }
}

#[test]
fn a_cut_or_a_guess_is_not_mended() {
    let rows = [
        r#"{"command": "rm -rf /tmp/x"#,
        r#"{"command": echo A}"#,
        r#"{"command": "echo "hi""}"#,
        r#"{"command": "a"} {"command": "b"}"#,
        r#"{"command""#,
        r#"{"command":"#,
        "ls -la",
        r#"{"command": "ls"]"#,
    ];
    for text in rows {
        assert!(matches!(decode(text, &schema()), Err(ArgumentError::Syntax { .. })), "{text}");
        assert_eq!(for_history(text), "{}", "{text}");
    }
}

#[test]
fn a_syntax_fault_names_its_place() {
    let fault = decode(r#"{"command": echo A}"#, &schema()).unwrap_err();
    let expected = "the arguments are not valid JSON: expected value at line 1, column 13, \
                    near `\"command\": echo A}`";
    assert_eq!(fault.to_string(), expected);
}

#[test]
fn types_are_changed_only_without_loss() {
    let rows = [
        (json!({"command": 5}), json!({"command": "5"})),
        (json!({"command": "x", "n": "3"}), json!({"command": "x", "n": 3})),
        (json!({"command": "x", "n": 3.0}), json!({"command": "x", "n": 3})),
        (json!({"command": "x", "up": "true"}), json!({"command": "x", "up": true})),
        (json!({"command": "x", "ratio": "0.5"}), json!({"command": "x", "ratio": 0.5})),
        (json!({"command": "x", "paths": "a"}), json!({"command": "x", "paths": ["a"]})),
        (json!({"command": "x", "n": null}), json!({"command": "x"})),
    ];
    for (given, expected) in rows {
        assert_eq!(check(given.clone(), &schema()), Ok(expected), "{given}");
    }
    // A version, and a number with more digits than are kept: as text they would be others.
    for (text, told) in [("1.10", "1.1"), ("12345678901234567890123", "1.2345678901234568e+22")] {
        let fault = decode(&format!(r#"{{"command": {text}}}"#), &schema()).unwrap_err().to_string();
        let expected =
            format!("the arguments do not fit the tool: /command: {told} is not of type \"string\"");
        assert_eq!(fault, expected);
    }
}

#[test]
fn each_schema_fault_is_named_by_path() {
    let fault = check(json!({"n": "3.5", "up": "perhaps"}), &schema()).unwrap_err().to_string();
    for part in ["\"command\" is a required property", "/n: \"3.5\" is not of type \"integer\"", "/up: "] {
        assert!(fault.contains(part), "{part} in {fault}");
    }
    assert_eq!(
        decode("[1]", &schema()).unwrap_err().to_string(),
        "the arguments must be a JSON object, not a list"
    );
}

#[test]
fn the_history_keeps_the_models_own_bytes() {
    assert_eq!(for_history(r#"{ "command" :"ls" }"#), r#"{ "command" :"ls" }"#);
    assert_eq!(for_history(r#"{"command": "ls",}"#), r#"{"command":"ls"}"#);
    for text in ["", "  ", "[1]", "null", "{"] {
        assert_eq!(for_history(text), "{}", "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,80}") {
        let _ = decode(&text, &schema());
        prop_assert!(is_complete(&for_history(&text)));
    }

    #[test]
    fn valid_objects_are_never_mended(key in "[a-z]{1,5}", value in ".{0,40}") {
        let text = json!({"command": "x", key: value}).to_string();
        let decoded = decode(&text, &json!({"type": "object"})).unwrap();
        prop_assert!(!decoded.repaired);
        prop_assert_eq!(for_history(&text), text);
    }

    #[test]
    fn every_cut_of_an_object_is_refused_or_loses_no_string(value in "[a-z\"\\\\\n]{1,12}", at in 1usize..60) {
        let text = json!({"command": value.clone()}).to_string();
        let cut: String = text.chars().take(at).collect();
        if let Ok(decoded) = decode(&cut, &schema()) {
            prop_assert_eq!(decoded.value, json!({"command": value}));
        }
    }
}
