//! `mm schema`: Go declarations become a JSON Schema.

use crate::support::{Ran, Sandbox};

const BLOCK: &str = "// Where it lies.\nvar Point = struct {\n\tX, Y float64\n}{}\n";
const COMPACT: &str = r#"{"type":"object","description":"Where it lies.","properties":{"X":{"type":"number"},"Y":{"type":"number"}},"required":["X","Y"],"additionalProperties":false}"#;

fn given(ran: &Ran) -> (&str, &str, Option<i32>) {
    (&ran.stdout, &ran.stderr, ran.code)
}

#[tokio::test]
async fn a_block_comes_from_a_file_from_stdin_or_from_a_configuration() {
    let sandbox = Sandbox::new();
    sandbox.write("point.go", BLOCK);
    let indented: String = BLOCK.lines().map(|line| format!("  {line}\n")).collect();
    sandbox.write("agent.yaml", format!("provider: llamacpp\nmodel: m\nstructuredOutput: |\n{indented}"));
    let compact = format!("{COMPACT}\n");
    for file in ["point.go", "agent.yaml"] {
        let ran = sandbox.run(&["schema", file, "--compact"]).await;
        assert_eq!(given(&ran), (compact.as_str(), "", Some(0)), "{file}");
    }
    for args in [&["schema", "--compact"][..], &["schema", "-compact", "-"]] {
        let ran = sandbox.run_with(args, BLOCK).await;
        assert_eq!(given(&ran), (compact.as_str(), "", Some(0)), "{args:?}");
    }
    let ran = sandbox.run_with(&["schema"], "var Words []string").await;
    let pretty = "{\n  \"type\": \"array\",\n  \"items\": {\n    \"type\": \"string\"\n  }\n}\n";
    assert_eq!(given(&ran), (pretty, "", Some(0)));
}

#[tokio::test]
async fn what_cannot_be_translated_is_told_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write("bytes", b"var X \xff");
    sandbox.write("large", vec![b'\n'; (1 << 20) + 1]);
    sandbox.write("agent.yaml", "provider: llamacpp\nmodel: m\nstructuredOutput: |\n  var X Word\n");
    sandbox.write("plain.yml", "provider: llamacpp\nmodel: m\n");
    sandbox.write("wrong.yaml", "model: ''\nstructuredOutput: var X int\n");
    std::fs::create_dir(sandbox.path().join("folder")).unwrap();
    let word = "there is no type Word: declare it in this block";
    let rows = [
        (
            "agent.yaml",
            format!("[config error: agent.yaml: structuredOutput:1:7: {word} (line 4 of the file)]"),
        ),
        ("plain.yml", "[engine error: plain.yml has no structuredOutput]".to_owned()),
        ("wrong.yaml", "[config error: wrong.yaml: model must not be empty]".to_owned()),
        ("missing.yaml", "[config error: missing.yaml: no such file]".to_owned()),
        ("missing.go", "[engine error: cannot read missing.go: no such file]".to_owned()),
        ("folder", "[engine error: cannot read folder: this is a directory, not a file]".to_owned()),
        ("bytes", "[engine error: bytes is not UTF-8 text]".to_owned()),
        ("large", "[engine error: large has more than 1 MiB]".to_owned()),
    ];
    for (file, expected) in rows {
        let ran = sandbox.run(&["schema", file]).await;
        assert_eq!(given(&ran), ("", format!("{expected}\n").as_str(), Some(1)), "{file}");
    }
    let ran = sandbox.run_with(&["schema"], "\n  var X Word").await;
    assert_eq!(given(&ran), ("", format!("structuredOutput:2:9: {word}\n").as_str(), Some(1)));
    let ran = sandbox.run_with(&["schema"], "").await;
    assert!(ran.stderr.starts_with("structuredOutput: no var declaration: "), "{}", ran.stderr);
    assert_eq!(ran.code, Some(1));
}

/// `mm schema | head -1` is no failure, and what a block holds cannot play with the terminal.
#[tokio::test]
async fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    let types: String = (0..5_000).map(|n| format!("type T{n} struct {{ A []T{} }}\n", n + 1)).collect();
    sandbox.write("long.go", format!("{types}type T5000 int\nvar X T0\n"));
    let mut child = sandbox.command(&["schema", "long.go"]).spawn().unwrap();
    drop(child.stdout.take());
    let ran = crate::support::ended(child).await;
    assert_eq!(given(&ran), ("", "", Some(0)));
    let ran = sandbox.run_with(&["schema"], "var X struct { A, B int `json:\"\x1b[31m\\n\"` }").await;
    assert!(!ran.stderr.contains('\x1b') && ran.stderr.lines().count() == 1, "{}", ran.stderr);
}

#[tokio::test]
async fn the_example_of_the_reference_is_a_schema() {
    for page in ["docs/reference/structured-output.md", "docs/fr/sortie-structuree.md"] {
        let text = std::fs::read_to_string(crate::config::repository().join(page)).unwrap();
        let example = text.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let sandbox = Sandbox::new();
        sandbox.write("agent.yaml", format!("provider: llamacpp\nmodel: m\n{example}"));
        let ran = sandbox.run(&["schema", "agent.yaml"]).await;
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{page}");
        let schema: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(schema["required"], serde_json::json!(["name", "mayor", "nearby"]), "{page}");
    }
}
