//! Questions of a tool to the user.

use serde_json::Value;

/// Something that a tool wants to know of the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// What may be answered.
    pub kind: QuestionKind,
    /// What can be chosen; empty unless the kind chooses.
    pub options: Vec<String>,
    /// The answer of a user who just confirms, in the form that [`QuestionKind`] says.
    pub default: Option<Value>,
}

/// What may be answered, and what form the answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// One of the options, or words of the user's own: a text.
    Choose,
    /// Any number of the options, or words of the user's own: a list of texts.
    ChooseMany,
    /// Free text.
    Text,
    /// A boolean.
    YesNo,
}

/// What became of questions.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// The user answered: a value for each question, in their order and in the form that its kind has; `null` where
    /// the user passed.
    Answered(Vec<Value>),
    /// The user did not want to answer.
    Declined,
    /// Nobody can answer, with the reason for the model.
    Nobody(String),
}
