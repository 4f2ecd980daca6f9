//! `/compact`: puts a summary in the place of all but the last questions.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["compact"],
    argument: "[what]",
    about: "sum up what was said long ago; what: what the summary must keep",
    exists: |_| true,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, wanted: &str) -> Flow {
    let compacted = line.compact(wanted).await;
    line.output.spinner(None).await;
    match compacted {
        Ok(_) => {}
        Err(error) if error.is_nothing() => {
            let kept = match line.engine.session.options().compact.keep_last_turns {
                1 => "the last question stays as it is".to_owned(),
                kept => format!("the last {kept} questions stay as they are"),
            };
            line.output.other(format!("(nothing to compact: {kept})\n")).await;
        }
        Err(error) if error.is_not_shorter() => {
            line.output.other(format!("({error}: nothing was changed)\n")).await
        }
        Err(error) if error.is_interrupted() => line.output.other("[interrupted]\n").await,
        Err(error) => return line.failed(format!("cannot compress: {error}")).await,
    }
    Flow::Stay
}
