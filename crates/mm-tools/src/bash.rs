//! The tool that runs a shell command.

use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::guard::Guard;
use crate::process::{Command, Finished, ProcessRunner, SpawnError};
use crate::{Preview, Tool, ToolContext, ToolOutput};

#[cfg(test)]
mod cases;
pub(crate) mod environment;
pub(crate) mod report;
pub(crate) mod summary;

/// How commands are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BashOptions {
    /// How long a command may run; a call can shorten it.
    pub timeout: Duration,
    /// The same as the user wrote it, such as `30s`, for the model to read.
    pub timeout_text: String,
    /// Variables that commands do not get, such as those that hold keys.
    pub env_remove: Vec<String>,
    /// The shells to try, in order; each is run with `-c` and the command.
    pub shells: Vec<String>,
    /// What judges a command before it runs.
    pub guard: Guard,
}

impl Default for BashOptions {
    /// 30 s, nothing removed, `bash` and else `sh`, the guard's own rules.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            timeout_text: "30s".to_owned(),
            env_remove: Vec::new(),
            shells: vec!["bash".to_owned(), "sh".to_owned()],
            guard: Guard::default(),
        }
    }
}

/// The tool `bash`: runs a command in the working directory and gives what it wrote and how it ended.
///
/// The environment is that of this process with a few variables that keep programs from asking, paging
/// and colouring. How the text reads: the output; `[no output]` if there was none; `[still running: …]`
/// for what it left in the background; `[exit code: 2]`, `[killed by signal: SEGV (11)]`,
/// `[error: 30s timeout exceeded]` or `[interrupted by the user]`.
#[derive(Debug)]
pub struct Bash {
    definition: ToolSpec,
    options: BashOptions,
    runner: ProcessRunner,
    /// The shell that was found at the first call.
    shell: OnceLock<String>,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    command: String,
    /// Seconds, to shorten the limit
    timeout: Option<f64>,
    /// What it is for, in a few words
    #[serde(rename = "description")]
    _description: Option<String>,
}

impl Bash {
    /// Makes the tool. Nothing is started or looked up before the first call.
    pub fn new(options: BashOptions, runner: ProcessRunner) -> Self {
        let description = format!(
            "Runs a shell command and returns its stdout and stderr, and its exit code if not 0. Each call \
             starts in the working directory: `cd` does not carry over. No stdin, no terminal. Stopped after \
             {}; what is started with `&` goes on.",
            options.timeout_text
        );
        let definition = ToolSpec::of::<Args>("bash", description);
        Self { definition, options, runner, shell: OnceLock::new() }
    }

    fn command(&self, args: &Args, timeout: Duration, cx: &ToolContext) -> Command {
        Command {
            program: String::new(),
            args: vec!["-c".to_owned(), args.command.clone()],
            cwd: cx.cwd.clone(),
            env: environment::additions(),
            env_remove: self.options.env_remove.clone(),
            timeout,
        }
    }

    /// Runs the command in the first shell that there is.
    async fn start(&self, mut command: Command, cx: &ToolContext) -> Result<Finished, SpawnError> {
        let shells = match self.shell.get() {
            Some(found) => std::slice::from_ref(found),
            None => self.options.shells.as_slice(),
        };
        for shell in shells {
            command.program.clone_from(shell);
            let result = self.runner.run(&command, cx.max_output, cx.host.as_ref(), &cx.cancel).await;
            if !result.as_ref().is_err_and(SpawnError::is_missing_program) {
                // Another call may have found it at the same time.
                let _ = self.shell.set(shell.clone());
                return result;
            }
        }
        Err(SpawnError::NoProgram(shells.join(", ")))
    }

    /// The limit of a call and how it is written: the model can shorten it, and what makes no sense is as if
    /// it were not there.
    fn limit(&self, seconds: Option<f64>) -> (Duration, String) {
        let asked = seconds.filter(|seconds| *seconds > 0.0);
        let asked = asked.and_then(|seconds| Some((Duration::try_from_secs_f64(seconds).ok()?, seconds)));
        match asked {
            Some((limit, seconds)) if limit < self.options.timeout => (limit, format!("{seconds}s")),
            Some(_) | None => (self.options.timeout, self.options.timeout_text.clone()),
        }
    }
}

#[async_trait]
impl Tool for Bash {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn is_watched(&self) -> bool {
        true
    }

    fn advice(&self) -> Option<&str> {
        Some("Prefer commands that end by themselves and print little.")
    }

    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview {
        let command = args.get("command").and_then(Value::as_str).unwrap_or_default();
        let risk = self.options.guard.judge(command, &cx.cwd, cx.home.as_deref());
        Preview { risk, ..Preview::mutating(summary::one_line(command)) }
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match Args::deserialize(args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::error(error),
        };
        let (limit, limit_text) = self.limit(args.timeout);
        match self.start(self.command(&args, limit, cx), cx).await {
            Ok(finished) => report::report(&finished, &limit_text),
            Err(error) => ToolOutput::error(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_short_and_says_what_surprises() {
        let bash = Bash::new(BashOptions::default(), ProcessRunner::new());
        let definition = bash.definition();
        let bytes = definition.description.len() + definition.parameters.to_string().len();
        assert!(bytes < 600, "{bytes} bytes");
        for word in ["`cd` does not carry over", "No stdin", "30s"] {
            assert!(definition.description.contains(word), "{word}");
        }
        assert_eq!(definition.parameters["required"], serde_json::json!(["command"]));
    }

    #[tokio::test]
    async fn another_shell_serves_where_the_first_is_missing() {
        let run = async |shells: &[&str]| {
            let shells = shells.iter().map(|shell| (*shell).to_owned()).collect();
            let options = BashOptions { shells, ..BashOptions::default() };
            let (bash, cx) = (Bash::new(options, ProcessRunner::new()), ToolContext::new("/"));
            let args = serde_json::json!({"command": "echo $0"});
            (bash.run(&args, &cx).await.text, bash.run(&args, &cx).await.text)
        };
        assert_eq!(run(&["no-such-shell", "sh"]).await, ("sh".to_owned(), "sh".to_owned()));
        assert_eq!(run(&["no-such-shell"]).await.1, "[error: no-such-shell: no such program]");
    }

    #[tokio::test]
    async fn bad_arguments_are_told() {
        let bash = Bash::new(BashOptions::default(), ProcessRunner::new());
        let output = bash.run(&serde_json::json!({"cmd": "ls"}), &ToolContext::new("/")).await;
        assert_eq!((output.text.as_str(), output.ok), ("[error: missing field `command`]", false));
    }

    #[test]
    fn a_call_can_shorten_the_limit_and_nothing_else() {
        let bash = Bash::new(BashOptions::default(), ProcessRunner::new());
        let cases = [
            (None, 30_000, "30s"),
            (Some(5.0), 5000, "5s"),
            (Some(0.5), 500, "0.5s"),
            (Some(30.0), 30_000, "30s"),
            (Some(600.0), 30_000, "30s"),
            (Some(0.0), 30_000, "30s"),
            (Some(-3.0), 30_000, "30s"),
            (Some(1e300), 30_000, "30s"),
            (Some(f64::NAN), 30_000, "30s"),
        ];
        for (asked, millis, text) in cases {
            assert_eq!(bash.limit(asked), (Duration::from_millis(millis), text.to_owned()), "{asked:?}");
        }
    }
}
