//! Whether a model's answer has the shape that was asked for, and where in a text such an answer is.

mod candidates;
mod references;

use std::fmt;

use serde_json::Value;

/// The most faults that are told: a model mends a few at a time.
const MAX_FAULTS: usize = 8;
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
    /// more there are.
    pub fn check(&self, text: &str) -> Result<Value, AnswerError> {
        let value: Value = serde_json::from_str(text).map_err(|fault| {
            let full = fault.to_string();
            let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
            AnswerError::Syntax { message, line: fault.line(), column: fault.column() }
        })?;
        if self.validator.is_valid(&value) {
            return Ok(value);
        }
        let mut found = self.validator.iter_errors(&value);
        let faults = found.by_ref().take(MAX_FAULTS).map(|fault| told(&fault)).collect();
        Err(AnswerError::Faults { faults, more: found.count() })
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
        let whole = text.trim();
        if self.fits(whole) {
            return Some(whole);
        }
        let mut fitting = candidates::of(text).into_iter().filter(|candidate| self.fits(candidate));
        let found = fitting.next()?;
        fitting.next().is_none().then_some(found)
    }

    fn fits(&self, text: &str) -> bool {
        serde_json::from_str(text).is_ok_and(|value| self.validator.is_valid(&value))
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

fn listed(faults: &[AnswerFault], more: usize) -> String {
    let listed = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if more == 0 { listed } else { format!("{listed}; and {more} more") }
}

fn told(fault: &jsonschema::ValidationError<'_>) -> AnswerFault {
    let mut message = fault.to_string();
    if message.len() > MAX_FAULT {
        message = cut(fault.masked_with("this value").to_string());
    }
    AnswerFault { pointer: fault.instance_path().to_string(), message }
}

fn cut(message: String) -> String {
    match message.char_indices().nth(MAX_FAULT) {
        Some((at, _)) => format!("{}…", message.get(..at).unwrap_or_default()),
        None => message,
    }
}

#[cfg(test)]
mod tests;
