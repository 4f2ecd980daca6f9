//! `/thinking`: shows what the model thinks, or no longer.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["thinking"],
    argument: "",
    about: "show what the model thinks, or no longer",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    let text = match line.toggle_thinking() {
        true => "(thinking is shown)\n",
        false => "(thinking is not shown)\n",
    };
    line.output.other(text).await;
    Flow::Stay
}
