//! `/new`: begins a new conversation.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["new"],
    argument: "",
    about: "begin a new conversation",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    line.engine.session.restart();
    line.output.other("(a new conversation)\n").await;
    Flow::Stay
}
