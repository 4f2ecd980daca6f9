//! `/stats`: says what the last answer and the conversation took.

use super::{Command, Flow};
use crate::front::line::Line;
use crate::render;

pub(super) const COMMAND: Command = Command {
    names: &["stats"],
    argument: "",
    about: "tokens, cache and time of the last answer and of the conversation",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    let session = &line.engine.session;
    let text = render::stats(session.stats(), session.tokens(), session.options().window);
    line.output.other(text).await;
    Flow::Stay
}
