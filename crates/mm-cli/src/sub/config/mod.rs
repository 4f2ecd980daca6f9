//! `mm config`: the configuration checked, shown, described, begun.

mod check;
mod init;
mod schema;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::app::{overrides, print};
use crate::args::{Args, ConfigCommand};
use crate::assemble::Surroundings;
use crate::error::CliError;

/// Does one of them.
pub(crate) fn run(what: &ConfigCommand, args: &Args, mut around: Surroundings) -> Result<ExitCode, CliError> {
    let mut named = |file: &Option<PathBuf>| {
        if file.is_some() {
            around.file.clone_from(file);
        }
    };
    match what {
        ConfigCommand::Check { file, output } => {
            named(file);
            check::run(&around, &overrides(args), *output)
        }
        ConfigCommand::Show { file, output } => {
            named(file);
            print(&show::text(&around, &overrides(args), *output)?)
        }
        ConfigCommand::Schema => print(&schema::text()),
        ConfigCommand::Init { file } => {
            let target = file.clone().or_else(|| args.config.clone());
            print(&init::run(&around.cwd, target, &overrides(args))?)
        }
    }
}
