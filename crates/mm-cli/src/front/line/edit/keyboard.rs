//! What is typed, read by a thread at any time and kept until somebody asks for it.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::Notify;

use super::pieces::{self, Piece, Read};

/// How long what may be the beginning of a key is waited for to go on.
const KEY: Duration = Duration::from_millis(50);
/// How long pasted text may stop before its end.
const PASTE: Duration = Duration::from_secs(5);
/// The most bytes that are kept; the rest waits in the terminal.
const MOST: usize = 64 << 20;
/// Between two looks at a store that is full, and at a stdin that is empty and says so.
const PAUSE: Duration = Duration::from_millis(10);

/// What was typed.
#[derive(Debug, Default)]
struct Typed {
    /// Before somebody asked for an answer: questions to come.
    ahead: Bytes,
    fresh: Bytes,
    /// What was set aside ends within pasted text, whose rest is still to come.
    paste_open: bool,
    ended: bool,
    /// What is typed is meant for another program.
    is_lent: bool,
}

/// Bytes in the order in which they came.
#[derive(Debug, Default)]
struct Bytes {
    bytes: Vec<u8>,
    taken: usize,
    /// How many of the rest hold no end of pasted text.
    searched: usize,
}

impl Bytes {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) {
        (self.taken, self.searched) = (self.taken + count, 0);
        if self.taken >= self.bytes.len() {
            (self.bytes, self.taken) = (Vec::new(), 0);
        }
    }

    fn take_all(&mut self) -> Vec<u8> {
        let rest = self.rest().to_vec();
        *self = Self::default();
        rest
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// Which bytes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// All that was typed.
    Ever,
    /// What was typed since [`Keyboard::set_aside`].
    Now,
}

/// What is typed, read by a thread: nothing is lost however long nobody asks for it.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    /// The terminal; `None` when nothing more is to be read.
    terminal: Option<OwnedFd>,
    // The thread reads under the lock, so that who holds it knows all that has been read.
    typed: Mutex<Typed>,
    came: Notify,
}

/// A look for a piece.
enum Look {
    Piece(Piece),
    /// Nothing, or the beginning of something, for which to wait so long at most.
    Wait(Option<Duration>),
    End,
}

impl Keyboard {
    /// Starts the thread.
    pub(super) fn start(terminal: OwnedFd) -> Arc<Self> {
        let keyboard = Arc::new(Self { terminal: Some(terminal), ..Self::default() });
        let reading = keyboard.clone();
        std::thread::spawn(move || {
            while reading.wait_and_read() {
                reading.came.notify_one();
            }
            reading.locked().ended = true;
            reading.came.notify_one();
        });
        keyboard
    }

    /// Gives the next piece; `None` when the terminal has gone away.
    pub(super) async fn piece(&self, from: From) -> Option<Piece> {
        loop {
            match self.look(from) {
                Look::Piece(piece) => return Some(piece),
                Look::End => return None,
                Look::Wait(None) => self.came.notified().await,
                Look::Wait(Some(most)) => {
                    if tokio::time::timeout(most, self.came.notified()).await.is_err()
                        && let Some(piece) = self.alone(from)
                    {
                        return Some(piece);
                    }
                }
            }
        }
    }

    /// Leaves what is typed from now on to another program, or takes it again.
    pub(super) fn lend(&self, is_lent: bool) {
        self.locked().is_lent = is_lent;
    }

    /// Puts what was typed so far aside: it answers nothing that is only now asked.
    pub(super) fn set_aside(&self) {
        let mut typed = self.locked();
        while self.is_ready(Some(Duration::ZERO)) && self.read(&mut typed) {}
        let fresh = typed.fresh.take_all();
        typed.ahead.push(&fresh);
        typed.paste_open = pieces::leaves_paste_open(typed.ahead.rest());
    }

    fn locked(&self) -> MutexGuard<'_, Typed> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, from: From) -> Look {
        let mut typed = self.locked();
        let typed = &mut *typed;
        if typed.paste_open {
            let end = pieces::end_of_paste(typed.fresh.rest());
            let count = end.unwrap_or(typed.fresh.rest().len());
            let rest = typed.fresh.rest().get(..count).unwrap_or_default().to_vec();
            typed.ahead.push(&rest);
            typed.fresh.take(count);
            typed.paste_open = end.is_none();
        }
        let bytes = match from {
            From::Ever if !typed.ahead.rest().is_empty() => {
                // The rest of a key may have come later.
                let fresh = typed.fresh.take_all();
                typed.ahead.push(&fresh);
                &mut typed.ahead
            }
            From::Ever | From::Now => &mut typed.fresh,
        };
        match pieces::first(bytes.rest(), bytes.searched) {
            Read::Piece(piece, count) => {
                bytes.take(count);
                Look::Piece(piece)
            }
            _ if typed.ended => Look::End,
            Read::Partial if bytes.rest().is_empty() => Look::Wait(None),
            Read::Partial => Look::Wait(Some(KEY)),
            Read::PartialPaste => {
                bytes.searched = bytes.rest().len();
                Look::Wait(Some(PASTE))
            }
        }
    }

    /// What did not go on counts for what it is.
    fn alone(&self, from: From) -> Option<Piece> {
        let mut typed = self.locked();
        let bytes = match from {
            From::Ever if !typed.ahead.rest().is_empty() => &mut typed.ahead,
            From::Ever | From::Now => &mut typed.fresh,
        };
        let (piece, count) = match pieces::first(bytes.rest(), bytes.searched) {
            Read::Piece(piece, count) => (piece, count),
            Read::Partial => pieces::rest(bytes.rest())?,
            Read::PartialPaste => (pieces::open_paste(bytes.rest()), bytes.rest().len()),
        };
        bytes.take(count);
        Some(piece)
    }

    /// Waits for something typed and keeps it; false at the end.
    fn wait_and_read(&self) -> bool {
        if !self.is_ready(None) {
            return true;
        }
        let mut typed = self.locked();
        if typed.is_lent || typed.ahead.rest().len() + typed.fresh.rest().len() > MOST {
            drop(typed);
            std::thread::sleep(PAUSE);
            return true;
        }
        // Somebody else may have read it.
        !self.is_ready(Some(Duration::ZERO)) || self.read(&mut typed)
    }

    fn is_ready(&self, wait: Option<Duration>) -> bool {
        let Some(terminal) = &self.terminal else { return false };
        let mut fds = [PollFd::new(terminal, PollFlags::IN)];
        let wait = wait.and_then(|wait| rustix::event::Timespec::try_from(wait).ok());
        poll(&mut fds, wait.as_ref()).is_ok_and(|count| count > 0)
    }

    /// Reads what is there; false when nothing will come any more.
    fn read(&self, typed: &mut Typed) -> bool {
        let Some(terminal) = &self.terminal else { return false };
        let mut buffer = [0; 16 << 10];
        match rustix::io::read(terminal, &mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                typed.fresh.push(buffer.get(..count).unwrap_or_default());
                true
            }
            Err(Errno::INTR) => true,
            Err(Errno::AGAIN) => {
                std::thread::sleep(PAUSE);
                true
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(ahead: &[u8], fresh: &[u8]) -> Keyboard {
        let keyboard = Keyboard::default();
        keyboard.locked().ahead.push(ahead);
        keyboard.locked().fresh.push(fresh);
        keyboard
    }

    fn keys(text: &str) -> Option<Piece> {
        Some(Piece::Keys(text.to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_set_aside_is_a_question_and_no_answer() {
        let keyboard = with(b"a", b"y\r");
        assert_eq!(keyboard.piece(From::Now).await, keys("y"));
        assert_eq!(keyboard.piece(From::Ever).await, keys("a"));
        assert_eq!(keyboard.piece(From::Ever).await, Some(Piece::Enter));
    }

    #[tokio::test(start_paused = true)]
    async fn the_rest_of_a_paste_that_was_set_aside_belongs_to_it() {
        let keyboard = with(b"\x1b[200~one\r", b"");
        keyboard.locked().paste_open = true;
        keyboard.locked().fresh.push(b"y\rtwo\x1b[201~n");
        assert_eq!(keyboard.piece(From::Now).await, keys("n"));
        assert_eq!(keyboard.piece(From::Ever).await, Some(Piece::Paste("one\ny\ntwo".into())));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_go_on_is_what_it_is() {
        assert_eq!(with(b"", b"\x1b").piece(From::Now).await, keys("\u{1b}"));
        assert_eq!(with(b"", b"\x1b[200~ab").piece(From::Ever).await, Some(Piece::Paste("ab".into())));
        let ended = with(b"", b"\x1b[200~ab");
        ended.locked().ended = true;
        assert_eq!(ended.piece(From::Ever).await, None);
    }
}
