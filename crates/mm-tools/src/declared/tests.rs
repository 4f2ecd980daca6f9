use std::os::unix::fs::PermissionsExt;

use super::*;

fn parameter(name: &str, kind: &'static str, required: bool) -> DeclaredParameter {
    let (name, description) = (name.to_owned(), String::new());
    DeclaredParameter { name, kind, description, values: None, required, default: None }
}

fn tool(parameters: Vec<DeclaredParameter>, command: &[&str]) -> Declared {
    let declaration = Declaration {
        name: "release".into(),
        description: "Prepares a release.\n".into(),
        parameters,
        command: command.iter().map(|entry| (*entry).to_owned()).collect(),
        timeout: Duration::from_secs(5),
        timeout_text: "5s".into(),
        env_remove: vec!["SECRET_KEY".into()],
    };
    Declared::new(declaration, ProcessRunner::new())
}

#[test]
fn the_model_reads_what_the_user_wrote_and_what_it_must_give() {
    let mut channel = parameter("channel", "string", true);
    channel.values = Some(vec![json!("stable"), json!("beta")]);
    channel.description = "Where to.".into();
    let mut dry = parameter("dryRun", "boolean", false);
    dry.default = Some(json!(false));
    let release = tool(vec![parameter("version", "string", true), channel, dry], &["x"]);
    let definition = release.definition();
    assert_eq!(definition.description, "Prepares a release.\nRequired parameters: version, channel");
    let expected = r#"{"type":"object","properties":{"version":{"type":"string"},"channel":{"type":"string","description":"Where to.","enum":["stable","beta"]},"dryRun":{"type":"boolean"}},"required":["version","channel"]}"#;
    assert_eq!(definition.parameters.to_string(), expected);
    let bare = tool(vec![], &["x"]);
    assert_eq!(bare.definition().description, "Prepares a release.");
    assert_eq!(bare.definition().parameters.to_string(), r#"{"type":"object","properties":{}}"#);
    assert!(release.preview(&json!({"version": "1"}), &ToolContext::new("/")).mutating);
}

#[tokio::test]
async fn a_value_is_one_argument_whatever_it_holds() {
    let mut times = parameter("times", "integer", false);
    times.default = Some(json!(3));
    let parameters = vec![parameter("text", "string", true), times, parameter("last", "string", false)];
    let show = tool(parameters, &["printf", "<%s>", "{{text}}", "n={{times}}", "{{last}}"]);
    let rows = [
        (json!({"text": "a; rm -rf $HOME `id` \"'"}), "<a; rm -rf $HOME `id` \"'><n=3>"),
        (json!({"text": "--help", "times": "7", "last": ""}), "<--help><n=7><>"),
        (json!({"text": "{{times}}", "times": 1.0, "last": null}), "<{{times}}><n=1>"),
        (json!({"text": "a\nb"}), "<a\nb><n=3>"),
        (json!({"text": "", "times": 18_446_744_073_709_551_615_u64}), "<><n=18446744073709551615>"),
        (
            json!({"text": "", "times": 18_446_744_073_709_551_616.0}),
            "[error: times has more digits than can be passed on, nothing was run]",
        ),
        (
            json!({"times": 2.5}),
            "[error: the arguments do not fit the tool: \"text\" is a required property; /times: 2.5 is not of type \"integer\"]",
        ),
    ];
    for (args, expected) in rows {
        let output = show.run(&args, &ToolContext::new("/")).await;
        assert_eq!(output.text, expected, "{args}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_named_and_what_fails_says_how() {
    let dir = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str, mode: u32| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    script("fails.sh", "#!/bin/sh\necho half; exit 3\n", 0o755);
    script("plain.sh", "#!/bin/sh\n", 0o644);
    script("env.sh", "#!/bin/sh\necho ${SECRET_KEY-none} $NO_COLOR\n", 0o755);
    let rows = [
        ("./fails.sh", "half\n[exit code: 3]"),
        ("./env.sh", "none 1"),
        ("./plain.sh", "[error: ./plain.sh: not an executable program]"),
        ("./gone.sh", "[error: ./gone.sh: no such program]"),
        ("no-such-program", "[error: no-such-program: no such program]"),
    ];
    for (program, expected) in rows {
        let output = tool(vec![], &[program]).run(&json!({}), &ToolContext::new(dir.path())).await;
        assert_eq!((output.text.as_str(), output.ok), (expected, expected == "none 1"), "{program}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended() {
    let mut slow = tool(vec![], &["sleep", "60"]);
    slow.declaration.timeout = Duration::from_millis(100);
    let output = slow.run(&json!({}), &ToolContext::new("/")).await;
    assert_eq!(output.text, "[error: 5s timeout exceeded]");
}
