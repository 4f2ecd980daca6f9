//! The hooks in `examples/hooks`, each with an input as `mm` gives it.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::config::repository;
use crate::support::Sandbox;

/// Runs an example in a sandbox whose `bin` comes first in `PATH`; gives what it says, if anything.
fn run(sandbox: &Sandbox, name: &str, args: &[&str], event: &Value) -> Option<Value> {
    let shared = json!({
        "session": "0001790000000-00001-00", "cwd": sandbox.path(), "agent": "bob", "model": "m",
        "time": "2026-01-02T03:04:05.678Z",
    });
    let mut input = event.as_object().unwrap().clone();
    input.extend(shared.as_object().unwrap().clone());
    let path = format!("{}/bin:{}", sandbox.path().display(), std::env::var("PATH").unwrap());
    let mut child = Command::new(repository().join("examples/hooks").join(name))
        .args(args)
        .current_dir(sandbox.path())
        .env("PATH", path)
        .env("HOME", sandbox.path())
        .envs([("MM_AGENT", "bob"), ("MM_CWD", sandbox.path().to_str().unwrap())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let line = format!("{}\n", Value::Object(input));
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    (!text.trim().is_empty()).then(|| serde_json::from_str(&text).unwrap())
}

/// A program of the sandbox.
fn program(sandbox: &Sandbox, name: &str, body: &str) {
    std::fs::create_dir_all(sandbox.path().join("bin")).unwrap();
    let path = sandbox.write(&format!("bin/{name}"), format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn written(path: &str, ok: bool) -> Value {
    json!({
        "event": "postToolCall", "tool": "write_file", "arguments": {"path": path, "content": "x"},
        "summary": path, "result": "[created]", "ok": ok, "durationMs": 3,
    })
}

#[test]
fn format_tells_the_model_what_it_did() {
    let sandbox = Sandbox::new();
    // Formats a file that has an `x`, and cannot read one that has a `!`.
    let body = "for path; do :; done\nif grep -q '!' \"$path\"; then echo \"bad token\" >&2; exit 1; fi\nsed -i s/x/y/ \"$path\"";
    program(&sandbox, "shfmt", body);
    let said = |context: &str| Some(json!({"context": context}));
    let rows = [
        ("a.sh", "x", true, said("shfmt has formatted a.sh: read it again before you edit it.")),
        ("same.sh", "y", true, None),
        ("bad.sh", "!", true, said("shfmt cannot format bad.sh:\nbad token")),
        ("failed.sh", "x", false, None),
        ("notes.txt", "x", true, None),
        ("~/home.sh", "x", true, said("shfmt has formatted ~/home.sh: read it again before you edit it.")),
    ];
    for (path, content, ok, expected) in rows {
        sandbox.write(path.trim_start_matches("~/"), content);
        assert_eq!(run(&sandbox, "format.py", &[], &written(path, ok)), expected, "{path}");
    }
    assert_eq!(run(&sandbox, "format.py", &[], &written("gone.sh", true)), None);
    assert_eq!(std::fs::read_to_string(sandbox.path().join("a.sh")).unwrap(), "y");
}

#[test]
fn protect_denies_what_fits_however_it_is_written() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path().join("secrets/deep")).unwrap();
    std::fs::create_dir_all(sandbox.path().join("src")).unwrap();
    symlink("secrets", sandbox.path().join("link")).unwrap();
    let whole = sandbox.path().join("secrets/x");
    let rows = [
        (".env", true),
        ("a/b/.env.local", true),
        ("secrets/deep/f", true),
        ("src/../secrets/f", true),
        ("link/f", true),
        ("~/secrets/f", true),
        (whole.to_str().unwrap(), true),
        ("docs/a.sql", true),
        ("docs/deep.txt", false),
        ("src/environment.rs", false),
        ("secrets.md", false),
        ("/tmp/elsewhere", false),
    ];
    for (path, is_denied) in rows {
        let event = json!({
            "event": "preToolCall", "tool": "edit_file", "arguments": {"path": path, "old": "a", "new": "b"},
            "summary": path,
        });
        let said = run(&sandbox, "protect.py", &[".env*", "secrets", "docs/*.sql"], &event);
        let decision = said.as_ref().map(|said| said["decision"].clone());
        assert_eq!(decision, is_denied.then(|| json!("deny")), "{path}: {said:?}");
        let named =
            |said: &Value| said["reason"].as_str().unwrap().starts_with(&format!("{path} is protected ("));
        assert!(said.as_ref().is_none_or(named), "{said:?}");
    }
}

#[test]
fn git_status_adds_what_is_changed() {
    let sandbox = Sandbox::new();
    let event = json!({"event": "preGeneration", "prompt": "What is left to do?"});
    assert_eq!(run(&sandbox, "git-status.py", &[], &event), None, "no repository");
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).current_dir(sandbox.path()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "trunk"]);
    for n in 0..60 {
        sandbox.write(&format!("f{n:02}"), "x");
    }
    let said = run(&sandbox, "git-status.py", &[], &event).unwrap();
    let text = said["context"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["git status --short --branch:", "## No commits yet on trunk", "?? f00"]);
    assert_eq!((lines.len(), lines[51]), (52, "… 11 more"));
}

#[test]
fn notify_says_who_answered_where() {
    let sandbox = Sandbox::new();
    program(&sandbox, "notify-send", "printf '%s\\n' \"$@\" >notified");
    let event = json!({
        "event": "postGeneration", "prompt": "q", "answer": "a".repeat(200_000),
        "usage": {"prompt": 7, "cached": null, "completion": 2, "reasoning": null}, "toolCalls": 0,
    });
    assert_eq!(run(&sandbox, "notify.sh", &[], &event), None);
    let told = std::fs::read_to_string(sandbox.path().join("notified")).unwrap();
    assert_eq!(told, format!("--\nbob\nhas answered in {}\n", sandbox.path().display()));
}

#[test]
fn log_is_a_file_of_json_lines() {
    let sandbox = Sandbox::new();
    let event = written("a\nb", true);
    for args in [&[][..], &["logs/of hooks.jsonl"], &[]] {
        assert_eq!(run(&sandbox, "log.sh", args, &event), None);
    }
    let lines = |path: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(sandbox.path().join(path)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!((lines(".mm/hooks.jsonl").len(), lines("logs/of hooks.jsonl").len()), (2, 1));
    assert_eq!(lines(".mm/hooks.jsonl")[1]["arguments"]["path"], "a\nb");
    let mode = std::fs::metadata(sandbox.path().join(".mm/hooks.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn the_configuration_that_uses_them_is_fine() {
    let sandbox = Sandbox::new();
    let path = repository().join("examples/agents/hooks.yaml");
    let ran = sandbox.run(&["config", "check", path.to_str().unwrap()]).await;
    assert_eq!((ran.stdout, ran.stderr), (format!("{}: valid\n", path.display()), String::new()));
    let text = std::fs::read_to_string(&path).unwrap();
    for entry in std::fs::read_dir(repository().join("examples/hooks")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(text.contains(&format!("examples/hooks/{name}")), "{name} is used");
        assert!(Path::new(&entry.path()).metadata().unwrap().permissions().mode() & 0o100 != 0, "{name}");
    }
}
