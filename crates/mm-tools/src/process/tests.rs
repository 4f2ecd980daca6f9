//! Real processes, most of them with a marker among their arguments by which they are found again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::time::sleep;

use super::*;
use crate::NoHost;

/// A fraction of a second that no other process has among its arguments.
pub(crate) fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(".{:08}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits until no process has `marker` among its arguments; fails when that takes 5 s.
pub(crate) async fn nobody_has(marker: &str) {
    let begun = Instant::now();
    loop {
        let left = holders(marker);
        if left.is_empty() {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "still running: {left:?}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// The most memory that this process ever had, where the system tells.
pub(crate) fn memory_peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kb| kb / 1024)
}

fn holders(marker: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(marker)).collect()
}

pub(crate) fn sh(script: &str, marker: &str) -> Command {
    Command {
        program: "bash".to_owned(),
        args: vec!["-c".to_owned(), script.replace("{m}", marker)],
        cwd: std::env::temp_dir(),
        env: Vec::new(),
        env_remove: Vec::new(),
        timeout: Duration::from_secs(30),
    }
}

async fn run(runner: &ProcessRunner, command: &Command) -> Finished {
    runner.run(command, 16_000, &NoHost, &CancellationToken::new()).await.unwrap()
}

fn text(finished: &Finished) -> String {
    finished.output.text("hint")
}

/// A host that tells when it was shown something.
#[derive(Debug, Default)]
struct Bell(Notify);

#[async_trait::async_trait]
impl ToolHost for Bell {
    async fn progress(&self, _text: &str) {
        self.0.notify_one();
    }
}

/// A host that never comes back.
#[derive(Debug)]
struct Stuck;

#[async_trait::async_trait]
impl ToolHost for Stuck {
    async fn progress(&self, _text: &str) {
        std::future::pending().await
    }
}

/// Starts a script that says so and goes on, and gives up on it.
async fn start_and_drop(runner: &ProcessRunner, script: &str, marker: &str) {
    let (bell, cancel, command) = (Bell::default(), CancellationToken::new(), sh(script, marker));
    tokio::select! {
        _ = runner.run(&command, 100, &bell, &cancel) => unreachable!("it ended"),
        () = bell.0.notified() => {}
    }
}

#[tokio::test]
async fn output_and_errors_keep_their_order() {
    let script = "for i in 1 2 3; do echo out$i; echo err$i >&2; done";
    let finished = run(&ProcessRunner::new(), &sh(script, "")).await;
    assert_eq!(text(&finished), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
    assert_eq!((finished.ending, finished.still_running), (Ending::Exited(0), Vec::new()));
}

#[tokio::test]
async fn a_missing_directory_or_program_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let gone = directory.path().join("w");
    let (runner, cancel) = (ProcessRunner::new(), CancellationToken::new());
    let error =
        async |command: &Command| runner.run(command, 100, &NoHost, &cancel).await.unwrap_err().to_string();
    let in_gone = Command { cwd: gone.clone(), ..sh("pwd", "") };
    assert_eq!(
        error(&in_gone).await,
        format!("the working directory {} does not exist any more", gone.display())
    );
    std::fs::create_dir(&gone).unwrap();
    assert_eq!(run(&runner, &in_gone).await.ending, Ending::Exited(0), "it works again");
    let missing = Command { program: "no-such-program".to_owned(), ..sh("", "") };
    assert_eq!(error(&missing).await, "no-such-program: no such program");
    std::fs::write(directory.path().join("data"), "x").unwrap();
    let data = Command { program: "./data".to_owned(), cwd: directory.path().into(), ..sh("", "") };
    assert_eq!(error(&data).await, "./data: not an executable program");
    let file = Command { cwd: directory.path().join("data"), ..sh("", "") };
    assert!(error(&file).await.contains("/data cannot be used: Not a directory"));
}

#[tokio::test]
async fn a_process_that_left_the_session_does_not_hold_the_call() {
    let begun = Instant::now();
    let finished = run(&ProcessRunner::new(), &sh("setsid sleep 4 & echo done", "")).await;
    assert_eq!(text(&finished), "done\n");
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_background_process_can_go_on_writing() {
    let directory = tempfile::tempdir().unwrap();
    let script = "(sleep 0.4; yes | head -c 300000; echo $? > written) & echo done";
    let runner = ProcessRunner::new();
    let finished = run(&runner, &Command { cwd: directory.path().into(), ..sh(script, "") }).await;
    assert_eq!(text(&finished), "done\n");
    assert!(!finished.still_running.is_empty());
    let begun = Instant::now();
    while std::fs::read_to_string(directory.path().join("written")).unwrap_or_default() != "0\n" {
        assert!(begun.elapsed() < Duration::from_secs(10), "it was stopped");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_background_flood_does_not_hold_the_call() {
    let marker = marker();
    let runner = ProcessRunner::new();
    let begun = Instant::now();
    let finished = run(&runner, &sh("yes {m} & echo done", &marker)).await;
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!((finished.ending, finished.still_running.len()), (Ending::Exited(0), 1));
    runner.shutdown().await;
    nobody_has(&marker).await;
}

#[tokio::test]
async fn a_host_that_never_comes_back_costs_nothing_of_the_output() {
    let begun = Instant::now();
    let command = sh("echo one; sleep 0.2; echo two; exit 4", "");
    let finished = ProcessRunner::new().run(&command, 100, &Stuck, &CancellationToken::new()).await.unwrap();
    assert_eq!((text(&finished).as_str(), finished.ending), ("one\ntwo\n", Ending::Exited(4)));
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_timeout_keeps_what_is_said_on_the_way_out() {
    let script = "trap 'echo bye; exit' TERM; echo hi; sleep 60{m} & wait";
    let marker = marker();
    let command = Command { timeout: Duration::from_millis(500), ..sh(script, &marker) };
    let finished = run(&ProcessRunner::new(), &command).await;
    assert_eq!((text(&finished).as_str(), finished.ending), ("hi\nbye\n", Ending::TimedOut));
    nobody_has(&marker).await;
}

#[tokio::test]
async fn a_timeout_reaches_the_groups_that_job_control_made() {
    for script in ["set -m; sleep 60{m} & sleep 60{m} & wait", "timeout 50 sleep 60{m}"] {
        let marker = marker();
        let command = Command { timeout: Duration::from_millis(500), ..sh(script, &marker) };
        let finished = run(&ProcessRunner::new(), &command).await;
        assert_eq!((finished.ending, finished.still_running), (Ending::TimedOut, Vec::new()), "{script}");
        assert_eq!(holders(&marker), Vec::<String>::new(), "{script}");
    }
}

#[tokio::test]
async fn a_cancelled_token_starts_nothing() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let finished = ProcessRunner::new().run(&sh("echo x", ""), 100, &NoHost, &cancel).await.unwrap();
    assert_eq!((text(&finished).as_str(), finished.ending), ("", Ending::Interrupted));
}

#[tokio::test]
async fn dropping_the_call_ends_even_what_ignores_term() {
    let (runner, marker) = (ProcessRunner::new(), marker());
    let script = "trap '' TERM; sleep 60{m} & echo up; while :; do sleep 1; done # {m}";
    start_and_drop(&runner, script, &marker).await;
    nobody_has(&marker).await;
}

#[test]
fn what_a_lost_runtime_left_is_ended_with_the_runner() {
    let (runner, marker) = (ProcessRunner::new(), marker());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(start_and_drop(
        &runner,
        "trap '' TERM; echo up; while :; do sleep 1; done # {m}",
        &marker,
    ));
    drop(runtime);
    assert!(!holders(&marker).is_empty());
    drop(runner);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    waiting.block_on(nobody_has(&marker));
}

#[tokio::test]
async fn the_end_ends_what_goes_on_and_can_be_asked_for_twice() {
    let (runner, marker) = (ProcessRunner::new(), marker());
    let finished = run(&runner, &sh("trap '' TERM; sleep 60{m} & sleep 60{m} & echo up", &marker)).await;
    assert_eq!(finished.still_running.len(), 2);
    runner.clone().shutdown().await;
    assert_eq!(holders(&marker), Vec::<String>::new());
    runner.shutdown().await;
    runner.kill_all();
}

#[tokio::test]
async fn a_last_resort_kills_what_runs_and_what_goes_on() {
    let (runner, marker) = (ProcessRunner::new(), marker());
    run(&runner, &sh("sleep 60{m} & echo up", &marker)).await;
    let killer = Killer(Mutex::new(Some(runner.clone())));
    let running = sh("trap '' TERM; echo up; sleep 60{m}", &marker);
    let finished = runner.run(&running, 100, &killer, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.ending, Ending::Signaled { name: "KILL", number: 9 });
    nobody_has(&marker).await;
}

/// A host that kills everything as soon as it is shown something.
#[derive(Debug)]
struct Killer(Mutex<Option<ProcessRunner>>);

#[async_trait::async_trait]
impl ToolHost for Killer {
    async fn progress(&self, _text: &str) {
        self.0.lock().unwrap().take().unwrap().kill_all();
    }
}

#[tokio::test]
async fn variables_are_set_and_removed() {
    let command = Command {
        env: vec![("MM_SET".to_owned(), "a b".to_owned())],
        env_remove: vec!["HOME".to_owned()],
        ..sh("echo \"$MM_SET|${HOME-gone}\"", "")
    };
    assert_eq!(text(&run(&ProcessRunner::new(), &command).await), "a b|gone\n");
}
