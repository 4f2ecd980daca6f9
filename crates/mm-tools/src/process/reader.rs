//! Reading what a command writes.

use std::convert::Infallible;
use std::future::pending;
use std::io::ErrorKind;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;

use crate::ToolHost;
use crate::output::Capture;
use crate::screen::Screen;

/// What one read takes at most: as much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// Where output comes from and goes to.
pub(super) struct Reading<'a> {
    pub(super) pipe: &'a Receiver,
    pub(super) output: &'a mut Capture,
    pub(super) host: &'a dyn ToolHost,
}

/// Output on its way through the cleaning.
pub(super) struct Reader<'a> {
    reading: Reading<'a>,
    screen: Screen,
    buffer: Vec<u8>,
    /// Whether the last process that held the other end has closed it.
    closed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(reading: Reading<'a>) -> Self {
        Self { reading, screen: Screen::default(), buffer: vec![0; CHUNK], closed: false }
    }

    /// Reads until no process holds the other end, and tells so by `closed`. It never ends by itself, for
    /// use beside what does; dropped, only the host may miss a piece.
    pub(super) async fn read(&mut self, closed: CancellationToken) -> Infallible {
        while !self.closed {
            self.closed = self.reading.pipe.readable().await.is_err();
            let text = self.read_now();
            if !text.is_empty() {
                self.reading.host.progress(&text).await;
            }
            // A flood is always ready: the clock and the user's keys must be looked at all the same.
            tokio::task::yield_now().await;
        }
        closed.cancel();
        pending().await
    }

    /// Takes what is in the pipe already, without waiting for more: no more than it can hold, since
    /// somebody may be filling it.
    pub(super) fn read_rest(&mut self) -> String {
        let text = self.read_now();
        let line = self.screen.finish();
        self.reading.output.push(&line);
        text + &line
    }

    fn read_now(&mut self) -> String {
        let bytes = match self.reading.pipe.try_read(&mut self.buffer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return String::new();
            }
            Ok(0) | Err(_) => {
                self.closed = true;
                return String::new();
            }
            Ok(length) => self.buffer.get(..length).unwrap_or_default(),
        };
        let text = self.screen.push(bytes);
        self.reading.output.push(&text);
        text
    }
}

/// Goes on reading for whoever still holds the pipe, which would otherwise be stopped or killed by it.
pub(super) fn discard(mut pipe: Receiver) {
    tokio::spawn(async move {
        let mut buffer = vec![0; 4096];
        while matches!(pipe.read(&mut buffer).await, Ok(1..)) {}
    });
}
