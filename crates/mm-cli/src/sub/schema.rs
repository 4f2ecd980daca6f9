//! `mm schema`: the JSON Schema of a block of Go declarations.

use std::io::{self, Read};
use std::path::Path;

use mm_config::{Config, Overrides};

use crate::args::Layout;
use crate::assemble::Surroundings;
use crate::error::CliError;

/// The most bytes that are read: a model could not be shown as much.
const LIMIT: u64 = 1 << 20;

/// Gives the schema of a file, of the `structuredOutput` in a configuration, or of stdin.
pub(crate) fn text(
    file: Option<&Path>,
    layout: Layout,
    around: &Surroundings,
    overrides: &Overrides,
) -> Result<String, CliError> {
    let is_yaml = |path: &&Path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let block = match file.filter(|path| *path != "-") {
        Some(path) if is_yaml(&path) => of_config(path, around, overrides)?,
        Some(path) => {
            let name = path.display().to_string().escape_debug().to_string();
            read(std::fs::File::open(path), &name)?
        }
        None if file.is_none() && around.streams.stdin_is_terminal => {
            let words = "schema reads Go declarations from a FILE or from a pipe, or those of a configuration: mm schema agent.yaml";
            return Err(CliError::Usage(words.to_owned()));
        }
        None => read(Ok(io::stdin().lock()), "stdin")?,
    };
    let schema = mm_schema::translate(&block)?.into_value();
    Ok(match layout {
        Layout::Indented => format!("{schema:#}\n"),
        Layout::Compact => format!("{schema}\n"),
    })
}

fn of_config(path: &Path, around: &Surroundings, overrides: &Overrides) -> Result<String, CliError> {
    let config = Config::load(path, &around.env, overrides).map_err(CliError::Config)?;
    if config.structured_output.trim().is_empty() {
        let name = path.display().to_string();
        return Err(CliError::Engine(format!("{} has no structuredOutput", name.escape_debug())));
    }
    Ok(config.structured_output)
}

fn read(source: io::Result<impl Read>, name: &str) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = source.and_then(|source| source.take(LIMIT + 1).read_to_end(&mut bytes));
    read.map_err(|error| CliError::Engine(format!("cannot read {name}: {}", why(&error))))?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::Engine(format!("{name} has more than 1 MiB")));
    }
    String::from_utf8(bytes).map_err(|_| CliError::Engine(format!("{name} is not UTF-8 text")))
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "this is a directory, not a file".to_owned(),
        _ => error.to_string(),
    }
}
