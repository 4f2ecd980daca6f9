//! `/skills`: lists the skills that the model may read.

use mm_tools::output::visible;

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["skills"],
    argument: "",
    about: "list the skills that the model may read",
    exists: |config| !config.skills_dir.is_empty(),
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    let (dir, known) = &line.engine.skills;
    let dir = dir.as_ref().map(|dir| dir.display().to_string()).unwrap_or_default();
    let text = match known.is_empty() {
        true => format!("(no skills in {dir})\n"),
        false => {
            let row = |(name, about): &(String, String)| format!("  {name:<16} {about}\n");
            known.iter().map(row).collect::<String>() + &format!("(in {dir})\n")
        }
    };
    line.output.other(visible(&text)).await;
    Flow::Stay
}
