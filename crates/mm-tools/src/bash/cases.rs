//! Every case of `tests/fixtures/bash/cases.json`, by name. `{m}` in a command becomes a fraction that no
//! other process has among its arguments; when a case is over, none may have it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::ToolHost;
use crate::process::tests::{marker, memory_peak_mb, nobody_has};
use crate::testing::RecordingHost;

const FILE: &str = include_str!("../../../../tests/fixtures/bash/cases.json");

/// Set for the copy of this program that runs a case with variables of its own.
const COPY: &str = "MM_TOOLS_CASE";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    waiting: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    title: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    env_remove: Vec<String>,
    setup: Option<String>,
    timeout: Option<u64>,
    max_output: Option<Vec<usize>>,
    calls: Vec<Call>,
    then: Option<Then>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    command: String,
    interrupt: Option<Interrupt>,
    #[serde(default)]
    expect: Expect,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Interrupt {
    Cancel,
    Drop,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Then {
    Shutdown,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    text: Option<String>,
    starts_with: String,
    ends_with: String,
    contains: Vec<String>,
    lacks: Vec<String>,
    chars: Option<usize>,
    most_chars: Option<usize>,
    shown: Option<String>,
    ok: Option<bool>,
    within_ms: Option<u64>,
    memory_mb: Option<u64>,
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[tokio::test] async fn $name() { check(stringify!($name)).await; })*

        #[test]
        fn every_case_is_run_or_waits() {
            let file: File = serde_json::from_str(FILE).unwrap();
            let run: Vec<String> = file.cases.iter().map(|case| case.id.to_lowercase()).collect();
            assert_eq!(run, [$(stringify!($name)),*]);
            assert!(file.waiting.keys().all(|id| !run.contains(&id.to_lowercase())));
        }
    };
}

cases! { b01 b03 b04 b05 b07 b09 b10 b11 b13 b15 b19 b21 }

async fn check(name: &str) {
    let file: File = serde_json::from_str(FILE).unwrap();
    let case = file.cases.into_iter().find(|case| case.id.eq_ignore_ascii_case(name)).unwrap();
    if case.env.is_empty() || std::env::var_os(COPY).is_some() {
        run(&case).await;
    } else {
        run_in_copy(name, &case);
    }
}

/// The variables of this process cannot be changed while other tests run.
fn run_in_copy(name: &str, case: &Case) {
    let copy = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("bash::cases::{name}")])
        .envs(&case.env)
        .env(COPY, name)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&copy.stdout);
    assert!(copy.status.success() && output.contains("1 passed"), "{output}");
}

async fn run(case: &Case) {
    for max_output in case.max_output.as_deref().unwrap_or(&[16_000]) {
        let directory = tempfile::tempdir().unwrap();
        let marker = marker();
        let runner = ProcessRunner::new();
        let mut options = BashOptions { env_remove: case.env_remove.clone(), ..BashOptions::default() };
        if let Some(seconds) = case.timeout {
            (options.timeout, options.timeout_text) = (Duration::from_secs(seconds), format!("{seconds}s"));
        }
        let bash = Bash::new(options, runner.clone());
        if let Some(setup) = &case.setup {
            let output = bash.run(&json!({"command": setup}), &ToolContext::new(directory.path())).await;
            assert!(output.ok, "{}: setup: {}", case.id, output.text);
        }
        for call in &case.calls {
            run_call(case, call, &bash, &marker, directory.path(), *max_output).await;
        }
        if let Some(Then::Shutdown) = case.then {
            runner.shutdown().await;
        }
        nobody_has(&marker).await;
    }
}

async fn run_call(case: &Case, call: &Call, bash: &Bash, marker: &str, cwd: &Path, max_output: usize) {
    let host = Arc::new(Watcher { started: CancellationToken::new(), recording: RecordingHost::new() });
    let mut cx = ToolContext { max_output, host: host.clone(), ..ToolContext::new(cwd) };
    if let Some(Interrupt::Cancel) = call.interrupt {
        cx.cancel = host.started.clone();
    }
    let args = json!({"command": call.command.replace("{m}", marker)});
    let (memory, begun) = (memory_peak_mb(), Instant::now());
    let output = if let Some(Interrupt::Drop) = call.interrupt {
        tokio::select! {
            _ = bash.run(&args, &cx) => unreachable!("{}: it ended", case.id),
            () = host.started.cancelled() => return,
        }
    } else {
        bash.run(&args, &cx).await
    };
    let what = format!("{} ({}): {}", case.id, case.title, call.command);
    let took = begun.elapsed();
    call.expect.check(&what, &output, &host.recording.seen());
    let limit = call.expect.within_ms.map_or(Duration::MAX, Duration::from_millis);
    assert!(took < limit, "{what}: took {took:?}");
    if let (Some(most), Some(before), Some(after)) = (call.expect.memory_mb, memory, memory_peak_mb()) {
        assert!(after - before < most, "{what}: memory grew by {} MB", after - before);
    }
}

impl Expect {
    fn check(&self, what: &str, output: &ToolOutput, shown: &str) {
        let text = &output.text;
        let count = text.chars().count();
        let short: String = text.chars().take(2000).collect();
        let check = |holds: bool, why: &str| assert!(holds, "{what}: {why}: {count} characters: {short}");
        check(self.text.as_ref().is_none_or(|expected| expected == text), "text");
        check(text.starts_with(&self.starts_with), "start");
        check(text.ends_with(&self.ends_with), "end");
        check(self.contains.iter().all(|part| text.contains(part)), "contains");
        check(!self.lacks.iter().any(|part| text.contains(part)), "lacks");
        check(self.chars.is_none_or(|expected| expected == count), "length");
        check(self.most_chars.is_none_or(|most| count <= most), "too long");
        check(self.ok.is_none_or(|ok| ok == output.ok), "ok");
        check(self.shown.as_ref().is_none_or(|expected| expected == shown), "shown live");
    }
}

/// Tells when the command has said that it started; a flood is not worth keeping.
#[derive(Debug)]
struct Watcher {
    started: CancellationToken,
    recording: RecordingHost,
}

#[async_trait]
impl ToolHost for Watcher {
    async fn progress(&self, text: &str) {
        if text.starts_with("started") {
            self.started.cancel();
        }
        if text.len() < 1000 {
            self.recording.progress(text).await;
        }
    }
}
