//! `/resume`: goes on with a conversation that was kept.

use mm_tools::output::visible;

use super::{Command, Flow, sessions};
use crate::front::line::Line;
use crate::render;

pub(super) const COMMAND: Command = Command {
    names: &["resume"],
    argument: "[id]",
    about: "go on with one, by its number in the list or its id",
    exists: |config| config.sessions.enabled,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, typed: &str) -> Flow {
    if typed.is_empty() {
        sessions::list(line).await;
        if !line.listed.is_empty() {
            line.output.other("(/resume and its number goes on with one)\n").await;
        }
    } else {
        go_on(line, typed).await;
    }
    Flow::Stay
}

/// Goes on with what somebody typed; false when there is no such conversation, which is told.
pub(crate) async fn go_on(line: &mut Line, typed: &str) -> bool {
    line.save_rest().await;
    let switched = crate::sessions::switch(&mut line.engine, &line.listed, typed).await;
    let is_done = match switched {
        Ok(resumed) => {
            line.forget_questions();
            let text = render::resumed(&resumed, line.engine.session.history());
            line.output.other(text).await;
            true
        }
        Err(words) => {
            line.engine.session.shown_error("resume", &words).await;
            line.failed(words).await;
            false
        }
    };
    for warning in line.engine.warnings.drain(..) {
        line.output.other(format!("[warning: {}]\n", visible(&warning.replace('\n', " ")))).await;
    }
    is_done
}
