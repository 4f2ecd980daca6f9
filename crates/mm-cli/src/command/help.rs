//! `/help`: lists the commands.

use super::{COMMANDS, Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command =
    Command { names: &["help"], about: "list the commands", run: |line| Box::pin(run(line)) };

async fn run(line: &mut Line) -> Flow {
    let mut text = String::new();
    for command in &COMMANDS {
        let names: Vec<String> = command.names.iter().map(|name| format!("/{name}")).collect();
        text.push_str(&format!("  {:<14} {}\n", names.join(", "), command.about));
    }
    text.push_str("  Ctrl-C         interrupt the answer; at the prompt, twice: leave\n");
    text.push_str("  Ctrl-D         leave\n");
    line.output.other(text).await;
    Flow::Stay
}
