//! `/plan`: shows the plan that the model keeps.

use super::{Command, Flow};
use crate::front::line::Line;
use crate::render;

pub(super) const COMMAND: Command = Command {
    names: &["plan"],
    argument: "",
    about: "show the plan",
    exists: |config| config.plan_tool,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    let text = match line.engine.session.plan() {
        Some(plan) => render::check_list(Some(&plan)),
        None => "(there is no plan)\n".to_owned(),
    };
    line.output.other(text).await;
    Flow::Stay
}
