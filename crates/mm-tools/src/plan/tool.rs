//! The tool that keeps a check list for a task of several steps.

mod tolerance;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Plan, PlanBoard, Status, Step};
use crate::output::visible;
use crate::{Preview, Tool, ToolContext, ToolOutput};

/// The most steps of a plan: a longer one is no plan.
const MOST_STEPS: usize = 50;

/// The tool `plan`: makes, changes and shows the plan on a [`PlanBoard`].
#[derive(Debug)]
pub struct PlanTool {
    definition: ToolSpec,
    board: PlanBoard,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    action: Action,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    steps: Option<Vec<Item>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Action {
    Create,
    Update,
    Next,
    Delete,
    Show,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    text: String,
    #[serde(default)]
    status: Option<Word>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Word {
    Todo,
    Doing,
    Done,
    Skipped,
}

impl From<Word> for Status {
    fn from(word: Word) -> Self {
        match word {
            Word::Todo => Self::Todo,
            Word::Doing => Self::Doing,
            Word::Done => Self::Done,
            Word::Skipped => Self::Skipped,
        }
    }
}

impl PlanTool {
    /// Makes the tool over a board, which whoever shows the plan has too.
    pub fn new(board: PlanBoard) -> Self {
        let description =
            "Keeps a check list of a long task, which the user sees. next: the step at hand is done.";
        Self { definition: ToolSpec::of::<Args>("plan", description), board }
    }
}

#[async_trait]
impl Tool for PlanTool {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn tolerate(&self, args: Value) -> Value {
        tolerance::plan(args)
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        let Ok(args) = Args::deserialize(args) else { return Preview::mutating("") };
        let count = args.steps.as_ref().map_or(0, Vec::len);
        let steps = if count == 1 { "1 step".to_owned() } else { format!("{count} steps") };
        let title = args.title.as_deref().map(one_line).filter(|title| !title.is_empty());
        let named = |what: &str| match &title {
            Some(title) => format!("{what}: {title} ({steps})"),
            None => format!("{what}: {steps}"),
        };
        match args.action {
            Action::Create => Preview::mutating(named("create")),
            Action::Update => Preview::mutating(named("update")),
            Action::Next => Preview::mutating("next"),
            Action::Delete => Preview::mutating("delete"),
            Action::Show => Preview::reading("show"),
        }
    }

    async fn run(&self, args: &Value, _cx: &ToolContext) -> ToolOutput {
        match Args::deserialize(args) {
            Ok(args) => self.apply(args).unwrap_or_else(ToolOutput::error),
            Err(error) => ToolOutput::error(error),
        }
    }
}

impl PlanTool {
    fn apply(&self, args: Args) -> Result<ToolOutput, &'static str> {
        let title = args.title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
        let steps = steps(args.steps.unwrap_or_default())?;
        match args.action {
            Action::Create if steps.is_empty() => Err("steps is empty: give the steps of the plan"),
            Action::Create => {
                let steps =
                    steps.into_iter().map(|(text, status)| Step { text, status: status.unwrap_or_default() });
                let plan = Plan { title: title.unwrap_or_else(|| "Plan".to_owned()), steps: steps.collect() };
                Ok(self.keep(plan))
            }
            Action::Update => {
                let mut plan = self.plan()?;
                plan.title = title.unwrap_or(plan.title);
                plan.update(steps);
                if plan.steps.len() > MOST_STEPS {
                    return Err(TOO_MANY);
                }
                Ok(self.keep(plan))
            }
            Action::Next => {
                let mut plan = self.plan()?;
                plan.advance();
                Ok(self.keep(plan))
            }
            Action::Show => Ok(ToolOutput::ok(self.plan()?.to_string())),
            Action::Delete => {
                self.plan()?;
                self.board.set(None);
                Ok(ToolOutput::ok("[the plan is deleted]"))
            }
        }
    }

    fn plan(&self) -> Result<Plan, &'static str> {
        self.board.get().ok_or("there is no plan: create one")
    }

    fn keep(&self, plan: Plan) -> ToolOutput {
        let text = plan.to_string();
        self.board.set(Some(plan));
        ToolOutput::ok(text)
    }
}

const TOO_MANY: &str = "a plan has at most 50 steps: make them larger";

/// The steps as they are kept: each on one line, none empty.
fn steps(items: Vec<Item>) -> Result<Vec<(String, Option<Status>)>, &'static str> {
    if items.len() > MOST_STEPS {
        return Err(TOO_MANY);
    }
    let steps = items.into_iter().map(|item| (one_line(&item.text), item.status.map(Status::from)));
    Ok(steps.filter(|(text, _)| !text.is_empty()).collect())
}

fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
