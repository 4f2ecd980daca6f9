//! Whether a model's answer has the shape that was asked for, and where in a text such an answer is.

mod candidates;
mod references;
mod unique;

use std::fmt;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use unique::Unique;

/// The most faults that are told: a model mends a few at a time.
const MAX_FAULTS: usize = 8;
/// The bytes of an answer whose faults are not all looked for.
const LARGE: usize = 1 << 20;
/// The most characters of one fault: it may quote the value that is wrong.
const MAX_FAULT: usize = 200;

/// A schema that answers are checked against.
#[derive(Clone, Debug)]
pub struct AnswerSchema {
    validator: jsonschema::Validator,
}

impl AnswerSchema {
    /// Makes a check of a JSON Schema. References to other documents are never fetched.
    ///
    /// # Errors
    /// Says why the schema cannot be used.
    pub fn new(schema: &Value) -> Result<Self, AnswerError> {
        let unusable = |fault: &dyn fmt::Display| AnswerError::Unusable { message: cut(fault.to_string()) };
        jsonschema::meta::validate(schema).map_err(|fault| unusable(&fault))?;
        let mut schema = schema.clone();
        references::shorten(&mut schema);
        references::encode(&mut schema);
        let validator = jsonschema::validator_for(&schema).map_err(|fault| unusable(&fault))?;
        Ok(Self { validator })
    }

    /// Reads an answer that should be JSON and nothing else.
    ///
    /// ```
    /// let schema = mm_schema::translate("var Point struct { X, Y float64 }")?;
    /// let answers = mm_schema::AnswerSchema::new(schema.value())?;
    /// assert_eq!(answers.check(r#"{"X": 1, "Y": 2.5}"#)?["Y"], 2.5);
    /// let error = answers.check(r#"{"X": "1", "Y": 2.5}"#).unwrap_err();
    /// assert_eq!(error.to_string(), r#"/X: "1" is not of type "number""#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The place where the text stops being JSON, or what does not fit the schema: the first eight faults, and how many
    /// more there are; of more than 1 MiB of text the first alone.
    pub fn check(&self, text: &str) -> Result<Value, AnswerError> {
        let value: Value = serde_json::from_str(text).map_err(|fault| syntax(&fault))?;
        if self.validator.is_valid(&value) {
            serde_json::from_str::<Unique>(text).map_err(|fault| syntax(&fault))?;
            return Ok(value);
        }
        // All faults of a large answer would take many times its memory.
        if text.len() > LARGE
            && let Err(fault) = self.validator.validate(&value)
        {
            return Err(AnswerError::Faults { faults: faults(&fault), more: 0 });
        }
        let mut faults: Vec<AnswerFault> =
            self.validator.iter_errors(&value).flat_map(|fault| faults(&fault)).collect();
        let more = faults.len().saturating_sub(MAX_FAULTS);
        faults.truncate(MAX_FAULTS);
        Err(AnswerError::Faults { faults, more })
    }

    /// Finds the answer in a text that may have words or a Markdown fence around it.
    ///
    /// It is the whole text if that fits. Else it is the one object, list or content of a fence that fits the schema and
    /// stands in no other; of several none is taken, because nothing says which is meant.
    ///
    /// ```
    /// let schema = mm_schema::translate("var Words []string")?;
    /// let answers = mm_schema::AnswerSchema::new(schema.value())?;
    /// assert_eq!(answers.find("Here you are:\n```json\n[\"a\"]\n```\n"), Some("[\"a\"]"));
    /// assert_eq!(answers.find("Either [\"a\"] or [\"b\"]."), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.read(text).ok()
    }

    /// As [`find`](Self::find), and says what is wrong where it finds nothing.
    ///
    /// # Errors
    /// Several values fit; or the faults of the only value there is; or those of the whole text.
    pub fn read<'t>(&self, text: &'t str) -> Result<&'t str, AnswerError> {
        let whole = text.trim();
        let Err(error) = self.check(whole) else { return Ok(whole) };
        if matches!(error, AnswerError::Faults { .. }) {
            return Err(error);
        }
        let candidates = candidates::of(text);
        let mut fitting = candidates.iter().filter(|candidate| self.fits(candidate));
        match (fitting.next(), fitting.next(), candidates.as_slice()) {
            (Some(found), None, _) => Ok(found),
            (Some(_), Some(_), _) => Err(AnswerError::Several),
            (None, _, [only]) => self.check(only).map(|_| *only),
            (None, ..) => Err(error),
        }
    }

    fn fits(&self, text: &str) -> bool {
        self.check(text).is_ok()
    }
}

/// Why a text is no answer of the shape that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The text is not JSON.
    #[error("this is not valid JSON: {message} at line {line}, column {column}")]
    Syntax {
        /// What the JSON parser expected.
        message: String,
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault, in bytes.
        column: usize,
    },
    /// The value does not fit the schema.
    #[error("{}", listed(faults, *more))]
    Faults {
        /// The first faults, eight at most.
        faults: Vec<AnswerFault>,
        /// How many others there are.
        more: usize,
    },
    /// Nothing says which of several values is the answer.
    #[error("more than one value in it fits: answer with one")]
    Several,
    /// The schema itself is at fault: no answer can be checked.
    #[error("the schema of the answer cannot be used: {message}")]
    Unusable {
        /// What is wrong with it.
        message: String,
    },
}

/// One thing in an answer that does not fit. `Display` gives the place, then the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFault {
    /// The JSON pointer of the value; empty for the answer itself.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

fn syntax(fault: &serde_json::Error) -> AnswerError {
    let full = fault.to_string();
    let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message).to_owned();
    AnswerError::Syntax { message, line: fault.line(), column: fault.column() }
}

fn listed(faults: &[AnswerFault], more: usize) -> String {
    let listed = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if more == 0 { listed } else { format!("{listed}; and {more} more") }
}

/// The faults behind one: of a value that may be null, what is wrong with the value that is there.
fn faults(fault: &jsonschema::ValidationError<'_>) -> Vec<AnswerFault> {
    if let ValidationErrorKind::AnyOf { context } = fault.kind() {
        let is_null = |fault: &jsonschema::ValidationError<'_>| {
            matches!(fault.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(JsonType::Null) })
        };
        let mut others = context.iter().filter(|branch| !branch.iter().all(is_null));
        if let (Some(branch), None) = (others.next(), others.next()) {
            return branch.iter().flat_map(faults).collect();
        }
    }
    let mut message = fault.to_string();
    if message.len() > MAX_FAULT {
        message = fault.masked_with("this value").to_string();
    }
    vec![AnswerFault { pointer: cut(fault.instance_path().to_string()), message: cut(message) }]
}

/// A text of the answer on one line that a message can bear.
fn cut(message: String) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    let message: String = message.chars().take(MAX_FAULT + 1).map(escaped).collect();
    match message.char_indices().nth(MAX_FAULT) {
        Some((at, _)) => format!("{}…", message.get(..at).unwrap_or_default()),
        None => message,
    }
}

#[cfg(test)]
mod tests;
