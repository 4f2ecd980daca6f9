//! What `mm` does besides talking and checking its configuration.

use mm_llm::testing::{Answer, ScriptedServer};

use crate::support::Sandbox;

#[tokio::test]
async fn models_lists_what_the_server_has() {
    let list = r#"{"data":[{"id":"qwen3:8b","meta":{"n_ctx":8192},"status":{"value":"loaded"}},
        {"id":"other\u001b[31m","status":{"value":"unloaded"}}]}"#;
    let server = ScriptedServer::start([]).await.unwrap().with_models(Answer::json(200, list));
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run(&["models"]).await;
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        ("qwen3:8b  (window 8.2k, loaded)\nother\\u{1b}[31m\n", "", Some(0))
    );
    let ran = sandbox.run(&["models", "--output", "json"]).await;
    let rows: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(rows[0], serde_json::json!({"id": "qwen3:8b", "window": 8192, "loaded": true}));
    let ran = Sandbox::with_config("http://127.0.0.1:1/v1", "").run(&["models"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    assert!(ran.stderr.starts_with("[engine error: no server answers: "), "{}", ran.stderr);
}

/// A list that cannot be had is no empty one.
#[tokio::test]
async fn a_server_that_lists_nothing_is_told() {
    let refusal = Answer::json(401, r#"{"error":{"message":"no"}}"#);
    let html =
        Answer { headers: vec!["Content-Type: text/html".into()], ..Answer::events("<html>hi</html>") };
    let server = ScriptedServer::start([html]).await.unwrap().with_models(refusal);
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run(&["models"]).await;
    let told = "the server answered HTTP 401: no (the key comes from the variable that apiKeyEnv names)";
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
    assert_eq!(ran.stderr, format!("[engine error: {told}]\n"));
    let ran = sandbox.run(&["doctor"]).await;
    assert!(ran.stdout.contains(&format!("?   model      {told}\n")), "{}", ran.stdout);
    let remedy = "the path of baseUrl right? it mostly ends in /v1\n";
    assert!(ran.stdout.ends_with(remedy), "{}", ran.stdout);
    assert_eq!(ran.code, Some(1));
}

#[tokio::test]
async fn doctor_says_when_the_fallback_answers() {
    let server = ScriptedServer::start([Answer::text(&["yes"])]).await.unwrap();
    let fallback = format!("fallback: {}\n", server.base_url());
    let sandbox = Sandbox::new();
    sandbox.write(
        "agent.yaml",
        format!("provider: llamacpp\nmodel: m\nbaseUrl: http://127.0.0.1:1/v1\n{fallback}"),
    );
    let ran = sandbox.run(&["doctor"]).await;
    let first = format!("ok  server     {} (http://127.0.0.1:1/v1 does not answer)\n", server.base_url());
    assert!(ran.stdout.starts_with(&first), "{}", ran.stdout);
}

#[tokio::test]
async fn doctor_says_what_works_and_what_to_do() {
    let good = [Answer::text(&["yes"]), Answer::bash("ls"), Answer::text(&["{\"capital\": \"Paris\"}"])];
    let server = ScriptedServer::start(good).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "contextWindow: 4096\n").run(&["doctor"]).await;
    let told = regex_free(&ran.stdout);
    insta::assert_snapshot!(told.replace(&server.base_url(), "BASE"), @r#"
    ok  server     BASE
    ok  model      m
    ok  window     4.1k tokens, as contextWindow says
    ok  answer     first token after T, whole after T
    ok  tool call  bash {"command":"ls"}
    ok  JSON       {"capital": "Paris"}
    "#);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let asked = server.bodies();
    assert_eq!(
        (asked[0].get("tools"), asked[1]["tools"][0]["function"]["name"].as_str()),
        (None, Some("bash"))
    );
    assert_eq!(asked[2]["response_format"]["json_schema"]["strict"], true);

    let bad = [Answer::text(&["yes"]), Answer::text(&["I would call ls."]), Answer::text(&["Paris!"])];
    let list = r#"{"data":[{"id":"mm"},{"id":"x"}]}"#;
    let server = ScriptedServer::start(bad).await.unwrap().with_models(Answer::json(200, list));
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["doctor"]).await;
    let told = regex_free(&ran.stdout);
    insta::assert_snapshot!(told.replace(&server.base_url(), "BASE"), @r"
    ok  server     BASE
    ?   model      m is not listed (there are mm, x)
    ?   window     the server does not say — set contextWindow to what it serves
    ok  answer     first token after T, whole after T
    no  tool call  the model called no tool, though it was asked for something that needs one — start llama-server with --jinja, or take a model that calls tools
    no  JSON       the answer does not follow response_format — the server ignores it, max_tokens is too small, or the model thinks until they are used up
    ");
    assert_eq!(ran.code, Some(1));
    let ran = Sandbox::with_config("http://127.0.0.1:1/v1", "").run(&["doctor"]).await;
    assert_eq!((ran.stdout.lines().count(), ran.code), (1, Some(1)));
    assert!(ran.stdout.contains("start one with: llama-server -m MODEL.gguf"), "{}", ran.stdout);
}

/// Times differ.
fn regex_free(text: &str) -> String {
    let words = text.split(' ').collect::<Vec<_>>();
    let mut shown: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_time = words.get(at + 1).is_some_and(|next| next.starts_with('s') && next.len() <= 8)
            && word.contains('.')
            && word.parse::<f64>().is_ok();
        shown.push(if is_time { "T".to_owned() } else { (*word).to_owned() });
    }
    shown.join(" ").replace("T s", "T")
}

#[tokio::test]
async fn completions_are_scripts_that_know_the_helpers() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = sandbox.run(&["completions", shell]).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        for word in ["doctor", "base-url", "stream-json"] {
            assert!(ran.stdout.contains(word), "{shell} {word}");
        }
    }
    let script = sandbox.run(&["completions", "bash"]).await.stdout;
    sandbox.write("mm.bash", script);
    let checked =
        std::process::Command::new("bash").args(["-n", "mm.bash"]).current_dir(sandbox.path()).status();
    assert!(checked.unwrap().success());
    let ran = sandbox.run(&["completions", "cmd"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

/// Rows of (what was typed, the last word being completed; what bash offers).
#[tokio::test]
async fn bash_offers_what_may_stand_there() {
    let sandbox = Sandbox::new();
    let script = sandbox.run(&["completions", "bash"]).await.stdout;
    sandbox.write("mm.bash", script);
    sandbox.write("my agent.yaml", "");
    std::fs::create_dir(sandbox.path().join("sub")).unwrap();
    let files = "mm.bash|my agent.yaml|sub";
    let rows = [
        ("mm --provider ", "dmr|llamacpp|llmman|ollama"),
        ("mm --provider ll", "llamacpp|llmman"),
        ("mm config check --provider ", "dmr|llamacpp|llmman|ollama"),
        ("mm doctor --provider o", "ollama"),
        ("mm --output ", "json|stream-json|text"),
        ("mm models --output ", "json|text"),
        ("mm config show --output j", "json"),
        ("mm config check ", files),
        ("mm config show ", files),
        ("mm config init m", "mm.bash|my agent.yaml"),
        ("mm --provider ollama config check m", "mm.bash|my agent.yaml"),
        ("mm config check --o", "--output"),
        ("mm schema ", files),
        ("mm schema --comp", "--compact"),
        ("mm gu", "guard"),
        ("mm --config ", files),
        ("mm config check -c s", "sub"),
        ("mm --model ", ""),
        ("mm -p m", "m"),
        ("mm config ch", "check"),
        ("mm completions z", "zsh"),
        ("mm co", "completions|config"),
    ];
    // The words as bash would hand them over; outside a completion `compopt` has nothing to say.
    let offered = r#"source mm.bash; compopt() { :; }
        while IFS= read -r line; do
            COMP_WORDS=($line); [[ $line == *" " ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _mm mm "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd '|'
        done"#;
    let typed: String = rows.iter().map(|(line, _)| format!("{line}\n")).collect();
    let mut command = tokio::process::Command::new("bash");
    command
        .args(["-c", offered])
        .current_dir(sandbox.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut child.stdin.take().unwrap(), typed.as_bytes()).await.unwrap();
    let ran = crate::support::ended(child).await;
    assert_eq!(ran.stderr, "");
    let offered: Vec<_> = rows.iter().map(|(line, _)| *line).zip(ran.stdout.lines()).collect();
    assert_eq!(offered, rows);
}

#[tokio::test]
async fn a_trace_that_cannot_be_written_is_told_once_and_the_answer_comes() {
    let server = ScriptedServer::start([Answer::bash("true"), Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "trace: {enabled: true, dir: file/traces}\n");
    sandbox.write("file", "");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("fine\n", Some(0)));
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("[trace")).collect();
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(told[0].ends_with(" — nothing is traced]"), "{}", told[0]);
}

/// A disk that fills, by a limit on the size of files.
#[tokio::test]
async fn a_trace_on_a_disk_that_fills_is_told_once_and_the_answer_comes() {
    let long = "word ".repeat(2000);
    let server = ScriptedServer::start([Answer::bash("true"), Answer::text(&[&long])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "trace: {enabled: true}\n");
    let mm = env!("CARGO_BIN_EXE_mm");
    let mut command = tokio::process::Command::new("bash");
    command
        .args(["-c", &format!("ulimit -f 4; exec {mm} -p go")])
        .current_dir(sandbox.path())
        .env("HOME", sandbox.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let ran = crate::support::ended(command.spawn().unwrap()).await;
    assert_eq!((ran.stdout.trim_end(), ran.code), (long.trim_end(), Some(0)), "{}", ran.stderr);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("[trace")).collect();
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(told[0].contains("File too large"), "{}", told[0]);
}
