//! The command line, in Go's spelling and in GNU's.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{CommandFactory, Parser};

use crate::error::CliError;

/// A local-first terminal agent for small models on your own machine.
///
/// Without -p, mm talks with you line by line. Flags may also be written with one dash, as in -config.
#[derive(Debug, Parser)]
#[command(name = "mm", disable_version_flag = true, disable_help_flag = true)]
pub(crate) struct Args {
    /// The configuration file (else $MM_CONFIG, ./agent.yaml, ~/.config/mm/agent.yaml).
    #[arg(short = 'c', long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Ask one question, print the answer, exit; `-` reads the question from stdin. What is piped in is added
    /// to the question.
    #[arg(short = 'p', value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,

    /// Wait for piped input however long it takes (else a pipe that is silent for 3 s is left out).
    #[arg(long, requires = "prompt")]
    pub(crate) stdin: bool,

    /// The model, over file and environment.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// The server: dmr, llamacpp, llmman or ollama.
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// The server's OpenAI-compatible end point, such as http://127.0.0.1:8080/v1.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Print the version.
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// Print this help.
    #[arg(short = 'h', long)]
    pub(crate) help: bool,
}

/// Reads the command line.
pub(crate) fn parse(args: Vec<OsString>) -> Result<Args, CliError> {
    Args::try_parse_from(normalised(args)).map_err(|error| CliError::Usage(told(&error)))
}

/// The text of `--help`.
pub(crate) fn help() -> String {
    Args::command().render_help().to_string()
}

/// The line of `--version`.
pub(crate) fn version() -> String {
    format!("mm {} ({}, {})\n", env!("CARGO_PKG_VERSION"), env!("MM_COMMIT"), env!("MM_TARGET"))
}

/// Turns `-name` into `--name` for every long flag: clap would read it as single letters.
fn normalised(args: Vec<OsString>) -> Vec<OsString> {
    let command = Args::command();
    let longs: Vec<&str> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
    let mut literal = false;
    let mut result = Vec::with_capacity(args.len());
    for arg in args {
        literal = literal || arg == "--";
        match long_name(&arg).filter(|name| !literal && longs.contains(name)) {
            Some(_) => {
                let mut doubled = OsString::from("-");
                doubled.push(&arg);
                result.push(doubled);
            }
            None => result.push(arg),
        }
    }
    result
}

/// The name in `-name` and `-name=value`.
fn long_name(arg: &OsStr) -> Option<&str> {
    let name = arg.to_str()?.strip_prefix('-')?;
    name.split('=').next().filter(|name| name.len() > 1 && !name.starts_with('-'))
}

/// clap's own words in one line.
fn told(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_question = error.kind() == clap::error::ErrorKind::UnknownArgument && !first.contains("'-");
    let is_dashed = error.kind() == clap::error::ErrorKind::UnknownArgument && !first.contains("'--");
    let hint = match (is_question, is_dashed) {
        (true, _) => "a question goes behind -p",
        (_, true) => "mm --help lists the flags; a value that begins with a dash needs =, as in -p=-x",
        _ => "mm --help lists the flags",
    };
    format!("{first} ({hint})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Result<Args, String> {
        let words = std::iter::once("mm").chain(line.split(' ')).map(OsString::from).collect();
        parse(words).map_err(|error| error.to_string())
    }

    #[test]
    fn both_spellings_mean_the_same() {
        for line in ["-config a.yaml", "--config a.yaml", "-c a.yaml", "-config=a.yaml", "--config=a.yaml"] {
            assert_eq!(args(line).unwrap().config, Some("a.yaml".into()), "{line}");
        }
        let parsed = args("-base-url http://x/v1 -model m -provider ollama -p hi -stdin").unwrap();
        assert_eq!(parsed.base_url.as_deref(), Some("http://x/v1"));
        assert_eq!((parsed.prompt.as_deref(), parsed.stdin), (Some("hi"), true));
        assert_eq!(args("-p -").unwrap().prompt.as_deref(), Some("-"));
        assert_eq!(args("-p=-x").unwrap().prompt.as_deref(), Some("-x"));
    }

    #[test]
    fn what_is_wrong_is_told_in_one_line() {
        let rows = [
            ("--colour", "[usage: unexpected argument '--colour' found (mm --help lists the flags)]"),
            (
                "-p",
                "[usage: a value is required for '-p <PROMPT>' but none was supplied (mm --help lists the flags)]",
            ),
            ("hello", "[usage: unexpected argument 'hello' found (a question goes behind -p)]"),
            (
                "--stdin",
                "[usage: the following required arguments were not provided: -p <PROMPT> (mm --help lists the flags)]",
            ),
        ];
        for (line, expected) in rows {
            assert_eq!(args(line).unwrap_err(), expected);
        }
    }
}
