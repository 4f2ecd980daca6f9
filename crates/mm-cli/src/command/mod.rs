//! Slash commands: one table, one file a command.

mod compact;
mod edit;
mod exit;
mod help;
mod model;
mod new;
mod plan;
pub(crate) mod resume;
mod retry;
mod save;
pub(crate) mod sessions;
mod skills;
mod stats;
mod thinking;
mod tools;
mod undo;
mod unload;
mod yolo;

use std::pin::Pin;

use mm_config::Config;
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
    /// Its names; what is typed may be any of them.
    names: &'static [&'static str],
    /// What stands behind it, for `/help`.
    argument: &'static str,
    /// What it does, for `/help`.
    about: &'static str,
    /// Whether the configuration brings it.
    exists: fn(&Config) -> bool,
    /// Runs it with the words behind it.
    run: for<'a> fn(&'a mut Line, &'a str) -> Pin<Box<dyn Future<Output = Flow> + Send + 'a>>,
}

impl Command {
    /// What it is called by.
    pub(crate) fn names(&self) -> &'static [&'static str] {
        self.names
    }
}

/// Every command, in the order of `/help`.
const COMMANDS: [Command; 18] = [
    help::COMMAND,
    new::COMMAND,
    retry::COMMAND,
    undo::COMMAND,
    edit::COMMAND,
    compact::COMMAND,
    stats::COMMAND,
    sessions::COMMAND,
    resume::COMMAND,
    save::COMMAND,
    plan::COMMAND,
    tools::COMMAND,
    skills::COMMAND,
    model::COMMAND,
    unload::COMMAND,
    thinking::COMMAND,
    yolo::COMMAND,
    exit::COMMAND,
];

/// The commands that there are with this configuration.
pub(crate) fn all(config: &Config) -> Vec<&'static Command> {
    COMMANDS.iter().filter(|command| (command.exists)(config)).collect()
}

/// A line that begins like a command.
pub(crate) enum Typed<'a> {
    /// A command, and the words behind it.
    Known(&'static Command, &'a str),
    Unknown(&'a str),
}

/// Reads a line as a command: a slash, and a word of letters and dashes. A path is a question.
pub(crate) fn of<'a>(line: &'a str, commands: &[&'static Command]) -> Option<Typed<'a>> {
    let line = line.strip_prefix('/')?.trim();
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphabetic() || c == '-') {
        return None;
    }
    let known = commands.iter().find(|command| command.names.contains(&name));
    Some(known.map_or(Typed::Unknown(name), |command| Typed::Known(command, words.trim())))
}

/// Runs a command.
pub(crate) async fn run(typed: Typed<'_>, line: &mut Line) -> Flow {
    match typed {
        Typed::Known(command, words) => (command.run)(line, words).await,
        Typed::Unknown(name) => {
            let names = line.commands.iter().flat_map(|command| command.names.iter().copied());
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
        let all = all(&Config::default());
        let told = |line| match of(line, &all) {
            Some(Typed::Known(command, _)) => command.names[0],
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
