use super::*;

#[test]
fn text_is_taken_as_written() {
    let config = config("provider: 1.10\nmodel: 123\nsystem: true\nbaseUrl: 0x1F\nfallback: 010\n");
    assert_eq!((&*config.provider, &*config.model, config.system.as_deref()), ("1.10", "123", Some("true")));
    assert_eq!((&*config.base_url, config.fallback.as_deref()), ("0x1F", Some("010")));
}

#[test]
fn an_empty_text_is_the_providers_default_but_for_fallback() {
    let config = config("baseUrl: ''\nfallback: ''\napiKeyEnv: ''\nsystem: ''\n");
    assert_eq!((&*config.base_url, &*config.api_key_env, config.system.as_deref()), ("", "", Some("")));
    assert_eq!(config.fallback.as_deref(), Some(""));
}

#[test]
fn sampling_merges_key_by_key() {
    let rows = [
        ("", r#"{"temperature":0.0,"top_p":0.9,"max_tokens":4096}"#),
        ("sampling: {}", r#"{"temperature":0.0,"top_p":0.9,"max_tokens":4096}"#),
        ("sampling: {max_tokens: null}", r#"{"temperature":0.0,"top_p":0.9}"#),
        ("sampling: {temperature: ~, seed: ~}", r#"{"top_p":0.9,"max_tokens":4096}"#),
        (
            "sampling: {z: 1, top_p: 1, a: 1.0}",
            r#"{"temperature":0.0,"top_p":1,"max_tokens":4096,"z":1,"a":1.0}"#,
        ),
        (
            "sampling: {chat_template_kwargs: {enable_thinking: false, x: ~}, stop: [a, \"1\", -1]}",
            r#"{"temperature":0.0,"top_p":0.9,"max_tokens":4096,"chat_template_kwargs":{"enable_thinking":false,"x":null},"stop":["a","1",-1]}"#,
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(serde_json::Value::Object(config(text).sampling).to_string(), expected, "{text}");
    }
}

#[test]
fn durations_keep_their_text_and_the_first_token_waits_longest() {
    let shown = |text| {
        let config = config(text);
        format!("{} {} {}", config.watchdog_timeout, config.first_token_timeout, config.bash_timeout)
    };
    assert_eq!(shown(""), "20s 3m 30s");
    assert_eq!(shown("watchdogTimeout: 1m30s\nbashTimeout: \".5h\"\n"), "1m30s 3m .5h");
    assert_eq!(shown("watchdogTimeout: 5m\n"), "5m 5m 30s");
    assert_eq!(shown("firstTokenTimeout: 0\n"), "20s 20s 30s");
}

#[test]
fn permissions_is_deprecated() {
    let tail = "(true runs tools without asking, false asks before each change)";
    let rows = [
        ("permissions: ask", &[][..], false, "permissions: ask is deprecated — use yolo: false instead"),
        (
            "yolo: true\npermissions: ask",
            &[],
            false,
            "permissions: ask is deprecated — use yolo: false instead",
        ),
        ("permissions: auto", &[], true, "permissions: auto is deprecated — use yolo: true instead"),
        (
            "yolo: false\npermissions: auto",
            &[],
            false,
            "permissions: auto is deprecated — use yolo: false instead",
        ),
        (
            "permissions: ask",
            &[("AGENT_YOLO", "1")],
            true,
            "permissions: ask is deprecated — use yolo: false instead",
        ),
    ];
    for (text, env, yolo, warning) in rows {
        let config = with(text, env, &Overrides::default()).unwrap();
        assert_eq!((config.yolo, config.warnings), (yolo, vec![format!("{warning} {tail}")]), "{text}");
    }
}

#[test]
fn a_slip_gets_a_warning_and_other_unknown_keys_none() {
    let config = config("permissions: auto\nmodle: x\nx-notes: []\nyoloo: false\nmax_turns: 3\n");
    assert!(config.yolo);
    assert_eq!(config.warnings.len(), 4);
    assert_eq!(
        config.warnings[1..],
        [
            "line 2: unknown key modle is ignored — did you mean model?",
            "line 4: unknown key yoloo is ignored — did you mean yolo?",
            "line 5: unknown key max_turns is ignored — did you mean maxTurns?",
        ]
    );
    let keys: Vec<_> =
        config.unknown_keys.iter().map(|key| (&*key.path, key.line, key.nearest.as_deref())).collect();
    assert_eq!(keys[0], ("modle", 2, Some("model")));
    assert_eq!(keys.len(), 3, "x-… is there for its anchor");
}

#[test]
fn keys_of_a_free_mapping_are_known() {
    assert_eq!(config("sampling: {yoloo: 1, tools: 2}").unknown_keys, []);
    assert_eq!(config("mcp: {servers: {yoloo: {command: x, env: {YOLOO: 1}}}}").unknown_keys, []);
    let inner = config("context: {treshold: 1}\nmcp: {servers: {a: {comand: x, command: y}}}");
    let keys: Vec<_> = inner.unknown_keys.iter().map(|key| (&*key.path, key.nearest.as_deref())).collect();
    assert_eq!(keys, [("context.treshold", Some("threshold")), ("mcp.servers.a.comand", Some("command"))]);
    assert_eq!(
        inner.warnings[0],
        "line 1: unknown key context.treshold is ignored — did you mean threshold?"
    );
}

#[test]
fn merged_and_aliased_values_count() {
    let config = config(
        "x-base: &base {maxTurns: 7, yolo: false}\n<<: *base\nyolo: true\nmodel: &m abc\nprovider: *m\n",
    );
    assert_eq!((config.max_turns, config.yolo, &*config.provider), (7, true, "abc"));
    let text = "x-limit: &limit\n  ten\nmaxTurns: *limit\n";
    assert_eq!(problems(text), ["line 3, column 11: maxTurns must be a whole number, not \"ten\""]);
}

#[test]
fn what_is_taken_as_it_is_and_probably_not_meant_gets_a_warning() {
    let rows = [
        ("sampling: {temprature: 1}", "sampling.temprature is sent as it is — did you mean temperature?"),
        ("sampling: {topP: 1}", "sampling.topP is sent as it is — did you mean top_p?"),
        ("sampling: {model: x}", "sampling.model is not sent: it comes from the conversation"),
        (
            "apiKeyEnv: sk-verysecret",
            "apiKeyEnv is the name of a variable that holds the key, and this is no such name",
        ),
        ("model: ${MODEL}", "model: no variable is put into the text — set AGENT_MODEL instead"),
        (
            "mcp: {servers: {a: {command: c, url: u}}}",
            "mcp.servers.a.command has no effect beside url: the server is reached at that",
        ),
        (
            "mcp: {servers: {a: {command: c, headers: {A: b}}}}",
            "mcp.servers.a.headers has no effect: only a server with a url takes headers",
        ),
        (
            "mcp: {servers: {a: {url: u, env: {A: b}}}}",
            "mcp.servers.a.env has no effect: only a server on stdio has an environment",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(config(text).warnings, [expected], "{text}");
    }
    assert_eq!(config("sampling: {top_k: 1, seed: 1, x_own: 1, min_p: 0}").warnings, Vec::<String>::new());
}

#[test]
fn a_key_that_lost_its_section_is_found_there() {
    let nearest = |text: &str| config(text).unknown_keys[0].nearest.clone();
    assert_eq!(nearest("threshold: 5").as_deref(), Some("context.threshold"));
    assert_eq!(nearest("temperature: 5").as_deref(), Some("sampling.temperature"));
    assert_eq!(nearest("mcpServers: {}").as_deref(), Some("mcp.servers"));
    assert_eq!(nearest("enabled: true"), None, "several sections have one");
}
