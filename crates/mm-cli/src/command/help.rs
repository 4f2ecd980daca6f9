//! `/help`: lists the commands.

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["help"],
    argument: "",
    about: "list the commands",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

async fn run(line: &mut Line) -> Flow {
    let mut text = String::new();
    for command in &line.commands {
        let names: Vec<String> = command.names.iter().map(|name| format!("/{name}")).collect();
        let typed = format!("{} {}", names.join(", "), command.argument);
        text.push_str(&format!("  {:<16} {}\n", typed.trim_end(), command.about));
    }
    text.push_str("  @path            in a question: add that file; Tab completes it\n");
    text.push_str("  Alt-Enter        a line break; \"\"\" begins and ends a text of several lines\n");
    text.push_str("  Ctrl-C           interrupt the answer; at the prompt, twice: leave\n");
    text.push_str("  Ctrl-D           leave\n");
    line.output.other(text).await;
    Flow::Stay
}
