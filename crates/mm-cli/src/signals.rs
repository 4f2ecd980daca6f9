//! Ctrl-C and the signals that ask a program to end.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// A wish of the user or of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// SIGINT: stop what is going on.
    Interrupt,
    /// SIGTERM, SIGHUP or SIGQUIT: end the program.
    End,
}

/// Listens from its making on; the signals' own effect is gone.
///
/// One that was ignored at the start stays so: `nohup mm …` outlives its terminal.
///
/// Tasks wait for them, since whoever waits here is woken with each token: a place of one is quickly looked at, four
/// signals are not.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Receiver<()>,
    interrupted: Sender<()>,
    end: Receiver<()>,
}

/// SIGXFSZ, the same number on every system that runs this.
const FILE_SIZE: i32 = 25;

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let ignored = ignored();
        let (interrupted, interrupt) = channel(1);
        let (ended, end) = channel(1);
        let rows = [
            (SignalKind::interrupt(), interrupted.clone()),
            (SignalKind::terminate(), ended.clone()),
            (SignalKind::hangup(), ended.clone()),
            (SignalKind::quit(), ended),
        ];
        let is_ignored = |number: i32| ignored >> u32::try_from(number - 1).unwrap_or(0) & 1 == 1;
        for (kind, came) in rows {
            if !is_ignored(kind.as_raw_value()) {
                listen(kind, came)?;
            }
        }
        // A file that must not grow is a failed write then, and not the end of the program.
        if !is_ignored(FILE_SIZE) {
            drop(signal(SignalKind::from_raw(FILE_SIZE))?);
        }
        Ok(Self { interrupt, interrupted, end })
    }

    /// Stands for SIGINT where Ctrl-C comes as a key.
    pub(crate) fn interrupter(&self) -> Sender<()> {
        self.interrupted.clone()
    }

    /// Forgets a Ctrl-C that was meant for somebody else.
    pub(crate) fn forget_interrupts(&mut self) {
        while self.interrupt.try_recv().is_ok() {}
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Wish {
        tokio::select! {
            Some(()) = self.end.recv() => Wish::End,
            Some(()) = self.interrupt.recv() => Wish::Interrupt,
            else => std::future::pending().await,
        }
    }
}

/// Tells of a signal, once until somebody has taken note, as the system does.
fn listen(kind: SignalKind, came: Sender<()>) -> io::Result<()> {
    let mut signal = signal(kind)?;
    tokio::spawn(async move {
        while signal.recv().await.is_some() {
            let _ = came.try_send(());
        }
    });
    Ok(())
}

/// The signals that were ignored when the program started, a bit each; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
