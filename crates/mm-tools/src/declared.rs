//! Tools that a user declares: a program and typed parameters for its arguments.

mod argv;

use std::time::Duration;

use async_trait::async_trait;
use mm_schema::{ToolSpec, arguments};
use serde_json::{Map, Value, json};

use crate::bash::{environment, report, summary};
use crate::process::{Command, ProcessRunner};
use crate::{Preview, Tool, ToolContext, ToolKind, ToolOutput};

/// A tool as it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The name that the model calls.
    pub name: String,
    /// What the tool does and when to use it.
    pub description: String,
    /// The parameters in the order that the model reads them.
    pub parameters: Vec<DeclaredParameter>,
    /// The program, then its arguments; `{{p}}` in an argument stands for the value of the parameter `p`.
    pub command: Vec<String>,
    /// How long a call may run.
    pub timeout: Duration,
    /// The same as the user wrote it, such as `30s`, for the model to read.
    pub timeout_text: String,
    /// Variables that the program does not get, such as those that hold keys.
    pub env_remove: Vec<String>,
}

/// A parameter as it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredParameter {
    /// Its name.
    pub name: String,
    /// Its type in JSON Schema: `string`, `number`, `integer` or `boolean`.
    pub kind: &'static str,
    /// What the value is; may be empty.
    pub description: String,
    /// The only values that are accepted, if not all are.
    pub values: Option<Vec<Value>>,
    /// Whether a call must give the value.
    pub required: bool,
    /// The value where a call gives none.
    pub default: Option<Value>,
}

/// A tool that runs the user's own program, without a shell: whatever a value holds, it is one argument or a part of one.
///
/// An argument that is only `{{p}}` is left out where the call gives no `p` and there is no default; within a longer one
/// it stands for nothing then. The result reads as that of `bash`.
#[derive(Debug)]
pub struct Declared {
    definition: ToolSpec,
    declaration: Declaration,
    runner: ProcessRunner,
}

impl Declared {
    /// Makes the tool. Nothing is started or looked up before a call.
    pub fn new(declaration: Declaration, runner: ProcessRunner) -> Self {
        let definition = ToolSpec {
            name: declaration.name.clone(),
            description: description(&declaration),
            parameters: parameters(&declaration.parameters),
        };
        Self { definition, declaration, runner }
    }

    /// The program and its arguments for a call.
    fn argv(&self, args: &Value) -> Vec<String> {
        let value = |name: &str| {
            let given = args.get(name).filter(|value| !value.is_null());
            let default = || self.declaration.parameters.iter().find(|p| p.name == name)?.default.as_ref();
            given.or_else(default)
        };
        argv::filled(&self.declaration.command, value)
    }
}

/// The words of the user, and which parameters a call must have: weak models look there and not into the schema.
fn description(declaration: &Declaration) -> String {
    let required = declaration.parameters.iter().filter(|parameter| parameter.required);
    let names: Vec<&str> = required.map(|parameter| parameter.name.as_str()).collect();
    let text = declaration.description.trim_end();
    if names.is_empty() {
        text.to_owned()
    } else {
        format!("{text}\nRequired parameters: {}", names.join(", "))
    }
}

fn parameters(parameters: &[DeclaredParameter]) -> Value {
    let properties: Map<String, Value> =
        parameters.iter().map(|parameter| (parameter.name.clone(), schema(parameter))).collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| parameter.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (false, Some(schema)) = (required.is_empty(), schema.as_object_mut()) {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn schema(parameter: &DeclaredParameter) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), json!(parameter.kind))]);
    if !parameter.description.is_empty() {
        schema.insert("description".to_owned(), json!(parameter.description));
    }
    if let Some(values) = &parameter.values {
        schema.insert("enum".to_owned(), json!(values));
    }
    Value::Object(schema)
}

#[async_trait]
impl Tool for Declared {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Declared
    }

    fn is_watched(&self) -> bool {
        true
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        Preview::mutating(summary::one_line(&argv::shown(&self.argv(args))))
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match arguments::check(args.clone(), &self.definition.parameters) {
            Ok(args) => args,
            Err(fault) => return ToolOutput::error(fault),
        };
        if let Some(name) = argv::inexact(&args) {
            return ToolOutput::error(format!(
                "{name} has more digits than can be passed on, nothing was run"
            ));
        }
        let mut argv = self.argv(&args).into_iter();
        let command = Command {
            program: argv.next().unwrap_or_default(),
            args: argv.collect(),
            cwd: cx.cwd.clone(),
            env: environment::additions(),
            env_remove: self.declaration.env_remove.clone(),
            timeout: self.declaration.timeout,
        };
        match self.runner.run(&command, cx.max_output, cx.host.as_ref(), &cx.cancel).await {
            Ok(finished) => report::report(&finished, &self.declaration.timeout_text),
            Err(error) => ToolOutput::error(error),
        }
    }
}

#[cfg(test)]
mod tests;
