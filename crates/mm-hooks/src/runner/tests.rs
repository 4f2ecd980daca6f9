//! Real commands, most of them with a marker among their arguments by which they are found again.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::TokenCounts;

/// A directory in which hooks run.
struct Bench {
    dir: TempDir,
    cancel: CancellationToken,
}

impl Bench {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), cancel: CancellationToken::new() }
    }

    async fn run(&self, hooks: Vec<Hook>, event: HookEvent<'_>) -> HookOutcome {
        let options = HookOptions { env_remove: vec!["HOME".into()], max_text: 1_000 };
        ProcessHooks::new(hooks, options, ProcessRunner::new()).run(event, &self.cx()).await
    }

    fn cx(&self) -> HookContext<'_> {
        HookContext { session: "s1", cwd: self.dir.path(), agent: "bob", model: "m", cancel: &self.cancel }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap()
    }
}

fn hook(moment: Moment, script: &str) -> Hook {
    Hook {
        moment,
        command: HookCommand::Shell(script.into()),
        matcher: None,
        timeout: Duration::from_secs(30),
        timeout_text: "30s".into(),
        on_error: OnError::Warn,
    }
}

fn before(script: &str) -> Hook {
    hook(Moment::PreToolCall, script)
}

fn say(object: &Value) -> String {
    format!("cat >/dev/null; printf '%s' '{object}'")
}

fn somebody_has(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let mut lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.any(|line| line.contains(marker))
}

/// Waits until a process with `marker` among its arguments is there, or none is.
async fn until(is_there: bool, marker: &str) {
    let begun = Instant::now();
    while somebody_has(marker) != is_there {
        assert!(begun.elapsed() < Duration::from_secs(10), "{marker}: not {is_there}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Rows of (script, why it failed); `{m}` stands for a fraction that no other process has.
#[tokio::test]
async fn each_kind_of_failure_is_told_and_decides_nothing() {
    let no_object = "its output is not one JSON object: ";
    let rows = [
        // The time runs while the input is written: the payload is larger than a pipe.
        ("sleep 60{m}", "timed out after 1s".to_owned()),
        ("trap '' TERM; sleep 60{m} & wait; sleep 60{m}", "timed out after 1s".into()),
        (
            "head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2",
            "its output has more than 1 MiB".into(),
        ),
        (
            "printf '{\"decision\": \"de'",
            format!("{no_object}EOF while parsing a string at line 1 column 16"),
        ),
        ("printf '{\"decision\": deny'", format!("{no_object}expected value at line 1 column 14")),
        ("echo '{}'; echo '{}'", format!("{no_object}trailing characters at line 2 column 1")),
        ("echo null", format!("{no_object}invalid type: null, expected an object at line 1 column 4")),
        ("echo '[]'", format!("{no_object}invalid type: sequence, expected an object at line 1 column 0")),
        (
            "printf '{\"reason\": \"\\351\"}'",
            format!("{no_object}invalid unicode code point at line 1 column 13"),
        ),
        (
            "echo '{\"decision\": \"maybe\"}'",
            "decision must be \"allow\", \"ask\" or \"deny\", not \"maybe\"".into(),
        ),
        ("kill -SEGV $$", "killed by signal SEGV (11)".into()),
        ("echo; echo 'no way' >&2; echo >&2; exit 2", "exit code 2: no way".into()),
        ("echo '{\"decision\": \"allow\"}'; exit 1", "exit code 1".into()),
        (
            "export LC_ALL=C; ./missing.sh",
            "exit code 127: bash: line 1: ./missing.sh: No such file or directory".into(),
        ),
        (
            "export LC_ALL=C; ./plain.txt",
            "exit code 126: bash: line 1: ./plain.txt: Permission denied".into(),
        ),
    ];
    let payload = json!({"content": "x".repeat(1_000_000)});
    for (n, (script, why)) in rows.into_iter().enumerate() {
        let bench = Bench::new();
        bench.write("plain.txt", "echo hi");
        let marker = format!(".{:08}{n:04}", std::process::id());
        let script = script.replace("{m}", &marker);
        let is_late = why.starts_with("timed out");
        for (on_error, expected, notices) in [
            (OnError::Warn, Decision::Allow, 1),
            (OnError::Ignore, Decision::Allow, 0),
            (
                OnError::Fail,
                Decision::Deny { reason: format!("it failed: {}: {why}", before(&script).command) },
                0,
            ),
        ] {
            let begun = Instant::now();
            let mut failing = Hook { on_error, ..before(&script) };
            if is_late {
                (failing.timeout, failing.timeout_text) = (Duration::from_secs(1), "1s".into());
            }
            let event = HookEvent::PreToolCall { tool: "write_file", arguments: &payload, summary: "f" };
            let outcome = bench.run(vec![failing], event).await;
            assert_eq!(outcome.decision, expected, "{script}");
            let told = format!("a hook failed: {}: {why}", before(&script).command);
            assert_eq!(outcome.notices, vec![told; notices], "{script}");
            let verdict =
                if on_error == OnError::Fail { HookVerdict::FailedDeny } else { HookVerdict::Failed };
            assert_eq!((outcome.ran[0].verdict, outcome.ran[0].context_len), (verdict, 0));
            assert!(begun.elapsed() < Duration::from_secs(10), "{script}: {:?}", begun.elapsed());
        }
        until(false, &marker).await;
    }
}

/// Rows of (script, decision): what is odd and no failure. The payload is larger than a pipe.
#[tokio::test]
async fn what_looks_like_a_failure_and_is_none() {
    let deny = |reason: &str| Decision::Deny { reason: reason.into() };
    let rows = [
        ("true", Decision::Allow),
        ("exec 0<&-; echo", Decision::Allow),
        ("head -c 10 >/dev/null; echo '{\"decision\": \"ask\"}'", Decision::Ask),
        ("echo noise >&2; echo '{\"decision\": \"deny\", \"reason\": \"no\"}'", deny("no")),
        ("setsid sleep 3{m} & echo '{\"decision\": \"deny\", \"reason\": \"no\"}'", deny("no")),
        ("sleep 60{m} & echo '{\"decision\": \"deny\", \"reason\": \"no\"}'", deny("no")),
        ("rm -rf \"$PWD\"; echo '{\"decision\": \"deny\", \"reason\": \"gone\"}'", deny("gone")),
    ];
    let payload = json!({"content": "x".repeat(1_000_000)});
    for (n, (script, decision)) in rows.into_iter().enumerate() {
        let (bench, begun) = (Bench::new(), Instant::now());
        let marker = format!(".{:08}1{n:03}", std::process::id());
        let event = HookEvent::PreToolCall { tool: "write_file", arguments: &payload, summary: "f" };
        let hook = Hook { on_error: OnError::Fail, ..before(&script.replace("{m}", &marker)) };
        let outcome = bench.run(vec![hook], event).await;
        assert_eq!((outcome.decision, outcome.notices.len()), (decision, 0), "{script}");
        assert!(begun.elapsed() < Duration::from_secs(3), "{script}: {:?}", begun.elapsed());
        until(false, &marker).await;
    }
}

/// Rows of (argv, why it failed).
#[tokio::test]
async fn a_program_that_cannot_start_is_a_failure() {
    let bench = Bench::new();
    bench.write("plain.txt", "echo hi");
    let rows: [(&[&str], &str); 4] = [
        (&["./missing.sh", "a"], "./missing.sh a: ./missing.sh: no such program"),
        (&["./plain.txt"], "./plain.txt: ./plain.txt: not an executable program"),
        (&[], ": : no such program"),
        (&["a\0b"], "a\\u{0}b: a\0b: cannot be started: nul byte found in provided data"),
    ];
    let event = HookEvent::PreGeneration { prompt: "q" };
    for (argv, why) in rows {
        let command = HookCommand::Argv(argv.iter().map(|word| (*word).to_owned()).collect());
        let hook = Hook { command, on_error: OnError::Fail, ..hook(Moment::PreGeneration, "") };
        let outcome = bench.run(vec![hook], event).await;
        assert_eq!(outcome.decision, Decision::Stop { reason: why.into() });
        assert_eq!(outcome.ran[0].verdict, HookVerdict::FailedStop);
    }
    let dir = bench.dir.path().to_owned();
    std::fs::remove_dir_all(&dir).unwrap();
    let outcome = bench.run(vec![hook(Moment::PreGeneration, "true")], event).await;
    let gone =
        format!("a hook failed: true: the working directory {} does not exist any more", dir.display());
    assert_eq!(outcome.notices, [gone]);
}

#[tokio::test]
async fn a_hook_is_told_all_and_no_key() {
    let bench = Bench::new();
    let arguments = json!({"command": "git log\ntouch pwn"});
    let script = "cat >in; printf '%s|%s|%s|%s|%s|%s|%s' \"$MM_EVENT\" \"$MM_TOOL\" \"$MM_AGENT\" \"$MM_CWD\" \
                  \"$MM_SESSION\" \"$PWD\" \"$HOME\" >env";
    let event =
        HookEvent::PreToolCall { tool: "bash", arguments: &arguments, summary: "git log ⏎ touch pwn" };
    let outcome = bench.run(vec![before(script)], event).await;
    assert_eq!((outcome.decision, outcome.notices), (Decision::Allow, Vec::<String>::new()));
    let cwd = bench.dir.path().to_str().unwrap();
    let pwd = bench.dir.path().canonicalize().unwrap();
    assert_eq!(bench.read("env"), format!("preToolCall|bash|bob|{cwd}|s1|{}|", pwd.display()));
    let told: Value = serde_json::from_str(&bench.read("in")).unwrap();
    assert_eq!((&told["arguments"], &told["cwd"], &told["session"]), (&arguments, &json!(cwd), &json!("s1")));
    let time: Timestamp = told["time"].as_str().unwrap().parse().unwrap();
    assert!(time.duration_until(Timestamp::now()).abs().as_secs() < 600);
}

#[tokio::test]
async fn what_one_rewrites_the_next_reads() {
    let arguments = json!({"command": "ls"});
    let usage = TokenCounts::default();
    let rows = [
        (
            HookEvent::PreGeneration { prompt: "q" },
            json!({"prompt": "new", "context": "c"}),
            "\"prompt\":\"new\"",
        ),
        (
            HookEvent::PreToolCall { tool: "bash", arguments: &arguments, summary: "ls" },
            json!({"arguments": {"command": "ls -l"}, "context": "c"}),
            "\"arguments\":{\"command\":\"ls -l\"},\"summary\":\"{\\\"command\\\":\\\"ls -l\\\"}\"",
        ),
        (
            HookEvent::PostToolCall {
                tool: "bash",
                arguments: &arguments,
                summary: "ls",
                result: "r",
                ok: true,
                duration: Duration::ZERO,
            },
            json!({"result": "new", "context": "c"}),
            "\"summary\":\"ls\",\"result\":\"new\"",
        ),
        (
            HookEvent::PostGeneration { prompt: "q", answer: "a", usage, tool_calls: 0 },
            json!({}),
            "\"answer\":\"a\"",
        ),
        (
            HookEvent::PreAsk { agent: "bob", question: "q" },
            json!({"prompt": "new", "context": "c"}),
            "\"question\":\"new\"",
        ),
        (
            HookEvent::PostAsk { agent: "bob", question: "q", answer: "a" },
            json!({"answer": "new"}),
            "\"question\":\"q\",\"answer\":\"new\"",
        ),
    ];
    for (event, said, told) in rows {
        let bench = Bench::new();
        let moment = event.moment();
        let silent = hook(moment, "cat >in");
        let outcome = bench
            .run(vec![hook(moment, &say(&said)), silent.clone(), hook(moment, &say(&said))], event)
            .await;
        assert!(bench.read("in").contains(told), "{}", bench.read("in"));
        assert_eq!((&outcome.notices, outcome.ran.len()), (&vec![], 3));
        let context = said.get("context").map(|_| "c\nc");
        assert_eq!(outcome.context.as_deref(), context);
        let counts: Vec<usize> = outcome.ran.iter().map(|run| run.context_len).collect();
        assert_eq!(counts, if context.is_some() { [1, 0, 1] } else { [0, 0, 0] });
        let new = json!({
            "prompt": outcome.prompt, "arguments": outcome.arguments, "result": outcome.result, "answer": outcome.answer,
        });
        for (field, value) in new.as_object().unwrap() {
            assert_eq!(value, said.get(field).unwrap_or(&Value::Null), "{field}");
        }
    }
}

#[tokio::test]
async fn the_first_that_denies_is_the_last_that_runs() {
    let bench = Bench::new();
    let arguments = json!({});
    let event = HookEvent::PreToolCall { tool: "bash", arguments: &arguments, summary: "" };
    let hooks = || {
        vec![
            before(&say(&json!({"decision": "ask", "context": "é…"}))),
            before(&say(&json!({"decision": "allow"}))),
            Hook { matcher: Some(Matcher::new("read_*")), ..before("touch other") },
            hook(Moment::PostToolCall, "touch other"),
        ]
    };
    let outcome = bench.run(hooks(), event).await;
    assert_eq!((outcome.decision, outcome.context.as_deref()), (Decision::Ask, Some("é…")));
    let denying = before(&say(&json!({"decision": "deny", "reason": "no"})));
    let outcome = bench.run([hooks(), vec![denying, before("touch other")]].concat(), event).await;
    assert_eq!(outcome.decision, Decision::Deny { reason: "no".into() });
    let verdicts: Vec<(HookVerdict, usize)> =
        outcome.ran.iter().map(|run| (run.verdict, run.context_len)).collect();
    assert_eq!(verdicts, [(HookVerdict::Ask, 2), (HookVerdict::Allow, 0), (HookVerdict::Deny, 0)]);
    assert!(!Path::new(&bench.dir.path().join("other")).exists());
}

#[tokio::test]
async fn a_cancelled_turn_ends_its_hooks() {
    let (bench, marker) = (Bench::new(), format!(".{:08}2000", std::process::id()));
    let hooks = vec![before(&format!("sleep 60{marker}")), before("touch other")];
    let arguments = json!({});
    let event = HookEvent::PreToolCall { tool: "bash", arguments: &arguments, summary: "" };
    let stop = async {
        until(true, &marker).await;
        bench.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(bench.run(hooks, event), stop);
    assert_eq!(outcome.decision, Decision::Stop { reason: "interrupted".into() });
    assert!(!bench.dir.path().join("other").exists());
    until(false, &marker).await;
}
