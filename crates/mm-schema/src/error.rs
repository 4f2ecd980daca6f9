//! Why arguments could not be taken.

/// What is wrong with the arguments of a call, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The text is not JSON, and its fault is not one of form.
    #[error("the arguments are not valid JSON: {message} at line {line}, column {column}, near `{near}`")]
    Syntax {
        /// What the JSON parser expected.
        message: String,
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault, from 1.
        column: usize,
        /// A few characters around the place.
        near: String,
    },
    /// The text is JSON, but no object.
    #[error("the arguments must be a JSON object, not {found}")]
    NotAnObject {
        /// The kind of value found.
        found: &'static str,
    },
    /// The object does not fit the tool's schema.
    #[error("the arguments do not fit the tool: {}", faults.join("; "))]
    Schema {
        /// One fault each, beginning with the path of the value.
        faults: Vec<String>,
    },
}
