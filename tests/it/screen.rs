//! What stands on the screen of a terminal.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::json;

use crate::support::Sandbox;
use crate::terminal::Terminal;

const ANSWER: [&str; 4] = ["# Wh", "at\n\n- **ye", "s**\n\n```rust\nlet a = 1;\n`", "``\n"];

#[tokio::test]
async fn an_answer_is_laid_out_as_it_comes() {
    let server = ScriptedServer::start([Answer::text(&ANSWER)]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("\x1b[1;4mWhat\x1b[0m\r\n\r\n• \x1b[1myes\x1b[0m\r\n\r\n  ").await;
    let code = terminal.until(";\r\n").await;
    let expected = match cfg!(feature = "highlight") {
        true => "\x1b[35mlet\x1b[0m a = \x1b[36m1\x1b[0m;\r\n",
        false => "let a = 1;\r\n",
    };
    assert_eq!(code, expected);
}

#[tokio::test]
async fn without_colours_the_marks_stay() {
    let server = ScriptedServer::start([Answer::text(&ANSWER)]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let command = pty_process::Command::new(env!("CARGO_BIN_EXE_mm"));
    let mut terminal = Terminal::with_term(&sandbox, command, (30, 100), "dumb");
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("# What\r\n\r\n• **yes**\r\n\r\n  let a = 1;\r\n").await;
}

#[tokio::test]
async fn an_edit_shows_its_diff_and_the_turn_a_list_of_what_was_done() {
    let edit = json!({"path": "notes.txt", "old": "bread", "new": "rye"});
    let calls = [
        Answer::call("read_file", &json!({"path": "notes.txt"}).to_string()),
        Answer::call("edit_file", &edit.to_string()),
        Answer::bash("exit 3"),
        Answer::text(&["done"]),
        Answer::text(&["nothing to do"]),
    ];
    let server = ScriptedServer::start(calls).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "displayCommands: true\n");
    sandbox.write("notes.txt", "milk\nbread\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("\x1b[31m-bread\x1b[0m\r\n   │ \x1b[32m+rye\x1b[0m\r\n").await;
    let list = "done\r\nDone in this turn:\r\n   1. ✓ read_file: notes.txt\r\n   2. ✓ edit_file: notes.txt (\"bread\" → \"rye\")\r\n   3. ✗ bash: exit 3\r\n";
    terminal.until(list).await;
    terminal.until("> ").await;
    terminal.type_in("more\n").await;
    let rest = terminal.until("> ").await;
    assert!(rest.contains("nothing to do\r\n") && !rest.contains("Done in this turn"), "{rest:?}");
}

#[tokio::test]
async fn json_is_shown_as_it_was_written() {
    let answer = r#"{"a":"**b** _c_"}"#;
    let server = ScriptedServer::start([Answer::text(&[answer])]).await.unwrap();
    let sandbox = Sandbox::with_config(
        &server.base_url(),
        "bashTool: false\neditTools: false\nstructuredOutput: |\n  type T struct { A string `json:\"a\"` }\n  var Answer T\n",
    );
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until(&format!("{answer}\r\n")).await;
}

#[tokio::test]
async fn a_diff_that_was_confirmed_is_not_shown_again() {
    let edit = json!({"path": "notes.txt", "old": "bread", "new": "rye"}).to_string();
    let server =
        ScriptedServer::start([Answer::call("edit_file", &edit), Answer::text(&["done"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    sandbox.write("notes.txt", "milk\nbread\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("+rye").await;
    terminal.until("Run it?").await;
    terminal.type_in("y\n").await;
    let rest = terminal.until("done").await;
    assert!(!rest.contains("rye"), "{rest:?}");
}
