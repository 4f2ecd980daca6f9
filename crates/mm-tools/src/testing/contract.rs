//! What every tool has to hold to, as a check that anybody can run on theirs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Tool, ToolContext, ToolOutput};

/// How long a cancelled call may go on.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most files that are looked at.
const MOST_FILES: usize = 10_000;
/// What a result may have beyond the limit: lines that say what is missing, or how a command ended.
const BEYOND: usize = 1_000;

/// A rule that a tool broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{tool}: {rule}")]
pub struct BrokenRule {
    /// The tool's name.
    pub tool: String,
    /// The rule, and where it was broken.
    pub rule: String,
}

/// Checks that a tool holds to what a turn builds on. `examples` are arguments that fit; they are run in `cx`, whose
/// working directory should be one that may be changed and has not much in it.
///
/// - The definition is the same on every call, with a name of letters, digits, `_` or `-` that begins with a letter, a
///   description, and a schema of type `object` that the examples fit, also behind [`Tool::tolerate`].
/// - A preview is one line without control characters, the same each time, and changes nothing.
/// - A call that says it only reads changes nothing in the working directory.
/// - A result has at most `cx.max_output` characters, and a few lines about the rest.
/// - Arguments that do not fit give a failure whose text begins with `[`, and no panic.
/// - A call that is cancelled ends within five seconds.
///
/// ```
/// use mm_tools::testing::{ScriptedTool, check_contract};
/// use mm_tools::{ToolContext, ToolOutput};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let cx = ToolContext::new("/nowhere");
/// let loud = ScriptedTool::mutating("loud", vec![ToolOutput::ok("x".repeat(50_000)); 9]);
/// let broken = check_contract(&loud, &cx, &[json!({})]).await.unwrap_err();
/// assert_eq!(broken.to_string(), "loud: a result of 50000 characters, where 16000 are the most, for {}");
/// # }
/// ```
///
/// # Errors
/// Names the first rule that is broken.
pub async fn check_contract(tool: &dyn Tool, cx: &ToolContext, examples: &[Value]) -> Result<(), BrokenRule> {
    let checked = async {
        definition(tool, examples)?;
        for args in examples {
            example(tool, cx, args).await?;
        }
        for args in unfit(examples) {
            misfit(tool, cx, &args).await?;
        }
        match examples.first() {
            Some(args) => cancelled(tool, cx, args).await,
            None => Err("no example was given".to_owned()),
        }
    };
    checked.await.map_err(|rule| BrokenRule { tool: tool.definition().name.clone(), rule })
}

fn definition(tool: &dyn Tool, examples: &[Value]) -> Result<(), String> {
    let spec = tool.definition();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let begins = spec.name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || spec.name.len() > 64 || !spec.name.chars().all(is_name) {
        return Err("the name has to be of letters, digits, _ or -, begin with a letter, and have 64 characters at most".into());
    }
    if spec.description.trim().is_empty() {
        return Err("the description is empty".into());
    }
    if spec.parameters.get("type") != Some(&json!("object")) {
        return Err("the schema of the parameters is not of type object".into());
    }
    if tool.definition() != spec {
        return Err("the definition is another one on the second call".into());
    }
    for args in examples {
        mm_schema::arguments::check(tool.tolerate(args.clone()), &spec.parameters)
            .map_err(|fault| format!("the example {args} does not fit: {fault}"))?;
    }
    Ok(())
}

async fn example(tool: &dyn Tool, cx: &ToolContext, args: &Value) -> Result<(), String> {
    let before = files(&cx.cwd);
    let preview = tool.preview(args, cx);
    if preview != tool.preview(args, cx) {
        return Err(format!("the preview is another one on the second call, for {args}"));
    }
    if preview.summary.chars().any(char::is_control) {
        return Err(format!("the summary is not one plain line, for {args}"));
    }
    tool.diff(args, cx).await;
    if files(&cx.cwd) != before {
        return Err(format!("the preview changed a file, for {args}"));
    }
    let output = tool.run(args, cx).await;
    if !preview.mutating && files(&cx.cwd) != before {
        return Err(format!("a call that only reads changed a file, for {args}"));
    }
    bounded(&output, cx, args)
}

fn bounded(output: &ToolOutput, cx: &ToolContext, args: &Value) -> Result<(), String> {
    let length = output.text.chars().count();
    if length > cx.max_output + BEYOND {
        let most = cx.max_output;
        return Err(format!("a result of {length} characters, where {most} are the most, for {args}"));
    }
    Ok(())
}

/// Arguments that no schema with a required key takes, and examples with a key of another type.
fn unfit(examples: &[Value]) -> Vec<Value> {
    let mut all = vec![Value::Null, json!([]), json!("text"), json!({}), json!({"": {"": [[[]]]}})];
    for example in examples {
        let Value::Object(args) = example else { continue };
        for key in args.keys() {
            let other = |value: Value| {
                let mut changed: Map<_, _> = args.clone();
                changed.insert(key.clone(), value);
                Value::Object(changed)
            };
            all.extend([other(json!({"not": ["this"]})), other(json!([[0], {}]))]);
        }
    }
    all
}

async fn misfit(tool: &dyn Tool, cx: &ToolContext, args: &Value) -> Result<(), String> {
    let fits = mm_schema::arguments::check(args.clone(), &tool.definition().parameters).is_ok();
    tool.preview(args, cx);
    tool.diff(args, cx).await;
    if fits {
        return Ok(()); // nothing is wrong with it
    }
    let output = tool.run(args, cx).await;
    if output.ok || !output.text.starts_with('[') {
        return Err(format!("arguments that do not fit are no failure, for {args}: {}", output.text));
    }
    Ok(())
}

async fn cancelled(tool: &dyn Tool, cx: &ToolContext, args: &Value) -> Result<(), String> {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cx = ToolContext { cancel, ..cx.clone() };
    match tokio::time::timeout(PATIENCE, tool.run(args, &cx)).await {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("a cancelled call goes on, for {args}")),
    }
}

/// What is known of a file without reading it.
type Seen = (u64, Option<SystemTime>, bool);

/// The files under a directory, as far as there are not too many.
fn files(directory: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop().filter(|_| found.len() < MOST_FILES) {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        for (path, metadata) in entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))) {
            if metadata.is_dir() {
                open.push(path.clone());
            }
            found.insert(path, (metadata.len(), metadata.modified().ok(), metadata.is_dir()));
        }
    }
    found
}
