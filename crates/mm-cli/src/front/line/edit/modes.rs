//! The modes of the terminal: taken over while the line mode runs, given back however it ends.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use rustix::process::{getpgrp, getsid};
use rustix::stdio::stdout;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

/// How long a terminal may take a few bytes: one that is stopped must not hold up the program.
const PATIENCE: Duration = Duration::from_secs(1);
/// Has the terminal mark pasted text, or not any more.
const MARK: (&str, &str) = ("\x1b[?2004h", "\x1b[?2004l");

/// What the terminal does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// What it did when the program started.
    Before,
    /// A key is not shown, and Ctrl-C and Ctrl-Z are signals: the program is at work.
    Quiet,
    /// Every key comes as it is.
    Editing,
}

/// The modes of the terminal; dropped, it is as it was before.
#[derive(Debug)]
pub(super) struct Modes {
    terminal: OwnedFd,
    before: Termios,
    /// What is set, to be set again after a stop.
    mode: Mutex<Mode>,
    /// Whether pasted text is marked.
    marks: AtomicBool,
}

impl Modes {
    /// Looks at the terminal; `None` when it is none after all.
    pub(super) fn look(terminal: OwnedFd) -> Option<Arc<Self>> {
        let before = tcgetattr(&terminal).ok()?;
        let (mode, marks) = (Mutex::new(Mode::Before), AtomicBool::new(false));
        Some(Arc::new(Self { terminal, before, mode, marks }))
    }

    pub(super) fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
        self.apply(mode);
    }

    /// Has pasted text marked from now on. It may wait for the terminal.
    pub(super) fn mark_pastes(&self) {
        if !self.marks.swap(true, Ordering::Relaxed) {
            let _ = rustix::io::write(stdout(), MARK.0.as_bytes());
        }
    }

    /// Gives the terminal back for a while.
    pub(super) fn pause(&self) {
        self.unmark();
        self.apply(Mode::Before);
    }

    /// Sets again what was set.
    pub(super) fn resume(&self) {
        let mode = *self.mode.lock().unwrap_or_else(PoisonError::into_inner);
        if mode == Mode::Before {
            return;
        }
        self.apply(mode);
        if self.is_ours() && !self.marks.swap(true, Ordering::Relaxed) {
            write(MARK.0);
        }
    }

    fn unmark(&self) {
        if self.is_ours() && self.marks.swap(false, Ordering::Relaxed) {
            write(MARK.1);
        }
    }

    fn apply(&self, mode: Mode) {
        if !self.is_ours() {
            return;
        }
        let mut modes = self.before.clone();
        if mode != Mode::Before {
            modes.input_modes.remove(InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR);
            modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
            modes.special_codes[SpecialCodeIndex::VMIN] = 1;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        }
        if mode == Mode::Editing {
            modes.local_modes.remove(LocalModes::ISIG);
        }
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &modes);
    }

    /// In the background the terminal is somebody else's, and changing it would stop the program.
    fn is_ours(&self) -> bool {
        tcgetpgrp(&self.terminal).map_or(true, |group| group == getpgrp())
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        self.pause();
    }
}

/// Whether a shell is there to go on with a program that stopped.
pub(super) fn can_be_stopped() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

fn write(text: &'static str) {
    let (sender, written) = mpsc::channel();
    let write = move || {
        let _ = rustix::io::write(stdout(), text.as_bytes());
        let _ = sender.send(());
    };
    if std::thread::Builder::new().spawn(write).is_ok() {
        let _ = written.recv_timeout(PATIENCE);
    }
}
