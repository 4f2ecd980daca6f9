//! A conversation that lasts: compression, what brings it back, and commands over the questions that were asked.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::{Value, json};

use crate::support::{Sandbox, calls, results};
use crate::terminal::Terminal;

const LONG: &str = "A long answer, with much in it that nobody needs any more once the talk has gone on: one thing, \
                    another thing, and the name of the cat, which is Minka, and then some more of what was said.";

fn roles(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_long_talk_is_summed_up_and_the_model_brings_back_what_it_needs() {
    let search = calls(&[("recall_search", json!({"words": "name cat"})), ("recall", json!({"id": "c1"}))]);
    let answers = [
        Answer::text(&[LONG]),
        Answer::text(&["two"]),
        Answer::text(&["The user has a cat."]),
        search,
        Answer::text(&["Minka."]),
    ];
    let server = ScriptedServer::start(answers).await.unwrap();
    let yaml = "editTools: false\nunloadModels: false\nsessions: {enabled: true}\n\
                context: {keepLastTurns: 1, recall: true}\n";
    let sandbox = Sandbox::with_config(&server.base_url(), yaml);
    let ran = sandbox.run_with(&[], "What is my cat called?\nAnd?\n/compact the cat\nIts name?\n").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, format!("{LONG}\ntwo\nMinka.\n"));
    assert!(ran.stderr.contains("🗜️ 4 → 4 messages, ~"), "{}", ran.stderr);
    assert!(ran.stderr.contains("🔧 recall_search: name cat\n"), "{}", ran.stderr);
    let bodies = server.bodies();
    // The summary is asked for behind the messages that it replaces, and streams.
    assert_eq!(roles(&bodies[2]), ["system", "user", "assistant", "user"]);
    assert_eq!(
        (&bodies[2]["messages"][2], &bodies[2]["tools"]),
        (&bodies[1]["messages"][2], &bodies[1]["tools"])
    );
    assert_eq!((&bodies[2]["stream"], &bodies[2]["max_tokens"]), (&json!(true), &json!(1200)));
    let wish = bodies[2]["messages"][3]["content"].as_str().unwrap();
    assert!(wish.ends_with("Above all keep: the cat"), "{wish}");
    let summary = &bodies[3]["messages"][1]["content"];
    assert_eq!(summary, "[summary of the conversation so far, archived as c1]\nThe user has a cat.");
    assert_eq!(roles(&bodies[3]), ["system", "user", "assistant", "user", "assistant", "user"]);
    let results = results(&bodies[4]);
    let places: Vec<&str> = results[0].lines().collect();
    assert!(
        places[0].starts_with("c1, message 2 (assistant): …") && places[0].contains("Minka"),
        "{places:?}"
    );
    assert_eq!(places[1], "c1, message 1 (user): What is my cat called?");
    assert!(results[1].contains(LONG), "{}", results[1]);
    // What was taken out is in the file of the conversation, word for word.
    let dir = sandbox.path().join(".mm/sessions");
    let file = dir.read_dir().unwrap().map(|e| e.unwrap().path()).find(|p| p.extension().is_some()).unwrap();
    let saved: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(saved["compressions"][0]["messages"][1]["content"], LONG);
}

/// Rows of (lines, what stdout has, what stderr ends with or holds).
#[tokio::test]
async fn commands_say_what_there_is() {
    let rows = [
        ("/compact\n", "(nothing to compact: the last 3 questions stay as they are)\n"),
        ("/tools\n", "  bash             ~ "),
        ("/skills\n", "(no skills in "),
        ("/stats\n", "context used: ~"),
        ("/yolo\n", "(each call that changes something is asked about)\n"),
        ("/yolo on\n", "(tools run without asking; the guard holds as before)\n"),
        ("/yolo perhaps\n", "[error: /yolo takes on or off]\n"),
        ("/thinking\n", "(thinking is not shown)\n"),
        ("/undo\n", "(nothing to undo)\n"),
        ("/retry\n", "[error: there is no question to ask again]\n"),
        ("/edit\n", "[error: /edit needs a terminal]\n"),
        ("/model\n", "m answers\n * m\n"),
        ("/model two names\n", "[error: /model takes one name]\n"),
        ("/model other\n", "(other answers from now on — the server does not list it)\n"),
    ];
    for (input, told) in rows {
        let models = Answer::json(200, r#"{"object":"list","data":[{"id":"m"}]}"#);
        let server = ScriptedServer::start([]).await.unwrap().with_models(models);
        let sandbox = Sandbox::with_config(&server.base_url(), "");
        let ran = sandbox.run_with(&[], input).await;
        assert!(ran.stderr.contains(told), "{input}: {}", ran.stderr);
        assert_eq!(server.bodies().len(), 0, "{input} asks no model");
    }
}

#[tokio::test]
async fn another_model_answers_from_then_on() {
    let server = ScriptedServer::start([Answer::text(&["a"]), Answer::text(&["b"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    sandbox.run_with(&[], "one\n/model other\ntwo\n").await;
    let models: Vec<Value> = server.bodies().iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["m", "other"]);
}

#[tokio::test]
async fn what_a_question_wrote_is_taken_back_with_it() {
    let edits = calls(&[
        ("edit_file", json!({"path": "a.txt", "old": "one", "new": "1"})),
        ("write_file", json!({"path": "b.txt", "content": "new\n"})),
    ]);
    let answers = [Answer::text(&["hello"]), edits, Answer::text(&["done"]), Answer::text(&["again"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    sandbox.write("a.txt", "one\ntwo\n");
    let ran = sandbox.run_with(&[], "hi\nchange it\n/undo\nnext\n").await;
    let told = "(taken back: change it)\n   a.txt: as before\n   b.txt: removed\n";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(sandbox.path().join("a.txt")).unwrap(), "one\ntwo\n");
    assert!(!sandbox.path().join("b.txt").exists());
    let last = &server.bodies()[3];
    assert_eq!(roles(last), ["system", "user", "assistant", "user"]);
    assert_eq!(last["messages"][3]["content"], "next");
}

#[tokio::test]
async fn a_question_is_asked_again_in_place_of_its_answer() {
    let answers = [Answer::text(&["first"]), Answer::text(&["bad"]), Answer::text(&["better"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run_with(&[], "one\ntwo\n/retry\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("first\nbad\nbetter\n", Some(0)));
    assert_eq!(server.bodies()[1], server.bodies()[2], "the same request, from the server's cache");
}

/// What a hook refuses is no question of the conversation.
#[tokio::test]
async fn a_refused_question_is_not_the_one_that_is_taken_back() {
    let edit = calls(&[("write_file", json!({"path": "a.txt", "content": "new\n"}))]);
    let server = ScriptedServer::start([edit, Answer::text(&["done"])]).await.unwrap();
    let hook = "hooks:\n  preGeneration:\n    - command: 'grep -q secret && echo ''{\"decision\": \"deny\", \"reason\": \"no\"}'' || true'\n";
    let sandbox = Sandbox::with_config(&server.base_url(), hook);
    let ran = sandbox.run_with(&[], "make it\nthe secret\n/undo\n").await;
    assert!(ran.stderr.contains("(taken back: make it)\n   a.txt: removed\n"), "{}", ran.stderr);
}

/// What an editor writes is asked; one that fails, or writes nothing, asks nothing.
#[tokio::test]
async fn a_question_is_written_in_an_editor() {
    let server = ScriptedServer::start([Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let write = "#!/bin/sh\n# The terminal is the editor's.\n[ -t 0 ] && [ -t 1 ] || exit 9\n\
                 case $2 in *.md) printf 'two\\nlines' >>\"$2\" ;; esac\n";
    let editor = sandbox.write("editor", write);
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let command = pty_process::Command::new("env").args(["EDITOR=./editor --wait", env!("CARGO_BIN_EXE_mm")]);
    let mut terminal = Terminal::of(&sandbox, command, (30, 100));
    terminal.until("> ").await;
    terminal.type_in("/edit one \r").await;
    terminal.until("fine").await;
    assert_eq!(server.bodies()[0]["messages"][1]["content"], "onetwo\nlines");
    terminal.until("> ").await;
    sandbox.write("editor", "#!/bin/sh\n: >\"$2\"\n");
    terminal.type_in("/edit\r").await;
    terminal.until("(nothing was written, nothing is asked)").await;
    terminal.until("> ").await;
    sandbox.write("editor", "#!/bin/sh\nexit 3\n");
    terminal.type_in("/edit\r").await;
    terminal.until("[error: the editor (./editor --wait) failed, nothing is asked: exit status: 3]").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!((terminal.ended().await, server.bodies().len()), (Some(0), 1));
}

/// What was taken back stands at the prompt, to be asked in other words.
#[tokio::test]
async fn a_question_that_was_taken_back_can_be_changed() {
    let server = ScriptedServer::start([Answer::text(&["a"]), Answer::text(&["b"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("What is this\r").await;
    terminal.until("a\r\n\r\n").await;
    terminal.until("> ").await;
    terminal.type_in("/undo\r").await;
    terminal.until("(taken back: What is this)").await;
    terminal.shows("the question", |screen| screen.ends_with("> What is this")).await;
    terminal.type_in(" and that?\r").await;
    terminal.until("b\r\n\r\n").await;
    assert_eq!(server.bodies()[1]["messages"][1]["content"], "What is this and that?");
}

/// What was refused for the session is allowed again by a word that is newer.
#[tokio::test]
async fn yolo_counts_more_than_what_was_answered_before() {
    let touch = || calls(&[("bash", json!({"command": "echo ran"}))]);
    let answers = [touch(), Answer::text(&["a"]), touch(), Answer::text(&["b"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\r").await;
    terminal.until("ne[v]er: ").await;
    terminal.type_in("v\r").await;
    terminal.until("a\r\n\r\n").await;
    terminal.until("> ").await;
    terminal.type_in("/yolo on\r").await;
    terminal.until("without asking").await;
    terminal.type_in("go\r").await;
    terminal.until("b\r\n\r\n").await;
    let read = results(&server.bodies()[3]);
    assert_eq!(read[1], "ran");
}

/// The plan is that of before the question, as the files are.
#[tokio::test]
async fn the_plan_of_a_question_is_taken_back_with_it() {
    let plan = calls(&[("plan", json!({"action": "create", "title": "Work", "steps": ["one"]}))]);
    let server = ScriptedServer::start([plan, Answer::text(&["done"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "planTool: true\n");
    let ran = sandbox.run_with(&[], "go\n/plan\n/undo\n/plan\n").await;
    assert!(ran.stderr.contains("1. one") && ran.stderr.ends_with("(there is no plan)\n"), "{}", ran.stderr);
}

/// A program that has the terminal does not keep `mm` from ending.
#[tokio::test]
async fn a_signal_ends_the_editor_too() {
    let server = ScriptedServer::start([]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let marker = format!("sleep 322.{}", std::process::id());
    let editor = format!("EDITOR={marker} #");
    let command = pty_process::Command::new("env").args([editor.as_str(), env!("CARGO_BIN_EXE_mm")]);
    let mut terminal = Terminal::of(&sandbox, command, (30, 100));
    terminal.until("> ").await;
    terminal.type_in("/edit precious\r").await;
    crate::support::eventually("the editor runs", || !crate::support::processes_with(&marker).is_empty())
        .await;
    rustix::process::kill_process(terminal.pid(), rustix::process::Signal::TERM).unwrap();
    assert_eq!(terminal.ended().await, Some(130));
    assert_eq!(crate::support::processes_with(&marker), [0u32; 0]);
    assert_eq!(server.bodies().len(), 0, "nothing is asked");
}
