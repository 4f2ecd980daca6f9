use proptest::prelude::*;

use super::*;
use crate::{Environment, Overrides, Report};

fn effective(text: &str, env: &[(&str, &str)]) -> Effective {
    let flags = Overrides { model: Some("flag".into()), ..Overrides::default() };
    let report = Report::of_yaml(text, "f", &env.iter().copied().collect::<Environment>(), &flags);
    report.effective().unwrap_or_else(|| panic!("{text}{:?}", report.problems))
}

fn origins(effective: &Effective, keys: &[&str]) -> Vec<String> {
    let of = |key: &&str| {
        let settings = effective.settings();
        let setting = settings.iter().find(|setting| setting.key == *key);
        setting.map_or_else(|| format!("no {key}"), |setting| format!("{} {}", setting.value, setting.origin))
    };
    keys.iter().map(of).collect()
}

#[test]
fn each_value_has_its_origin() {
    let text = "\
provider: ollama
context:
  enabled: true
sampling: {max_tokens: ~, stop: [a]}
permissions: ask
watchdogTimeout: 5m
mmConfigs:
  bob: b.yaml
  eve: {path: e.yaml}
tools:
  - name: t
    description: d
    command: [a]
";
    let env = [("MM_CONTEXT_THRESHOLD", "60"), ("AGENT_ASK_USER", "0")];
    let shown = effective(text, &env);
    let keys = [
        "provider",
        "model",
        "context.enabled",
        "context.threshold",
        "context.recall",
        "askUserTool",
        "sampling.max_tokens",
        "sampling.stop",
        "sampling.top_p",
        "yolo",
        "firstTokenTimeout",
        "mmConfigs.bob.path",
        "mmConfigs.bob.description",
        "mmConfigs.eve.path",
        "tools[0].name",
        "tools[0].timeout",
    ];
    assert_eq!(effective("yolo: false\npermissions: ask", &[]).origin("yolo"), Origin::Line(1));
    let both = effective("watchdogTimeout: 1m\nfirstTokenTimeout: 1m", &[]);
    assert_eq!(both.origin("firstTokenTimeout"), Origin::Line(2));
    assert_eq!(
        origins(&shown, &keys),
        [
            "\"ollama\" line 1",
            "\"flag\" --model",
            "true line 3",
            "60 MM_CONTEXT_THRESHOLD",
            "false default",
            "false AGENT_ASK_USER",
            "null line 4",
            "[\"a\"] line 4",
            "0.9 default",
            "false permissions: ask (line 5)",
            "\"5m\" not below watchdogTimeout (line 6)",
            "\"b.yaml\" line 8",
            "\"\" default",
            "\"e.yaml\" line 9",
            "\"t\" line 11",
            "\"0\" default",
        ]
    );
}

#[test]
fn what_somebody_else_filled_is_a_comment() {
    let mut shown = effective("mcp: {servers: {a: {command: c, env_file: e}}}", &[]);
    shown.fill("system", "One.\n\nTwo.".into(), Origin::Other("built in".into()));
    let text = shown.to_yaml();
    assert!(text.contains("\n#system: |2-  # built in\n#  One.\n#\n#  Two.\n"), "{text}");
    assert_eq!(shown.origin("mcp.servers.a.envFile"), Origin::Line(1), "by its other name");
}

#[test]
fn what_yaml_forbids_and_what_is_very_long_is_read_back() {
    let long = "k".repeat(1500);
    let text = format!(
        "model: \"a\\x7fb\\u009b\\uFFFE\"\nsampling:\n  \"d\\x7f\": \"\\u0085\"\n  ? {long}\n  :\n    ? {long}\n    : [1]\n"
    );
    let shown = Report::of_yaml(&text, "f", &Environment::default(), &Overrides::default());
    let yaml = shown.effective().unwrap_or_else(|| panic!("{:?}", shown.problems)).to_yaml();
    let again = Report::of_yaml(&yaml, "f", &Environment::default(), &Overrides::default());
    assert_eq!(again.config, shown.config, "{:?}", again.problems);
    assert!(!yaml.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn it_reads_as_the_file_would_be_written() {
    let text =
        "system: |\n  You are.\n\n    Bob.\nlsp: {servers: [{name: a, command: b, extensions: [.x]}]}\n";
    let shown = effective(text, &[]).to_yaml();
    let part = |from: &str, lines: usize| {
        let tail = &shown[shown.find(from).unwrap()..];
        tail.lines().take(lines).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        part("system", 5),
        "system: |2  # line 1\n  You are.\n\n    Bob.\nstructuredOutput: \"\"  # default"
    );
    assert_eq!(
        part("lsp", 6),
        "lsp:\n  servers:\n    - name: a  # line 5\n      command: b  # line 5\n      args: []  # default\n      \
         extensions: [\".x\"]  # line 5"
    );
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        "[ -~\n\t]{0,20}",
        "(yes|null|~|1|1e3|0x1|20s|a: b|- x|# c|'|\"|\n| )+",
        any::<String>()
    ]
}

proptest! {
    /// What is shown is the configuration: reading it again gives the same.
    #[test]
    fn what_is_shown_is_read_back(system in text(), title in text(), value in text(), key in "[a-z_]{1,8}|yes|1|'#'") {
        let file = serde_json::json!({
            "system": system,
            "acp": { "title": title },
            "sampling": { "stop": [value], "max_tokens": null, key.clone(): { "a": value } },
            "tools": [{
                "name": "t", "description": format!("d{value}"), "command": ["c", value.replace('{', "")],
                "parameters": { "p": { "enum": [value], "required": false, "default": value } },
            }],
            "mcp": { "servers": { key: { "command": "c", "env": { "A": value } } } },
            "mmConfigs": { "bob": "b" },
        });
        let text = escaped(&file.to_string());
        let (env, flags) = (Environment::default(), Overrides::default());
        let config = Config::from_yaml(&text, "f", &env, &flags);
        let config = config.map_err(|problems| TestCaseError::fail(format!("{text}{problems:?}")))?;
        let shown = Report::of_yaml(&text, "f", &env, &flags).effective().unwrap().to_yaml();
        let again = Config::from_yaml(&shown, "f", &env, &flags);
        prop_assert_eq!(again.as_ref(), Ok(&config), "{}", shown);
    }
}
