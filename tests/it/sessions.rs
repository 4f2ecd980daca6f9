//! Conversations in files, from the flag and the slash command to the disk.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mm_llm::testing::{Answer, ScriptedServer};
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::terminal::Terminal;

const ON: &str = "sessions: {enabled: true}\n";

async fn server(answers: &[&str]) -> ScriptedServer {
    ScriptedServer::start(answers.iter().map(|text| Answer::text(&[text]))).await.unwrap()
}

fn dir(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join(".mm/sessions")
}

/// The names in the directory of sessions.
fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(dir(sandbox)).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn session(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_slice(&fs::read(dir(sandbox).join(name)).unwrap()).unwrap()
}

/// Puts a session there; gives its text.
fn put(sandbox: &Sandbox, id: &str, messages: &Value) -> String {
    fs::create_dir_all(dir(sandbox)).unwrap();
    let file = json!({
        "version": 1, "id": id, "title": format!("about {id}"), "created": "2026-09-01T00:00:00Z",
        "updated": "2026-09-01T00:00:00Z", "cwd": sandbox.path().canonicalize().unwrap(), "config": null,
        "provider": "llamacpp", "model": "m", "messages": messages,
    });
    fs::write(dir(sandbox).join(format!("{id}.json")), file.to_string()).unwrap();
    file.to_string()
}

/// The messages of the last request, the system message apart, as `role: text`.
fn sent(server: &ScriptedServer) -> Vec<String> {
    let body = server.bodies().pop().unwrap();
    let messages = body["messages"].as_array().unwrap().iter().skip(1);
    let told = |message: &Value| {
        format!("{}: {}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap_or("-"))
    };
    messages.map(told).collect()
}

#[tokio::test]
async fn a_conversation_goes_on_by_its_id_by_its_beginning_and_as_the_newest() {
    let server = server(&["one", "two", "three", "four", "five"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let ran = sandbox.run_with(&[], "first question\n/new\nsecond\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("one\ntwo\n", Some(0)), "{}", ran.stderr);
    let files = names(&sandbox);
    assert_eq!(files.len(), 2, "/new begins another file: {files:?}");
    let id = files[0].trim_end_matches(".json").to_owned();
    let kept = session(&sandbox, &files[0]);
    assert_eq!((&kept["title"], &kept["config"]), (&json!("first question"), &json!("agent.yaml")));

    fs::write(sandbox.path().join("AGENTS.md"), "Use tabs.").unwrap();
    let ran = sandbox.run(&["--resume", &id, "-p", "and then?"]).await;
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.code), ("three\n", "", Some(0)));
    assert_eq!(sent(&server), ["user: first question", "assistant: one", "user: and then?"]);
    let system = server.bodies().pop().unwrap()["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("Use tabs."), "the instructions of now: {system}");

    let ran = sandbox.run_with(&["--continue"], "more\n").await;
    let told = format!("\nresumed {id}: first question (4 messages)\n> and then?\nthree\n");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), names(&sandbox)), ("four\n", files.clone()));
    let other = files[1].trim_end_matches(".json");
    let beginning = &other[..other.len() - 1];
    sandbox.run(&["-resume", beginning, "-p", "third"]).await;
    assert_eq!(sent(&server)[0], "user: second");
}

#[tokio::test]
async fn what_is_not_there_to_go_on_with_is_an_error_in_words() {
    let server = server(&[]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let place = sandbox.path().canonicalize().unwrap().join(".mm/sessions");
    let place = place.display();
    let rows = [
        (&["--continue"][..], format!("[engine error: there is no session of this directory in {place}: leave --continue out to begin one]\n")),
        (&["--resume", "x"], format!("[engine error: there is no session x (sessions are in {place})]\n")),
        (
            &["--resume"],
            "[usage: --resume needs an id here, where nobody can choose from a list (--continue takes the newest \
             session of this directory)]\n"
                .to_owned(),
        ),
    ];
    for (args, expected) in rows {
        let ran = sandbox.run(args).await;
        assert_eq!((ran.stderr, ran.code), (expected, Some(1)), "{args:?}");
        assert!(!dir(&sandbox).exists(), "looking makes nothing");
    }
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    for (args, flag) in [(&["--continue"][..], "--continue"), (&["--resume", "x", "-p", "q"], "--resume")] {
        let ran = sandbox.run(args).await;
        let expected = format!("[usage: {flag} needs sessions: set sessions.enabled to true]\n");
        assert_eq!((ran.stderr, ran.code), (expected, Some(1)));
    }
    let ran = sandbox.run_with(&[], "/sessions\n/resume x\n").await;
    assert!(ran.stderr.contains("there is no command /sessions"), "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no command /resume"), "{}", ran.stderr);
}

/// Also where they were changed while the program ran.
#[tokio::test]
async fn what_is_resumed_goes_on_under_the_instructions_of_that_moment() {
    let writes = Answer::bash("echo Use spaces. > AGENTS.md");
    let server =
        ScriptedServer::start([writes, Answer::text(&["done"]), Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let talk = json!([
        {"role": "system", "content": "Use tabs."},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
    ]);
    put(&sandbox, "old", &talk);
    fs::write(sandbox.path().join("AGENTS.md"), "Use tabs.").unwrap();
    let ran = sandbox.run_with(&[], "change it\n/resume old\ngo on\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\nfine\n", Some(0)), "{}", ran.stderr);
    let systems: Vec<String> = server
        .bodies()
        .iter()
        .map(|body| body["messages"][0]["content"].as_str().unwrap().to_owned())
        .map(|system| format!("{} {}", system.contains("Use tabs."), system.contains("Use spaces.")))
        .collect();
    assert_eq!(systems, ["true false", "true false", "false true"]);
    assert_eq!(sent(&server), ["user: q", "assistant: a", "user: go on"]);
}

/// A disk that fills during the second question, by a limit on the size of files, and has room again.
#[tokio::test]
async fn a_full_disk_is_told_once_and_what_was_said_is_saved_later() {
    let server = server(&["one", "two", "three", "four"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let mut terminal = Terminal::start(&sandbox).await;
    let mut told = Vec::new();
    let mut after = Vec::new();
    for (at, question) in ["first\n", "second\n", "third\n", "fourth\n"].iter().enumerate() {
        terminal.until("> ").await;
        let room = if at == 1 || at == 2 { Some(0) } else { getrlimit(Resource::Fsize).current };
        let maximum = getrlimit(Resource::Fsize).maximum;
        prlimit(Some(terminal.pid()), Resource::Fsize, Rlimit { current: room, maximum }).unwrap();
        terminal.type_in(question).await;
        told.push(terminal.until("\r\n\r\n").await.matches("[session: cannot save ").count());
        let files = names(&sandbox);
        assert_eq!(files.iter().filter(|name| !name.ends_with(".mm-lock")).count(), 1, "{files:?}");
        let file = files.iter().find(|name| name.ends_with(".json")).unwrap();
        after.push(session(&sandbox, file)["messages"].as_array().unwrap().len());
    }
    assert_eq!(told, [0, 1, 0, 0]);
    assert_eq!(after, [3, 3, 3, 9]);
}

/// What was in the way is told once more by whoever leaves, and saved when it is gone by then.
#[tokio::test]
async fn leaving_a_conversation_saves_what_could_not_be_saved_before() {
    let server = server(&["one", "two", "three"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    fs::create_dir(sandbox.path().join(".mm")).unwrap();
    fs::write(dir(&sandbox), "in the way").unwrap();
    let mut terminal = Terminal::start(&sandbox).await;
    for question in ["first\n", "/new\n", "second\n"] {
        terminal.until("> ").await;
        terminal.type_in(question).await;
        terminal.until("[session: cannot save ").await;
    }
    terminal.until("> ").await;
    fs::remove_file(dir(&sandbox)).unwrap();
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
    let files = names(&sandbox);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(session(&sandbox, &files[0])["title"], "second");
}

#[tokio::test]
async fn what_cannot_be_read_is_listed_with_the_reason_and_stays_as_it_is() {
    let server = server(&["fine"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let talk = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    put(&sandbox, "good", &talk);
    let bad: [(&str, &[u8], &str); 3] = [
        ("bad", b"{\"id\":\n", "it was cut off: its end is missing"),
        ("zero", b"", "it is empty"),
        ("nul", &[0; 4096], "it is not JSON: expected value at line 1 column 1"),
    ];
    for (id, bytes, _) in bad {
        fs::write(dir(&sandbox).join(format!("{id}.json")), bytes).unwrap();
    }
    let ran = sandbox.run_with(&[], "/sessions\n/resume bad\n/resume god\n/resume good\ngo on\n").await;
    for (id, bytes, why) in bad {
        assert!(ran.stderr.contains(&format!("  {id}  [cannot be read: {why}]\n")), "{}", ran.stderr);
        assert_eq!(fs::read(dir(&sandbox).join(format!("{id}.json"))).unwrap(), bytes);
    }
    for told in [
        "  good  about good\n",
        "[error: the session bad cannot be read: it was cut off: its end is missing]\n",
        "[error: there is no session god, did you mean good?]\n",
        "resumed good: about good (2 messages)\n> q\na\n",
    ] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    assert_eq!((ran.stdout.as_str(), ran.code), ("fine\n", Some(0)));
    assert_eq!(sent(&server), ["user: q", "assistant: a", "user: go on"]);
    assert_eq!(names(&sandbox), ["bad.json", "good.json", "nul.json", "zero.json"]);
}

#[tokio::test]
async fn errors_that_were_shown_are_kept_beside_the_messages() {
    let fails = Answer::json(400, r#"{"error":{"message":"boom"}}"#);
    let server = ScriptedServer::start([fails, Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    sandbox.run_with(&[], "first\nsecond\n/resume nowhere\n").await;
    let kept = session(&sandbox, &names(&sandbox)[0]);
    let errors: Vec<(&str, &str)> = kept["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["kind"].as_str().unwrap(), error["message"].as_str().unwrap()))
        .collect();
    assert_eq!(errors[0].0, "generation");
    assert!(errors[0].1.contains("boom"), "{errors:?}");
    assert_eq!(errors[1..], [("resume", "there is no session nowhere")]);
    assert_eq!(kept["messages"].as_array().unwrap().len(), 5);
    assert!(!kept["messages"].to_string().contains("boom"));
}

#[tokio::test]
async fn a_call_without_a_result_gets_one_and_that_is_saved() {
    let server = server(&["fine"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}});
    let talk = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [call("c1"), call("c2")]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]);
    put(&sandbox, "half", &talk);
    let ran = sandbox.run_with(&[], "/resume half\ngo on\n").await;
    let warned =
        "[warning: the session was not whole: 2 places mended, as after a call without its result]\n";
    assert!(ran.stderr.contains(warned), "{}", ran.stderr);
    let expected = [
        "user: q",
        "assistant: ",
        "tool: done",
        "tool: [interrupted: there is no result of this call]",
        "assistant: [no answer: the turn failed]",
        "user: go on",
    ];
    assert_eq!(sent(&server), expected);
    let kept = session(&sandbox, "half.json");
    let ids: Vec<&Value> = kept["messages"].as_array().unwrap().iter().map(|m| &m["tool_call_id"]).collect();
    assert_eq!(ids[3..5], [&json!("c1"), &json!("c2")]);
}

#[tokio::test]
async fn a_session_that_is_open_elsewhere_goes_on_under_another_id() {
    let server = server(&["one", "two", "three"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("first\n").await;
    terminal.until("one").await;
    terminal.until("> ").await;
    let ran = sandbox.run(&["--continue", "-p", "second"]).await;
    let file = names(&sandbox).into_iter().find(|name| name.ends_with(".json")).unwrap();
    let id = file.trim_end_matches(".json");
    let told = format!("[warning: another mm has the session {id} open: this conversation goes on as ");
    assert!(ran.stderr.starts_with(&told), "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.code), ("two\n", Some(0)));
    terminal.type_in("third\n").await;
    terminal.until("three").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
    let files = names(&sandbox);
    let lasts: Vec<String> = files
        .iter()
        .map(|name| session(&sandbox, name)["messages"][3]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(lasts, ["third", "second"], "neither wrote over the other, and no lock is left: {files:?}");
}

#[tokio::test]
async fn in_a_terminal_one_chooses_from_a_list() {
    let server = server(&["fine", "sure"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), &format!("{ON}yolo: false\n"));
    let talk = |q: &str| json!([{"role": "user", "content": q}, {"role": "assistant", "content": "a"}]);
    put(&sandbox, "s1", &talk("q1"));
    put(&sandbox, "s2", &talk("q2"));
    let mut terminal = Terminal::start_with(&sandbox, &["--resume"]).await;
    terminal.until("  1  ").await;
    terminal.until("  s2  about s2\r\n  2  ").await;
    terminal.until("  s1  about s1\r\n").await;
    terminal.until("empty: a new conversation] ").await;
    terminal.type_in("3\n").await;
    terminal.until("[error: there is no session 3]").await;
    terminal.until("empty: a new conversation] ").await;
    terminal.type_in("2\n").await;
    terminal.until("resumed s1: about s1 (2 messages)\r\n> q1\r\na\r\n").await;
    terminal.until("> ").await;
    terminal.type_in("go on\n").await;
    terminal.until("fine").await;
    assert_eq!(sent(&server)[0], "user: q1");
    terminal.until("> ").await;
    terminal.type_in("/resume\n").await;
    // The one that was just saved is the first now.
    terminal.until("  s1  about s1\r\n  2  ").await;
    terminal.until("(/resume and its number goes on with one)").await;
    terminal.type_in("/resume 1\n").await;
    terminal.until("[error: the session s1 is the one that you are in]").await;
    terminal.type_in("/resume 2\n").await;
    terminal.until("resumed s2: about s2 (2 messages)").await;
    terminal.until("> ").await;
    terminal.until("> ").await;
    terminal.type_in("go on\n").await;
    terminal.until("sure").await;
    assert_eq!(sent(&server)[0], "user: q2");
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
    assert_eq!(names(&sandbox), ["s1.json", "s2.json"]);
}

/// Permissions for a session are of that conversation alone.
#[tokio::test]
async fn what_was_allowed_for_a_session_is_asked_again_after_resuming() {
    let calls = [
        Answer::bash("touch one"),
        Answer::text(&["did"]),
        Answer::bash("touch two"),
        Answer::text(&["end"]),
    ];
    let server = ScriptedServer::start(calls).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), &format!("{ON}yolo: false\n"));
    put(&sandbox, "old", &json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]));
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("Run it?").await;
    terminal.type_in("s\n").await;
    terminal.until("did").await;
    terminal.until("> ").await;
    terminal.type_in("/resume old\n").await;
    terminal.until("resumed old").await;
    terminal.type_in("go\n").await;
    terminal.until("Run it?").await;
    terminal.type_in("n\n").await;
    terminal.until("end").await;
    assert!(!sandbox.path().join("two").exists());
}

/// 300 sessions, one of them of 300 MB, and an edit of a large file.
#[tokio::test]
async fn large_sessions_and_files_cost_a_list_and_a_session_little() {
    let edit = json!({"path": "large", "old": "middle", "new": "MIDDLE"}).to_string();
    let server =
        ScriptedServer::start([Answer::call("edit_file", &edit), Answer::text(&["edited"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), ON);
    let small = put(
        &sandbox,
        "s000",
        &json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]),
    );
    for n in 1..299 {
        fs::write(dir(&sandbox).join(format!("s{n:03}.json")), &small).unwrap();
    }
    let huge = dir(&sandbox).join("s299.json");
    fs::write(&huge, small.split("\"messages\"").next().unwrap()).unwrap();
    let file = fs::File::options().append(true).open(&huge).unwrap();
    std::io::Write::write_all(&mut &file, b"\"messages\": [{\"role\": \"user\", \"content\": \"").unwrap();
    file.set_len(300_000_000).unwrap();
    std::io::Write::write_all(&mut &file, b"\"}]}\n").unwrap();
    let line = "x".repeat(99) + "\n";
    fs::write(sandbox.path().join("large"), line.repeat(100_000) + "middle\n" + &line.repeat(100_000))
        .unwrap();

    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    let begin = Instant::now();
    terminal.type_in("/sessions all\n").await;
    terminal.until("300  ").await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    let pid = terminal.pid().as_raw_nonzero();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(peak < 100 << 10, "{peak} KiB");
    terminal.type_in("/resume s000\n").await;
    terminal.until("resumed s000").await;
    terminal.type_in("edit it\n").await;
    terminal.until("edited").await;
    terminal.until("> ").await;
    let after = fs::metadata(dir(&sandbox).join("s000.json")).unwrap().len();
    assert!(after < small.len() as u64 + 100_000, "{after}");
}
