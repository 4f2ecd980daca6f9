//! What a hook runs.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use mm_tools::process::{Command, Exchanged, ProcessRunner, SpawnError};
use tokio_util::sync::CancellationToken;

/// The most characters of a command that are shown.
const SHOWN: usize = 100;

/// The shells to try, in order; each is run with `-c` and the command.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// A command line for the shell, or a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookCommand {
    /// Text for `bash -c`, or `sh -c` where there is no bash.
    Shell(String),
    /// A program, looked up in `PATH` or relative to the working directory, and its arguments.
    Argv(Vec<String>),
}

impl fmt::Display for HookCommand {
    /// Writes it on one line, shortened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Shell(line) => line.clone(),
            Self::Argv(words) => words.join(" "),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = mm_tools::output::visible(&line);
        match line.char_indices().nth(SHOWN) {
            Some((at, _)) => write!(f, "{}…", line.get(..at).unwrap_or_default()),
            None => f.write_str(&line),
        }
    }
}

/// Starts commands in the first shell that there is.
#[derive(Debug)]
pub(crate) struct Starter {
    runner: ProcessRunner,
    shells: &'static [&'static str],
    /// The shell that was found at the first command that needs one.
    shell: OnceLock<&'static str>,
}

/// How a command runs, whatever it is.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// All but program and arguments.
    pub(crate) command: Command,
    /// What it gets on standard input.
    pub(crate) input: &'a [u8],
    /// The most bytes that it may answer.
    pub(crate) max_output: usize,
}

impl Starter {
    pub(crate) fn new(runner: ProcessRunner) -> Self {
        Self { runner, shells: &SHELLS, shell: OnceLock::new() }
    }

    pub(crate) async fn run(
        &self,
        what: &HookCommand,
        mut run: Run<'_>,
        cancel: &CancellationToken,
    ) -> Result<Exchanged, SpawnError> {
        match what {
            HookCommand::Argv(words) => {
                let mut words = words.iter().cloned();
                run.command.program = words.next().unwrap_or_default();
                run.command.args = words.collect();
                self.runner.exchange(&run.command, run.input, run.max_output, cancel).await
            }
            HookCommand::Shell(line) => {
                run.command.args = vec!["-c".to_owned(), line.clone()];
                self.in_shell(run, cancel).await
            }
        }
    }

    async fn in_shell(&self, mut run: Run<'_>, cancel: &CancellationToken) -> Result<Exchanged, SpawnError> {
        let known = self.shell.get();
        for shell in known.map_or(self.shells, std::slice::from_ref) {
            run.command.program = (*shell).to_owned();
            let result = self.runner.exchange(&run.command, run.input, run.max_output, cancel).await;
            if !result.as_ref().is_err_and(SpawnError::is_missing_program) {
                // Another hook may have found it at the same time.
                let _ = self.shell.set(shell);
                return result;
            }
        }
        Err(SpawnError::NoProgram(self.shells.join(", ")))
    }
}

/// A command in a directory, with no program yet.
pub(crate) fn at(cwd: &Path, timeout: std::time::Duration) -> Command {
    Command {
        program: String::new(),
        args: Vec::new(),
        cwd: cwd.to_owned(),
        env: Vec::new(),
        env_remove: Vec::new(),
        timeout,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn another_shell_serves_where_the_first_is_missing() {
        let run = async |shells| {
            let starter = Starter { shells, ..Starter::new(ProcessRunner::new()) };
            let command = at(Path::new("/"), std::time::Duration::from_secs(30));
            let run = Run { command, input: b"", max_output: 100 };
            let went =
                starter.run(&HookCommand::Shell("echo $0".into()), run, &CancellationToken::new()).await;
            went.map(|went| String::from_utf8(went.stdout).unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!(run(&["no-such-shell", "sh"]).await, Ok("sh\n".into()));
        assert_eq!(run(&["no-1", "no-2"]).await, Err("no-1, no-2: no such program".into()));
    }

    #[test]
    fn a_command_is_shown_on_one_short_line() {
        let long = "x".repeat(200);
        let rows = [
            (HookCommand::Shell("./check.sh".into()), "./check.sh".to_owned()),
            (HookCommand::Shell("a\n\n  b\x1b[2J".into()), "a b\\u{1b}[2J".to_owned()),
            (HookCommand::Argv(vec!["./a b".into(), "c".into()]), "./a b c".to_owned()),
            (HookCommand::Shell(long.clone()), format!("{}…", "x".repeat(100))),
        ];
        for (command, expected) in rows {
            assert_eq!(command.to_string(), expected);
        }
    }
}
