//! A sandbox for the binary: an empty home, an empty directory, nothing of the developer's machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use mm_llm::testing::Answer;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// How long any run of the binary may take before it counts as hanging.
const HANG: Duration = Duration::from_secs(60);

/// A directory with a configuration in it.
pub struct Sandbox {
    dir: TempDir,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A sandbox whose `agent.yaml` has these lines on top of the test's own.
    pub fn with_config(base_url: &str, more: &str) -> Self {
        let sandbox = Self::new();
        let yaml = format!("provider: llamacpp\nmodel: m\nbaseUrl: {base_url}\nfallback: \"\"\n{more}");
        sandbox.write("agent.yaml", yaml);
        sandbox
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The binary in the sandbox, its input closed.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mm"));
        command
            .args(args)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs the binary to its end.
    pub async fn run(&self, args: &[&str]) -> Ran {
        ended(self.command(args).spawn().unwrap()).await
    }

    /// Runs the binary with something piped in.
    pub async fn run_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        self.run_in(args, &BTreeMap::new(), Some(input.as_ref())).await
    }

    /// Runs the binary with variables, and with something piped in if there is something.
    pub async fn run_in(&self, args: &[&str], env: &BTreeMap<String, String>, input: Option<&[u8]>) -> Ran {
        let mut command = self.command(args);
        command.envs(env);
        let Some(input) = input else {
            return ended(command.spawn().unwrap()).await;
        };
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).await.unwrap();
        drop(stdin);
        ended(child).await
    }
}

/// Waits for the end of a run.
pub async fn ended(child: Child) -> Ran {
    let output = tokio::time::timeout(HANG, child.wait_with_output()).await;
    Ran::from(output.expect("mm hangs").unwrap())
}

/// Sends a signal.
pub fn kill(child: &Child, signal: rustix::process::Signal) {
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The processes whose command line holds a text.
pub fn processes_with(marker: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(marker)
    })
    .collect()
}

/// Waits until something is so.
pub async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

/// An answer of calls, each a tool with its arguments.
pub fn calls(calls: &[(&str, Value)]) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, (name, args))| {
            let function = json!({"name": name, "arguments": args.to_string()});
            json!({"index": n, "id": format!("call_{n}"), "type": "function", "function": function})
        })
        .collect();
    let first = json!({"choices": [{"delta": {"tool_calls": calls}}]});
    let last = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    Answer::events(&format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
}

/// What the model reads of its calls in a request.
pub fn results(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}
