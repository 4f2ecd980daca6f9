//! What ends the program, with its prefix and its exit code.

use mm_config::Problem;
use mm_llm::ProviderError;
use mm_schema::SchemaError;
use mm_session::TurnError;

/// A failure of the program. Its `Display` is what stands on stderr, a line each.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The configuration has problems, a line each.
    #[error("{}", lines(.0))]
    Config(Vec<Problem>),
    /// A check of the configuration found something wrong, and perhaps other things besides.
    #[error("{}", checked(problems, engine, rest))]
    Check {
        /// What is wrong with the file.
        problems: Vec<Problem>,
        /// What would fail though the file is valid, as whole lines.
        engine: Vec<String>,
        /// Lines about what is not wrong.
        rest: String,
    },
    /// What fails after the configuration is valid.
    #[error("[engine error: {}]", .0.replace('\n', " "))]
    Engine(String),
    /// The command line is wrong.
    #[error("[usage: {0}]")]
    Usage(String),
    /// A block of declarations is no schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A turn ended without an answer.
    #[error("[error: {0}]")]
    Turn(String),
    /// The user or the system stopped the program.
    #[error("[interrupted]")]
    Interrupted,
}

impl CliError {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Check { .. } | Self::Engine(_) | Self::Usage(_) | Self::Schema(_) => 1,
            Self::Turn(_) => 2,
            Self::Interrupted => 130,
        }
    }

    /// Whether it comes before anything was started.
    pub(crate) fn is_early(&self) -> bool {
        matches!(self, Self::Config(_) | Self::Check { .. } | Self::Usage(_) | Self::Schema(_))
    }

    /// The words alone, for a program that reads them.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Turn(words) | Self::Engine(words) => words.clone(),
            Self::Interrupted => "interrupted".to_owned(),
            Self::Config(_) | Self::Check { .. } | Self::Usage(_) | Self::Schema(_) => self.to_string(),
        }
    }

    /// Tells a turn that was interrupted from one that failed; `room` is how to make room in the window.
    pub(crate) fn of_turn(error: &TurnError, room: &str) -> Self {
        if error.is_interrupted() {
            return Self::Interrupted;
        }
        let overflow = error.provider().is_some_and(ProviderError::is_context_overflow);
        let hint = if overflow { format!(": {room}, or have a larger window served") } else { String::new() };
        Self::Turn(format!("{error}{hint}"))
    }
}

impl From<ProviderError> for CliError {
    fn from(error: ProviderError) -> Self {
        Self::Engine(error.to_string())
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn checked(problems: &[Problem], engine: &[String], rest: &str) -> String {
    let wrong = problems.iter().map(ToString::to_string).chain(engine.iter().cloned());
    wrong.chain(rest.lines().map(str::to_owned)).collect::<Vec<_>>().join("\n")
}
