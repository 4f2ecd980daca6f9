//! Starting a command, and why that may fail.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, kill_process};
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;

use super::Command;
use super::group::Group;
use super::registry::Registry;
use super::running::Running;

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The working directory is gone.
    #[error("the working directory {} does not exist any more", .0.display())]
    NoDirectory(PathBuf),
    /// The working directory is a file, or may not be entered.
    #[error("the working directory {} cannot be used: {source}", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such program.
    #[error("{0}: no such program")]
    NoProgram(String),
    /// The program may not be run.
    #[error("{0}: not an executable program")]
    NotExecutable(String),
    /// The system refused for another reason.
    #[error("{program}: cannot be started: {source}")]
    Other {
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
}

impl SpawnError {
    /// Whether the program is what is missing.
    pub fn is_missing_program(&self) -> bool {
        matches!(self, Self::NoProgram(_))
    }

    pub(super) fn other(command: &Command, source: io::Error) -> Self {
        Self::Other { program: command.program.clone(), source }
    }
}

/// What a command gets as its standard streams.
pub(super) struct Streams {
    pub(super) stdin: Stdio,
    pub(super) stdout: Stdio,
    pub(super) stderr: Stdio,
}

/// Starts a command with its output in one pipe, so that what it writes to standard output and standard
/// error keeps its order.
pub(super) fn spawn(command: &Command, registry: &Arc<Registry>) -> Result<(Running, Receiver), SpawnError> {
    let other = |source| SpawnError::other(command, source);
    let (reader, writer) = io::pipe().map_err(other)?;
    let pipe = Receiver::from_owned_fd(OwnedFd::from(reader)).map_err(other)?;
    let errors = writer.try_clone().map_err(other)?;
    let streams = Streams { stdin: Stdio::null(), stdout: writer.into(), stderr: errors.into() };
    Ok((start(command, streams, registry)?, pipe))
}

/// Starts a command as the leader of a session of its own.
pub(super) fn start(
    command: &Command,
    streams: Streams,
    registry: &Arc<Registry>,
) -> Result<Running, SpawnError> {
    check_directory(&command.cwd)?;
    // The ends for writing go away with `wrapped`: a pipe ends when the last process closes it.
    let mut wrapped = CommandWrap::with_new(&command.program, |started| {
        started.args(&command.args).current_dir(&command.cwd).envs(command.env.iter().cloned());
        for name in &command.env_remove {
            started.env_remove(name);
        }
        started.stdin(streams.stdin).stdout(streams.stdout).stderr(streams.stderr);
    });
    let child = wrapped.wrap(ProcessSession).spawn().map_err(|error| refused(command, error))?;
    let nobody = || SpawnError::other(command, io::ErrorKind::NotFound.into());
    let group = child.id().and_then(Group::led_by).ok_or_else(nobody)?;
    // The wrapper's own `wait` waits for the whole group; the call ends with the process itself.
    Ok(Running::new(child.into_inner(), group, Arc::clone(registry)))
}

/// Starts an editor with the standard streams of this process, in its session, and waits for its end.
pub(super) async fn edit(
    editor: &str,
    file: &Path,
    cwd: &Path,
    cancel: &CancellationToken,
) -> Result<ExitStatus, SpawnError> {
    check_directory(cwd)?;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => SpawnError::NoProgram("sh".to_owned()),
        _ => SpawnError::Other { program: "sh".to_owned(), source },
    };
    let mut shell = tokio::process::Command::new("sh");
    // In the shell's place, so that a signal meets the editor.
    shell
        .arg("-c")
        .arg(format!("exec {editor} \"$1\""))
        .arg("sh")
        .arg(file)
        .current_dir(cwd)
        .kill_on_drop(true);
    let mut child = shell.spawn().map_err(failed)?;
    tokio::select! {
        status = child.wait() => return status.map_err(failed),
        () = cancel.cancelled() => {}
    }
    if let Some(pid) = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
        let _ = kill_process(pid, Signal::TERM);
    }
    if let Ok(status) = tokio::time::timeout(PATIENCE, child.wait()).await {
        return status.map_err(failed);
    }
    child.kill().await.map_err(failed)?;
    child.wait().await.map_err(failed)
}

/// How long an editor has to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// The dot at the end makes it fail for what is no directory, or one that may not be entered.
fn check_directory(path: &Path) -> Result<(), SpawnError> {
    match std::fs::metadata(path.join(".")) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SpawnError::NoDirectory(path.into())),
        Err(source) => Err(SpawnError::Directory { path: path.into(), source }),
    }
}

fn refused(command: &Command, source: io::Error) -> SpawnError {
    let program = command.program.clone();
    match source.kind() {
        io::ErrorKind::NotFound => SpawnError::NoProgram(program),
        io::ErrorKind::PermissionDenied => SpawnError::NotExecutable(program),
        _ => SpawnError::other(command, source),
    }
}
