use proptest::prelude::*;

use super::*;

#[test]
fn rules_have_the_words_of_the_reference() {
    let rows = [
        ("provider: \"\"", "provider must not be empty"),
        ("model: ''", "model must not be empty"),
        ("contextWindow: -1", "contextWindow must be >= 0"),
        ("maxOutput: 0", "maxOutput must be > 0"),
        ("maxTurns: 0", "maxTurns must be > 0"),
        ("maxTurns: -3", "maxTurns must be > 0"),
        ("previewLines: -1", "previewLines must be >= 0"),
        ("maxRepeatedCalls: -1", "maxRepeatedCalls must be >= 0"),
        ("watchdogTimeout: 0", "watchdogTimeout must be > 0"),
        ("watchdogTimeout: -1s", "watchdogTimeout must be > 0"),
        ("firstTokenTimeout: -1s", "firstTokenTimeout must be >= 0"),
        ("bashTimeout: 0s", "bashTimeout must be > 0"),
        ("permissions: maybe", "permissions must be \"auto\" or \"ask\""),
        ("permissions: \"\"", "permissions must be \"auto\" or \"ask\""),
    ];
    for (text, expected) in rows {
        assert_eq!(problems(text), [expected], "{text}");
    }
    assert_eq!(config("contextWindow: 0\npreviewLines: 0\nmaxRepeatedCalls: 0\n").preview_lines, 0);
}

#[test]
fn a_problem_says_where_and_how_it_is_printed() {
    let problems =
        with("model: x\nmaxTurns: 0\n", &[("AGENT_YOLO", "maybe")], &Overrides::default()).unwrap_err();
    assert_eq!(problems[0].to_string(), "[config error: f: maxTurns must be > 0]");
    assert_eq!(
        (problems[0].line, problems[0].column, problems[0].key.as_deref()),
        (Some(2), Some(11), Some("maxTurns"))
    );
    assert_eq!(problems[1].to_string(), "[config error: f: AGENT_YOLO=\"maybe\": must be true or false]");
    assert_eq!((problems[1].line, problems[1].key.as_deref()), (None, Some("yolo")));
    let defaults =
        Config::defaults(&Environment::from_iter([("AGENT_ASK_USER", "2")]), &Overrides::default());
    let lines: Vec<_> = defaults.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["[config error: <defaults>: AGENT_ASK_USER=\"2\": must be true or false]"]);
}

#[test]
fn a_line_end_in_a_placeholder_does_not_break_the_line() {
    let text = "tools: [{name: a, description: d, command: [c, \"{{x\\ry}}\"]}]";
    assert_eq!(problems(text), [r"tools[0] (a).command: {{x\ry}} is not a declared parameter"]);
}

#[test]
fn no_problem_hides_another() {
    let rows: [(&str, &[&str]); 8] = [
        (
            "mcp: {servers: {a: {command: x, envFile: a, env_file: b}}}\nmaxTurns: 0\nbashTool: 3\nguard: {denyPatterns: ['(']}",
            &["env_file", "maxTurns", "bashTool", "denyPatterns"],
        ),
        (
            "mcp: {servers: {a: {}, a.b: {}, 'a[0]': {}, c: {}}}",
            &["servers.a must", "servers.a.b must", "servers.a[0] must", "servers.c must"],
        ),
        (
            "tools:\n- {name: a, description: d, command: [c]}\n- {name: a, description: d, command: [c], timeout: 5}",
            &["already called", "timeout"],
        ),
        ("mmConfigs: {a: {path: p, command: [c], yolo: 3}}", &["cannot both", "yolo"]),
        ("mcp: {servers: {a: {enabled: 3}}}", &["must have a command", "enabled"]),
        (
            "lsp: {servers: [{name: a, command: b, extensions: [.x]}, {name: c, command: d, extensions: [y, .x]}]}",
            &["already served", "start with a dot"],
        ),
        ("tools: [{name: a, description: d, command: [c, '{{a}}{{b}}']}]", &["{{a}} is not", "{{b}} is not"]),
        (
            "tools: [{name: a, description: d, parameters: {v: {}}, command: [c, '{{ v }}']}]",
            &["{{ v }} is not a declared parameter"],
        ),
    ];
    for (text, parts) in rows {
        let told = problems(text);
        assert_eq!(told.len(), parts.len(), "{text}{told:#?}");
        for part in parts {
            assert!(told.iter().any(|line| line.contains(part)), "{part} {told:#?}");
        }
    }
    let long = "k".repeat(70);
    let text = format!("mcp: {{servers: {{{long}1: {{}}, {long}2: {{}}}}}}");
    assert_eq!(problems(&text).len(), 2, "names that are alike for 60 letters");
}

#[test]
fn patterns_have_limits() {
    let long = format!("guard: {{denyPatterns: ['{}']}}", "a".repeat(501));
    assert_eq!(problems(&long), ["line 1: guard.denyPatterns[0] is longer than 500 bytes"]);
    let many = format!("guard: {{allowPatterns: [{}]}}", "a, ".repeat(101));
    assert_eq!(problems(&many), ["line 1: guard.allowPatterns has more than 100 patterns"]);
}

#[test]
fn problems_of_all_kinds_come_in_file_order() {
    let text = "yolo: on\nmaxTurns: 0\nmodel: a\nbashTimeout: 5\nmodel: b\nsampling: [1]\nprovider: ''\n";
    let env = [("AGENT_YOLO", "x"), ("AGENT_ASK_USER", "y")];
    assert_eq!(
        problems_with(text, &env),
        [
            "line 1, column 7: yolo must be true or false, not \"on\" (which is text in YAML 1.2: write true)",
            "maxTurns must be > 0",
            "line 4, column 14: bashTimeout must be a duration with a unit, not 5: write 5s for seconds",
            "line 5, column 1: model is already set on line 3",
            "line 6, column 11: sampling must be a mapping, not a list",
            "provider must not be empty",
            "AGENT_ASK_USER=\"y\": must be true or false",
            "AGENT_YOLO=\"x\": must be true or false",
        ]
    );
}

/// A line of a file: a known key or another, with any value.
fn line() -> impl Strategy<Value = String> {
    let keys: Vec<String> =
        super::types::top_keys().into_iter().chain(["yoloo".into(), "<<".into()]).collect();
    let values = [
        "",
        "1",
        "-1",
        "0",
        "1.5",
        "yes",
        "true",
        "[1, x]",
        "{a: 1}",
        "20s",
        "&a b",
        "*a",
        "''",
        "ask",
        ".nan",
        "[{name: bash, parameters: {a: {}, a: {}}}]",
        "{x: [{}], enabled: 1}",
        "{servers: [{name: x}, {name: y}]}",
        "{preAsk: [{timeout: 0}], e: 1}",
    ];
    (prop::sample::select(keys), prop::sample::select(values.to_vec()))
        .prop_map(|(key, value)| format!("{key}: {value}\n"))
}

proptest! {
    #[test]
    fn problems_come_in_file_order(lines in prop::collection::vec(line(), 0..12)) {
        if let Err(problems) = with(&lines.concat(), &[("AGENT_YOLO", "x")], &Overrides::default()) {
            let places: Vec<_> = problems.iter().map(|p| (p.line.is_none(), p.line, p.column)).collect();
            prop_assert!(places.is_sorted(), "{problems:?}");
            prop_assert!(problems.iter().all(|problem| !problem.to_string().contains('\n')));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = with(&text, &[], &Overrides::default());
    }

    #[test]
    fn no_yaml_like_text_makes_it_panic(text in "([a-c]|[ \t\r\n]|[-:?,\\[\\]{}#&*!|>'\"%@`~<.0]|yolo: |\\PC|\u{FEFF}|\u{85}){0,60}") {
        let _ = with(&text, &[], &Overrides::default());
    }
}
