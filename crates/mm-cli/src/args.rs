//! The command line, in Go's spelling and in GNU's.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

use crate::error::CliError;
use crate::sessions::Wish;

/// A local-first terminal agent for small models on your own machine.
///
/// Without -p, mm talks with you line by line. Flags may also be written with one dash, as in -config.
#[derive(Debug, Parser)]
#[command(name = "mm", disable_version_flag = true, disable_help_flag = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    /// The configuration file (else $MM_CONFIG, ./agent.yaml, ~/.config/mm/agent.yaml).
    #[arg(short = 'c', long, value_name = "FILE", value_hint = ValueHint::FilePath, global = true)]
    pub(crate) config: Option<PathBuf>,

    /// Ask one question, print the answer, exit; `-` reads the question from stdin. What is piped in is added
    /// to the question.
    #[arg(short = 'p', value_name = "PROMPT", value_hint = ValueHint::Other)]
    pub(crate) prompt: Option<String>,

    /// Wait for piped input however long it takes (else a pipe that is silent for 3 s is left out).
    #[arg(long, requires = "prompt")]
    pub(crate) stdin: bool,

    /// What -p prints: the answer, one JSON object, or one event a line.
    #[arg(long, value_enum, requires = "prompt", value_name = "FORM")]
    pub(crate) output: Option<Output>,

    /// Go on with a session, by its id or the beginning of it; without one, choose from a list. Needs sessions.enabled.
    #[arg(long, value_name = "ID", num_args = 0..=1, value_hint = ValueHint::Other)]
    pub(crate) resume: Option<Option<String>>,

    /// Go on with the newest session of this directory. Needs sessions.enabled.
    #[arg(long = "continue", conflicts_with = "resume")]
    pub(crate) newest: bool,

    /// The model, over file and environment.
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other, global = true)]
    pub(crate) model: Option<String>,

    /// The server: dmr, llamacpp, llmman or ollama.
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) provider: Option<String>,

    /// The server's OpenAI-compatible end point, such as http://127.0.0.1:8080/v1.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Other, global = true)]
    pub(crate) base_url: Option<String>,

    /// Print the version.
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// Print this help.
    #[arg(short = 'h', long, global = true)]
    pub(crate) help: bool,

    /// What to do instead of talking.
    #[command(subcommand)]
    pub(crate) helper: Option<Helper>,
}

impl Args {
    /// Which conversation to go on with, if any.
    pub(crate) fn wish(&self) -> Option<Wish> {
        match &self.resume {
            Some(Some(id)) => Some(Wish::Of(id.clone())),
            Some(None) => Some(Wish::Choose),
            None => self.newest.then_some(Wish::Newest),
        }
    }
}

/// What `mm` does besides talking.
#[derive(Debug, Subcommand)]
#[command(disable_help_flag = true)]
pub(crate) enum Helper {
    /// Check, show, describe or begin a configuration.
    #[command(arg_required_else_help = false, disable_help_subcommand = true)]
    Config {
        /// What to do with it.
        #[command(subcommand)]
        what: Option<ConfigCommand>,
    },
    /// List the models that the server has.
    Models {
        /// How to print them.
        #[arg(long, value_enum, default_value = "text")]
        output: Form,
    },
    /// Try the server, the window, a tool call and a JSON answer; say what works and what to do.
    Doctor,
    /// Print the JSON Schema of Go declarations, as structuredOutput has them.
    Schema {
        /// The declarations, or a configuration in YAML that has them (else stdin).
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Print it on one line.
        #[arg(long)]
        compact: bool,
    },
    /// Say what the guard thinks of a command: one JSON object with verdict, rule and why. Nothing is run.
    Guard {
        /// The command, in quotes; `-` reads one a line from stdin.
        #[arg(value_hint = ValueHint::Other)]
        command: String,
    },
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

impl Helper {
    /// The name, as it is typed.
    fn name(&self) -> &'static str {
        match self {
            Self::Config { .. } => "config",
            Self::Models { .. } => "models",
            Self::Doctor => "doctor",
            Self::Schema { .. } => "schema",
            Self::Guard { .. } => "guard",
            Self::Completions { .. } => "completions",
        }
    }
}

/// What there is to do with a configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say everything that is wrong with a file, and every key that nothing reads.
    Check {
        /// The file (else the one that mm would read).
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// How to print what was found.
        #[arg(long, value_enum, default_value = "text")]
        output: Form,
    },
    /// Print every value in force and where it comes from.
    Show {
        /// The file (else the one that mm would read).
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// How to print the values.
        #[arg(long, value_enum, default_value = "text")]
        output: Form,
    },
    /// Print the JSON Schema of the file, for editors.
    Schema,
    /// Write a commented file to begin with (for --provider, else dmr), and its schema beside it. Nothing is
    /// overwritten.
    Init {
        /// The file to write (else that of -c, else agent.yaml).
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
}

/// What `-p` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The answer.
    Text,
    /// One JSON object.
    Json,
    /// One event a line.
    StreamJson,
}

/// How a helper prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How JSON is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A value a line.
    Indented,
    /// On one line.
    Compact,
}

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// The text of a help.
    Help(String),
    /// Anything else.
    Work(Args),
}

/// Reads the command line. Help wins over whatever else is there, wrong or right.
pub(crate) fn parse(args: Vec<OsString>) -> Result<Asked, CliError> {
    let words = normalised(args);
    let parsed = Args::try_parse_from(&words);
    let mut flags = words.iter().take_while(|word| *word != "--");
    if parsed.as_ref().map_or_else(|_| flags.any(|word| word == "--help" || word == "-h"), |args| args.help) {
        return Ok(Asked::Help(help(&words)));
    }
    let args = parsed.map_err(|error| CliError::Usage(told(&error, &words)))?;
    if args.wish() == Some(Wish::Of(String::new())) {
        let words = "--resume has an empty id: leave it out to choose from a list";
        return Err(CliError::Usage(words.to_owned()));
    }
    match &args.helper {
        Some(helper) if args.prompt.is_some() => Err(CliError::Usage(beside(helper.name()))),
        Some(helper) if args.wish().is_some() => {
            let words = "--resume and --continue go on with a conversation";
            Err(CliError::Usage(format!("{words}, {} does not: give one of them", helper.name())))
        }
        Some(Helper::Config { what: None }) => {
            let hint = "config needs one of check, show, schema, init (mm config --help tells them apart)";
            Err(CliError::Usage(hint.to_owned()))
        }
        Some(_) | None => Ok(Asked::Work(args)),
    }
}

fn beside(helper: &str) -> String {
    format!("-p asks a question, {helper} does not: give one of them")
}

/// The whole command line, for whoever describes it.
pub(crate) fn command() -> clap::Command {
    Args::command()
}

/// The text of `--help`, that of a helper behind its name.
fn help(words: &[OsString]) -> String {
    let mut command = Args::command();
    command.build();
    let names = helpers(words);
    let innermost =
        names.iter().fold(&command, |command, name| command.find_subcommand(name).unwrap_or(command));
    innermost.clone().render_help().to_string()
}

/// The names of the helpers on a command line that may have faults, the outer one first.
fn helpers(words: &[OsString]) -> Vec<String> {
    let lenient = Args::command().ignore_errors(true).try_get_matches_from(words);
    let mut names = Vec::new();
    let mut found = lenient.as_ref().ok().and_then(clap::ArgMatches::subcommand);
    while let Some((name, inner)) = found {
        names.push(name.to_owned());
        found = inner.subcommand();
    }
    names
}

/// The line of `--version`.
pub(crate) fn version() -> String {
    format!("mm {} ({}, {})\n", env!("CARGO_PKG_VERSION"), env!("MM_COMMIT"), env!("MM_TARGET"))
}

/// Turns `-name` into `--name` for every long flag: clap would read it as single letters.
fn normalised(args: Vec<OsString>) -> Vec<OsString> {
    let command = Args::command();
    let mut flags = Vec::new();
    collect(&command, &mut flags);
    let is_long = |name: &str| {
        // What begins with no short flag can only be meant as a long one, known or not.
        let starts = |arg: &&clap::Arg| arg.get_short().is_some_and(|short| name.starts_with(short));
        flags.iter().any(|arg| arg.get_long() == Some(name)) || !flags.iter().any(starts)
    };
    let mut literal = false;
    let mut result = Vec::with_capacity(args.len());
    for arg in args {
        literal = literal || arg == "--";
        match long_name(&arg).filter(|name| !literal && is_long(name)) {
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

/// The flags of a command and of the helpers in it.
fn collect<'c>(command: &'c clap::Command, flags: &mut Vec<&'c clap::Arg>) {
    flags.extend(command.get_arguments());
    for helper in command.get_subcommands() {
        collect(helper, flags);
    }
}

/// The name in `-name` and `-name=value`.
fn long_name(arg: &OsStr) -> Option<&str> {
    let name = arg.to_str()?.strip_prefix('-')?;
    let name = name.split('=').next()?;
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase());
    (is_word && name.len() > 1).then_some(name)
}

/// The helper that a word was probably meant to be, with what it stands behind.
fn helper_like(word: &str) -> Option<String> {
    let command = Args::command();
    let inner = |helper: &clap::Command| {
        let name = helper.get_name().to_owned();
        helper.get_subcommands().map(move |inner| format!("{name} {}", inner.get_name())).collect::<Vec<_>>()
    };
    let outer = command.get_subcommands().map(|helper| helper.get_name().to_owned());
    let names: Vec<String> = outer.chain(command.get_subcommands().flat_map(inner)).collect();
    let last = |name: &'_ String| name.rsplit(' ').next().unwrap_or_default().to_owned();
    let lasts: Vec<String> = names.iter().map(last).collect();
    let nearest = mm_schema::nearest(word, lasts.iter().map(String::as_str))?;
    let at = lasts.iter().position(|name| name == nearest)?;
    names.get(at).cloned()
}

/// A word that an error is about.
fn word(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// clap's own words in one line.
fn told(error: &clap::Error, words: &[OsString]) -> String {
    // Behind a helper's name clap does not know it.
    let is_question = error.kind() == ErrorKind::UnknownArgument
        && word(error, ContextKind::InvalidArg).is_some_and(|arg| arg == "-p");
    if is_question && let Some(helper) = helpers(words).first() {
        return beside(helper);
    }
    let text = error.to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(word) = word(error, ContextKind::InvalidSubcommand) {
        let meant = helper_like(word).map(|name| format!("did you mean {name}? "));
        return format!(
            "unexpected argument '{word}' found ({}a question goes behind -p)",
            meant.unwrap_or_default()
        );
    }
    let is_word = error.kind() == ErrorKind::UnknownArgument && !first.contains("'-");
    let is_dashed = error.kind() == ErrorKind::UnknownArgument && !first.contains("'--");
    let hint = match (is_word, is_dashed) {
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
        match parse(words) {
            Ok(Asked::Work(args)) => Ok(args),
            Ok(Asked::Help(text)) => Err(text),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn both_spellings_mean_the_same() {
        for line in ["-config a.yaml", "--config a.yaml", "-c a.yaml", "-config=a.yaml", "--config=a.yaml"] {
            assert_eq!(args(line).unwrap().config, Some("a.yaml".into()), "{line}");
        }
        let parsed = args("-base-url http://x/v1 -model m -provider ollama -p hi -stdin").unwrap();
        assert_eq!(parsed.base_url.as_deref(), Some("http://x/v1"));
        assert_eq!((parsed.prompt.as_deref(), parsed.stdin), (Some("hi"), true));
        let wishes = [
            ("-resume", Some(Wish::Choose)),
            ("--resume -p x", Some(Wish::Choose)),
            ("--resume 2026", Some(Wish::Of("2026".into()))),
            ("-resume=2026", Some(Wish::Of("2026".into()))),
            ("-continue", Some(Wish::Newest)),
            ("-c a.yaml", None),
        ];
        for (line, wish) in wishes {
            assert_eq!(args(line).unwrap().wish(), wish, "{line}");
        }
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
                "confg check",
                "[usage: unexpected argument 'confg' found (did you mean config? a question goes behind -p)]",
            ),
            ("-acp", "[usage: unexpected argument '--acp' found (mm --help lists the flags)]"),
            (
                "config",
                "[usage: config needs one of check, show, schema, init (mm config --help tells them apart)]",
            ),
            (
                "config chek",
                "[usage: unexpected argument 'chek' found (did you mean config check? a question goes behind -p)]",
            ),
            ("-p x config check", "[usage: -p asks a question, config does not: give one of them]"),
            ("config check -p x", "[usage: -p asks a question, config does not: give one of them]"),
            ("doctor -p", "[usage: -p asks a question, doctor does not: give one of them]"),
            ("models -p=hi", "[usage: -p asks a question, models does not: give one of them]"),
            (
                "--model doctor completions -phi",
                "[usage: -p asks a question, completions does not: give one of them]",
            ),
            ("--resume=", "[usage: --resume has an empty id: leave it out to choose from a list]"),
            (
                "--continue --resume",
                "[usage: the argument '--continue' cannot be used with '--resume [<ID>]' (mm --help lists the flags)]",
            ),
            (
                "-continue doctor",
                "[usage: --resume and --continue go on with a conversation, doctor does not: give one of them]",
            ),
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
