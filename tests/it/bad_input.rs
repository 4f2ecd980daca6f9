//! Servers that are missing, silent or mad: one clear line, the right exit code, no hang.

use std::time::Duration;

use mm_llm::testing::{Answer, End, ScriptedServer};

use crate::support::Sandbox;

#[tokio::test]
async fn no_server_is_an_engine_error_with_a_hint() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sandbox = Sandbox::with_config(&format!("http://127.0.0.1:{port}/v1"), "");
    let ran = sandbox.run(&["-p", "go"]).await;
    let expected = format!(
        "[engine error: no server answers: http://127.0.0.1:{port}/v1 (connection refused: nothing listens there) — \
         start one with: llama-server -m MODEL.gguf --jinja --port 8080]\n"
    );
    assert_eq!((ran.stderr, ran.stdout.as_str(), ran.code), (expected, "", Some(1)));
}

/// Rows of (what the server sends, stdout, the last line on stderr).
#[tokio::test]
async fn an_odd_answer_is_one_line_and_exit_code_2() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\n";
    let half = "data: {\"choices\":[{\"del";
    let error = "data: {\"error\":{\"code\":500,\"message\":\"decode() failed: out of memory\"}}\n\n";
    let silent = || Answer { status: None, pieces: vec![], ..Answer::events("") };
    let close = |text: &str| Answer::events(text).ending(End::Close);
    let rows = [
        (close(""), "", "[error: the server sent an empty answer]"),
        (close("garbage"), "", "[error: the server's answer is no event stream: garbage]"),
        (
            close(half),
            "",
            "[error: the server sent something that is no chunk of an answer: {\"choices\":[{\"del]",
        ),
        (close(text), "par\n", "[error: the stream ended before the model finished]"),
        (
            Answer::events(text).ending(End::Reset),
            "par\n",
            "[error: the connection broke off before the model finished: connection reset]",
        ),
        (
            close(&(text.to_owned() + error)),
            "par\n",
            "[error: the server reports: decode() failed: out of memory]",
        ),
        (close(error), "", "[error: the server reports: decode() failed: out of memory]"),
        (Answer::json(200, "{\"error\":\"overloaded\"}"), "", "[error: the server reports: overloaded]"),
        (
            Answer::json(500, "{\"error\":\"no space left\"}"),
            "",
            "[error: the server answered HTTP 500: no space left]",
        ),
        (silent().ending(End::Hold), "", "[error: no first token from the server after 1s]"),
        (
            Answer::events(": ping\n\n").ending(End::Hold),
            "",
            "[error: no first token from the server after 1s]",
        ),
        (Answer::events(text).ending(End::Hold), "par\n", "[error: connection hang detected after 500ms]"),
    ];
    for (answer, stdout, last) in rows {
        let told = format!("{answer:?}");
        let server = ScriptedServer::start([answer]).await.unwrap();
        let waits = "firstTokenTimeout: 1s\nwatchdogTimeout: 500ms\n";
        let sandbox = Sandbox::with_config(&server.base_url(), waits);
        let ran = sandbox.run(&["-p", "go"]).await;
        assert_eq!((ran.stdout.as_str(), ran.code), (stdout, Some(2)), "{told}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().last(), Some(last), "{told}");
        let marked = ran.stderr.lines().count() == if stdout.is_empty() { 1 } else { 2 };
        assert!(marked, "a partial answer is marked, nothing else is said: {}", ran.stderr);
    }
}

#[tokio::test]
async fn a_connection_closed_without_a_byte_is_told() {
    let answer = Answer { status: None, pieces: vec![], ..Answer::events("").ending(End::Close) };
    let server = ScriptedServer::start([answer]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("[error: cannot reach http://127.0.0.1:"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_server_that_waits_before_its_first_byte_is_waited_for() {
    let late = Answer { wait: Duration::from_secs(3), ..Answer::text(&["late"]) };
    let server = ScriptedServer::start([late]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "watchdogTimeout: 1s\nfirstTokenTimeout: 20s\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("late\n", Some(0)));
}

#[tokio::test]
async fn a_command_that_ignores_term_floods_and_leaves_children_is_ended() {
    let command = "trap '' TERM; (sleep 320.5 &) ; yes";
    let server = ScriptedServer::start([Answer::bash(command), Answer::text(&["ok"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "bashTimeout: 1s\nmaxOutput: 500\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("ok\n", Some(0)), "{}", ran.stderr);
    let result = server.bodies()[1]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(result.ends_with("[error: 1s timeout exceeded]"), "{result}");
    assert!(result.chars().count() < 700, "{result}");
    assert_eq!(crate::support::processes_with("sleep 320.5"), [0u32; 0]);
}
