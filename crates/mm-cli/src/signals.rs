//! Ctrl-C and the signals that ask a program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

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
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
    quit: Option<Signal>,
    /// A file that must not grow is a failed write then, and not the end of the program.
    _file_size: Option<Signal>,
}

/// SIGXFSZ, the same number on every system that runs this.
const FILE_SIZE: i32 = 25;

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let ignored = ignored();
        let listen = |kind: SignalKind| {
            let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or(0);
            if ignored >> bit & 1 == 1 { Ok(None) } else { signal(kind).map(Some) }
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
            quit: listen(SignalKind::quit())?,
            _file_size: listen(SignalKind::from_raw(FILE_SIZE))?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Wish {
        tokio::select! {
            () = came(&mut self.interrupt) => Wish::Interrupt,
            () = came(&mut self.terminate) => Wish::End,
            () = came(&mut self.hangup) => Wish::End,
            () = came(&mut self.quit) => Wish::End,
        }
    }
}

async fn came(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// The signals that were ignored when the program started, a bit each; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
