//! How a process ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with an exit code.
    Exited(i32),
    /// By a signal that was not ours.
    Signaled {
        /// The signal's name without `SIG`, such as `SEGV`.
        name: &'static str,
        /// The signal's number.
        number: i32,
    },
    /// It took too long and was ended.
    TimedOut,
    /// The user interrupted it and it was ended.
    Interrupted,
}

impl Ending {
    /// Reads an exit status; one that nobody knows is no success.
    pub(super) fn of(status: Option<ExitStatus>) -> Self {
        match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => Self::Exited(code),
            Some((None, Some(number))) => Self::Signaled { name: signal_name(number), number },
            Some((None, None)) | None => Self::Exited(-1),
        }
    }
}

fn signal_name(number: i32) -> &'static str {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "HUP"),
        (Signal::INT, "INT"),
        (Signal::QUIT, "QUIT"),
        (Signal::ILL, "ILL"),
        (Signal::TRAP, "TRAP"),
        (Signal::ABORT, "ABRT"),
        (Signal::BUS, "BUS"),
        (Signal::FPE, "FPE"),
        (Signal::KILL, "KILL"),
        (Signal::USR1, "USR1"),
        (Signal::SEGV, "SEGV"),
        (Signal::USR2, "USR2"),
        (Signal::PIPE, "PIPE"),
        (Signal::ALARM, "ALRM"),
        (Signal::TERM, "TERM"),
        (Signal::XCPU, "XCPU"),
        (Signal::XFSZ, "XFSZ"),
        (Signal::VTALARM, "VTALRM"),
        (Signal::PROF, "PROF"),
        (Signal::IO, "IO"),
        (Signal::SYS, "SYS"),
    ];
    names.iter().find(|(signal, _)| signal.as_raw() == number).map_or("unnamed", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_status_becomes_a_code_or_a_named_signal() {
        let of = |raw| Ending::of(Some(ExitStatus::from_raw(raw)));
        assert_eq!(of(0), Ending::Exited(0));
        assert_eq!(of(3 << 8), Ending::Exited(3));
        assert_eq!(of(9), Ending::Signaled { name: "KILL", number: 9 });
        assert_eq!(of(11 | 0x80), Ending::Signaled { name: "SEGV", number: 11 });
        assert_eq!(of(40), Ending::Signaled { name: "unnamed", number: 40 });
        assert_eq!(Ending::of(None), Ending::Exited(-1));
    }
}
