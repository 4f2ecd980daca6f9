use super::*;

#[test]
fn an_empty_file_is_the_defaults() {
    let expected = Config::defaults(&Environment::default(), &Overrides::default()).unwrap();
    assert_eq!(expected, Config::default());
    for text in ["", "\n", "# c\n", "---\n", "~", "{}", "\u{FEFF}"] {
        assert_eq!(config(text), expected, "{text:?}");
    }
}

#[test]
fn the_texts_of_default_durations_are_right() {
    let Config { watchdog_timeout, first_token_timeout, bash_timeout, .. } = Config::default();
    let hook = crate::Hook::default().timeout;
    let tool = crate::DeclaredTool::default().timeout;
    for duration in [watchdog_timeout, first_token_timeout, bash_timeout, hook, tool] {
        assert_eq!(duration.as_str().parse(), Ok(duration));
    }
}

#[test]
fn a_flag_stands_above_a_variable_above_the_file() {
    let file = "provider: f\nmodel: f\nbaseUrl: f\nyolo: true\naskUserTool: true\n";
    let all = [
        ("AGENT_PROVIDER", "e"),
        ("AGENT_MODEL", "e"),
        ("AGENT_BASE_URL", "e"),
        ("AGENT_YOLO", "F"),
        ("AGENT_ASK_USER", "0"),
    ];
    let empty = all.map(|(name, _)| (name, ""));
    let flags = Overrides { provider: Some("o".into()), model: Some("o".into()), base_url: Some("o".into()) };
    let view = |text, env: &[_], overrides: &Overrides| {
        let config = with(text, env, overrides).unwrap();
        format!(
            "{} {} {:?} {} {}",
            config.provider, config.model, config.base_url, config.yolo, config.ask_user_tool
        )
    };
    assert_eq!(view(file, &[], &Overrides::default()), "f f \"f\" true true");
    assert_eq!(view(file, &empty, &Overrides::default()), "f f \"f\" true true");
    assert_eq!(view(file, &all, &Overrides::default()), "e e \"e\" false false");
    assert_eq!(view(file, &all, &flags), "o o \"o\" false false");
    assert_eq!(
        view("provider: ''", &all, &Overrides::default()),
        "e e \"e\" false false",
        "what counts is the result"
    );
    let no_url = Overrides { base_url: Some(String::new()), ..Overrides::default() };
    assert_eq!(with(file, &all, &no_url).unwrap().base_url, "");
    let no_model = Overrides { model: Some(String::new()), ..Overrides::default() };
    assert_eq!(with(file, &all, &no_model).unwrap_err()[0].message, "--model \"\": must not be empty");
}

#[test]
fn every_single_valued_key_has_a_variable() {
    let env = [
        ("MM_BASH_TOOL", "false"),
        ("MM_CONTEXT_THRESHOLD", "60"),
        ("MM_AGENTS_MD_MAX_CHARS", "7"),
        ("MM_BASH_TIMEOUT", "1m"),
        ("MM_MODEL", "123"),
        ("MM_SYSTEM", "yes"),
        ("MM_SAMPLING_TOP_P", "0.5"),
        ("MM_MCP_PERMISSIONS", "ask"),
        ("MM_PREVIEW_LINES", ""),
        ("MM_CONFIG", "x.yaml"),
        ("MM_DEPTH", "1"),
    ];
    let config =
        with("context: {threshold: 50, enabled: true}\nmodel: f\n", &env, &Overrides::default()).unwrap();
    assert_eq!((config.bash_tool, config.context.threshold, config.agents_md.max_chars), (false, 60, 7));
    assert!(config.context.enabled, "what stands beside it stays");
    assert_eq!(
        (&*config.model, config.system.as_deref(), config.bash_timeout.as_str()),
        ("123", Some("yes"), "1m")
    );
    assert_eq!(config.sampling["top_p"].to_string(), "0.5");
    assert_eq!(config.mcp.permissions, crate::McpPermissions::Ask);
    assert_eq!((config.preview_lines, config.warnings), (20, vec![]));
}

#[test]
fn a_variable_of_an_agent_stands_above_that_of_its_key() {
    let both = [("AGENT_MODEL", "agent"), ("MM_MODEL", "mm"), ("AGENT_YOLO", "true"), ("MM_YOLO", "false")];
    let config = with("", &both, &Overrides::default()).unwrap();
    assert_eq!((&*config.model, config.yolo), ("agent", true));
    let asked = with("permissions: ask", &[("MM_YOLO", "true")], &Overrides::default()).unwrap();
    assert!(asked.yolo, "the environment stands above the file");
    let asked = with("yolo: true", &[("MM_PERMISSIONS", "ask")], &Overrides::default()).unwrap();
    assert!(!asked.yolo);
}

#[test]
fn a_wrong_variable_is_named_with_its_value() {
    let rows = [
        ("MM_MAX_TURNS", "ten", "must be a whole number"),
        ("MM_MAX_TURNS", "0", "must be > 0"),
        ("MM_MAX_TURNS", "1.5", "must be a whole number"),
        ("MM_MAX_TURNS", "null", "must be a whole number"),
        ("MM_MAX_TURNS", "~", "must be a whole number"),
        ("MM_CONTEXT_THRESHOLD", "101", "must be between 1 and 100"),
        ("MM_BASH_TIMEOUT", "20", "must be a duration with a unit, not 20: write 20s for seconds"),
        ("MM_BASH_TIMEOUT", "0", "must be > 0"),
        ("MM_YOLO", "maybe", "must be true or false"),
        ("MM_PERMISSIONS", "x", "must be \"auto\" or \"ask\""),
        ("MM_ACP_NAME", " ", "must not be empty"),
        ("MM_SAMPLING_TOP_P", "much", "must be a number"),
        ("AGENT_TRACE", "yes", "must be true or false"),
    ];
    for (name, value, words) in rows {
        assert_eq!(problems_with("", &[(name, value)]), [format!("{name}=\"{value}\": {words}")]);
    }
}

#[test]
fn a_slip_of_a_variable_gets_a_warning() {
    let env = [
        ("AGENT_HOLD", "1"),
        ("AGENT_ID", "7"),
        ("AGENT_YOL", "0"),
        ("MM_CONFG", "x"),
        ("MM_GUARD_DENY_PATTERNS", "x"),
        ("MM_TOOLS", "x"),
        ("MM_WHATEVER", "1"),
        ("MM_YOLOO", "0"),
    ];
    let config = with("", &env, &Overrides::default()).unwrap();
    assert_eq!(
        config.warnings,
        [
            "MM_CONFG is no variable of mm — did you mean MM_CONFIG?",
            "MM_GUARD_DENY_PATTERNS is no variable of mm: guard.denyPatterns is more than one value",
            "MM_TOOLS is no variable of mm: tools is more than one value",
            "MM_YOLOO is no variable of mm — did you mean MM_YOLO?",
            "AGENT_YOL is no variable of mm — did you mean AGENT_YOLO?",
        ]
    );
}

#[test]
fn trace_from_the_environment_wants_a_directory() {
    assert_eq!(problems_with("trace: {dir: ''}", &[("AGENT_TRACE", "1")]), ["trace.dir must not be empty"]);
    assert_eq!(config("trace: {dir: ''}").trace.dir, "");
}
