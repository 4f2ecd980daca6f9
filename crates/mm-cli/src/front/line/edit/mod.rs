//! Editing a line in a terminal.
//!
//! A thread reads what is typed, at any time, and keeps it. `rustyline` edits: it reads from a terminal of its own in the
//! place of stdin, into which goes what is meant for the line that is asked for, and no byte more. So what was typed
//! ahead is never lost in its buffer, never answers what is only asked later, and whoever waits for a line can give up.

mod complete;
mod helper;
mod history;
mod keyboard;
mod modes;
mod paste;
mod pieces;
mod quoted;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mm_tools::output::visible;
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_current_process_group, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::stdio::{dup2_stdin, stdin, stdout};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};
use rustyline::error::ReadlineError;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::task::spawn_blocking;
use unicode_width::UnicodeWidthStr;

use super::input::Typed;
use crate::output::Output;
pub(super) use complete::{Commands, Files, Sessions, Source};
use helper::Task;
use history::History;
pub(super) use history::Store;
use keyboard::{From, Keyboard};
use modes::{Mode, Modes};
use paste::Pastes;
use pieces::{PASTE, Piece};

/// How long a thread may take for what should be done at once.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long Enter may go without an effect: it may have been the answer to a question of the editor.
const STUCK: Duration = Duration::from_secs(2);
/// Between two tries at a terminal that is full.
const FULL: Duration = Duration::from_millis(5);
/// So much comes at once only when it is pasted.
const FAST: usize = 1_000;
/// Keys that change nothing but have the line drawn anew: a count, for nothing.
const REDRAW: &str = "\x1b1\x07";
/// A prompt that any screen has room for.
const SHORT: usize = 8;

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has history and completion, and may be several lines.
    Question,
    /// It chooses from a list, and is not kept.
    Choice,
    /// It answers something that has just been asked, and is not kept.
    Answer,
}

/// What is typed in a terminal, line by line.
#[derive(Debug)]
pub(super) struct Edited {
    keyboard: Arc<Keyboard>,
    modes: Arc<Modes>,
    output: Output,
    sources: Arc<Vec<Box<dyn Source>>>,
    /// Told when the program goes on after a stop.
    resumed: Arc<Notify>,
    /// What the next question begins with. Never held for long.
    prefill: std::sync::Mutex<String>,
    // Held while a line is edited: one prompt at a time.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    history: History,
    pastes: Pastes,
    /// Ends when the editor of a line that nobody waits for any more has let go of the terminal.
    running: Option<oneshot::Receiver<()>>,
    /// The editor does not work here.
    is_broken: bool,
}

impl Edited {
    /// Takes the terminal over; `None` when stdin is none after all, or the system gives no other.
    pub(super) fn start(output: Output, sources: Vec<Box<dyn Source>>, store: Option<Store>) -> Option<Self> {
        let terminal = || rustix::io::fcntl_dupfd_cloexec(stdin(), 3).ok();
        own_terminal().ok()?;
        let modes = Modes::look(terminal()?)?;
        modes.set(Mode::Quiet);
        let resumed = Arc::new(Notify::new());
        // Without it a stop leaves the terminal as it is.
        let _ = watch(&modes, &resumed);
        let history = History::new(store);
        let state = State { history, pastes: Pastes::default(), running: None, is_broken: false };
        Some(Self {
            keyboard: Keyboard::start(terminal()?),
            modes,
            output,
            sources: Arc::new(sources),
            resumed,
            prefill: std::sync::Mutex::default(),
            state: Mutex::new(state),
        })
    }

    /// What was typed so far answers nothing that is only now asked.
    pub(super) fn set_aside(&self) {
        self.keyboard.set_aside();
    }

    /// Has the next question begin with a text.
    pub(super) fn prefill(&self, text: String) {
        *self.prefill.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// Waits until the editor has let go of the terminal.
    pub(super) async fn close(&self) {
        if let Some(running) = self.state.lock().await.running.take() {
            let _ = tokio::time::timeout(PATIENCE, running).await;
        }
    }

    /// Reads nothing until [`take_back`](Self::take_back), and leaves the terminal as it was at the start.
    pub(super) async fn lend(&self) {
        self.close().await;
        self.keyboard.lend(true);
        self.modes.set(Mode::Before);
        self.modes.pause();
    }

    /// Goes on reading.
    pub(super) fn take_back(&self) {
        self.modes.set(Mode::Quiet);
        self.modes.resume();
        self.keyboard.lend(false);
    }

    /// Reads a line.
    pub(super) async fn read(&self, prompt: &str, kind: Kind) -> Typed {
        let mut state = self.state.lock().await;
        if let Some(running) = state.running.take() {
            let _ = running.await;
        }
        if state.is_broken {
            return Typed::End;
        }
        if kind == Kind::Question
            && let Err(why) = state.history.load().await
        {
            self.not_kept(&why).await;
        }
        if let Ok(size) = tcgetwinsize(stdout())
            && size.ws_row > 0
        {
            state.pastes.fit(usize::from(size.ws_row), usize::from(size.ws_col));
        }
        self.modes.set(Mode::Editing);
        // Also when nobody waits for the line any more.
        let _quiet = Quiet(&self.modes);
        let prompt = self.begin(prompt).await;
        let edited = match self.edit(prompt, kind, &mut state).await {
            Ok(edited) => edited,
            Err(error) => {
                state.is_broken = true;
                return Typed::Bad(format!("the terminal cannot be read: {error}"));
            }
        };
        self.output.line_was_typed().await;
        match edited {
            Ended::Line(line) => self.typed(line, kind, &mut state).await,
            Ended::Interrupt { cleared: true } if kind == Kind::Question => Typed::Cleared,
            Ended::Interrupt { .. } => Typed::Interrupt,
            Ended::End => Typed::End,
        }
    }

    /// Writes a prompt that would fill a small screen, and gives one that is left to be shown with what is typed.
    async fn begin(&self, prompt: &str) -> String {
        let cells =
            tcgetwinsize(stdout()).map_or(0, |size| usize::from(size.ws_col) * usize::from(size.ws_row));
        let fits = cells == 0 || prompt.width() <= SHORT || prompt.width() <= cells / 2;
        self.output.fresh_line().await;
        if !fits {
            self.output.other(format!("{}\n", prompt.trim_end())).await;
        }
        self.output.flush().await;
        if fits { prompt.to_owned() } else { "   ".to_owned() }
    }

    async fn typed(&self, line: String, kind: Kind, state: &mut State) -> Typed {
        let text = state.pastes.expand(&line);
        if kind != Kind::Question {
            return Typed::Line(text);
        }
        if let Err(why) = state.history.keep(&line, &text).await {
            self.not_kept(&why).await;
        }
        match quoted::inner(&text) {
            Some(inner) => Typed::Question(inner.to_owned()),
            None => Typed::Line(text),
        }
    }

    async fn not_kept(&self, why: &str) {
        let told = format!("the history is not kept: {why}");
        self.output.other(format!("[warning: {}]\n", visible(&told.replace('\n', " ")))).await;
    }

    async fn edit(&self, prompt: String, kind: Kind, state: &mut State) -> io::Result<Ended> {
        let (initial, history) = match kind {
            Kind::Question => {
                let initial =
                    std::mem::take(&mut *self.prefill.lock().unwrap_or_else(PoisonError::into_inner));
                (state.pastes.shorten(initial), state.history.shown(&mut state.pastes))
            }
            Kind::Choice | Kind::Answer => Default::default(),
        };
        let goes_on = Arc::new(Notify::new());
        let mut fed = Fed { is_empty: initial.is_empty(), waits: false };
        let sources = self.sources.clone();
        let task = Task { kind, prompt, initial, history, sources, goes_on: goes_on.clone() };
        let (keys, mut line) = self.spawn(task, &mut state.running)?;
        let result = tokio::select! {
            biased;
            result = &mut line => result,
            () = self.feed_all(&keys, kind, &goes_on, (&mut state.pastes, &mut fed)) => return Ok(Ended::End),
        };
        match result {
            Ok(Ok(line)) => Ok(Ended::Line(line)),
            Ok(Err(ReadlineError::Interrupted)) => Ok(Ended::Interrupt { cleared: !fed.is_empty }),
            Ok(Err(ReadlineError::Eof)) => Ok(Ended::End),
            Ok(Err(error)) => Err(io::Error::other(error)),
            Err(_) => Err(io::Error::other("the editor has a fault")),
        }
    }

    /// Hands on what is typed, until nothing more can come. Behind what may end the line nothing is handed on before it is
    /// known whether it did: the rest is for whatever is asked next.
    async fn feed_all(
        &self,
        keys: &OwnedFd,
        kind: Kind,
        goes_on: &Notify,
        (pastes, fed): (&mut Pastes, &mut Fed),
    ) {
        let from = match kind {
            Kind::Question | Kind::Choice => From::Ever,
            Kind::Answer => From::Now,
        };
        loop {
            let piece = tokio::select! {
                biased;
                () = goes_on.notified() => {
                    fed.waits = false;
                    continue;
                }
                () = tokio::time::sleep(STUCK), if fed.waits => {
                    fed.waits = false;
                    continue;
                }
                () = self.resumed.notified() => {
                    feed(keys, REDRAW.as_bytes()).await;
                    continue;
                }
                piece = self.keyboard.piece(from), if !fed.waits => piece,
            };
            let Some(piece) = piece else { return };
            fed.waits = matches!(piece, Piece::Enter | Piece::Interrupt);
            fed.is_empty &= fed.waits;
            if let Some(bytes) = bytes(piece, kind, pastes) {
                feed(keys, bytes.as_bytes()).await;
            }
        }
    }

    /// Starts a thread that edits a line; gives what the keys go to. Without that the thread comes to its end.
    fn spawn(
        &self,
        task: Task,
        running: &mut Option<oneshot::Receiver<()>>,
    ) -> io::Result<(OwnedFd, oneshot::Receiver<Result<String, ReadlineError>>)> {
        let (keys, own) = own_terminal()?;
        let before = rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?;
        let (ended, has_ended) = oneshot::channel();
        let (sender, line) = oneshot::channel();
        let modes = Arc::downgrade(&self.modes);
        std::thread::Builder::new().spawn(move || {
            let _ended = ended;
            let _before = Before(before);
            if let Some(modes) = modes.upgrade() {
                modes.mark_pastes();
            }
            let result = dup2_stdin(&own).map_err(|error| io::Error::from(error).into());
            drop(own);
            let _ = sender.send(result.and_then(|()| task.run()));
        })?;
        *running = Some(has_ended);
        Ok((keys, line))
    }
}

/// What the editor has got so far.
struct Fed {
    /// Nothing that could be taken away again.
    is_empty: bool,
    /// The last piece may have ended the line.
    waits: bool,
}

/// How the editing of a line ended.
enum Ended {
    Line(String),
    /// Ctrl-C; there may have been something to clear.
    Interrupt {
        cleared: bool,
    },
    End,
}

/// What the editor gets for a piece.
fn bytes(piece: Piece, kind: Kind, pastes: &mut Pastes) -> Option<String> {
    let (begin, end) = (String::from_utf8_lossy(PASTE.0), String::from_utf8_lossy(PASTE.1));
    match (piece, kind) {
        // Nobody types as fast as that: a terminal that does not mark what is pasted.
        (Piece::Keys(text), Kind::Question) if text.len() > FAST && !text.contains(char::is_control) => {
            Some(pastes.shorten(text))
        }
        (Piece::Keys(keys), _) => Some(keys),
        (Piece::Paste(text), Kind::Question) => Some(format!("{begin}{}{end}", pastes.shorten(text))),
        // An answer is one line.
        (Piece::Paste(text), Kind::Choice | Kind::Answer) => {
            Some(format!("{begin}{}{end}", pastes.shorten(text.trim().replace('\n', " "))))
        }
        (Piece::Enter, _) => Some("\r".to_owned()),
        // Quoted, a line end is a character like any other.
        (Piece::Break, Kind::Question) => Some("\x16\n".to_owned()),
        (Piece::Break, Kind::Choice | Kind::Answer) => None,
        (Piece::Interrupt, _) => Some("\x03".to_owned()),
        (Piece::Suspend, _) => {
            let _ = kill_current_process_group(Signal::TSTP);
            None
        }
        (Piece::Quit, _) => {
            let _ = kill_process(getpid(), Signal::QUIT);
            None
        }
    }
}

/// Opens a terminal that nobody sees: what is written to the first end is read from the second as it is.
fn own_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let keys = openpt(flags)?;
    rustix::io::fcntl_setfd(&keys, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&keys)?;
    unlockpt(&keys)?;
    let name = ptsname(&keys, Vec::new())?;
    let own = rustix::fs::open(
        &*name,
        rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )?;
    let mut modes = tcgetattr(&own)?;
    modes.make_raw();
    tcsetattr(&own, OptionalActions::Now, &modes)?;
    rustix::fs::fcntl_setfl(&keys, rustix::fs::OFlags::NONBLOCK)?;
    Ok((keys, own))
}

/// Writes keys as fast as the editor takes them.
async fn feed(keys: &OwnedFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match rustix::io::write(keys, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => tokio::time::sleep(FULL).await,
            Err(_) => return,
        }
    }
}

/// Puts stdin back when it is dropped.
struct Before(OwnedFd);

impl Drop for Before {
    fn drop(&mut self) {
        let _ = dup2_stdin(&self.0);
    }
}

/// Keys are not shown any more when it is dropped.
struct Quiet<'a>(&'a Modes);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.0.set(Mode::Quiet);
    }
}

/// Looks after the terminal when the program is stopped and goes on.
fn watch(modes: &Arc<Modes>, resumed: &Arc<Notify>) -> io::Result<()> {
    let mut stopped = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
    let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
    // Held weakly: the terminal is given back when the line mode ends, not when this does.
    let (modes, resumed) = (Arc::downgrade(modes), resumed.clone());
    tokio::spawn(async move {
        loop {
            let stop = tokio::select! {
                Some(()) = stopped.recv() => true,
                Some(()) = continued.recv() => false,
                else => return,
            };
            let Some(modes) = modes.upgrade() else { return };
            let changed = spawn_blocking(move || {
                // Without a shell nobody would let it go on.
                if stop && modes::can_be_stopped() {
                    modes.pause();
                    let _ = kill_process(getpid(), Signal::STOP);
                }
                modes.resume();
            });
            let _ = changed.await;
            resumed.notify_one();
        }
    });
    Ok(())
}
