//! What decoding finds besides values, and the way to where it was found.

use std::{cell::RefCell, fmt};

use serde::de;

use crate::problem::{Fault, Place, excerpt, quoted};

/// What decoding finds besides values.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) faults: RefCell<Vec<Fault>>,
    pub(crate) unknown: RefCell<Vec<Unknown>>,
}

/// A key that no struct has.
pub(crate) struct Unknown {
    /// Where it stands, as a path.
    pub(crate) path: String,
    /// The key alone.
    pub(crate) name: String,
    pub(crate) place: Place,
    /// The keys that its mapping may have.
    pub(crate) known: &'static [&'static str],
}

/// The error that serde sees.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The fault has been written down.
    #[error("noted")]
    Noted,
    /// Words of serde or of a type, to be written down by the decoder of the value.
    #[error("{0}")]
    Words(String),
}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(words: T) -> Self {
        Self::Words(words.to_string())
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::Words(format!("must be {expected}, not {found}"))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::Words(format!("must be one of {}, not {}", known.join(", "), quoted(found)))
    }
}

/// The way from the top of the file to a value.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Top,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Key(Path::Top, key) => f.write_str(&excerpt(key)),
            Self::Key(parent, key) => write!(f, "{parent}.{}", excerpt(key)),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
