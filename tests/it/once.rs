//! `-p`: one question in a pipeline.

use std::process::Stdio;
use std::time::Duration;

use mm_llm::testing::{Answer, End, Piece, ScriptedServer};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Ran, Sandbox, ended, eventually, kill, processes_with};

async fn server(answers: impl IntoIterator<Item = Answer>) -> ScriptedServer {
    ScriptedServer::start(answers).await.unwrap()
}

#[tokio::test]
async fn the_answer_is_on_stdout_and_everything_else_on_stderr() {
    let server = server([Answer::bash("echo one; echo two >&2; exit 3"), Answer::text(&["do", "ne"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "previewLines: 1\n");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)));
    let expected =
        "🔧 bash: echo one; echo two >&2; exit 3\n   │ one\n   │ … 1 more line\n   └ [exit code: 3]\n";
    assert_eq!(ran.stderr, expected);
    let second = &server.bodies()[1]["messages"];
    assert_eq!(second[3]["content"], "one\ntwo\n[exit code: 3]");
    assert_eq!(server.connections(), 1);
}

/// The first thing that a small model reads: each hundred tokens is felt.
#[tokio::test]
async fn the_first_request_with_bash_alone_is_short() {
    let server = server([Answer::text(&["ok"])]).await;
    let off = "editTools: false\nfetchContentTool: false\naskUserTool: false\nunloadModels: false\n";
    let sandbox = Sandbox::with_config(&server.base_url(), off);
    sandbox.run(&["-p", "go"]).await;
    let body = &server.bodies()[0];
    let size = body["messages"][0].to_string().len() + body["tools"].to_string().len();
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
    println!("messages[0] and tools: {size} bytes");
    assert!(size <= 1600, "messages[0] and tools have {size} bytes: {body:#}");
}

#[tokio::test]
async fn requests_of_a_turn_share_their_prefix_byte_for_byte() {
    let server = server([Answer::bash("echo a"), Answer::bash("echo b"), Answer::text(&["ok"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    assert_eq!(sandbox.run(&["-p", "go"]).await.code, Some(0));
    let posts: Vec<String> =
        server.requests().into_iter().filter(|r| r.method == "POST").map(|r| r.body).collect();
    for pair in posts.windows(2) {
        let prefix = pair[0].split("],\"tools\"").next().unwrap();
        assert!(pair[1].starts_with(prefix), "{} begins with {prefix}", pair[1]);
    }
}

#[tokio::test]
async fn what_is_piped_in_is_added_to_the_question() {
    let rows: [(&[&str], &str, &str); 4] = [
        (&["-p", "use it"], "data\n", "use it\n\ndata"),
        (&["-p", "-"], "the question\n", "the question\n"),
        (&["-p", "alone"], "", "alone"),
        (&["-p", "alone"], " \n", "alone"),
    ];
    for (args, input, question) in rows {
        let server = server([Answer::text(&["ok"])]).await;
        let sandbox = Sandbox::with_config(&server.base_url(), "");
        let ran = sandbox.run_with(args, input).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(server.bodies()[0]["messages"][1]["content"], question, "{args:?} {input:?}");
    }
}

#[tokio::test]
async fn a_pipe_that_stays_silent_is_not_waited_for() {
    let server = server([Answer::text(&["ok"]), Answer::text(&["ok"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut child = sandbox.command(&["-p", "hi"]).stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    let ran = ended(child).await;
    drop(stdin);
    assert_eq!((ran.stdout.as_str(), ran.code), ("ok\n", Some(0)));
    assert_eq!(ran.stderr, "[notice: stdin is open but silent and was left out: --stdin waits for it]\n");
    // With --stdin the same pipe is waited for.
    let mut child = sandbox.command(&["-p", "hi", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    stdin.write_all(b"late").await.unwrap();
    drop(stdin);
    assert_eq!(ended(child).await.stderr, "");
    assert_eq!(server.bodies()[1]["messages"][1]["content"], "hi\n\nlate");
}

#[tokio::test]
async fn an_empty_question_is_a_usage_error() {
    let sandbox = Sandbox::with_config("http://127.0.0.1:9/v1", "");
    for (args, input) in [(["-p", ""], ""), (["-p", "-"], " \n")] {
        let ran = sandbox.run_with(&args, input).await;
        assert_eq!((ran.stderr.as_str(), ran.code), ("[usage: the question is empty]\n", Some(1)));
    }
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let long: String = (0..2000).map(|n| format!("line {n} of an answer that is long enough\n")).collect();
    let slow = Piece { wait: Duration::from_secs(30), bytes: b": late\n\n".to_vec() };
    let mut answer = Answer::text(&[&long]);
    // The end never comes: only the closed pipe can end this run.
    let cut = String::from_utf8(answer.pieces[0].bytes.clone()).unwrap();
    answer.pieces[0].bytes =
        cut.split("data: [DONE]").next().unwrap().replace("\"stop\"", "null").into_bytes();
    answer.pieces.push(slow);
    let server = server([answer.ending(End::Hold)]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut child = sandbox.command(&["-p", "go"]).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 1];
    stdout.read_exact(&mut first).await.unwrap();
    drop(stdout);
    let ran = ended(child).await;
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    server.closed(1).await;
}

#[tokio::test]
async fn a_full_disk_is_told() {
    let server = server([Answer::text(&["answer\n"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = ended(sandbox.command(&["-p", "go"]).stdout(full).spawn().unwrap()).await;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.starts_with("[engine error: cannot write the answer to stdout: No space left"),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn signals_end_the_turn_the_tool_and_the_connection() {
    for (n, signal) in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().enumerate() {
        let marker = format!("30{n}.{}", std::process::id());
        let server = server([Answer::bash(&format!("sleep {marker}"))]).await;
        let sandbox = Sandbox::with_config(&server.base_url(), "");
        let child = sandbox.command(&["-p", "go"]).spawn().unwrap();
        eventually("the tool runs", || !processes_with(&format!("sleep {marker}")).is_empty()).await;
        kill(&child, signal);
        let ran = ended(child).await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(130)), "{signal:?}: {}", ran.stderr);
        assert!(ran.stderr.ends_with("[interrupted]\n"), "{}", ran.stderr);
        assert_eq!(processes_with(&format!("sleep {marker}")), [0u32; 0], "{signal:?}");
    }
    let server = server([Answer::events(": ping\n\n").ending(End::Hold)]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let child = sandbox.command(&["-p", "go"]).spawn().unwrap();
    eventually("the question is asked", || server.requests().len() == 2).await;
    kill(&child, Signal::INT);
    assert_eq!(ended(child).await.code, Some(130));
    server.closed(1).await;
}

#[tokio::test]
async fn what_a_command_left_in_the_background_ends_with_mm() {
    let marker = format!("310.{}", std::process::id());
    let server =
        server([Answer::bash(&format!("sleep {marker} & echo started")), Answer::text(&["ok"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run(&["-p", "go"]).await;
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("   └ [still running: 1 process, pid "), "{}", ran.stderr);
    assert_eq!(processes_with(&format!("sleep {marker}")), [0u32; 0]);
}

#[tokio::test]
async fn without_yolo_nobody_can_confirm() {
    let server = server([Answer::bash("touch made"), Answer::text(&["ok"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut command = sandbox.command(&["-p", "go"]);
    let ran = ended(command.env("AGENT_YOLO", "false").spawn().unwrap()).await;
    assert_eq!(ran.code, Some(0));
    assert!(!sandbox.path().join("made").exists());
    let told = "[refused: nobody can confirm this call in -p mode]";
    assert_eq!(server.bodies()[1]["messages"][3]["content"], told);
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[tokio::test]
async fn the_key_reaches_the_server_and_no_command() {
    let server = server([
        Answer::bash("env | grep -c topsecret; printenv MY_CREDS LLAMA_API_KEY"),
        Answer::text(&["ok"]),
    ])
    .await;
    let sandbox = Sandbox::with_config(&server.base_url(), "apiKeyEnv: MY_CREDS\n");
    let mut command = sandbox.command(&["-p", "go"]);
    command.env("MY_CREDS", "topsecret").env("LLAMA_API_KEY", "topsecret-too");
    let ran = ended(command.spawn().unwrap()).await;
    assert_eq!(server.bodies()[1]["messages"][3]["content"], "0\n[exit code: 1]");
    assert!(!ran.stderr.contains("topsecret-too") && !ran.stderr.contains("=topsecret"), "{}", ran.stderr);
    for request in server.requests() {
        assert!(request.headers.iter().any(|h| h.eq_ignore_ascii_case("authorization: Bearer topsecret")));
    }
}

#[tokio::test]
async fn proxy_variables_do_not_touch_loopback() {
    let server = server([Answer::text(&["direct"])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut command = sandbox.command(&["-p", "go"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    assert_eq!(ended(command.spawn().unwrap()).await.stdout, "direct\n");
}

#[tokio::test]
async fn flags_stand_over_variables_and_variables_over_the_file() {
    let server = server([Answer::text(&["ok"]), Answer::text(&["ok"])]).await;
    let sandbox = Sandbox::with_config("http://127.0.0.1:9/v1", "");
    let base = server.base_url();
    for args in [vec!["-p", "go"], vec!["-p", "go", "--model", "flag"]] {
        let mut command = sandbox.command(&args);
        command.env("AGENT_BASE_URL", &base).env("AGENT_MODEL", "variable");
        assert_eq!(ended(command.spawn().unwrap()).await.code, Some(0));
    }
    let models: Vec<Value> = server.bodies().iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["variable", "flag"]);
}

#[tokio::test]
async fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let slow = Answer { wait: Duration::from_secs(2), ..Answer::text(&["ok"]) };
    let server = server([slow]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut command = tokio::process::Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" -p go", env!("CARGO_BIN_EXE_mm")]);
    command.current_dir(sandbox.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    eventually("the question is asked", || server.requests().len() == 2).await;
    kill(&child, Signal::HUP);
    assert_eq!(ended(child).await.stdout, "ok\n");
}

#[tokio::test]
async fn a_reader_that_reads_nothing_does_not_keep_signals_out() {
    let long = "line\n".repeat(200_000);
    let server = server([Answer::text(&[&long])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut child = sandbox.command(&["-p", "go"]).stderr(Stdio::null()).spawn().unwrap();
    let unread = child.stdout.take();
    eventually("the question is asked", || server.requests().len() == 2).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    kill(&child, Signal::INT);
    let status =
        tokio::time::timeout(Duration::from_secs(20), child.wait()).await.expect("mm hangs").unwrap();
    assert_eq!(status.code(), Some(130));
    drop(unread);
}

/// Some programs hand streams to their children that never wait, and read when they please.
#[tokio::test]
async fn streams_that_never_wait_lose_nothing() {
    let long = "x".repeat(600_000);
    let server = server([Answer::text(&[&long])]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let pair = || {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        (ours, std::os::fd::OwnedFd::from(theirs))
    };
    let ((mut input, stdin), (mut output, stdout)) = (pair(), pair());
    let mut child = sandbox.command(&["-p", "-"]).stdin(stdin).stdout(stdout).spawn().unwrap();
    let read = tokio::task::spawn_blocking(move || {
        use std::io::{Read, Write};
        std::thread::sleep(Duration::from_millis(300));
        input.write_all(b"go").unwrap();
        drop(input);
        std::thread::sleep(Duration::from_millis(700));
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        text
    });
    let status =
        tokio::time::timeout(Duration::from_secs(20), child.wait()).await.expect("mm hangs").unwrap();
    assert_eq!((status.code(), read.await.unwrap().len()), (Some(0), 600_001));
}

#[tokio::test]
async fn a_program_that_was_stopped_for_longer_than_the_watchdog_goes_on() {
    let piece = |text: &str, wait: u64| Piece {
        wait: Duration::from_millis(wait),
        bytes: format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n").into_bytes(),
    };
    let mut answer = Answer::text(&[]);
    let end = answer.pieces.pop().unwrap();
    answer.pieces.extend((0..8).map(|_| piece("a", 300)));
    answer.pieces.push(end);
    let server = server([answer]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "watchdogTimeout: 1s\n");
    let child = sandbox.command(&["-p", "go"]).spawn().unwrap();
    eventually("the question is asked", || server.requests().len() == 2).await;
    kill(&child, Signal::STOP);
    tokio::time::sleep(Duration::from_millis(1800)).await;
    kill(&child, Signal::CONT);
    let ran = ended(child).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("aaaaaaaa\n", Some(0)), "{}", ran.stderr);
}

#[tokio::test]
async fn a_program_gets_one_object_or_one_event_a_line() {
    let script = || [Answer::bash("echo hi"), Answer::text(&["All ", "done"])];
    let server = ScriptedServer::start(script()).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go", "--output", "json"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "🔧 bash: echo hi\n   │ hi\n"));
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&object["answer"], &object["partial"]), (&json!("All done"), &Value::Null));
    assert_eq!((&object["error"], &object["toolCalls"][0]["ok"]), (&serde_json::Value::Null, &true.into()));
    assert_eq!(object["toolCalls"][0]["summary"], "echo hi");
    assert_eq!(ran.stdout.lines().count(), 1);

    let server = ScriptedServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run(&["-p", "go", "--output", "stream-json"]).await;
    // How many pieces of a text come together is a matter of time.
    let mut types: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
        })
        .collect();
    types.dedup();
    assert_eq!(
        types,
        [
            "turn_started",
            "waiting",
            "writing_call",
            "tool_started",
            "tool_progress",
            "tool_finished",
            "waiting",
            "text",
            "turn_ended"
        ]
    );

    let server = ScriptedServer::start([Answer::json(400, r#"{"error":"no"}"#)]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), "").run(&["-p", "go", "--output", "json"]).await;
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &object["answer"]), (Some(2), &serde_json::Value::Null));
    assert_eq!(object["error"], "the server answered HTTP 400: no");
    assert_eq!(ran.stderr, "[error: the server answered HTTP 400: no]\n");
    let ran = Sandbox::new().run(&["--output", "json"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

/// What `-p go` prints in both forms for programs, after checks that they agree with each other and in stderr with text.
/// A signal comes once its command runs.
async fn forms(
    script: impl Fn() -> Vec<Answer>,
    config: &str,
    signal: Option<(Signal, &str)>,
    code: i32,
) -> (Value, Vec<Value>, String) {
    let mut told = Vec::new();
    for form in ["text", "json", "stream-json"] {
        let server = server(script()).await;
        let sandbox = Sandbox::with_config(&server.base_url(), config);
        let child = sandbox.command(&["-p", "go", "--output", form]).spawn().unwrap();
        if let Some((signal, command)) = signal {
            eventually("the tool runs", || !processes_with(command).is_empty()).await;
            kill(&child, signal);
        }
        let ran = ended(child).await;
        assert_eq!(ran.code, Some(code), "{form}: {}", ran.stderr);
        told.push(ran);
    }
    assert_eq!((&told[1].stderr, &told[2].stderr), (&told[0].stderr, &told[0].stderr));
    let lines = |ran: &Ran| ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (object, events): (Vec<Value>, Vec<Value>) = (lines(&told[1]), lines(&told[2]));
    let end = events.last().unwrap();
    assert_eq!((object.len(), &end["type"]), (1, &json!("turn_ended")));
    assert_eq!((&end["error"], &end["usage"]), (&object[0]["error"], &object[0]["usage"]));
    (object[0].clone(), events, told[0].stderr.clone())
}

#[tokio::test]
async fn a_program_is_told_of_the_call_that_a_failed_turn_left() {
    let script = || vec![Answer::bash("sleep 3")];
    let (object, events, _) = forms(script, "watchdogTimeout: 1s\n", None, 2).await;
    let call = &object["toolCalls"][0];
    for key in ["id", "name", "summary", "ok", "result", "durationMs"] {
        assert!(call.get(key).is_some(), "{key}: {call}");
    }
    assert_eq!(
        (&call["ok"], &call["result"], &call["summary"]),
        (&json!(false), &Value::Null, &json!("sleep 3"))
    );
    assert!((900..3000).contains(&call["durationMs"].as_u64().unwrap()), "{call}");
    let [.., started, finished, _] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&started["type"], &finished["type"]), (&json!("tool_started"), &json!("tool_finished")));
    assert_eq!((&finished["id"], &finished["name"]), (&started["id"], &json!("bash")));
    assert_eq!((&finished["ok"], &finished["result"]), (&json!(false), &Value::Null));
    assert!((900..3000).contains(&finished["durationMs"].as_u64().unwrap()), "{finished}");
}

#[tokio::test]
async fn both_forms_for_programs_say_the_same_of_the_end() {
    for (n, signal) in [Signal::INT, Signal::TERM].into_iter().enumerate() {
        let command = format!("sleep 31{n}.{}", std::process::id());
        let script = || vec![Answer::bash(&command)];
        let (object, events, _) = forms(script, "", Some((signal, &command)), 130).await;
        assert_eq!((&object["error"], &object["usage"]), (&json!("interrupted"), &Value::Null));
        assert_eq!(object["toolCalls"][0]["result"], Value::Null);
        assert_eq!(events.last().unwrap()["outcome"], "interrupted");
        assert!(events.iter().any(|event| event["type"] == "tool_finished"), "{events:?}");
    }
    let counted = |answer: Answer| {
        let usage = r#"data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
        let mut pieces = answer.pieces;
        let end = pieces.len() - 1;
        pieces.insert(end, Piece { wait: Duration::ZERO, bytes: format!("{usage}\n\n").into_bytes() });
        Answer { pieces, ..answer }
    };
    let overflow = r#"{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#;
    let refused = || Answer::json(400, overflow);
    let (object, events, _) = forms(|| vec![refused()], "", None, 2).await;
    assert_eq!(object["usage"], Value::Null);
    assert!(object["error"].as_str().unwrap().contains("ask for less"), "{object}");
    assert_eq!(events.last().unwrap()["outcome"], "failed");
    let (object, ..) = forms(|| vec![counted(Answer::bash("true")), refused()], "", None, 2).await;
    assert_eq!((&object["usage"]["prompt"], &object["usage"]["cached"]), (&json!(7), &Value::Null));
    let broken = || vec![Answer::events("data: {\"choices\":[{\"delta\":{\"content\":\"All \"}}]}\n\n")];
    let (object, _, stderr) = forms(broken, "", None, 2).await;
    assert!(stderr.starts_with("[the answer broke off here]\n[error: "), "{stderr}");
    assert_eq!((&object["answer"], &object["partial"]), (&Value::Null, &json!("All ")));
}

/// What has come before a failure is as long as it is, and its reader as slow as it likes.
#[tokio::test]
async fn a_failed_turn_is_written_to_its_end_for_a_slow_reader() {
    let long = "x".repeat(300_000);
    let answer = Answer::text(&[&long]);
    let cut = Answer::events(&format!(
        "{}data: {{\"error\":\"boom\"}}\n\n",
        String::from_utf8_lossy(&answer.pieces[0].bytes).split_inclusive("\n\n").next().unwrap()
    ));
    let server = server([cut]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let child = sandbox.command(&["-p", "go"]).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let ran = ended(child).await;
    assert_eq!((ran.stdout.len(), ran.code), (300_001, Some(2)), "{}", ran.stderr);
}
