//! `/tools`: lists the tools that the model may call.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["tools"],
    argument: "",
    about: "list the tools that the model may call, with the tokens that each takes",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

/// Bytes that a token stands for where nobody counts.
const BYTES: usize = 4;

async fn run(line: &mut Line) -> Flow {
    let mut text = String::new();
    for tool in line.engine.session.tools().iter() {
        let tool = tool.definition();
        let bytes = tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
        let about = tool.description.lines().next().unwrap_or_default();
        text.push_str(&format!("  {:<16} ~{:>4}  {about}\n", tool.name, bytes / BYTES));
    }
    if text.is_empty() {
        text.push_str("(there are no tools)\n");
    }
    line.output.other(mm_tools::output::visible(&text)).await;
    Flow::Stay
}
