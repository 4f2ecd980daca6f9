//! The shape that answers must have.

use mm_schema::{AnswerError, AnswerSchema};
use serde_json::Value;

use crate::history::MISFIT;

/// What an answer in JSON has to be: the schema that goes with each call of the model, the paragraph that tells the
/// model, and the check of what comes.
///
/// ```
/// use mm_session::AnswerFormat;
///
/// let block = "type Word string\nvar Words []Word";
/// let format = AnswerFormat::new(mm_schema::translate(block)?.value())?.declared_as(block);
/// assert!(format.paragraph().ends_with(block));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnswerFormat {
    schema: Value,
    answers: AnswerSchema,
    paragraph: String,
    /// How often an answer that does not fit is given back to the model in one turn, with its faults.
    pub retries: u32,
}

const HOW: &str =
    "OUTPUT FORMAT\nAnswer with one JSON value and nothing else: no words around it, no code fence.";

impl AnswerFormat {
    /// Answers that follow a schema, which the model is shown. One that does not is given back once.
    ///
    /// # Errors
    /// When no answer can be checked against the schema.
    pub fn new(value: &Value) -> Result<Self, AnswerError> {
        let paragraph = format!("{HOW} It follows this JSON Schema:\n\n{value}");
        Ok(Self { answers: AnswerSchema::new(value)?, schema: value.clone(), paragraph, retries: 1 })
    }

    /// Shows the model the declarations that the schema was made of: they are shorter, and have the comments.
    #[must_use]
    pub fn declared_as(self, block: &str) -> Self {
        let paragraph = format!(
            "{HOW} It is the value of the variable in these Go declarations. Each key is there; what a pointer or \
             omitempty marks may be null.\n\n{}",
            block.trim()
        );
        Self { paragraph, ..self }
    }

    /// What the model is told.
    pub fn paragraph(&self) -> &str {
        &self.paragraph
    }

    /// What goes with each call.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Finds the answer in a reply: all of it, or the one value in it that fits. Of a reply that was cut only the
    /// whole will do, for what fits in it may be a part of what was to come.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn find<'t>(&self, text: &'t str, was_cut: bool) -> Result<&'t str, AnswerError> {
        if was_cut {
            return self.answers.check(text).map(|_| text.trim());
        }
        self.answers.read(text)
    }
}

/// What the model reads of an answer that did not fit.
pub(crate) fn give_back(error: &AnswerError) -> String {
    let faults = match error {
        AnswerError::Faults { faults, more } => {
            let listed: String = faults.iter().map(|fault| format!("\n- {fault}")).collect();
            let more = if *more > 0 { format!("\n- and {more} more") } else { String::new() };
            listed + &more
        }
        other => format!("\n- {other}"),
    };
    format!(
        "{MISFIT}{faults}\n\
         Answer again with the whole JSON value, these faults mended, and nothing else."
    )
}

#[cfg(test)]
mod tests;
