//! How a hook fails. A failure is never a decision.

use mm_tools::process::{Ending, SpawnError};

/// The most characters of a line of standard error that are told.
const SAID: usize = 200;

/// Why a hook gave no answer that counts.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookFailure {
    /// It did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// It took too long and was ended.
    #[error("timed out after {0}")]
    TimedOut(String),
    /// The turn was interrupted and it was ended.
    #[error("interrupted")]
    Interrupted,
    /// It ended with another exit code than 0.
    #[error("exit code {code}{}", behind(said))]
    Exited {
        /// The code.
        code: i32,
        /// The last line of its standard error.
        said: String,
    },
    /// A signal killed it.
    #[error("killed by signal {name} ({number}){}", behind(said))]
    Signaled {
        /// The signal's name without `SIG`.
        name: &'static str,
        /// The signal's number.
        number: i32,
        /// The last line of its standard error.
        said: String,
    },
    /// It wrote more to its standard output than is read.
    #[error("its output has more than 1 MiB")]
    TooMuch,
    /// Its output is no JSON object, or more than one.
    #[error("its output is not one JSON object: {0}")]
    NoObject(#[source] serde_json::Error),
    /// Its output has a field that there is not at this event.
    #[error("its output has a field {name:?}, which {event} does not know (known: {known})")]
    UnknownField {
        /// The field.
        name: String,
        /// The event.
        event: &'static str,
        /// The fields that it could have.
        known: String,
    },
    /// A field of its output has a value that it cannot have.
    #[error("{name} must be {wanted}, not {found}")]
    BadValue {
        /// The field.
        name: String,
        /// What it can be.
        wanted: String,
        /// What it is, shortened.
        found: String,
    },
}

impl HookFailure {
    /// What an ending means that is no success.
    pub(crate) fn of(ending: Ending, timeout: &str, stderr: &[u8]) -> Result<(), Self> {
        let said = || last_line(stderr);
        match ending {
            Ending::Exited(0) => Ok(()),
            Ending::Exited(code) => Err(Self::Exited { code, said: said() }),
            Ending::Signaled { name, number } => Err(Self::Signaled { name, number, said: said() }),
            Ending::TimedOut => Err(Self::TimedOut(timeout.to_owned())),
            Ending::Interrupted => Err(Self::Interrupted),
        }
    }
}

fn behind(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// What a program says of its failure mostly stands last.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    shortened(line, SAID)
}

/// A text that is safe to look at, cut with a mark.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    let text = mm_tools::output::visible(text);
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
