//! The line mode in a terminal.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use mm_llm::testing::{Answer, End, ScriptedServer};
use pty_process::{OwnedReadPty, OwnedWritePty, Size};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use crate::support::{Sandbox, calls, eventually, processes_with, results};

/// `mm` in a terminal of its own.
pub struct Terminal {
    child: Child,
    reader: OwnedReadPty,
    writer: OwnedWritePty,
    seen: String,
    screen: vt100::Parser,
    modes: OwnedFd,
}

impl Terminal {
    pub async fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, &[]).await
    }

    pub async fn start_with(sandbox: &Sandbox, args: &[&str]) -> Self {
        let command = pty_process::Command::new(env!("CARGO_BIN_EXE_mm")).args(args);
        Self::of(sandbox, command, (30, 100))
    }

    /// Starts it in a terminal of some rows and columns.
    pub fn sized(sandbox: &Sandbox, size: (u16, u16)) -> Self {
        Self::of(sandbox, pty_process::Command::new(env!("CARGO_BIN_EXE_mm")), size)
    }

    /// Starts a program that starts `mm`, which `$MM` names.
    pub fn of(sandbox: &Sandbox, command: pty_process::Command, (rows, columns): (u16, u16)) -> Self {
        Self::with_term(sandbox, command, (rows, columns), "xterm-256color")
    }

    pub fn with_term(
        sandbox: &Sandbox,
        command: pty_process::Command,
        (rows, columns): (u16, u16),
        term: &str,
    ) -> Self {
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let command = command
            .current_dir(sandbox.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", sandbox.path())
            .env("MM", env!("CARGO_BIN_EXE_mm"))
            .env("TERM", term)
            .kill_on_drop(true);
        let child = command.spawn(pts).unwrap();
        let modes = pty.as_fd().try_clone_to_owned().unwrap();
        let (reader, writer) = pty.into_split();
        let screen = vt100::Parser::new(rows, columns, 0);
        Self { child, reader, writer, seen: String::new(), screen, modes }
    }

    /// What a person sees now, without the empty lines below.
    pub fn screen(&self) -> String {
        self.screen.screen().contents().trim_end().to_owned()
    }

    /// Reads until what a person sees is as it should be.
    pub async fn shows(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let read = async {
            while !is_so(&self.screen()) {
                self.read().await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(30), read).await.is_err() {
            panic!("never {what} on\n{}", self.screen());
        }
    }

    async fn read(&mut self) {
        let mut buffer = [0; 4096];
        let n = self.reader.read(&mut buffer).await.unwrap_or(0);
        assert!(n > 0, "the terminal ended: {:?}", self.seen);
        self.screen.process(&buffer[..n]);
        self.seen.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }

    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.writer.resize(Size::new(rows, columns)).unwrap();
        self.screen.screen_mut().set_size(rows, columns);
    }

    /// Whether the terminal edits lines by itself, as it does for a program that asks for nothing else.
    pub fn edits_itself(&self) -> bool {
        let modes = rustix::termios::tcgetattr(&self.modes).unwrap().local_modes;
        modes.contains(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO)
    }

    pub async fn type_in(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
    }

    /// Types more than the terminal takes at once, and reads what it shows meanwhile.
    pub async fn type_all(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        let mut buffer = [0; 4096];
        while !rest.is_empty() {
            tokio::select! {
                written = self.writer.write(rest) => rest = &rest[written.unwrap()..],
                read = self.reader.read(&mut buffer) => {
                    let read = read.unwrap();
                    self.screen.process(&buffer[..read]);
                    self.seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
                }
            }
        }
    }

    /// Reads until the text has appeared, and forgets everything up to its end.
    pub async fn until(&mut self, text: &str) -> String {
        let read = async {
            loop {
                if let Some(at) = self.seen.find(text) {
                    let rest = self.seen.split_off(at + text.len());
                    return std::mem::replace(&mut self.seen, rest);
                }
                self.read().await;
            }
        };
        match tokio::time::timeout(Duration::from_secs(30), read).await {
            Ok(seen) => seen,
            Err(_) => panic!("never {text:?} in {:?}", self.seen),
        }
    }

    pub fn pid(&self) -> rustix::process::Pid {
        let pid = i32::try_from(self.child.id().unwrap()).unwrap();
        rustix::process::Pid::from_raw(pid).unwrap()
    }

    pub async fn ended(&mut self) -> Option<i32> {
        let wait = tokio::time::timeout(Duration::from_secs(30), self.child.wait());
        wait.await.expect("mm hangs").unwrap().code()
    }
}

#[tokio::test]
async fn ctrl_c_ends_the_tool_and_the_next_question_works() {
    let marker = format!("sleep 330.{}", std::process::id());
    let server = ScriptedServer::start([Answer::bash(&marker), Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("wait\n").await;
    terminal.until("🔧 bash: sleep").await;
    eventually("the tool runs", || !processes_with(&marker).is_empty()).await;
    terminal.type_in("\x03").await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    eventually("the tool has ended", || processes_with(&marker).is_empty()).await;
    terminal.type_in("again\n").await;
    terminal.until("fine").await;
    terminal.until("> ").await;
    let messages = &server.bodies()[1]["messages"];
    assert_eq!(messages[3]["content"], "[interrupted by the user]");
    assert_eq!(messages[5]["content"], "again");
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
}

#[tokio::test]
async fn ctrl_c_closes_the_connection_of_a_streaming_answer() {
    let begun =
        Answer::events("data: {\"choices\":[{\"delta\":{\"content\":\"begun\"}}]}\n\n").ending(End::Hold);
    let server = ScriptedServer::start([begun, Answer::text(&["next"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("begun").await;
    terminal.type_in("\x03").await;
    server.closed(1).await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    terminal.type_in("go on\n").await;
    terminal.until("next").await;
}

#[tokio::test]
async fn ctrl_c_twice_at_the_prompt_leaves() {
    let server = ScriptedServer::start([]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("\x03").await;
    terminal.until("(Ctrl-C again, or Ctrl-D, leaves)").await;
    terminal.until("> ").await;
    terminal.type_in("\x03").await;
    assert_eq!(terminal.ended().await, Some(130));
}

#[tokio::test]
async fn a_permission_is_asked_and_what_was_typed_before_is_no_answer() {
    let calls = [
        Answer::bash("touch one"),
        Answer::bash("touch two"),
        Answer::text(&["done"]),
        Answer::text(&["more"]),
    ];
    let first = Answer { wait: Duration::from_secs(1), ..calls[0].clone() };
    let server = ScriptedServer::start([first].into_iter().chain(calls.into_iter().skip(1))).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\ny\n").await;
    terminal.until("Run it?").await;
    assert!(!sandbox.path().join("one").exists(), "the early y was no answer");
    terminal.type_in("perhaps\n").await;
    terminal.until("Run it?").await;
    terminal.type_in("y\n").await;
    terminal.until("🔧 bash: touch two").await;
    terminal.until("Run it?").await;
    terminal.type_in("n\n").await;
    terminal.until("[refused by the user]").await;
    terminal.until("done").await;
    // The early line is the next question.
    terminal.until("more").await;
    assert_eq!(server.bodies()[3]["messages"].as_array().unwrap().last().unwrap()["content"], "y");
    assert!(sandbox.path().join("one").exists() && !sandbox.path().join("two").exists());
}

/// A refusal is about one call, an interruption about the whole turn; "for this session" is about every call of a tool.
#[tokio::test]
async fn ctrl_c_at_a_request_runs_none_of_the_calls_and_no_does_one_alone() {
    let both =
        || calls(&[("bash", json!({"command": "touch one"})), ("bash", json!({"command": "touch two"}))]);
    let answers = [both(), Answer::text(&["fine"]), both(), Answer::text(&["done"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let exist = |sandbox: &Sandbox| ["one", "two"].map(|name| sandbox.path().join(name).exists());
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("Run it? [y]es, [s]: every bash call of this session, [n]o").await;
    terminal.type_in("\x03").await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    assert_eq!(exist(&sandbox), [false, false]);
    terminal.type_in("hello\n").await;
    terminal.until("fine").await;
    assert_eq!(results(&server.bodies()[1]), ["[interrupted by the user]"; 2]);
    terminal.until("> ").await;
    terminal.type_in("again\n").await;
    terminal.until("Run it? ").await;
    terminal.type_in("n\n").await;
    terminal.until("Run it? ").await;
    terminal.type_in("y\n").await;
    terminal.until("done").await;
    assert_eq!(results(&server.bodies()[3])[2..], ["[refused by the user]", "[no output]"]);
    assert_eq!(exist(&sandbox), [false, true]);
}

#[tokio::test]
async fn a_risky_call_is_asked_about_each_time_and_the_reason_is_shown() {
    let calls = [
        Answer::bash("rm -rf one"),
        Answer::bash("rm -rf two"),
        Answer::bash("touch three"),
        Answer::text(&["done"]),
    ];
    let server = ScriptedServer::start(calls).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "guard: {askRisky: true}\n");
    for name in ["one", "two"] {
        std::fs::create_dir(sandbox.path().join(name)).unwrap();
    }
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("   risky: delete: `rm -rf one` deletes recursively or by force").await;
    terminal.until("Run it?").await;
    terminal.type_in("s\n").await;
    terminal.until("   risky: delete: `rm -rf two` deletes").await;
    terminal.until("Run it?").await;
    terminal.type_in("n\n").await;
    terminal.until("[refused by the user]").await;
    terminal.until("done").await;
    let there = ["one", "two", "three"].map(|name| sandbox.path().join(name).exists());
    assert_eq!(there, [false, true, true]);
}

#[tokio::test]
async fn the_spinner_says_what_is_waited_for_and_leaves_no_trace() {
    let progress = "data: {\"choices\":[],\"prompt_progress\":{\"total\":25300,\"cache\":0,\"processed\":12000,\"time_ms\":1}}\n\n";
    let mut answer = Answer::text(&["read"]);
    let rest = answer.pieces.remove(0);
    answer.pieces.extend(Answer::events(progress).pieces);
    answer.pieces.push(mm_llm::testing::Piece { wait: Duration::from_millis(600), ..rest });
    let server = ScriptedServer::start([answer]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("Reading the prompt 12.0k/25.3k tokens").await;
    let between = terminal.until("read").await;
    assert!(between.ends_with("\r\x1b[Kread"), "{between:?}");
}
