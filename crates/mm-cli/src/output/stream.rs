//! Standard streams: what can be done at once is done at once, a thread waits for the rest.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};
use rustix::io::Errno;
use rustix::pipe::PIPE_BUF;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Between two tries at a stream that is full and says so.
const FULL: Duration = Duration::from_millis(5);

/// A stream to write to.
///
/// A terminal that is stopped and a pipe that is full keep whoever writes to them waiting, so tokio writes in a thread.
/// A pipe with room and a file need none, and handing a piece over takes longer than writing it. Neither does a stream
/// that never keeps anybody waiting, as some programs hand to their children: it says when it is full.
#[derive(Debug)]
pub(super) struct Stream<W> {
    fd: BorrowedFd<'static>,
    kind: Kind,
    waiting: W,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Pipe,
    /// Of any type: `O_NONBLOCK` is set.
    NonBlocking,
    Other,
}

impl<W: AsyncWrite + Unpin> Stream<W> {
    /// A stream, by its number and by what tokio makes of it.
    pub(super) fn new(fd: BorrowedFd<'static>, waiting: W) -> Self {
        let never_waits = fcntl_getfl(fd).is_ok_and(|flags| flags.contains(OFlags::NONBLOCK));
        let kind = match fstat(fd).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::RegularFile) => Kind::File,
            _ if never_waits => Kind::NonBlocking,
            Ok(FileType::Fifo) => Kind::Pipe,
            _ => Kind::Other,
        };
        Self { fd, kind, waiting }
    }

    /// Writes all of a text.
    pub(super) async fn write(&mut self, text: &str) -> io::Result<()> {
        let mut left = text.as_bytes();
        while !left.is_empty() {
            let written = match self.kind {
                Kind::File | Kind::NonBlocking => rustix::io::write(self.fd, left),
                Kind::Pipe => at_once::write(self.fd, whole_lines(left)),
                Kind::Other => break,
            };
            match (written, self.kind) {
                (Ok(written), _) => left = left.get(written..).unwrap_or_default(),
                (Err(Errno::INTR), _) => {}
                (Err(Errno::AGAIN), Kind::NonBlocking) => tokio::time::sleep(FULL).await,
                // Full, or a system that has no such thing.
                (Err(_), Kind::Pipe) => break,
                (Err(error), _) => return Err(error.into()),
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        self.waiting.write_all(left).await?;
        self.waiting.flush().await
    }
}

/// As much as a pipe takes in one piece, to the end of a line where there is one: others may write to it as well.
fn whole_lines(text: &[u8]) -> &[u8] {
    let Some(most) = text.get(..PIPE_BUF).filter(|most| most.len() < text.len()) else { return text };
    let end = most.iter().rposition(|byte| *byte == b'\n').map_or(most.len(), |at| at + 1);
    most.get(..end).unwrap_or(most)
}

/// Reads and writes that give up at once instead of waiting. A look whether a pipe is ready, and then the same without
/// that, would wait where another process was faster.
pub(crate) mod at_once {
    use std::os::fd::BorrowedFd;

    use rustix::io::Errno;

    /// The position of what has none.
    #[cfg(target_os = "linux")]
    const HERE: u64 = u64::MAX;

    #[cfg(target_os = "linux")]
    pub(super) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
        let bytes = [std::io::IoSlice::new(bytes)];
        rustix::io::pwritev2(fd, &bytes, HERE, rustix::io::ReadWriteFlags::NOWAIT)
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut buffer = [std::io::IoSliceMut::new(buffer)];
        rustix::io::preadv2(fd, &mut buffer, HERE, rustix::io::ReadWriteFlags::NOWAIT)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn write(_: BorrowedFd<'_>, _: &[u8]) -> Result<usize, Errno> {
        Err(Errno::AGAIN)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read(_: BorrowedFd<'_>, _: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::AGAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gets_whole_lines_as_far_as_one_piece_goes() {
        let long = format!("{}\n{}\n", "a".repeat(PIPE_BUF - 100), "b".repeat(200));
        assert_eq!(whole_lines(long.as_bytes()).len(), PIPE_BUF - 99);
        assert_eq!(whole_lines("x".repeat(PIPE_BUF * 2).as_bytes()).len(), PIPE_BUF);
        assert_eq!(whole_lines(b"a\nb"), b"a\nb");
    }
}
