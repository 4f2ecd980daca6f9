//! `/new`: begins a new conversation.

use mm_tools::output::visible;

use super::{Command, Flow};
use crate::assemble;
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["new"],
    argument: "",
    about: "begin a new conversation",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    line.save_rest().await;
    assemble::renew(&mut line.engine);
    line.forget_questions();
    line.output.other("(a new conversation)\n").await;
    for warning in line.engine.warnings.drain(..) {
        line.output.other(format!("[warning: {}]\n", visible(&warning.replace('\n', " ")))).await;
    }
    Flow::Stay
}
