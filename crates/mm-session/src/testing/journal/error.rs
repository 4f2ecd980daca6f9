//! Why a journal failed.

use std::path::{Path, PathBuf};

use super::Difference;

/// A journal that failed. The file is empty where there is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written, or is no journal.
    #[error("{}: {why}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What is given cannot be played, or not all of it was needed.
    #[error("{}: {why}", file.display())]
    Unsound {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something broke that holds in every journal.
    #[error("{}: {why}", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What broke.
        why: String,
    },
    /// Something else happened than was expected.
    #[error("{}: {difference}", file.display())]
    Differs {
        /// The file.
        file: PathBuf,
        /// The first difference.
        difference: Box<Difference>,
    },
}

impl JournalError {
    pub(super) fn unsound(why: impl Into<String>) -> Self {
        Self::Unsound { file: PathBuf::new(), why: why.into() }
    }

    pub(super) fn broken(why: impl Into<String>) -> Self {
        Self::Broken { file: PathBuf::new(), why: why.into() }
    }

    /// The same, with a difference that it may have come from.
    pub(super) fn beside(mut self, difference: &Difference) -> Self {
        match &mut self {
            Self::Unreadable { why, .. } | Self::Unsound { why, .. } | Self::Broken { why, .. } => {
                why.push_str(&format!("\n{difference}"));
            }
            Self::Differs { .. } => {}
        }
        self
    }

    /// The same, told of a file.
    pub(super) fn of(mut self, path: &Path) -> Self {
        match &mut self {
            Self::Unreadable { file, .. }
            | Self::Unsound { file, .. }
            | Self::Broken { file, .. }
            | Self::Differs { file, .. } => *file = path.to_owned(),
        }
        self
    }
}
