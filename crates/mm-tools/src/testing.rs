//! For tests: a tool that plays back outputs, a host that remembers what it was shown, and the rules that every tool
//! has to hold to.

mod contract;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use mm_schema::ToolSpec;
use serde_json::{Value, json};

pub use contract::{BrokenRule, check_contract};

use crate::{Asked, Preview, Question, Tool, ToolContext, ToolHost, ToolOutput};

/// A tool whose outputs were written beforehand. It takes any arguments and remembers them.
///
/// ```
/// use mm_tools::{Tool, ToolContext, ToolOutput, testing::ScriptedTool};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tool = ScriptedTool::reading("look", [ToolOutput::ok("a"), ToolOutput::error("gone")]);
/// let cx = ToolContext::new("/");
/// assert_eq!(tool.run(&json!({"at": 1}), &cx).await.text, "a");
/// assert_eq!(tool.run(&json!({"at": 2}), &cx).await.text, "[error: gone]");
/// assert_eq!(tool.calls(), [json!({"at": 1}), json!({"at": 2})]);
/// # }
/// ```
#[derive(Debug)]
pub struct ScriptedTool {
    definition: ToolSpec,
    preview: Preview,
    // A call has the tool by shared reference; held to take one output or add one call.
    outputs: Mutex<VecDeque<ToolOutput>>,
    calls: Mutex<Vec<Value>>,
}

impl ScriptedTool {
    /// A tool that is asked about and runs alone.
    pub fn mutating(name: &str, outputs: impl IntoIterator<Item = ToolOutput>) -> Self {
        Self::new(name, Preview::mutating(name), outputs)
    }

    /// A tool that is never asked about and may run beside its neighbours.
    pub fn reading(name: &str, outputs: impl IntoIterator<Item = ToolOutput>) -> Self {
        Self::new(name, Preview::reading(name), outputs)
    }

    /// A tool with a preview of the caller's, and outputs for its calls in order. A call for which none is
    /// left gets an error.
    pub fn new(name: &str, preview: Preview, outputs: impl IntoIterator<Item = ToolOutput>) -> Self {
        let definition = ToolSpec {
            name: name.to_owned(),
            description: format!("The scripted tool {name}."),
            parameters: json!({"type": "object", "properties": {}}),
        };
        let outputs = Mutex::new(outputs.into_iter().collect());
        Self { definition, preview, outputs, calls: Mutex::default() }
    }

    /// Declares other parameters than none.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Value) -> Self {
        self.definition.parameters = parameters;
        self
    }

    /// The arguments of the calls so far, in order.
    pub fn calls(&self) -> Vec<Value> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Tool for ScriptedTool {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, _args: &Value, _cx: &ToolContext) -> Preview {
        self.preview.clone()
    }

    async fn run(&self, args: &Value, _cx: &ToolContext) -> ToolOutput {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(args.clone());
        let next = self.outputs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| ToolOutput::error("the script has no more outputs"))
    }
}

/// A host that keeps what it is shown and asked, and answers what it was told to.
#[derive(Debug, Default)]
pub struct RecordingHost {
    // Written by the running tool, read by the test.
    seen: Mutex<String>,
    asked: Mutex<Vec<Question>>,
    answers: Mutex<VecDeque<Asked>>,
}

impl RecordingHost {
    /// A host that has not seen anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// A host whose user gives these answers, and then no more.
    pub fn answering(answers: impl IntoIterator<Item = Asked>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    /// The questions so far, in order.
    pub fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All that was shown so far, in one piece.
    pub fn seen(&self) -> String {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl ToolHost for RecordingHost {
    async fn progress(&self, text: &str) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    }

    async fn ask(&self, questions: &[Question]) -> Asked {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(questions);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or(Asked::Declined)
    }
}
