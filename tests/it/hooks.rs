//! Hooks, from the configuration to what a turn makes of them.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use mm_llm::testing::{Answer, ScriptedServer};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, ended, eventually, kill, processes_with};
use crate::terminal::Terminal;

/// A question in a sandbox with hooks.
struct Bench {
    sandbox: Sandbox,
    server: ScriptedServer,
}

impl Bench {
    /// The server gives the answers, and then says `done`.
    async fn new(config: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = answers.into_iter().chain([Answer::text(&["done"])]);
        let server = ScriptedServer::start(answers).await.unwrap();
        Self { sandbox: Sandbox::with_config(&server.base_url(), config), server }
    }

    /// Writes an executable script that reads its input into `NAME.in`.
    fn script(self, name: &str, body: &str) -> Self {
        let path = self.sandbox.write(name, format!("#!/bin/sh\ncat >>{name}.in\n{body}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A script that says an object.
    fn says(self, name: &str, object: &Value) -> Self {
        let body = format!("cat <<'END'\n{object}\nEND");
        self.script(name, &body)
    }

    async fn run(&self) -> Ran {
        self.sandbox.run(&["-p", "go"]).await
    }

    /// What the model read of its calls.
    fn results(&self) -> Vec<String> {
        let bodies = self.server.bodies();
        let messages = bodies.last().map_or(&[][..], |body| body["messages"].as_array().unwrap());
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    /// The question as the model read it.
    fn asked(&self) -> String {
        self.server.bodies()[0]["messages"][1]["content"].as_str().unwrap().to_owned()
    }

    /// What a script was told, an object for each time that it ran.
    fn told(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.sandbox.path().join(format!("{name}.in"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.sandbox.path().join(name).exists()
    }
}

fn write_file(content: &str) -> Answer {
    Answer::call("write_file", &json!({"path": "o", "content": content}).to_string())
}

#[tokio::test]
async fn a_hook_that_never_reads_and_never_ends_costs_its_timeout() {
    let config = "maxOutput: 400000\nhooks:\n  postToolCall:\n    - command: sleep 600\n      timeout: 1s\n      onError: warn\n";
    let bench = Bench::new(config, [Answer::bash("head -c 200000 /dev/zero | tr '\\0' x")]).await;
    let begun = Instant::now();
    let ran = bench.run().await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)));
    assert!(
        ran.stderr.contains("[notice: a hook failed: sleep 600: timed out after 1s]\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(bench.results()[0].len(), 200_000);
}

#[tokio::test]
async fn a_hook_that_does_not_read_is_no_failure() {
    let config = "hooks:\n  preToolCall:\n    - command: 'true'\n      onError: fail\n";
    let bench = Bench::new(config, [write_file(&"x".repeat(150_000))]).await;
    let ran = bench.run().await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{}", ran.stderr);
    assert_eq!(std::fs::metadata(bench.sandbox.path().join("o")).unwrap().len(), 150_000);
}

/// Rows of (onError, whether the call ran, what is shown).
#[tokio::test]
async fn broken_output_of_a_guard_is_what_on_error_says() {
    let why =
        "printf '{\"decision\": deny': its output is not one JSON object: expected value at line 1 column 14";
    let rows = [
        ("fail", false, format!("   └ [refused by a hook: it failed: {why}]\n")),
        ("warn", true, format!("[notice: a hook failed: {why}]\n")),
        ("ignore", true, String::new()),
    ];
    for (on_error, runs, shown) in rows {
        let config = format!(
            "hooks:\n  preToolCall:\n    - command: \"printf '{{\\\"decision\\\": deny'\"\n      onError: {on_error}\n"
        );
        let bench = Bench::new(&config, [write_file("x")]).await;
        let ran = bench.run().await;
        assert_eq!((ran.code, bench.has("o")), (Some(0), runs), "{on_error}: {}", ran.stderr);
        assert!(ran.stderr.contains(&shown), "{on_error}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains("failed"), on_error != "ignore", "{}", ran.stderr);
        assert_eq!(bench.results()[0].starts_with("[created"), runs, "{:?}", bench.results());
    }
}

#[tokio::test]
async fn a_guard_that_cannot_start_does_not_look_like_a_refusal() {
    let config = "hooks: {preToolCall: [{command: sh missing_guard.sh}]}\n";
    let bench = Bench::new(config, [Answer::bash("echo hi")]).await;
    let ran = bench.run().await;
    let failed = "[notice: a hook failed: sh missing_guard.sh: exit code ";
    assert!(ran.stderr.contains(failed) && !ran.stderr.contains("refused"), "{}", ran.stderr);
    let line = ran.stderr.lines().find(|line| line.starts_with(failed)).unwrap();
    assert!(line.matches("missing_guard.sh").count() == 2, "its own words are told: {line}");
    assert_eq!(bench.results(), ["hi"]);
}

#[tokio::test]
async fn a_guard_reads_the_whole_command_as_it_is() {
    let commands =
        ["git log && touch pwn", "git status $(touch pwn)", "git log\ntouch pwn", "X=`touch pwn` git log"];
    let config =
        "hooks:\n  preToolCall:\n    - matcher: bash\n      command: ./guard.sh\n      onError: fail\n";
    let bench = Bench::new(config, commands.map(Answer::bash)).await;
    let bench = bench.says("guard.sh", &json!({"decision": "deny", "reason": "not that"}));
    let ran = bench.run().await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = bench.told("guard.sh");
    let read: Vec<&str> = told.iter().map(|told| told["arguments"]["command"].as_str().unwrap()).collect();
    assert_eq!(read, commands);
    assert_eq!(bench.results(), ["[refused by a hook: not that]"; 4]);
    assert!(!bench.has("pwn"));
}

#[tokio::test]
async fn a_guard_that_is_written_wrong_does_not_start_open() {
    let rows = [
        (
            "hooks:\n  preToolCal:\n    - command: ./guard.sh\n",
            Some("hooks: unknown event \"preToolCal\" (known: "),
        ),
        (
            "hooks: {preToolCall: [{command: ./guard.sh, timeout: 10}]}\n",
            Some("hooks.preToolCall[0].timeout"),
        ),
        (
            "hooks: {preToolCall: [{command: 'true', matcher: 'bsh|read_fil*'}]}\n",
            Some(
                "\
            hooks.preToolCall[0].matcher \"bsh|read_fil*\" fits",
            ),
        ),
    ];
    for (n, (config, told)) in rows.into_iter().enumerate() {
        let bench = Bench::new(config, []).await;
        let ran = bench.run().await;
        if n < 2 {
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{config}");
            assert!(
                ran.stderr.starts_with("[config error: ") && ran.stderr.contains(told.unwrap()),
                "{}",
                ran.stderr
            );
        } else {
            assert_eq!(ran.stderr, "", "read_fil* is read_file");
        }
    }
    let names = "there are bash, read_file, write_file, edit_file, ask_user, unload_model";
    let none = format!("hooks.preToolCall[1].matcher \"bsh\" fits no tool, so the hook never runs ({names})");
    let agents = "hooks.postAsk[0].matcher \"x*\" fits no agent, so the hook never runs (there is none)";
    let config = "hooks:\n  preToolCall: [{command: 'true'}, {command: 'true', matcher: bsh}]\n  postAsk: [{command: 'true', matcher: x*}]\n";
    let bench = Bench::new(config, []).await;
    let ran = bench.run().await;
    assert_eq!((ran.stderr, ran.code), (format!("[warning: {none}]\n[warning: {agents}]\n"), Some(0)));
    let ran = bench.sandbox.run(&["config", "check"]).await;
    assert!(ran.stdout.contains(&format!("warning: line 6: {none}\n")), "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!("warning: line 7: {agents}\n")), "{}", ran.stdout);
    assert_eq!(ran.code, Some(0));
}

#[tokio::test]
async fn a_refused_question_reaches_nobody() {
    let bench =
        Bench::new("hooks: {preGeneration: [{command: ./no.sh}, {command: touch later}]}\n", []).await;
    let bench = bench.says("no.sh", &json!({"decision": "deny", "reason": "not on Sundays"}));
    let ran = bench.run().await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(2)));
    assert_eq!(ran.stderr, "[error: a hook refused the question: not on Sundays]\n");
    assert_eq!((bench.server.bodies().len(), bench.has("later")), (0, false));
    assert_eq!(bench.told("no.sh")[0]["prompt"], "go");
}

#[tokio::test]
async fn a_question_is_replaced_and_informed() {
    let config = "hooks:\n  preGeneration: [{command: ./new.sh}, {command: ./more.sh}]\n  postGeneration: [{command: ./end.sh}]\n";
    let bench = Bench::new(config, [Answer::bash("echo hi")]).await;
    let bench = bench
        .says("new.sh", &json!({"prompt": "come", "context": "one"}))
        .says("more.sh", &json!({"context": "two"}))
        .script("end.sh", "");
    let ran = bench.run().await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{}", ran.stderr);
    assert_eq!(bench.asked(), "come\n\n[from a hook]\none\ntwo");
    assert!(!ran.stderr.contains("one"), "context is never displayed: {}", ran.stderr);
    assert_eq!(bench.told("more.sh")[0]["prompt"], "come");
    let end = &bench.told("end.sh")[0];
    assert_eq!(
        (&end["answer"], &end["toolCalls"], &end["event"]),
        (&json!("done"), &json!(1), &json!("postGeneration"))
    );
    assert!(end["usage"].is_object() && end["prompt"].as_str().unwrap().starts_with("come\n"), "{end}");
    assert_eq!((&end["agent"], &end["model"]), (&json!("bob"), &json!("m")));
    let ids: Vec<Value> = ["new.sh", "end.sh"].map(|name| bench.told(name)[0]["session"].clone()).into();
    assert!(ids[0] == ids[1] && ids[0].as_str().is_some_and(|id| id.len() > 10), "{ids:?}");
}

#[tokio::test]
async fn what_a_hook_added_is_not_shown_when_a_conversation_goes_on() {
    let config = "sessions: {enabled: true}\nhooks: {preGeneration: [{command: ./more.sh}]}\n";
    let bench = Bench::new(config, []).await.says("more.sh", &json!({"context": "secret"}));
    assert_eq!(bench.run().await.stdout, "done\n");
    assert_eq!(bench.asked(), "go\n\n[from a hook]\nsecret");
    let ran = bench.sandbox.run_with(&["--continue"], "").await;
    assert!(ran.stderr.contains("> go\ndone\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_question_of_a_resumed_conversation_is_asked_again_as_it_was_asked() {
    let config = "sessions: {enabled: true}\nhooks: {preGeneration: [{command: ./more.sh}]}\n";
    let bench = Bench::new(config, [Answer::text(&["first"])]).await;
    let bench = bench.says("more.sh", &json!({"context": "secret"}));
    assert_eq!(bench.run().await.stdout, "first\n");
    let ran = bench.sandbox.run_with(&["--continue"], "/retry\n").await;
    assert_eq!(ran.stdout, "done\n", "{}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    let bodies = bench.server.bodies();
    assert_eq!((bodies.len(), &bodies[0]["messages"]), (2, &bodies[1]["messages"]));
    assert_eq!(bench.told("more.sh")[1]["prompt"], "go");
}

#[tokio::test]
async fn arguments_are_replaced_checked_and_shown_anew() {
    let config = "hooks: {preToolCall: [{command: ./pre.sh}], postToolCall: [{command: ./post.sh}]}\n";
    let bench = Bench::new(config, [Answer::bash("echo old")]).await;
    let bench = bench
        .says("pre.sh", &json!({"arguments": {"command": "echo new"}, "context": "before"}))
        .says("post.sh", &json!({"result": "other", "context": "after"}));
    let ran = bench.run().await;
    assert_eq!(ran.stderr, "🔧 bash: echo new\n   │ new\n");
    assert_eq!(bench.results(), ["other\n\n[from a hook]\nbefore\n\n[from a hook]\nafter"]);
    let post = &bench.told("post.sh")[0];
    assert_eq!((&post["arguments"]["command"], &post["summary"]), (&json!("echo new"), &json!("echo new")));
    assert_eq!((&post["result"], &post["ok"], &post["tool"]), (&json!("new"), &json!(true), &json!("bash")));
    assert!(post["durationMs"].is_u64(), "{post}");

    // What the guard never lets run, it does not let run for a hook either; what does not fit is told.
    let rows = [
        (json!({"command": "exit 7; rm -rf /"}), "[refused by the guard: delete-root: "),
        (json!({"cmd": "ls"}), "[error: a hook rewrote the arguments: the arguments do not fit the tool: "),
    ];
    for (arguments, told) in rows {
        let bench = Bench::new("hooks: {preToolCall: [{command: ./pre.sh}]}\n", [Answer::bash("ls")]).await;
        let bench = bench.says("pre.sh", &json!({"arguments": arguments}));
        assert_eq!(bench.run().await.code, Some(0));
        assert!(bench.results()[0].starts_with(told), "{:?}", bench.results());
    }
}

#[tokio::test]
async fn a_hook_that_asks_asks_under_yolo_too() {
    let config = "yolo: true\nhooks: {preToolCall: [{command: ./ask.sh}]}\n";
    let bench = || async {
        let bench = Bench::new(config, [Answer::bash("touch made")]).await;
        bench.says("ask.sh", &json!({"decision": "ask"}))
    };
    let nobody = bench().await;
    let ran = nobody.run().await;
    assert_eq!(ran.code, Some(0));
    assert_eq!(nobody.results(), ["[refused: nobody can confirm this call in -p mode]"]);
    assert!(!nobody.has("made"));
    let user = bench().await;
    let mut terminal = Terminal::start(&user.sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("ne[v]er: ").await;
    terminal.type_in("y\n").await;
    terminal.until("done").await;
    assert!(user.has("made"));
}

/// Rows of (event, whether the model answered, exit code, the last line).
#[tokio::test]
async fn a_hook_that_must_not_fail_ends_the_turn() {
    let failed = "[error: a hook failed: ./bad.sh: exit code 3: no way]";
    let rows = [
        ("preGeneration", 0, Some(2), failed),
        ("preToolCall", 2, Some(0), "   └ [refused by a hook: it failed: ./bad.sh: exit code 3: no way]"),
        ("postToolCall", 1, Some(2), failed),
        ("postGeneration", 2, Some(2), failed),
    ];
    for (event, requests, code, last) in rows {
        let config = format!("hooks: {{{event}: [{{command: ./bad.sh, onError: fail}}]}}\n");
        let bench =
            Bench::new(&config, [Answer::bash("echo hi")]).await.script("bad.sh", "echo no way >&2\nexit 3");
        let ran = bench.run().await;
        assert_eq!((bench.server.bodies().len(), ran.code), (requests, code), "{event}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().last(), Some(last), "{event}");
    }
}

#[tokio::test]
async fn hooks_are_shown_where_that_is_wanted() {
    let hooks = "hooks:\n  preGeneration: [{command: ./say.sh}]\n  preToolCall: [{command: ./no.sh, matcher: b*}, {command: ./no.sh}]\n  postGeneration: [{command: exit 3, onError: ignore}]\n";
    let shown = "🪝 preGeneration ./say.sh → allow (context 3)\n\
                 🪝 preToolCall bash ./no.sh → deny (context 0)\n\
                 🪝 postGeneration exit 3 → failed (context 0)\n";
    for (display, form) in [(true, "text"), (false, "text"), (true, "stream-json"), (false, "stream-json")] {
        let bench = Bench::new(&format!("{hooks}displayHooks: {display}\n"), [Answer::bash("ls")]).await;
        let bench = bench
            .says("say.sh", &json!({"context": "déj"}))
            .says("no.sh", &json!({"decision": "deny", "reason": "no"}));
        let ran = bench.sandbox.run(&["-p", "go", "--output", form]).await;
        assert_eq!(ran.code, Some(0));
        let call = "🔧 bash: ls\n   └ [refused by a hook: no]\n";
        assert_eq!(ran.stderr, format!("{call}{}", if display { shown } else { "" }), "{form}");
        if form == "stream-json" {
            let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let told: Vec<Value> = lines.filter(|event| event["type"] == "hook_ran").collect();
            assert_eq!(told.len(), if display { 3 } else { 0 });
            let denied = json!({
                "type": "hook_ran", "event": "preToolCall", "target": "bash", "command": "./no.sh",
                "decision": "deny", "contextLength": 0,
            });
            assert_eq!(told.get(1), display.then_some(&denied));
        }
    }
    let bench = Bench::new(&format!("{hooks}displayHooks: true\n"), [])
        .await
        .says("say.sh", &json!({"context": "déj"}));
    let ran = bench.sandbox.run_with(&[], "go\n").await;
    let expected =
        "🪝 preGeneration ./say.sh → allow (context 3)\n🪝 postGeneration exit 3 → failed (context 0)\n";
    assert!(ran.stderr.ends_with(expected) && ran.stdout == "done\n", "{}", ran.stderr);
}

#[tokio::test]
async fn a_hook_sees_no_key_and_the_directory_of_the_turn() {
    let config = "apiKeyEnv: MY_KEY\nhooks: {preGeneration: [{command: [./env.sh, a b]}]}\n";
    let bench = Bench::new(config, []).await;
    let bench = bench.script(
        "env.sh",
        "echo \"$MM_EVENT|$MM_AGENT|${MM_TOOL-none}|$1|$MY_KEY|$OLLAMA_API_KEY|$LLAMA_API_KEY\" >env\npwd >>env",
    );
    let around =
        [("MY_KEY", "k"), ("OLLAMA_API_KEY", "k"), ("LLAMA_API_KEY", "k"), ("MM_TOOL", "of another")];
    let child = bench.sandbox.command(&["-p", "go"]).envs(around).spawn().unwrap();
    assert_eq!(ended(child).await.code, Some(0));
    let place = bench.sandbox.path().canonicalize().unwrap();
    let env = std::fs::read_to_string(bench.sandbox.path().join("env")).unwrap();
    assert_eq!(env, format!("preGeneration|bob|none|a b|||\n{}\n", place.display()));
}

#[tokio::test]
async fn a_hook_that_takes_the_directory_away_breaks_nothing_else() {
    let config =
        "editTools: false\nhooks: {preToolCall: [{command: 'rm -rf \"$MM_CWD\"'}, {command: 'true'}]}\n";
    let bench = Bench::new(config, [Answer::bash("echo hi")]).await;
    let ran = bench.run().await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{}", ran.stderr);
    assert!(ran.stderr.contains("[notice: a hook failed: true: the working directory "), "{}", ran.stderr);
    std::fs::create_dir_all(bench.sandbox.path()).unwrap();
}

#[tokio::test]
async fn an_interrupted_turn_ends_its_hook() {
    let pid = std::process::id();
    for (n, stubborn) in ["", "trap \"\" TERM INT; "].into_iter().enumerate() {
        let marker = format!("sleep 6{n}.{pid}");
        let command = format!("'{stubborn}{marker} & {marker}; {marker}'");
        let config = format!("hooks: {{preToolCall: [{{command: {command}, timeout: 1h}}]}}\n");
        let bench = Bench::new(&config, [Answer::bash("echo hi")]).await;
        let child = bench.sandbox.command(&["-p", "go"]).spawn().unwrap();
        eventually("the hook runs", || processes_with(&marker).len() >= 2).await;
        kill(&child, Signal::INT);
        assert_eq!(ended(child).await.code, Some(130));
        eventually("the hook is gone", || processes_with(&marker).is_empty()).await;
    }
}
