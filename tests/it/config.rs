//! The configuration as users meet it: what is wrong with a file, what is in force, the schema, a first file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::support::Sandbox;

/// A row of the table of messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub message: String,
    /// The name that the case has elsewhere.
    pub id: Option<String>,
    pub yaml: String,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub lines: Vec<String>,
    pub schema: Option<String>,
}

pub fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(repository().join("tests/fixtures/config/errors.yaml")).unwrap();
    let cases: Vec<Case> = serde_yaml::from_str(&text).unwrap();
    assert!(cases.len() > 80, "{}", cases.len());
    cases
}

/// Every message of the reference, in the mode in which a mistake would be taken for an answer.
#[tokio::test]
async fn every_message_is_the_line_of_the_reference() {
    let sandbox = Sandbox::new();
    for case in cases() {
        sandbox.write("f.yaml", &case.yaml);
        let expected: String =
            case.lines.iter().map(|line| format!("[config error: f.yaml: {line}]\n")).collect();
        for args in [&["-p", "x", "-c", "f.yaml"][..], &["config", "check", "f.yaml"]] {
            let child = sandbox.command(args).envs(&case.env).spawn().unwrap();
            let ran = crate::support::ended(child).await;
            assert_eq!(ran.stderr, expected, "{:?} {args:?} {}", case.id, case.yaml);
            assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)), "{}", case.yaml);
        }
    }
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&mm_config::json_schema()).unwrap()
}

fn json(yaml: &str) -> Result<serde_json::Value, serde_yaml::Error> {
    let mut value: serde_yaml::Value = serde_yaml::from_str(yaml)?;
    value.apply_merge()?;
    // An empty file.
    Ok(if value.is_null() { serde_json::json!({}) } else { serde_json::to_value(value).unwrap() })
}

fn shipped() -> Vec<(String, String)> {
    let folder = repository().join("examples/agents");
    let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let yaml = files.filter(|path| path.extension().is_some_and(|ext| ext == "yaml"));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut files: Vec<_> = yaml.map(|path| (name(&path), std::fs::read_to_string(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn the_schema_refuses_what_the_loader_refuses() {
    let schema = schema();
    for case in cases() {
        let accepted = json(&case.yaml).is_ok_and(|value| schema.is_valid(&value));
        match &case.schema {
            None => assert!(!accepted, "an editor would not mark this: {}", case.yaml),
            Some(why) if why != "no YAML" && !why.starts_with("no reader") => {
                assert!(accepted, "the schema knows better than \"{why}\": {}", case.yaml);
            }
            Some(_) => {}
        }
    }
    // A wrong type of any key is in the tests of mm-config; here the slips that only an editor minds.
    for text in
        ["yoloo: true", "context: {treshold: 5}", "tools: [{name: a, description: d, command: [c], x: 1}]"]
    {
        assert!(!schema.is_valid(&json(text).unwrap()), "{text}");
    }
}

#[test]
fn the_schema_accepts_what_the_loader_accepts() {
    let schema = schema();
    let files = shipped();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "agent.dmr.yaml",
            "agent.llamacpp.yaml",
            "agent.llmman.yaml",
            "agent.lsp.yaml",
            "agent.ollama.yaml",
            "agent.yaml",
            "declared-tools.yaml",
            "hooks.yaml",
            "try.yaml"
        ]
    );
    let more = [
        "",
        "x-slow: &slow 10m\nbashTimeout: *slow",
        "system: ~\nsampling: {max_tokens: ~, chat_template_kwargs: {enable_thinking: false}}",
        "tools: ~\nlsp: {servers: ~}\nhooks: ~\nmmConfigs: ~\nmcp: ~",
        "firstTokenTimeout: 0\nwatchdogTimeout: 1.5h\nbashTimeout: 250ms",
        "agentsMd: {enabled: false, path: ''}\ntrace: {dir: ''}",
        "mmConfigs: {a: a.yaml, b-2: {path: b, yolo: true, askUser: ~}, c: {command: [gemini, --acp], description: d}}",
        "hooks: {preGeneration: [{command: c}], postToolCall: [{command: c}], postGeneration: [{command: [c], timeout: 1s}], preAsk: []}",
        "model: 123\nsystem: true\nmcp: {servers: {a: {command: 5, args: [5], env: {PORT: 8080}}}}\nmmConfigs: {a: 5}",
        "hooks: {preToolCall: [{command: c, matcher: 'bash|plan', timeout: 1m, onError: fail}], postAsk: [{command: [a, b]}]}",
        "tools: [{name: a, description: d, command: [c, '{{p}}', '{{q}}'], parameters: {p: {type: integer, enum: [1, 2]}, q: {required: false, default: x}}, timeout: 0}]",
        "mcp: {servers: {a: {command: c, env: {A: b}, env_file: e}, b: {type: sse, url: u, headers: {X: y}}}, discovery: {enabled: true, useBm25: false, useRegex: true}}",
        "guard: {askRisky: true, denyPatterns: ['^rm'], allowPatterns: []}",
        "permissions: ask",
    ];
    let texts = files.iter().map(|(_, text)| text.as_str()).chain(more);
    for text in texts {
        let value = json(text).unwrap();
        let told: Vec<String> =
            schema.iter_errors(&value).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert_eq!(told, Vec::<String>::new(), "{text}");
        let none = (mm_config::Environment::default(), mm_config::Overrides::default());
        let config = mm_config::Config::from_yaml(text, "f", &none.0, &none.1).unwrap();
        assert_eq!(config.unknown_keys, [], "{text}");
    }
}

#[test]
fn the_shipped_files_are_as_the_reference_says() {
    let files: BTreeMap<_, _> = shipped().into_iter().collect();
    let load = |name: &str| {
        let none = (mm_config::Environment::default(), mm_config::Overrides::default());
        let config = mm_config::Config::from_yaml(&files[name], name, &none.0, &none.1).unwrap();
        assert_eq!(config.warnings, Vec::<String>::new(), "{name}");
        config
    };
    for (name, text) in &files {
        assert!(text.starts_with("# yaml-language-server: $schema=agent.schema.json\n"), "{name}");
    }
    assert_eq!(files["agent.yaml"], files["agent.dmr.yaml"]);
    let dmr = load("agent.dmr.yaml");
    assert_eq!((dmr.provider.as_str(), dmr.max_turns, dmr.display_commands), ("dmr", 40, true));
    assert_eq!((dmr.context.enabled, dmr.sampling["parallel_tool_calls"].as_bool()), (false, Some(false)));
    let system = dmr.system.unwrap();
    assert!(system.contains("You are Bob") && system.contains("read_skill") && system.contains("edit_file"));
    for (name, provider) in [("llamacpp", "llamacpp"), ("ollama", "ollama"), ("llmman", "llmman")] {
        let config = load(&format!("agent.{name}.yaml"));
        let preset = mm_llm::preset(provider).unwrap();
        assert_eq!((config.provider.as_str(), config.base_url.as_str()), (provider, preset.base_url));
        assert_eq!((config.fallback.as_deref(), config.context.enabled), (Some(""), true), "{name}");
        assert_eq!(config.system.as_deref(), Some(system.as_str()));
    }
    let lsp = load("agent.lsp.yaml");
    assert_eq!((lsp.provider.as_str(), lsp.lsp.servers[0].command.as_str()), ("dmr", "gopls"));
    assert!(lsp.system.unwrap().contains("use lsp"));
}

#[tokio::test]
async fn the_schema_is_printed_and_shipped() {
    let ran = Sandbox::new().run(&["config", "schema"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let file = repository().join("examples/agents/agent.schema.json");
    if std::env::var_os("MM_UPDATE_DOCS").is_some() {
        std::fs::write(&file, &ran.stdout).unwrap();
    }
    let shipped = std::fs::read_to_string(file).unwrap();
    assert!(ran.stdout == shipped, "MM_UPDATE_DOCS=1 writes it anew");
}

#[tokio::test]
async fn check_lists_everything_there_is_to_say() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "agent.yaml",
        "modle: x\npermissions: ask\nmmConfigs: {bob: bob.yaml}\ncontext: {zzz: 1}\n\
         tools: [{name: t, description: d, parameters: {f: {}}, command: [cat, '{{f}}']}]\n",
    );
    let ran = sandbox.run(&["config", "check"]).await;
    let bob = sandbox.path().canonicalize().unwrap().join("bob.yaml");
    insta::assert_snapshot!(ran.stdout.replace(bob.to_str().unwrap(), "BOB"), @r#"
    agent.yaml: line 1, column 1: unknown key modle — did you mean model?
    agent.yaml: line 4, column 11: unknown key context.zzz
    agent.yaml: warning: line 2: permissions: ask is deprecated — use yolo: false instead (true runs tools without asking, false asks before each change)
    agent.yaml: warning: line 3: mmConfigs.bob: BOB does not exist
    agent.yaml: warning: no effect yet in mm 0.1.0: mmConfigs
    agent.yaml: hint: line 5: tools[0] (t).command[1]: a value of f that begins with - would be read as an option — put "--" before "{{f}}" if the program knows it
    agent.yaml: valid, 2 unknown keys, 3 warnings, 1 hint
    "#);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));

    let broken = sandbox.write("broken.yaml", "yolo: yes\nmodle: x\nmaxTurns: 0\n");
    for args in [
        &["config", "check", "broken.yaml"][..],
        &["-c", "broken.yaml", "config", "check"],
        &["config", "check", "-config", "broken.yaml"],
    ] {
        let ran = sandbox.run(args).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.stderr, @r#"
            [config error: broken.yaml: line 1, column 7: yolo must be true or false, not "yes" (which is text in YAML 1.2: write true)]
            [config error: broken.yaml: maxTurns must be > 0]
            broken.yaml: line 2, column 1: unknown key modle — did you mean model?
            "#);
        }
        assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    }
    let ran = sandbox.run(&["config", "check", "--output", "json", broken.to_str().unwrap()]).await;
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(1)));
    assert_eq!(report["valid"], false);
    assert_eq!(report["problems"][1]["message"], "maxTurns must be > 0");
    assert_eq!(
        (&report["problems"][1]["line"], &report["problems"][1]["key"]),
        (&3.into(), &"maxTurns".into())
    );
    assert_eq!(report["unknownKeys"][0]["nearest"], "model");
}

#[tokio::test]
async fn check_finds_what_only_the_start_would_say() {
    let sandbox = Sandbox::new();
    sandbox.write("vendor.yaml", "provider: openai\nzzz: 1\nbaseUrl: x\nmaxTurns: 0\n");
    let child = sandbox.command(&["config", "check", "vendor.yaml"]).env("MM_FALLBACK", "y").spawn().unwrap();
    let ran = crate::support::ended(child).await;
    insta::assert_snapshot!(ran.stderr, @r#"
    [config error: vendor.yaml: maxTurns must be > 0]
    [engine error: unknown provider "openai" (known: dmr, llamacpp, llmman, ollama) — provider: line 1]
    [engine error: x cannot be used as an end point: it must begin with http:// or https:// — baseUrl: line 3]
    [engine error: y cannot be used as an end point: it must begin with http:// or https:// — fallback: MM_FALLBACK]
    vendor.yaml: line 2, column 1: unknown key zzz
    "#);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    let ran = sandbox.run(&["config", "check", "nowhere.yaml"]).await;
    assert_eq!(ran.stderr, "[config error: nowhere.yaml: no such file]\n");
    let ran = sandbox.run(&["config", "check"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("<defaults>: valid\n", Some(0)));
}

#[tokio::test]
async fn show_prints_what_is_in_force_and_why() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "agent.yaml",
        "provider: llamacpp\nbashTool: false\nsystem: |\n  One.\n  Two.\nsampling: {max_tokens: ~}\n",
    );
    let command = |args: &[&str]| {
        let mut command = sandbox.command(args);
        command.env("MM_MAX_TURNS", "7").env("AGENT_YOLO", "0");
        command.spawn().unwrap()
    };
    let ran = crate::support::ended(command(&["config", "show", "--model", "qwen3:8b"])).await;
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let has = |line: &str| assert!(lines.contains(&line), "{line}\n{}", ran.stdout);
    assert_eq!(lines[0], "# agent.yaml");
    has("provider: llamacpp  # line 1");
    has("model: qwen3:8b  # --model");
    has("#baseUrl: http://127.0.0.1:8080/v1  # default of llamacpp");
    has("#fallback: \"\"  # default of llamacpp");
    has("#apiKeyEnv: LLAMA_API_KEY  # default of llamacpp");
    has("maxTurns: 7  # MM_MAX_TURNS");
    has("yolo: false  # AGENT_YOLO");
    has("system: |2  # line 3");
    has("  max_tokens: null  # line 6");
    has("  temperature: 0.0  # default");
    // What is shown means the same.
    sandbox.write("again.yaml", &ran.stdout);
    let again = sandbox.run(&["config", "show", "--output", "json", "again.yaml"]).await;
    let first =
        crate::support::ended(command(&["config", "show", "--model", "qwen3:8b", "--output", "json"])).await;
    let values = |text: &str| -> Vec<(String, serde_json::Value)> {
        let settings: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
        settings.into_iter().map(|s| (s["key"].as_str().unwrap().to_owned(), s["value"].clone())).collect()
    };
    assert_eq!(values(&again.stdout), values(&first.stdout));
    let ran = sandbox.run(&["config", "show", "/dev/null"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    // Without a file the built-in system prompt is shown too.
    let ran = Sandbox::new().run(&["config", "show"]).await;
    assert!(
        ran.stdout.starts_with("# <defaults>\n")
            && ran.stdout.contains("#system: |2-  # built in\n#  You are mm"),
        "{}",
        ran.stdout
    );
}

#[tokio::test]
async fn init_writes_a_file_that_is_valid_and_overwrites_nothing() {
    for provider in ["dmr", "llamacpp", "llmman", "ollama"] {
        let sandbox = Sandbox::new();
        let ran = sandbox.run(&["config", "init", "--provider", provider]).await;
        assert_eq!(
            ran.stdout,
            format!("agent.yaml written for {provider}; agent.schema.json describes it to your editor\n"),
            "{}",
            ran.stderr
        );
        let text = std::fs::read_to_string(sandbox.path().join("agent.yaml")).unwrap();
        assert!(text.contains(&format!("\nprovider: {provider}\n")));
        let check = sandbox.run(&["config", "check"]).await;
        assert_eq!(check.code, Some(0), "{}", check.stderr);
        let schema = std::fs::read_to_string(sandbox.path().join("agent.schema.json")).unwrap();
        assert!(schema.starts_with("{\n"));

        let again = sandbox.run(&["config", "init"]).await;
        assert_eq!(
            (again.stderr.as_str(), again.stdout.as_str(), again.code),
            (
                "[engine error: agent.yaml is there already, and nothing is overwritten — name another file]\n",
                "",
                Some(1)
            )
        );
        assert_eq!(std::fs::read_to_string(sandbox.path().join("agent.yaml")).unwrap(), text);
        let other = sandbox.run(&["config", "init", "other.yaml"]).await;
        assert_eq!(
            other.stdout,
            "other.yaml written for dmr; agent.schema.json is there already and stays as it is\n"
        );
    }
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["config", "init", "--provider", "openai"]).await;
    assert_eq!(
        ran.stderr,
        "[engine error: unknown provider \"openai\" (known: dmr, llamacpp, llmman, ollama)]\n"
    );
    let ran = sandbox
        .run(&["config", "init", "no/such/agent.yaml", "--model", "a: b", "--base-url", "http://h/v1"])
        .await;
    assert_eq!(ran.code, Some(0), "a directory that is missing is made: {}", ran.stderr);
    let show = sandbox.run(&["config", "show", "no/such/agent.yaml"]).await.stdout;
    assert!(
        show.contains("\nmodel: \"a: b\"  # line") && show.contains("\nbaseUrl: http://h/v1  # line"),
        "{show}"
    );
    sandbox.write("file", "");
    let ran = sandbox.run(&["config", "init", "file/agent.yaml"]).await;
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "[engine error: cannot write file/agent.yaml: not a directory]\n");
    std::os::unix::fs::symlink("nowhere", sandbox.path().join("agent.yaml")).unwrap();
    let ran = sandbox.run(&["config", "init"]).await;
    assert!(ran.stderr.contains("agent.yaml is there already"), "{}", ran.stderr);
}

/// Files that are no configuration: one line each, and nothing else happens.
#[tokio::test]
async fn odd_files_are_one_line() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path().join("folder")).unwrap();
    let utf16: Vec<u8> = "\u{FEFF}yolo: true\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bomb: String = (1..=9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let alias = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("{text}a{level}: &a{level} [{alias}]\n")
    });
    let files: [(&str, Vec<u8>); 9] = [
        ("utf16", utf16),
        ("binary", vec![0x7F, b'E', b'L', b'F', 0, 1, 2]),
        ("latin1", b"system: caf\xE9\n".to_vec()),
        ("large", vec![b'#'; 10 << 20]),
        ("tabs", b"context:\n\tenabled: true\n".to_vec()),
        ("deep", vec![b'['; 1 << 20]),
        ("braces", "{a: ".repeat(1 << 18).into_bytes()),
        ("bomb", bomb.into_bytes()),
        ("number", b"42".to_vec()),
    ];
    for (name, bytes) in &files {
        sandbox.write(name, bytes);
    }
    std::fs::set_permissions(
        sandbox.write("secret", "yolo: true\n"),
        std::os::unix::fs::PermissionsExt::from_mode(0o000),
    )
    .unwrap();
    let expected = [
        ("folder", "this is a directory, not a file"),
        ("utf16", "the file is UTF-16: save it as UTF-8"),
        ("binary", "line 1, column 5: this is a binary file, not YAML text"),
        ("latin1", "line 1, column 12: this is not UTF-8 text"),
        ("large", "line 1, column 1048577: the file is larger than 1 MiB"),
        ("tabs", "line 2, column 1: this is not valid YAML: a tab cannot stand here — indent with spaces"),
        ("deep", "line 1, column 256: lists and mappings are nested more than 64 deep"),
        ("braces", "line 1, column 1021: lists and mappings are nested more than 64 deep"),
        ("number", "line 1, column 1: the file must be a mapping, not 42"),
        ("/dev/zero", "this is not a regular file"),
    ];
    for (name, words) in expected {
        let ran = sandbox.run(&["config", "check", name]).await;
        assert_eq!(ran.stderr, format!("[config error: {name}: {words}]\n"));
        assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    }
    let ran = sandbox.run(&["-p", "x", "-c", "bomb"]).await;
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(
        ran.stderr
            .ends_with("the file has more than 10,000 values, those that aliases stand for included]\n")
    );
    for (name, words) in [("empty", "empty: valid\n"), ("null", "null: valid\n")] {
        sandbox.write(name, if name == "empty" { "" } else { "~\n" });
        assert_eq!(sandbox.run(&["config", "check", name]).await.stdout, words);
    }
    let ran = sandbox.run(&["config", "check", "secret"]).await;
    // Whoever may read everything may read this too.
    let readable = std::fs::read(sandbox.path().join("secret")).is_ok();
    assert!(readable || ran.stderr == "[config error: secret: the file cannot be read: permission denied]\n");
}

/// Names of files and of what is in them can hold anything.
#[tokio::test]
async fn a_name_with_a_line_end_stays_on_one_line() {
    let sandbox = Sandbox::new();
    sandbox.write("q\nz.yaml", "maxTurns: 0\nyolo: 3\n");
    let ran = sandbox.run(&["config", "check", "q\nz.yaml"]).await;
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("[config error: q\\nz.yaml: "), "{}", ran.stderr);
    sandbox.write("forge.yaml", "mmConfigs: {a: \"x\\n[config error: y]\"}\n");
    let ran = sandbox.run(&["config", "check", "forge.yaml"]).await;
    assert!(!ran.stdout.lines().any(|line| line.starts_with("[config")), "{}", ran.stdout);
    let ran = sandbox.run(&["config", "init", "a\n\u{1b}[31m.yaml"]).await;
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'));
}

/// A pager may stop reading for as long as somebody looks at the first page.
#[tokio::test]
async fn a_reader_that_pauses_gets_every_line() {
    use tokio::io::AsyncReadExt;
    let sandbox = Sandbox::new();
    let tools = "- {name: 1, x: 1}\n".repeat(1500);
    sandbox.write("many.yaml", format!("tools:\n{tools}"));
    let mut child = sandbox.command(&["config", "check", "many.yaml"]).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let mut text = String::new();
    stderr.read_to_string(&mut text).await.unwrap();
    assert!(text.len() > 200_000 && text.ends_with("unknown key tools[1499].x\n"), "{}", text.len());
    assert_eq!(child.wait().await.unwrap().code(), Some(1));
}

/// However a run of `init` ends, nothing half and nothing strange is left.
#[tokio::test]
async fn an_init_that_is_killed_leaves_nothing_behind() {
    for round in 0..40 {
        let sandbox = Sandbox::new();
        let mut child = sandbox.command(&["config", "init"]).spawn().unwrap();
        tokio::time::sleep(std::time::Duration::from_micros(round * 100)).await;
        child.kill().await.unwrap();
        for entry in std::fs::read_dir(sandbox.path()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            assert!(["agent.yaml", "agent.schema.json"].contains(&name.as_str()), "{name}");
            let text = std::fs::read_to_string(entry.path()).unwrap();
            assert!(text.len() > 1000 && text.ends_with('\n'), "{name} is half");
        }
    }
}

#[tokio::test]
async fn what_is_set_and_not_there_yet_is_told_at_the_start() {
    use mm_llm::testing::{Answer, ScriptedServer};
    let server = ScriptedServer::start([Answer::text(&["hi"])]).await.unwrap();
    let sandbox =
        Sandbox::with_config(&server.base_url(), "tui: true\ncontext: {enabled: true, maxMessages: 0}\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("hi\n", Some(0)));
    insta::assert_snapshot!(ran.stderr, @r"
    [warning: no effect yet in mm 0.1.0: tui]
    [warning: context: the window is unknown and maxMessages is 0, so nothing is compressed by itself — set contextWindow or context.maxMessages]
    ");
}
