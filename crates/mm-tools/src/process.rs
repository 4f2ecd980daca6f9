//! The one place that starts processes.
//!
//! A child process is more than one pid, and the end of its output is not the end of it. What counts here
//! is the exit of the process that was started; everything it started itself belongs to the session that
//! it leads, and is ended with it.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::ToolHost;
use crate::output::Capture;
use registry::Registry;

mod ending;
mod exchange;
mod group;
mod reader;
mod registry;
mod running;
mod spawn;
#[cfg(test)]
pub(crate) mod tests;

pub use ending::Ending;
pub use exchange::Exchanged;
pub use spawn::SpawnError;

/// What to run, where, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// A name looked up in `PATH`, or a path; a relative one starts at `cwd`.
    pub program: String,
    /// The arguments, handed over as they are.
    pub args: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Variables to set, beside those that this process has.
    pub env: Vec<(String, String)>,
    /// Variables that the command does not get.
    pub env_remove: Vec<String>,
    /// How long it may run.
    pub timeout: Duration,
}

/// How a command went.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What it wrote to its standard output and standard error, in the order in which it came, cleaned.
    pub output: Capture,
    /// How it ended.
    pub ending: Ending,
    /// Processes that it left behind, in ascending order. They go on until [`ProcessRunner::shutdown`].
    pub still_running: Vec<u32>,
}

/// Starts commands and sees to their end. Clones share what they remember.
///
/// Each command gets a session of its own, without a terminal, and an empty standard input, or one that ends:
/// whatever would wait for somebody to type fails instead. Processes that it leaves behind are remembered and ended by
/// [`shutdown`](Self::shutdown), or when the last clone goes away. Only what starts another session itself
/// (`setsid`) escapes.
#[derive(Clone, Debug, Default)]
pub struct ProcessRunner {
    registry: Arc<Registry>,
}

impl ProcessRunner {
    /// A runner that has not started anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a command to its end and keeps `max_output` characters of what it writes; all of it goes to
    /// `host` as it comes.
    ///
    /// The call ends when the command's own process has ended, at most 250 ms later: a process in the
    /// background that still holds the output does not delay it, and can go on writing. On timeout and
    /// when `cancel` is cancelled the session gets TERM and, if something is left 2 s later, KILL. Dropping
    /// the future does the same in the background.
    ///
    /// Must be called within a tokio runtime with time and I/O enabled.
    ///
    /// # Errors
    /// When the command could not be started; the error names the directory or the program at fault.
    pub async fn run(
        &self,
        command: &Command,
        max_output: usize,
        host: &dyn ToolHost,
        cancel: &CancellationToken,
    ) -> Result<Finished, SpawnError> {
        let mut output = Capture::new(max_output);
        if cancel.is_cancelled() {
            return Ok(Finished { output, ending: Ending::Interrupted, still_running: Vec::new() });
        }
        let (running, pipe) = spawn::spawn(command, &self.registry)?;
        let reading = reader::Reading { pipe: &pipe, output: &mut output, host };
        let (ending, still_running) = running.finish(reading, command.timeout, cancel).await;
        reader::discard(pipe);
        Ok(Finished { output, ending, still_running })
    }

    /// Hands the terminal to an editor of the user's, and waits for its end. `editor` is a command as a variable holds it,
    /// with options perhaps, and is read by a shell. It has the standard streams of this process and belongs to its
    /// session, so that the keys of the terminal reach it; it has no time limit. When `cancel` is cancelled it gets TERM and,
    /// if it is there 2 s later, KILL; dropping the future kills it.
    ///
    /// # Errors
    /// When the directory cannot be used, there is no shell, or the system lost track of the command.
    pub async fn edit(
        &self,
        editor: &str,
        file: &Path,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<ExitStatus, SpawnError> {
        spawn::edit(editor, file, cwd, cancel).await
    }

    /// Ends everything that was started and still runs: TERM, and KILL half a second later. Calling it
    /// again is harmless.
    pub async fn shutdown(&self) {
        self.registry.shutdown().await;
    }

    /// Kills everything that was started and still runs, at once: for an exit that cannot wait.
    pub fn kill_all(&self) {
        self.registry.kill_all();
    }
}
