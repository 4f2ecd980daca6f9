//! Slash commands: one table, one file a command.

mod exit;
mod help;
mod new;

use std::pin::Pin;

use mm_schema::nearest;

use crate::front::line::Line;

/// What happens after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Stay,
    Leave,
}

/// A row of the table.
pub(crate) struct Command {
    /// Its names, the first one shown.
    names: &'static [&'static str],
    /// What it does, for `/help`.
    about: &'static str,
    run: for<'a> fn(&'a mut Line) -> Pin<Box<dyn Future<Output = Flow> + Send + 'a>>,
}

/// Every command, in the order of `/help`.
const COMMANDS: [Command; 3] = [help::COMMAND, new::COMMAND, exit::COMMAND];

/// A line that begins like a command.
pub(crate) enum Typed<'a> {
    Known(&'static Command),
    Unknown(&'a str),
}

/// Reads a line as a command: a slash, and a word of letters and dashes. A path is a question.
pub(crate) fn of(line: &str) -> Option<Typed<'_>> {
    let name = line.strip_prefix('/')?.split_whitespace().next()?;
    if !name.chars().all(|c| c.is_ascii_alphabetic() || c == '-') {
        return None;
    }
    let known = COMMANDS.iter().find(|command| command.names.contains(&name));
    Some(known.map_or(Typed::Unknown(name), Typed::Known))
}

/// Runs a command.
pub(crate) async fn run(typed: Typed<'_>, line: &mut Line) -> Flow {
    match typed {
        Typed::Known(command) => (command.run)(line).await,
        Typed::Unknown(name) => {
            let names = COMMANDS.iter().flat_map(|command| command.names.iter().copied());
            let near = nearest(name, names).map_or(String::new(), |near| format!(", did you mean /{near}?"));
            line.output.other(format!("there is no command /{name}{near} (/help lists them)\n")).await;
            Flow::Stay
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_command() {
        let told = |line| match of(line) {
            Some(Typed::Known(command)) => command.names[0],
            Some(Typed::Unknown(_)) => "unknown",
            None => "question",
        };
        let rows = [
            ("/help", "help"),
            ("/exit now", "exit"),
            ("/quit", "exit"),
            ("/nwe", "unknown"),
            ("/etc/passwd", "question"),
            ("/", "question"),
            ("/ help", "help"),
            ("help", "question"),
            ("/2", "question"),
        ];
        for (line, expected) in rows {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
