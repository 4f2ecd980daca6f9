//! From the command line to an exit code.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mm_config::{Config, Environment, Overrides, find};

use crate::args::{self, Args};
use crate::assemble::{self, Surroundings};
use crate::error::CliError;
use crate::front::{line, once};
use crate::output::Streams;

/// Runs the program; `args` begin with its own name.
pub fn main(args: Vec<OsString>) -> ExitCode {
    match run(args) {
        Ok(code) => code,
        Err(error) => {
            // Nobody is left to tell when stderr is gone too.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(error.code())
        }
    }
}

fn run(args: Vec<OsString>) -> Result<ExitCode, CliError> {
    let args = args::parse(args)?;
    if args.help || args.version {
        let text = if args.help { args::help() } else { args::version() };
        return Ok(print(&text));
    }
    let surroundings = surroundings()?;
    let config = config(&args, &surroundings)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Engine(format!("cannot start: {error}")))?;
    let code = runtime.block_on(async {
        let engine = assemble::engine(&config, &surroundings)?;
        match args.prompt {
            Some(prompt) => once::run(engine, &config, prompt, args.stdin).await,
            None => line::run(engine, &config).await,
        }
    });
    // A thread may still wait for stdin: it must not hold up the end.
    runtime.shutdown_background();
    code
}

fn surroundings() -> Result<Surroundings, CliError> {
    let cwd = std::env::current_dir()
        .map_err(|error| CliError::Engine(format!("the working directory cannot be used: {error}")))?;
    let env = Environment::from_iter(std::env::vars_os());
    let home = env.get(mm_config::env::HOME).map(PathBuf::from);
    let streams = Streams::detect(&env);
    Ok(Surroundings { cwd, home, env, streams })
}

fn config(args: &Args, surroundings: &Surroundings) -> Result<Config, CliError> {
    let overrides = Overrides {
        provider: args.provider.clone(),
        model: args.model.clone(),
        base_url: args.base_url.clone(),
    };
    let env = &surroundings.env;
    let config = match find(args.config.as_deref(), env, &surroundings.cwd) {
        Some(path) => Config::load(&path, env, &overrides),
        None => Config::defaults(env, &overrides),
    };
    config.map_err(CliError::Config)
}

/// Prints a text of the program's own; a reader that has gone away is no failure.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
