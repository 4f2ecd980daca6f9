//! The line mode with its questions from a pipe.

use mm_llm::testing::{Answer, End, ScriptedServer};

use crate::support::Sandbox;

#[tokio::test]
async fn questions_come_line_by_line_and_share_a_conversation() {
    let server =
        ScriptedServer::start([Answer::text(&["one"]), Answer::text(&["two"]), Answer::text(&["three"])])
            .await
            .unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run_with(&[], "first\n\n/hlep\nsecond\n/new\nthird\n/exit\nnever\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("one\ntwo\nthree\n", Some(0)), "{}", ran.stderr);
    let lengths: Vec<usize> =
        server.bodies().iter().map(|body| body["messages"].as_array().unwrap().len()).collect();
    assert_eq!(lengths, [2, 4, 2], "/new begins anew");
    let base = server.base_url();
    let banner = format!(
        "mm {} | llamacpp | m | {base} | window: unknown | tools: bash, read_file, write_file, edit_file, unload_model | no skills in {}/skills\n",
        env!("CARGO_PKG_VERSION"),
        sandbox.path().canonicalize().unwrap().display()
    );
    let rest = "there is no command /hlep, did you mean /help? (/help lists them)\n(a new conversation)\n";
    assert_eq!(ran.stderr, banner + rest);
}

#[tokio::test]
async fn a_failed_question_is_told_and_the_next_one_works() {
    let broken =
        Answer::events("data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\n").ending(End::Close);
    let server = ScriptedServer::start([broken, Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run_with(&[], "first\nsecond\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("par\nfine\n", Some(0)));
    let told = "[the answer broke off here]\n[error: the stream ended before the model finished]\n";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let kept = &server.bodies()[1]["messages"][2]["content"];
    assert_eq!(kept, "par\n[no answer: the turn failed]");
}

#[tokio::test]
async fn without_a_server_it_starts_with_a_warning_and_looks_again_at_each_question() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sandbox = Sandbox::with_config(&format!("http://127.0.0.1:{port}/v1"), "");
    let ran = sandbox.run_with(&[], "hello\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(2)));
    assert!(ran.stderr.contains("| no server |"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n[warning: no server answers: http://"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n[error: no server answers: http://"), "{}", ran.stderr);
}

/// A model is let go where the server can do that; what it cannot do, or says, is told, and a script sees a failure.
#[tokio::test]
async fn unload_names_what_became_of_it() {
    let answer = |status, body: &str| Answer::json(status, body);
    let rows = [
        ("llamacpp", "/models/unload", answer(200, r#"{"success":true}"#), "(other/m is unloaded)\n", 0),
        (
            "llamacpp",
            "/models/unload",
            answer(404, r#"{"error":{"code":404,"message":"File Not Found"}}"#),
            "(this server cannot unload a model: end it to free its memory)\n",
            0,
        ),
        (
            "ollama",
            "/api/generate",
            answer(404, r#"{"error":"model 'other/m' not found"}"#),
            "[error: the server answered HTTP 404: model 'other/m' not found]\n",
            1,
        ),
    ];
    for (preset, path, answer, told, code) in rows {
        let server = ScriptedServer::start([]).await.unwrap().with_route(&format!("POST {path}"), [answer]);
        let sandbox = Sandbox::with_config(&server.base_url(), "");
        let ran = sandbox.run_with(&["--provider", preset], "/unload other/m\n").await;
        assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn unload_is_gone_without_its_key() {
    let server = ScriptedServer::start([]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "unloadModels: false\n");
    let ran = sandbox.run_with(&[], "/unload\n/help\n").await;
    assert!(ran.stderr.contains("there is no command /unload (/help lists them)\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("/unload [model]"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let long: String = (0..5000).map(|n| format!("line {n} of an answer\n")).collect();
    let answers = [Answer::text(&[&long]), Answer::text(&[&long]), Answer::text(&[&long])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut child = sandbox.command(&[]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut child.stdin.take().unwrap(), b"one\ntwo\nthree\n")
        .await
        .unwrap();
    drop(child.stdout.take());
    let ran = crate::support::ended(child).await;
    assert_eq!((ran.stderr.lines().count(), ran.code), (1, Some(0)), "{}", ran.stderr);
}

#[tokio::test]
async fn without_yolo_and_a_terminal_nobody_can_confirm() {
    let server = ScriptedServer::start([Answer::bash("touch made"), Answer::text(&["ok"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let ran = sandbox.run_with(&[], "go\n").await;
    assert!(!sandbox.path().join("made").exists());
    assert!(
        ran.stderr.contains("[refused: nobody can confirm this call: stdin is no terminal]"),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn an_input_that_cannot_be_read_is_told() {
    let server = ScriptedServer::start([]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let folder = std::fs::File::open(sandbox.path()).unwrap();
    let ran = crate::support::ended(sandbox.command(&[]).stdin(folder).spawn().unwrap()).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("[error: cannot read stdin: "), "{}", ran.stderr);
}
