//! Ctrl-C and the signals that ask a program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A wish of the user or of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// SIGINT: stop what is going on.
    Interrupt,
    /// SIGTERM or SIGHUP: end the program.
    End,
}

/// Listens from its making on; the signals' own effect is gone.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.interrupt.recv() => Wish::Interrupt,
            _ = self.terminate.recv() => Wish::End,
            _ = self.hangup.recv() => Wish::End,
        }
    }
}
