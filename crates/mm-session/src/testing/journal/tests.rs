use std::path::PathBuf;

use serde_json::{Map, json};

use super::*;
use crate::testing::journal::compare::check_prefixes;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/journals").canonicalize().unwrap()
}

/// `MM_UPDATE_JOURNALS=1` writes what is expected anew.
#[tokio::test]
async fn every_journal_happens_again() {
    let update = std::env::var_os("MM_UPDATE_JOURNALS").is_some();
    let mode = if update { Mode::Update } else { Mode::Check };
    let played = run_folder(&fixtures(), mode, &Place::default()).await.unwrap();
    assert!(played.len() >= 25, "{} journals", played.len());
    let failed: Vec<String> =
        played.into_iter().filter_map(|(_, result)| result.err()).map(|error| error.to_string()).collect();
    assert!(failed.is_empty(), "{} journals failed:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test]
async fn a_journal_happens_anywhere() {
    let place = Place {
        date: "2031-12-24".into(),
        host: "elsewhere".into(),
        cwd: "/somewhere/else".into(),
        home: "/somewhere".into(),
    };
    // The one with the built-in system message, and the one with every placeholder.
    for name in ["a-call-and-an-answer", "two-questions-in-one-conversation"] {
        run(&fixtures().join(format!("{name}.json")), Mode::Check, &place).await.unwrap();
    }
}

/// A journal of one plain answer, with parts of it replaced.
fn plain(changes: Value) -> Value {
    let mut journal = json!({
        "about": "a plain answer",
        "settings": {"model": "m", "system": "", "provider": "ollama"},
        "question": "Which colour is the sky?",
        "replies": [{"lines": [
            r#"data: {"choices":[{"delta":{"content":"Blue."},"finish_reason":"stop"}]}"#, "data: [DONE]"
        ]}],
        "expect": {
            "requests": [{
                "model": "m",
                "messages": [{"role": "user", "content": "Which colour is the sky?"}],
                "stream": true,
                "stream_options": {"include_usage": true}
            }],
            "events": [
                {"event": "turn_started", "question": "Which colour is the sky?"},
                {"event": "waiting"},
                {"event": "text", "text": "Blue."},
                {"event": "turn_ended", "outcome": "answered", "usage": {}}
            ],
            "history": [
                {"role": "user", "content": "Which colour is the sky?"},
                {"role": "assistant", "content": "Blue."}
            ],
            "outcome": {"answer": "Blue."},
            "statistics": {"tool_calls": 0, "usage": {}}
        }
    });
    for (pointer, value) in changes.as_object().unwrap() {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match journal.pointer_mut(parent).unwrap() {
            Value::Object(map) if value.is_null() => drop(map.shift_remove(key)),
            Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
            Value::Array(list) if value.is_null() => drop(list.remove(key.parse().unwrap())),
            Value::Array(list) => list.push(value.clone()),
            _ => panic!("{pointer}"),
        }
    }
    journal
}

/// What [`run`] says of a journal, without the name of the file.
async fn told(journal: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.json");
    std::fs::write(&path, journal.to_string()).unwrap();
    match run(&path, Mode::Check, &Place::default()).await {
        Ok(()) => String::new(),
        Err(error) => {
            let told = error.to_string();
            told.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
        }
    }
}

/// Rows of (what is changed in a journal that is right, what is told).
#[tokio::test]
async fn the_first_difference_is_told_with_its_place() {
    let long = format!("{}end", "a".repeat(100));
    let rows = [
        (json!({}), String::new()),
        (
            json!({"/expect/requests/0/model": "other"}),
            "/expect/requests/0/model\n  expected: \"other\"\n  found:    \"m\"".into(),
        ),
        (
            json!({"/expect/requests/0/stream_options/a~b": 1}),
            "/expect/requests/0/stream_options/a~0b\n  expected: 1\n  found:    nothing".into(),
        ),
        (
            json!({"/expect/requests/0/stream": null}),
            "/expect/requests/0/stream\n  expected: nothing\n  found:    true".into(),
        ),
        // Removed and put at the end: the same keys in another order.
        (
            json!({"/expect/requests/0/model": null, "/expect/requests/0/ model": null}),
            "/expect/requests/0/model\n  expected: nothing\n  found:    \"m\"".into(),
        ),
        (
            json!({"/expect/events/1": null}),
            "/expect/events/1/event\n  expected: \"text\"\n  found:    \"waiting\"".into(),
        ),
        (
            json!({"/expect/history/2": {"role": "user"}}),
            "/expect/history/2\n  expected: {\"role\":\"user\"}\n  found:    nothing".into(),
        ),
        (
            json!({"/expect/outcome": {"error": "boom"}}),
            "/expect/outcome/error\n  expected: \"boom\"\n  found:    nothing".into(),
        ),
        (
            json!({"/expect/statistics/tool_calls": 1}),
            "/expect/statistics/tool_calls\n  expected: 1\n  found:    0".into(),
        ),
        (
            json!({"/question": long, "/expect/requests/0/messages/0": null,
                "/expect/requests/0/messages/1": {"role": "user", "content": format!("{}e", "a".repeat(100))}}),
            format!(
                "/expect/requests/0/messages/0/content\n  expected: …\"{0}e\"\n  found:    …\"{0}end\"",
                "a".repeat(39)
            ),
        ),
    ];
    for (changes, expected) in rows {
        assert_eq!(told(&plain(changes.clone())).await, expected, "{changes}");
    }
    let mut shuffled = plain(json!({}));
    let request = shuffled.pointer_mut("/expect/requests/0").unwrap().as_object_mut().unwrap();
    let model = request.shift_remove("model").unwrap();
    request.insert("model".into(), model);
    let expected = "/expect/requests/0\n  \
        expected: [\"messages\",\"stream\",\"stream_options\",\"model\"]\n  \
        found:    [\"model\",\"messages\",\"stream\",\"stream_options\"]";
    assert_eq!(told(&shuffled).await, expected, "the order of keys is part of the bytes");
}

#[tokio::test]
async fn what_cannot_be_played_is_told() {
    let call = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
    let look =
        json!({"name": "look", "description": "Looks.", "parameters": {"type": "object"}, "mutating": true});
    let calling = |changes: Value| {
        let mut all = json!({"/settings/tools": [look], "/replies/0": null, "/replies/1": {"lines": [call]}});
        all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        plain(all)
    };
    let rows = [
        (plain(json!({"/prompt": "?"})), "unknown field `prompt`"),
        (plain(json!({"/settings/trust": true})), "unknown field `trust`"),
        (plain(json!({"/expect/answer": "?"})), "unknown field `answer`"),
        (plain(json!({"/expect": null})), "it expects nothing: have it written, and read it"),
        (plain(json!({"/question": null})), "it has either question or questions"),
        (plain(json!({"/questions": ["?"]})), "it has either question or questions"),
        (plain(json!({"/settings/provider": "nobody"})), "there is no provider nobody"),
        (plain(json!({"/settings/tools": [look, look]})), "another tool is already called \"look\""),
        (plain(json!({"/replies/1": {"status": 500}})), "a reply has either lines or body"),
        (plain(json!({"/replies/1": {"lines": [], "end": "hold"}})), "a reply that holds needs interrupt_at"),
        (plain(json!({"/replies/1": {"lines": []}})), "reply 1 was never asked for"),
        (plain(json!({"/replies": []})), "request 0 has no reply"),
        (plain(json!({"/results": [{"id": "a"}]})), "a result has either ok or error"),
        (plain(json!({"/results": [{"ok": "a"}]})), "1 of the results were not needed"),
        (plain(json!({"/confirmations": ["once"]})), "1 of the confirmations were not needed"),
        (plain(json!({"/interrupt_at": 9})), "there is no event 9 to interrupt at"),
        (calling(json!({"/settings/max_turns": 1})), "there is no result for look (a)"),
        (calling(json!({"/settings/max_turns": 1, "/settings/yolo": false})), "1 confirmations are missing"),
    ];
    for (journal, expected) in rows {
        let told = told(&journal).await;
        assert!(told.starts_with(expected), "{told}\n{expected}");
    }
    let missing = run(&fixtures().join("none.json"), Mode::Check, &Place::default()).await.unwrap_err();
    assert!(matches!(missing, JournalError::Unreadable { .. }), "{missing}");
}

#[test]
fn a_request_must_begin_with_the_one_before() {
    let body = |messages: &str, end: &str| format!(r#"{{"model":"m","messages":{messages}{end}}}"#);
    let one = || body(r#"[{"a":1}]"#, r#","tools":[1],"stream":true"#);
    let rows = [
        (vec![], ""),
        (vec![one()], ""),
        (vec![one(), one(), body(r#"[{"a":1},{"a":2}]"#, r#","tools":[1]"#)], ""),
        (
            vec![one(), body(r#"[{"a":2}]"#, r#","tools":[1]"#)],
            "request 1 leaves the bytes of request 0 at byte 30, in its messages",
        ),
        (vec![one(), one(), body(r#"[{"a":1}]"#, "")], "request 2 declares other tools than request 1"),
        (vec!["{}".into()], "a request has no messages"),
    ];
    for (bodies, expected) in rows {
        let told = check_prefixes(&bodies).err().map(|error| error.of(Path::new("f")).to_string());
        let expected = if expected.is_empty() { None } else { Some(format!("f: {expected}")) };
        assert_eq!(told, expected, "{bodies:?}");
    }
}

#[test]
fn what_fits_into_a_line_stands_in_one() {
    let long = "x".repeat(110);
    let value = json!({"a": [1, {"b": null}], "c": [long, {}], "d": {}, "é": "\"\n"});
    let expected = format!(
        "{{\n  \"a\": [1, {{\"b\": null}}],\n  \"c\": [\n    \"{long}\",\n    {{}}\n  ],\n  \"d\": {{}},\n  \"é\": \"\\\"\\n\"\n}}\n"
    );
    let text = layout::pretty(&value);
    assert_eq!(text, expected);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
}

#[tokio::test]
async fn an_update_makes_any_journal_pass() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.json");
    for journal in [plain(json!({"/expect": null})), plain(json!({"/expect/outcome": {"answer": "?"}}))] {
        std::fs::write(&path, journal.to_string()).unwrap();
        run(&path, Mode::Update, &Place::default()).await.unwrap();
        run(&path, Mode::Check, &Place::default()).await.unwrap();
        let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(written, plain(json!({})), "what was right is the same again, and what is given stays");
    }
}

/// A journal of another program, in its own form, from the folder that `MM_EXTRA_CASES` names: the system text and
/// the tools that its model saw, the bytes of its server, and the messages that both must send.
///
/// What has no place here: its roles and capabilities, its contract (`criteria`, `verifier`), which it keeps outside
/// of the messages, and of its log the counts.
#[tokio::test]
async fn a_turn_of_another_program_is_the_same_here() {
    let Some(folder) = std::env::var_os("MM_EXTRA_CASES") else {
        eprintln!("skipped: MM_EXTRA_CASES names no folder");
        return;
    };
    let seeds = std::fs::read_dir(Path::new(&folder).join("seeds")).unwrap().flatten();
    let seed = seeds.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("/003_")).unwrap();
    let theirs: Value = serde_json::from_str(&std::fs::read_to_string(seed).unwrap()).unwrap();
    let request = &theirs["expect"]["requests"][0];
    let own = ["model", "messages", "tools", "stream", "stream_options"];
    let sampling: Map<String, Value> = request
        .as_object()
        .unwrap()
        .clone()
        .into_iter()
        .filter(|(key, _)| !own.contains(&key.as_str()))
        .collect();
    let tool = |tool: &Value| {
        let mut tool = tool["function"].clone();
        tool["mutating"] = json!(true);
        tool
    };
    let tools: Vec<Value> = theirs["view"]["tools"].as_array().unwrap().iter().map(tool).collect();
    let ours =
        |text: &Value| text.as_str().unwrap().replace("{{DATE}}", "<date>").replace("{{HOST}}", "<host>");
    let journal = json!({
        "about": theirs["name"],
        "settings": {
            // It asks for no reports on reading the prompt.
            "provider": "ollama",
            "model": request["model"],
            "system": ours(&theirs["view"]["prefix"]),
            "sampling": sampling,
            "tools": tools
        },
        "question": theirs["send"]["message"],
        "replies": theirs["replies"]
    });
    assert_eq!(theirs["view"]["head"], json!([]), "no messages stand before the question");
    let journal: Journal = serde_json::from_value(journal).unwrap();
    let happened = play(&journal, &Place::default()).await.unwrap();

    let mut expected = theirs["expect"]["requests"].clone();
    expected[0]["messages"][0]["content"] = ours(&request["messages"][0]["content"]).into();
    assert_eq!(Value::from(happened.requests), expected);
    assert_eq!(happened.history[0]["role"], "system");
    assert_eq!(Value::from(&happened.history[1..]), theirs["expect"]["messages"]);
    let log = |key: &str| {
        let lines = theirs["expect"]["log"].as_array().unwrap();
        lines.iter().find_map(|line| line.get(key)).cloned().unwrap()
    };
    assert_eq!(happened.outcome, json!({"answer": log("content")}));
    assert_eq!(happened.events.first(), Some(&json!({"event": "turn_started", "question": log("user")})));
    assert_eq!(happened.statistics, json!({"tool_calls": 0, "usage": {"prompt": 100, "completion": 5}}));
}
