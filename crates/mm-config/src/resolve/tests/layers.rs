use super::*;

#[test]
fn an_empty_file_is_the_defaults() {
    let expected = Config::defaults(&Environment::default(), &Overrides::default()).unwrap();
    let shown = format!("{expected:?}");
    assert_eq!(
        shown,
        "Config { provider: \"dmr\", \
         model: \"huggingface.co/jetbrains/mellum2-12b-a2.5b-instruct-gguf-q4_k_m:Q4_K_M\", \
         base_url: None, fallback: None, api_key_env: None, context_window: 0, max_output: 16000, \
         max_turns: 10, max_repeated_calls: 5, preview_lines: 20, show_thinking: true, system: None, \
         bash_tool: true, edit_tools: true, fetch_content_tool: false, ask_user_tool: true, \
         sampling: {\"temperature\": Number(0.0), \"top_p\": Number(0.9), \"max_tokens\": Number(4096)}, \
         watchdog_timeout: GoDuration { text: \"20s\", nanos: 20000000000 }, \
         first_token_timeout: GoDuration { text: \"3m\", nanos: 180000000000 }, \
         bash_timeout: GoDuration { text: \"30s\", nanos: 30000000000 }, \
         yolo: true, warnings: [], unknown_keys: [] }"
    );
    for text in ["", "\n", "# c\n", "---\n", "~", "{}", "\u{FEFF}"] {
        assert_eq!(config(text), expected, "{text:?}");
    }
}

#[test]
fn the_texts_of_default_durations_are_right() {
    for timeout in [defaults::WATCHDOG_TIMEOUT, defaults::FIRST_TOKEN_TIMEOUT, defaults::BASH_TIMEOUT] {
        assert_eq!(timeout.text.parse(), Ok(GoDuration::seconds(timeout.text, timeout.seconds)));
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
    assert_eq!(view(file, &[], &Overrides::default()), "f f Some(\"f\") true true");
    assert_eq!(view(file, &empty, &Overrides::default()), "f f Some(\"f\") true true");
    assert_eq!(view(file, &all, &Overrides::default()), "e e Some(\"e\") false false");
    assert_eq!(view(file, &all, &flags), "o o Some(\"o\") false false");
    assert_eq!(
        view("provider: ''", &all, &Overrides::default()),
        "e e Some(\"e\") false false",
        "what counts is the result"
    );
    let no_url = Overrides { base_url: Some(String::new()), ..Overrides::default() };
    assert_eq!(with(file, &all, &no_url).unwrap().base_url, None);
    let no_model = Overrides { model: Some(String::new()), ..Overrides::default() };
    assert_eq!(with(file, &all, &no_model).unwrap_err()[0].message, "model must not be empty");
}
