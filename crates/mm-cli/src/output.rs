//! The one place that writes to the terminal, to stdout and to stderr.
//!
//! A task owns both streams and the spinner, so that no lock is needed and a slow reader never stops the
//! program from hearing Ctrl-C.

use std::io::{self, IsTerminal};
use std::os::fd::BorrowedFd;
use std::time::Duration;

use mm_config::Environment;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

mod stream;

use crate::render::{Paint, cut_to};
use stream::Stream;
pub(crate) use stream::at_once;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK: Duration = Duration::from_millis(100);
const CLEAR_LINE: &str = "\r\x1b[K";
/// The most pieces that wait to be written.
const QUEUE: usize = 256;
/// How often it is looked whether more has come for the same write.
const LOOKS: usize = 16;

/// What the standard streams are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streams {
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    /// Whether what goes to stderr may be dimmed.
    pub(crate) dim: bool,
    /// Whether what goes to stdout may have attributes and colours.
    pub(crate) paint: Paint,
    /// Whether the terminal can do more than write one line below the other.
    pub(crate) moves: bool,
}

impl Streams {
    /// Looks at the streams; `NO_COLOR` and a dumb terminal take dimming and colours away.
    pub(crate) fn detect(env: &Environment) -> Self {
        let term = env.get("TERM").unwrap_or_default();
        let plain = env.get("NO_COLOR").is_some() || term == "dumb";
        let (stdout_is_terminal, stderr_is_terminal) =
            (io::stdout().is_terminal(), io::stderr().is_terminal());
        let paint = if stdout_is_terminal && !plain { Paint::Colours } else { Paint::Nothing };
        Self {
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_is_terminal,
            stderr_is_terminal,
            dim: stderr_is_terminal && !plain,
            paint,
            moves: !["", "dumb", "cons25", "emacs"].contains(&&*term),
        }
    }
}

/// How many columns a terminal has at the moment; 80 where it does not say.
pub(crate) fn columns(fd: BorrowedFd<'_>) -> usize {
    let size = rustix::termios::tcgetwinsize(fd).map(|size| usize::from(size.ws_col));
    size.ok().filter(|columns| *columns > 0).unwrap_or(80)
}

/// Something to write.
#[derive(Debug)]
enum Piece {
    Answer(String),
    Other(String),
    Spinner(Option<String>),
    /// The user ended the line that the cursor was on.
    LineTyped,
    /// What comes next begins a line.
    FreshLine,
    /// Everything before it has been written when the answer comes.
    Flush(oneshot::Sender<()>),
}

/// Hands text to the writing task, in order; waits while that is behind.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    sender: mpsc::Sender<Piece>,
    gone: CancellationToken,
}

/// The writing task.
#[derive(Debug)]
pub(crate) struct Writing {
    task: JoinHandle<io::Result<()>>,
}

impl Output {
    /// Starts the task.
    pub(crate) fn start(streams: Streams) -> (Self, Writing) {
        let (sender, pieces) = mpsc::channel(QUEUE);
        let gone = CancellationToken::new();
        let screen = Screen {
            stdout: Stream::new(rustix::stdio::stdout(), tokio::io::stdout()),
            stderr: Stream::new(rustix::stdio::stderr(), tokio::io::stderr()),
            streams,
            spinner: None,
            drawn: false,
            frame: 0,
            at_line_start: true,
            failed: None,
            gone: gone.clone(),
        };
        (Self { sender, gone }, Writing { task: tokio::spawn(screen.write_all(pieces)) })
    }

    /// Writes a piece of the answer to stdout.
    pub(crate) async fn answer(&self, text: impl Into<String>) {
        let _ = self.sender.send(Piece::Answer(text.into())).await;
    }

    /// Writes anything else to stderr.
    pub(crate) async fn other(&self, text: impl Into<String>) {
        let _ = self.sender.send(Piece::Other(text.into())).await;
    }

    /// Shows what is waited for, or stops showing it.
    pub(crate) async fn spinner(&self, phase: Option<&str>) {
        let _ = self.sender.send(Piece::Spinner(phase.map(str::to_owned))).await;
    }

    /// Takes note that the user ended a line, which the terminal has shown.
    pub(crate) async fn line_was_typed(&self) {
        let _ = self.sender.send(Piece::LineTyped).await;
    }

    /// Ends the line that the cursor is on, if it is on one.
    pub(crate) async fn fresh_line(&self) {
        let _ = self.sender.send(Piece::FreshLine).await;
    }

    /// Waits until all is written.
    pub(crate) async fn flush(&self) {
        let (sender, written) = oneshot::channel();
        let _ = self.sender.send(Piece::Flush(sender)).await;
        let _ = written.await;
    }

    /// Cancelled when stdout can be written no more.
    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.gone
    }
}

impl Writing {
    /// Ends the task; gives the failure of stdout, if it had one. A reader that went away is none.
    pub(crate) async fn end(self, output: Output) -> io::Result<()> {
        output.spinner(None).await;
        drop(output);
        self.task.await.unwrap_or(Ok(()))
    }
}

#[derive(Debug)]
struct Screen {
    stdout: Stream<tokio::io::Stdout>,
    stderr: Stream<tokio::io::Stderr>,
    streams: Streams,
    spinner: Option<(String, Instant)>,
    drawn: bool,
    frame: usize,
    at_line_start: bool,
    failed: Option<io::Error>,
    gone: CancellationToken,
}

impl Screen {
    async fn write_all(mut self, mut pieces: mpsc::Receiver<Piece>) -> io::Result<()> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                n = pieces.recv_many(&mut batch, QUEUE) => {
                    if n == 0 {
                        break;
                    }
                    gather(&mut pieces, &mut batch).await;
                    self.write_batch(batch.drain(..)).await;
                }
                _ = ticks.tick(), if self.spinner.is_some() => self.draw().await,
            }
        }
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes what has come in meanwhile: neighbours for the same stream in one go.
    async fn write_batch(&mut self, pieces: impl Iterator<Item = Piece>) {
        let mut pieces = pieces.peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Answer(mut text) => {
                    while let Some(Piece::Answer(more)) =
                        pieces.next_if(|next| matches!(next, Piece::Answer(_)))
                    {
                        text.push_str(&more);
                    }
                    self.answer(&text).await;
                }
                Piece::Other(text) => self.other(&text).await,
                Piece::Spinner(phase) => self.spin(phase).await,
                Piece::LineTyped => self.at_line_start = true,
                Piece::FreshLine if self.at_line_start => self.clear().await,
                Piece::FreshLine => self.other("\n").await,
                Piece::Flush(written) => drop(written.send(())),
            }
        }
    }

    async fn answer(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        self.make_room(text, self.streams.stdout_is_terminal).await;
        if let Err(error) = self.stdout.write(text).await {
            self.failed = Some(error);
            self.gone.cancel();
        }
    }

    async fn other(&mut self, text: &str) {
        self.make_room(text, self.streams.stderr_is_terminal).await;
        let _ = self.stderr.write(text).await;
    }

    /// Takes the spinner off the line that a text goes to.
    async fn make_room(&mut self, text: &str, on_screen: bool) {
        self.clear().await;
        if on_screen && let Some(last) = text.chars().last() {
            self.at_line_start = last == '\n';
        }
    }

    async fn spin(&mut self, phase: Option<String>) {
        match phase {
            Some(phase) if self.streams.stderr_is_terminal => {
                let since = match &self.spinner {
                    // A count in the phase changes without a new beginning.
                    Some((old, since)) if old.split(' ').next() == phase.split(' ').next() => *since,
                    _ => Instant::now(),
                };
                self.spinner = Some((phase, since));
            }
            _ => {
                self.clear().await;
                self.spinner = None;
            }
        }
    }

    async fn draw(&mut self) {
        let Some((phase, since)) = &self.spinner else { return };
        if !self.at_line_start {
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let frame = FRAMES.get(self.frame).copied().unwrap_or_default();
        let seconds = since.elapsed().as_secs();
        let time = if seconds > 0 { format!(" {seconds} s") } else { String::new() };
        let (dim, plain) = if self.streams.dim { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
        let most = columns(rustix::stdio::stderr()).saturating_sub(1);
        let text = cut_to(&format!("{frame} {phase}{time}"), most);
        let line = format!("{CLEAR_LINE}{dim}{text}{plain}");
        let _ = self.stderr.write(&line).await;
        self.drawn = true;
    }

    async fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = self.stderr.write(CLEAR_LINE).await;
        }
    }
}

/// Lets whoever has something to do go first: of an answer that comes as fast as it is read, many pieces go into one
/// write.
async fn gather(pieces: &mut mpsc::Receiver<Piece>, batch: &mut Vec<Piece>) {
    for _ in 0..LOOKS {
        tokio::task::yield_now().await;
        let before = batch.len();
        while batch.len() < QUEUE
            && let Ok(piece) = pieces.try_recv()
        {
            batch.push(piece);
        }
        if batch.len() == before {
            return;
        }
    }
}
