//! Standard streams: what can be done at once is done at once, a thread waits for the rest.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};
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
        while let Some(most) = self.room().filter(|_| !left.is_empty()) {
            let piece = left.get(..most).unwrap_or(left);
            match rustix::io::write(self.fd, piece) {
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => tokio::time::sleep(FULL).await,
                Err(error) => return Err(error.into()),
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        self.waiting.write_all(left).await?;
        self.waiting.flush().await
    }

    /// The most bytes that can be written now without waiting, if there is anything.
    fn room(&self) -> Option<usize> {
        match self.kind {
            Kind::File | Kind::NonBlocking => Some(usize::MAX),
            Kind::Pipe => is_ready(self.fd, PollFlags::OUT).then_some(PIPE_BUF),
            Kind::Other => None,
        }
    }
}

/// Whether a stream can be read or written without waiting.
pub(crate) fn is_ready(fd: BorrowedFd<'_>, what: PollFlags) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, what)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&at_once)).is_ok_and(|ready| ready > 0)
}
