//! `/yolo`: whether tools run without asking.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["yolo"],
    argument: "[on|off]",
    about: "let tools run without asking, or ask before what changes something",
    exists: |_| true,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, words: &str) -> Flow {
    let yolo = match words {
        "" => !line.engine.session.options().yolo,
        "on" | "true" => true,
        "off" | "false" => false,
        _ => return line.failed("/yolo takes on or off".to_owned()).await,
    };
    line.engine.session.set_yolo(yolo);
    let text = match yolo {
        true => "(tools run without asking; the guard holds as before)\n",
        false => "(each call that changes something is asked about)\n",
    };
    line.output.other(text).await;
    Flow::Stay
}
