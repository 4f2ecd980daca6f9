//! The tool that asks the user.

mod tolerance;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::output::visible;
use crate::{Asked, Preview, Question, QuestionKind, Tool, ToolContext, ToolOutput};

/// The most questions of one call: more is no conversation.
const MOST_QUESTIONS: usize = 10;
/// The most options of one question: a list that fits a screen.
const MOST_OPTIONS: usize = 30;

/// The tool `ask_user`: questions that the user answers, given back as JSON.
///
/// It waits for as long as the user does. Where nobody can answer it should not be declared; called all the same, it
/// says so and answers nothing of its own.
#[derive(Debug)]
pub struct AskUser {
    definition: ToolSpec,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    questions: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct One {
    question: String,
    kind: Kind,
    #[serde(default)]
    options: Option<Vec<String>>,
    #[serde(default)]
    default: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Kind {
    Choose,
    ChooseMany,
    Text,
    YesNo,
}

impl AskUser {
    /// Makes the tool.
    pub fn new() -> Self {
        let description = "Asks the user and waits. Only for what the user alone can know or decide.";
        Self { definition: ToolSpec::of::<Args>("ask_user", description) }
    }
}

impl Default for AskUser {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Tool for AskUser {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn tolerate(&self, args: Value) -> Value {
        tolerance::questions(args)
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        let summary = match Args::deserialize(args).map(|args| args.questions) {
            Ok(questions) => match questions.as_slice() {
                [one] => visible(&one.question.split_whitespace().collect::<Vec<_>>().join(" ")),
                many => format!("{} questions", many.len()),
            },
            Err(_) => String::new(),
        };
        // Whoever answers has been asked already; and nothing else speaks meanwhile.
        Preview { overlaps: false, ..Preview::reading(summary) }
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let questions = match Args::deserialize(args) {
            Ok(args) => args.questions.into_iter().map(One::question).collect::<Result<Vec<_>, _>>(),
            Err(error) => return ToolOutput::error(error),
        };
        let questions = match questions {
            Ok(questions) if questions.is_empty() => {
                return ToolOutput::error("questions is empty: ask at least one");
            }
            Ok(questions) if questions.len() > MOST_QUESTIONS => {
                return ToolOutput::error(format!("at most {MOST_QUESTIONS} questions at once"));
            }
            Ok(questions) => questions,
            Err(why) => return ToolOutput::error(why),
        };
        let asked = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => {
                return ToolOutput { text: "[interrupted by the user]".to_owned(), ok: false };
            }
            asked = cx.host.ask(&questions) => asked,
        };
        told(&questions, asked)
    }
}

/// What the model reads: every question with its answer.
fn told(questions: &[Question], asked: Asked) -> ToolOutput {
    let not_answered = || ToolOutput { text: "[the user did not answer]".to_owned(), ok: false };
    match asked {
        Asked::Nobody(why) => {
            ToolOutput::error(format!("{why}: go on without an answer, or say what you need to know"))
        }
        Asked::Declined => not_answered(),
        Asked::Answered(answers) if answers.iter().all(Value::is_null) => not_answered(),
        Asked::Answered(answers) => {
            let pairs = questions.iter().zip(answers);
            let list: Vec<Value> = pairs
                .map(|(question, answer)| json!({"question": question.text, "answer": answer}))
                .collect();
            ToolOutput::ok(Value::Array(list).to_string())
        }
    }
}

impl One {
    fn question(self) -> Result<Question, String> {
        let options = self.options.unwrap_or_default();
        if options.len() > MOST_OPTIONS {
            return Err(format!(
                "\"{}\" has {} options: give {MOST_OPTIONS} at most",
                self.question,
                options.len()
            ));
        }
        if self.question.trim().is_empty() {
            return Err("a question is empty".to_owned());
        }
        let kind = match (self.kind, options.is_empty()) {
            // Nothing to choose from.
            (Kind::Choose | Kind::ChooseMany, true) | (Kind::Text, true) => QuestionKind::Text,
            (Kind::Choose | Kind::Text, false) => QuestionKind::Choose,
            (Kind::ChooseMany, false) => QuestionKind::ChooseMany,
            (Kind::YesNo, _) => QuestionKind::YesNo,
        };
        let default = self.default.and_then(|text| default_of(kind, &options, text.trim()));
        let options = if kind == QuestionKind::YesNo { Vec::new() } else { options };
        Ok(Question { text: self.question, kind, options, default })
    }
}

/// A default in the form of an answer; one that is none of the options is left out.
fn default_of(kind: QuestionKind, options: &[String], text: &str) -> Option<Value> {
    let option = |text: &str| {
        let by_name = options.iter().find(|option| option.trim().eq_ignore_ascii_case(text.trim()));
        let number = || text.trim().parse::<usize>().ok()?.checked_sub(1);
        by_name.or_else(|| options.get(number()?)).cloned()
    };
    match kind {
        _ if text.is_empty() => None,
        QuestionKind::Text => Some(text.into()),
        QuestionKind::Choose => option(text).map(Value::from),
        QuestionKind::ChooseMany => {
            let found: Vec<String> = match option(text) {
                Some(whole) => vec![whole],
                None => text.split(',').filter_map(option).collect(),
            };
            (!found.is_empty()).then(|| found.into())
        }
        QuestionKind::YesNo => match text.to_lowercase().as_str() {
            "yes" | "y" | "true" | "1" => Some(true.into()),
            "no" | "n" | "false" | "0" => Some(false.into()),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests;
