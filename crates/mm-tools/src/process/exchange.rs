//! A command that is given bytes and answers with bytes.

use std::convert::Infallible;
use std::future::pending;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

use super::spawn::{Streams, start};
use super::{Command, Ending, ProcessRunner, SpawnError, reader};

/// What one read takes at most: as much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// The bytes of standard error that are kept: what matters of it is said last.
const MAX_ERRORS: usize = 4 * 1024;

/// How an exchange went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// The first bytes of its standard output, as it wrote them.
    pub stdout: Vec<u8>,
    /// Whether there was more than was asked for.
    pub is_cut: bool,
    /// The last bytes of its standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
}

impl ProcessRunner {
    /// Runs a command that gets `input` on its standard input, and keeps `max_output` bytes of its standard output.
    ///
    /// Writing and reading go on at the same time and under one limit, [`Command::timeout`]: a command may leave its
    /// input unread, close it early, or write without end. It ends as one of [`run`](Self::run) does, but nothing
    /// that it left behind in its session goes on: that gets TERM, and KILL 2 s later.
    ///
    /// # Errors
    /// When the command could not be started; the error names the directory or the program at fault.
    pub async fn exchange(
        &self,
        command: &Command,
        input: &[u8],
        max_output: usize,
        cancel: &CancellationToken,
    ) -> Result<Exchanged, SpawnError> {
        let (mut answer, mut errors) = (Kept::first(max_output), Kept::last(MAX_ERRORS));
        if cancel.is_cancelled() {
            return Ok(exchanged(answer, errors, Ending::Interrupted));
        }
        let (streams, mut pipes) = pipes().map_err(|source| SpawnError::other(command, source))?;
        let mut running = start(command, streams, &self.registry)?;
        let closed = CancellationToken::new();
        let talk = pipes.talk(input, (&mut answer, &mut errors), closed.clone());
        let ending = running.see_out(talk, &closed, command.timeout, cancel).await;
        let mut buffer = vec![0; CHUNK];
        read_now(&pipes.stdout, &mut buffer, &mut answer);
        read_now(&pipes.stderr, &mut buffer, &mut errors);
        running.end_rest().await;
        reader::discard(pipes.stdout);
        reader::discard(pipes.stderr);
        Ok(exchanged(answer, errors, ending))
    }
}

fn exchanged(answer: Kept, errors: Kept, ending: Ending) -> Exchanged {
    Exchanged { stdout: answer.bytes, is_cut: answer.is_cut, stderr: errors.bytes, ending }
}

/// Our ends of the pipes.
struct Pipes {
    /// Gone once all is written, or nobody reads it.
    stdin: Option<Sender>,
    stdout: Receiver,
    stderr: Receiver,
}

fn pipes() -> io::Result<(Streams, Pipes)> {
    let (input, stdin) = io::pipe()?;
    let (stdout, output) = io::pipe()?;
    let (stderr, errors) = io::pipe()?;
    let streams = Streams { stdin: input.into(), stdout: output.into(), stderr: errors.into() };
    let pipes = Pipes {
        stdin: Some(Sender::from_owned_fd(OwnedFd::from(stdin))?),
        stdout: Receiver::from_owned_fd(OwnedFd::from(stdout))?,
        stderr: Receiver::from_owned_fd(OwnedFd::from(stderr))?,
    };
    Ok((streams, pipes))
}

impl Pipes {
    /// Writes and reads until no process holds the other ends of the output, and tells so by `closed`. It never ends
    /// by itself, for use beside what does.
    async fn talk(
        &mut self,
        input: &[u8],
        (answer, errors): (&mut Kept, &mut Kept),
        closed: CancellationToken,
    ) -> Infallible {
        let stdin = self.stdin.take();
        let write = async move {
            if let Some(mut stdin) = stdin {
                // Whoever closes it early has read enough.
                let _ = stdin.write_all(input).await;
            }
        };
        let read = async {
            tokio::join!(read(&self.stdout, answer), read(&self.stderr, errors));
            closed.cancel();
        };
        tokio::join!(write, read);
        pending().await
    }
}

async fn read(pipe: &Receiver, kept: &mut Kept) {
    let mut buffer = vec![0; CHUNK];
    while pipe.readable().await.is_ok() && read_now(pipe, &mut buffer, kept) {}
}

/// Takes what is in the pipe already; false at its end.
fn read_now(pipe: &Receiver, buffer: &mut [u8], kept: &mut Kept) -> bool {
    match pipe.try_read(buffer) {
        Ok(0) => false,
        Ok(length) => {
            kept.push(buffer.get(..length).unwrap_or_default());
            true
        }
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}

/// The beginning or the end of what comes in pieces.
struct Kept {
    bytes: Vec<u8>,
    max: usize,
    end: End,
    is_cut: bool,
}

enum End {
    First,
    Last,
}

impl Kept {
    fn first(max: usize) -> Self {
        Self { bytes: Vec::new(), max, end: End::First, is_cut: false }
    }

    fn last(max: usize) -> Self {
        Self { end: End::Last, ..Self::first(max) }
    }

    fn push(&mut self, piece: &[u8]) {
        let (room, total) = (self.max - self.bytes.len(), self.bytes.len() + piece.len());
        self.is_cut |= total > self.max;
        match self.end {
            End::First => {
                self.bytes.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default())
            }
            End::Last => {
                self.bytes.extend_from_slice(piece);
                self.bytes.drain(..total.saturating_sub(self.max));
            }
        }
    }
}

#[cfg(test)]
mod tests;
