use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(moment: Moment, output: &str) -> Result<Reply, String> {
    Reply::read(moment, output.as_bytes(), 10).map_err(|failure| failure.to_string())
}

/// Rows of (moment, output, what it says).
#[test]
fn each_field_has_its_effect() {
    use Moment::*;
    let reply = Reply::default;
    let text = |text: &str| Some(text.to_owned());
    let deny = |reason: &str| Reply { decision: Decision::Deny { reason: reason.into() }, ..reply() };
    let rows = [
        (PreToolCall, "", reply()),
        (PreToolCall, " \r\n\t", reply()),
        (PreToolCall, "{}", reply()),
        (PreToolCall, r#"{"decision": "allow"}"#, reply()),
        (PreToolCall, r#"{"decision": null, "arguments": null, "context": ""}"#, reply()),
        (PreToolCall, r#"{"decision": "ask"}"#, Reply { decision: Decision::Ask, ..reply() }),
        (PreToolCall, r#"{"reason": "no", "decision": "deny"}"#, deny("no")),
        (PreToolCall, r#"{"reason": "not\n\n  that\n", "decision": "deny"}"#, deny("not that")),
        (PreAsk, r#"{"decision": "deny"}"#, deny("it gives no reason")),
        (PreGeneration, r#"{"decision": "deny", "reason": " "}"#, deny("it gives no reason")),
        (PreGeneration, r#"{"prompt": "p"}"#, Reply { prompt: text("p"), ..reply() }),
        (PreAsk, "{\"prompt\": \"p\"}\n", Reply { prompt: text("p"), ..reply() }),
        (
            PreToolCall,
            r#"{"arguments": {"a": 1}, "context": "c"}"#,
            Reply { arguments: Some(json!({"a": 1})), context: text("c"), ..reply() },
        ),
        (
            PostToolCall,
            r#"{"result": "", "context": "é", "decision": "allow"}"#,
            Reply { result: text(""), context: text("é"), ..reply() },
        ),
        (PostAsk, r#"{"answer": "a"}"#, Reply { answer: text("a"), ..reply() }),
        (
            PostToolCall,
            r#"{"result": "0123456789abc"}"#,
            Reply {
                result: text("01234\n[… 3 characters left out: a hook said too much …]\n89abc"),
                ..reply()
            },
        ),
        (PostGeneration, r#"{"reason": "of nothing"}"#, reply()),
    ];
    for (moment, output, expected) in rows {
        assert_eq!(read(moment, output), Ok(expected), "{moment:?} {output}");
    }
}

/// Rows of (moment, output, why it is none).
#[test]
fn what_is_no_answer_is_a_failure() {
    use Moment::*;
    let unknown = |name: &str, event: &str, known: &str| {
        format!("its output has a field {name:?}, which {event} does not know (known: {known})")
    };
    let tool = "decision, reason, context, arguments";
    let rows = [
        (PreToolCall, r#"{"decision": deny"#, "its output is not one JSON object: expected value at line 1 column 14".into()),
        (PreToolCall, "{}{}", "its output is not one JSON object: trailing characters at line 1 column 3".into()),
        (PreToolCall, "[]", "its output is not one JSON object: invalid type: sequence, expected an object at line 1 column 0".into()),
        (PreToolCall, "null", "its output is not one JSON object: invalid type: null, expected an object at line 1 column 4".into()),
        (PreToolCall, "\"deny\"", "its output is not one JSON object: invalid type: string \"deny\", expected an object at line 1 column 6".into()),
        (PreToolCall, "checking…\n{}", "its output is not one JSON object: expected value at line 1 column 1".into()),
        (
            PreToolCall,
            r#"{"decision": "deny", "decision": "allow"}"#,
            "its output is not one JSON object: \"decision\" stands twice at line 1 column 41".into(),
        ),
        (PreToolCall, r#"{"decision": "maybe"}"#, r#"decision must be "allow", "ask" or "deny", not "maybe""#.into()),
        (PreToolCall, r#"{"decision": "Deny"}"#, r#"decision must be "allow", "ask" or "deny", not "Deny""#.into()),
        (PreGeneration, r#"{"decision": "ask"}"#, r#"decision must be "allow" or "deny", not "ask""#.into()),
        (
            PostToolCall,
            r#"{"decision": "deny"}"#,
            r#"decision must be "allow" where nothing can be refused any more, not "deny""#.into(),
        ),
        (PreToolCall, r#"{"context": 1}"#, "context must be text, not 1".into()),
        (PreToolCall, r#"{"arguments": "ls"}"#, r#"arguments must be an object, not "ls""#.into()),
        (PreGeneration, r#"{"prompt": " "}"#, r#"prompt must be text that is not empty, not " ""#.into()),
        (PreToolCall, r#"{"desicion": "deny"}"#, unknown("desicion", "preToolCall", tool)),
        (PreToolCall, r#"{"prompt": null}"#, unknown("prompt", "preToolCall", tool)),
        (PostToolCall, r#"{"prompt": "p"}"#, unknown("prompt", "postToolCall", "decision, reason, context, result")),
        (PostGeneration, r#"{"context": "c"}"#, unknown("context", "postGeneration", "decision, reason")),
    ];
    for (moment, output, expected) in rows {
        assert_eq!(read(moment, output), Err::<Reply, String>(expected), "{output}");
    }
    let latin = Reply::read(PreToolCall, b"{\"reason\": \"\xe9\"}", 10).unwrap_err().to_string();
    assert_eq!(latin, "its output is not one JSON object: invalid unicode code point at line 1 column 13");
}

#[test]
fn a_huge_reason_is_cut() {
    let output = json!({"decision": "deny", "reason": "é".repeat(900_000)}).to_string();
    let reply = Reply::read(Moment::PreToolCall, output.as_bytes(), 1_000_000).unwrap();
    let Decision::Deny { reason } = reply.decision else { panic!("{:?}", reply.decision) };
    assert!((2_000..2_100).contains(&reason.chars().count()), "{}", reason.chars().count());
}

proptest! {
    #[test]
    fn random_bytes_are_a_failure_or_a_decision(
        bytes in prop::collection::vec(any::<u8>(), 0..200), moment in 0usize..6, near in any::<bool>(),
    ) {
        let moment = Moment::ALL[moment];
        // Half of them look like an answer.
        let output = if near { [b"{\"decision\": ", bytes.as_slice(), b"}"].concat() } else { bytes };
        let is_blank = output.iter().all(u8::is_ascii_whitespace);
        match Reply::read(moment, &output, 100) {
            Ok(reply) => prop_assert!(is_blank || serde_json::from_slice::<Value>(&output).unwrap().is_object(), "{reply:?}"),
            Err(failure) => prop_assert!(!is_blank && !failure.to_string().contains('\n'), "{failure}"),
        }
    }

    #[test]
    fn random_objects_are_a_failure_or_a_decision(
        fields in prop::collection::vec((0usize..8, 0usize..6), 0..5), moment in 0usize..6,
    ) {
        let names = ["decision", "reason", "context", "prompt", "arguments", "result", "answer", "x"];
        let values = [json!("allow"), json!("deny"), json!({}), json!(null), json!(""), json!([1.5])];
        let object: serde_json::Map<String, Value> =
            fields.into_iter().map(|(name, value)| (names[name].to_owned(), values[value].clone())).collect();
        let denies = object.get("decision") == Some(&json!("deny"));
        if let Ok(reply) = Reply::read(Moment::ALL[moment], Value::Object(object).to_string().as_bytes(), 100) {
            prop_assert_eq!(denies, matches!(reply.decision, Decision::Deny { .. }));
        }
    }
}
