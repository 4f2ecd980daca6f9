//! Servers that are missing, silent or mad: one clear line, the right exit code, no hang.

use std::time::Duration;

use mm_llm::testing::{Answer, End, ScriptedServer};

use crate::support::{Sandbox, ended};

#[tokio::test]
async fn no_server_is_an_engine_error_with_a_hint() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sandbox = Sandbox::with_config(&format!("http://127.0.0.1:{port}/v1"), "");
    let ran = sandbox.run(&["-p", "go"]).await;
    let expected = format!(
        "[engine error: no server answers: http://127.0.0.1:{port}/v1 (connection refused: nothing listens there) — \
         start one with: llama-server -m MODEL.gguf --jinja --port {port}]\n"
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
        (close(half), "", "[error: the stream ended before the model finished]"),
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
async fn a_connection_closed_without_a_byte_is_tried_twice_more_and_told() {
    let answer = Answer { status: None, pieces: vec![], ..Answer::events("").ending(End::Close) };
    let server = ScriptedServer::start([answer.clone(), answer.clone(), answer]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
    assert_eq!((ran.code, server.bodies().len()), (Some(2), 3));
    assert!(ran.stderr.starts_with("[error: cannot reach http://127.0.0.1:"), "{}", ran.stderr);
}

/// Rows of (what comes first, how many requests there are, stdout, what stderr has).
#[tokio::test]
async fn a_failure_in_passing_is_tried_again_and_others_are_not() {
    let closed = Answer { status: None, pieces: vec![], ..Answer::events("").ending(End::Close) };
    let again = Answer {
        headers: vec!["Content-Type: application/json".into(), "Retry-After: 1".into()],
        ..Answer::json(429, r#"{"error":"slow down"}"#)
    };
    let busy = r#"{"error":{"message":"server busy, please try again.","code":503}}"#;
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    let strict = r#"{"error":"Extra inputs are not permitted: stream_options, include_usage"}"#;
    let rows = [
        (vec![closed], 2, "fine\n", ""),
        (vec![Answer::json(503, busy)], 2, "fine\n", ""),
        (vec![again], 2, "fine\n", ""),
        (vec![Answer::json(503, loading); 4], 5, "fine\n", ""),
        (vec![Answer::json(422, strict)], 2, "fine\n", ""),
        (vec![Answer::json(503, busy); 3], 3, "", "HTTP 503: server busy, please try again."),
        (vec![Answer::json(500, r#"{"error":"template"}"#)], 1, "", "HTTP 500: template"),
        (vec![Answer::json(400, r#"{"error":"bad"}"#)], 1, "", "HTTP 400: bad"),
    ];
    for (first, requests, stdout, stderr) in rows {
        let told = format!("{first:?}");
        let server = ScriptedServer::start(first.into_iter().chain([Answer::text(&["fine"])])).await.unwrap();
        let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
        assert_eq!((ran.stdout.as_str(), server.bodies().len()), (stdout, requests), "{told}{}", ran.stderr);
        assert!(ran.stderr.contains(stderr), "{told}{}", ran.stderr);
        let last = server.bodies().pop().unwrap();
        let refused = told.contains("Some(422)");
        assert_eq!(last.get("stream_options").is_some(), !refused, "{told}");
    }
}

#[tokio::test]
async fn a_server_that_loads_for_too_long_is_a_timeout() {
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    let server = ScriptedServer::start(vec![Answer::json(503, loading); 50]).await.unwrap();
    let waits = "firstTokenTimeout: 2s\nwatchdogTimeout: 1s\n";
    let ran = Sandbox::with_config(&server.base_url(), waits).run(&["-p", "go"]).await;
    assert_eq!(ran.stderr, "[error: no first token from the server after 2s (it says: Loading model)]\n");
}

#[tokio::test]
async fn a_call_written_as_text_is_run_and_one_in_the_midst_of_text_is_told() {
    let call = "<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo done\"}}\n</tool_call>";
    let server =
        ScriptedServer::start([Answer::text(&[&call[..15], &call[15..]]), Answer::text(&["ok"])]).await;
    let server = server.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("ok\n", "🔧 bash: echo done\n   │ done\n"));
    let messages = &server.bodies()[1]["messages"];
    assert_eq!(messages[2]["content"], "");
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"command\":\"echo done\"}");
    assert_eq!(messages[3]["content"], "done");

    let server = ScriptedServer::start([Answer::text(&["I look. ", call])]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
    assert_eq!(ran.stdout, format!("I look. {call}\n"));
    assert!(ran.stderr.contains("tool parser does not fit the model"), "{}", ran.stderr);
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
    let marker = format!("sleep 320.{}", std::process::id());
    let command = format!("trap '' TERM; ({marker} &) ; yes");
    let server = ScriptedServer::start([Answer::bash(&command), Answer::text(&["ok"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "bashTimeout: 1s\nmaxOutput: 500\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("ok\n", Some(0)), "{}", ran.stderr);
    let result = server.bodies()[1]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(result.ends_with("[error: 1s timeout exceeded]"), "{result}");
    assert!(result.chars().count() < 700, "{result}");
    assert_eq!(crate::support::processes_with(&marker), [0u32; 0]);
}

#[tokio::test]
async fn a_command_that_runs_for_longer_than_the_watchdog_ends_the_turn() {
    let marker = format!("sleep 321.{}", std::process::id());
    let server = ScriptedServer::start([Answer::bash(&format!("{marker}; echo late"))]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "watchdogTimeout: 1s\nbashTimeout: 20s\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(2)));
    let expected = format!(
        "[warning: bashTimeout (20s) is above watchdogTimeout (1s): a command that runs for longer than that ends the \
         turn — raise both]\n\
         🔧 bash: {marker}; echo late\n\
         [error: connection hang detected after 1s: a command ran for longer than watchdogTimeout — raise it together \
         with bashTimeout]\n"
    );
    assert_eq!(ran.stderr, expected);
    assert_eq!(crate::support::processes_with(&marker), [0u32; 0]);
    // The defaults are above one another too, and nobody is told.
    let server = ScriptedServer::start([Answer::text(&["fine"])]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go"]).await;
    assert_eq!(ran.stderr, "");
}

#[tokio::test]
async fn the_commands_of_one_reply_share_the_watchdog() {
    let call = |id: &str| {
        serde_json::json!({"index": id.len(), "id": id, "type": "function",
            "function": {"name": "bash", "arguments": "{\"command\": \"sleep 0.7\"}"}})
    };
    let first = serde_json::json!({"choices": [{"delta": {"tool_calls": [call("a"), call("bb")]}}]});
    let last = serde_json::json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let two = Answer::events(&format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"));
    let one = Answer::bash("sleep 0.7");
    let server = ScriptedServer::start([one.clone(), one, two]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "watchdogTimeout: 1s\nbashTimeout: 1s\n")
        .run(&["-p", "go"])
        .await;
    assert_eq!((server.bodies().len(), ran.code), (3, Some(2)), "each reply begins anew: {}", ran.stderr);
    assert!(ran.stderr.contains("connection hang detected after 1s: a command"), "{}", ran.stderr);
}

/// A flood of output, told apart from a leak by what the program held at its worst.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_command_that_never_stops_writing_costs_no_memory() {
    let server = ScriptedServer::start([Answer::bash("yes"), Answer::text(&["done"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "bashTimeout: 3s\npreviewLines: 2\n");
    let mut child = sandbox.command(&["-p", "go"]).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id().unwrap());
    let mut peak = 0;
    let ran = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or_default());
        if child.try_wait().unwrap().is_some() {
            break ended(child).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    println!("at most {} MiB", peak >> 10);
    assert!(ran.stderr.contains("[error: 3s timeout exceeded]"), "{}", ran.stderr);
    assert!(0 < peak && peak < 40 << 10, "{peak} KiB");
}
