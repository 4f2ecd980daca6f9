//! From the command line to an exit code.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mm_config::{Config, Environment, Overrides, find};
use mm_tools::output::visible;

use crate::args::{self, Args, Asked, Helper, Layout};
use crate::assemble::{self, Surroundings};
use crate::error::CliError;
use crate::front::{line, once};
use crate::output::Streams;
use crate::sessions::{self, Chooser};
use crate::sub;

/// Runs the program; `args` begin with its own name.
pub fn main(args: Vec<OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|fault| {
        tell(&format!("[engine error: mm has a fault: {}]", one_line(fault)))
    }));
    match std::panic::catch_unwind(|| run(args)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            let text = visible(&error.to_string());
            if error.is_early() {
                write(&text)
            } else {
                tell(&text)
            }
            ExitCode::from(error.code())
        }
        Err(_) => ExitCode::FAILURE,
    }
}

fn one_line(text: &impl ToString) -> String {
    visible(&text.to_string()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes to stderr however long that takes: nothing has changed what Ctrl-C does yet.
fn write(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// Says a last word on stderr. A reader that has stopped reading does not keep the program from ending.
fn tell(text: &str) {
    let line = format!("{text}\n");
    let (sender, told) = std::sync::mpsc::channel();
    let write = move || {
        let _ = std::io::stderr().write_all(line.as_bytes());
        let _ = sender.send(());
    };
    if std::thread::Builder::new().spawn(write).is_ok() {
        let _ = told.recv_timeout(std::time::Duration::from_secs(1));
    }
}

fn run(args: Vec<OsString>) -> Result<ExitCode, CliError> {
    let args = match args::parse(args)? {
        Asked::Help(text) => return print(&text),
        Asked::Work(args) => args,
    };
    if args.version {
        return print(&args::version());
    }
    if let Some(Helper::Completions { shell }) = &args.helper {
        return print(&sub::completions::text(*shell));
    }
    let mut surroundings = surroundings()?;
    if let Some(Helper::Schema { file, compact }) = &args.helper {
        let layout = if *compact { Layout::Compact } else { Layout::Indented };
        let file = file.as_deref().or(args.config.as_deref());
        return print(&sub::schema::text(file, layout, &surroundings, &overrides(&args))?);
    }
    surroundings.file = file(&args, &surroundings);
    if let Some(Helper::Config { what: Some(what) }) = &args.helper {
        return sub::config::run(what, &args, surroundings);
    }
    let config = config(&args, &surroundings)?;
    if let Some(Helper::Guard { command }) = &args.helper {
        return sub::guard::run(command, &config, &surroundings);
    }
    let wish = args.wish();
    if let Some(wish) = &wish {
        wish.check(&config)?;
    }
    let asks_once = args.prompt.is_some() || args.helper.is_some();
    surroundings.answers = !asks_once && surroundings.streams.stdin_is_terminal;
    let runtime = tokio::runtime::Builder::new_current_thread()
        // Of a flood of tokens more come together; whatever else wakes the program waits some microseconds more.
        .event_interval(244)
        .enable_all()
        .build()
        .map_err(|error| CliError::Engine(format!("cannot start: {error}")))?;
    // In a task: the runtime looks for input after each step of what it blocks on, but after many steps of tasks.
    let work = runtime.spawn(async move {
        let mut engine = assemble::engine(&config, &surroundings)?;
        match &args.helper {
            Some(Helper::Models { output }) => {
                return print(&sub::models::text(&engine.provider, *output).await?);
            }
            Some(Helper::Doctor) => return sub::doctor::run(&engine, &config).await,
            Some(
                Helper::Config { .. }
                | Helper::Schema { .. }
                | Helper::Guard { .. }
                | Helper::Completions { .. },
            )
            | None => {}
        }
        let can_choose = args.prompt.is_none() && engine.streams.stdin_is_terminal;
        let chooser = if can_choose { Chooser::Somebody } else { Chooser::Nobody };
        let choose = match wish {
            Some(wish) => sessions::begin(&mut engine, wish, chooser).await?,
            None => false,
        };
        match args.prompt {
            Some(prompt) => {
                let carries = match args.output {
                    None | Some(args::Output::Text) => None,
                    Some(args::Output::Json) => Some(once::Carries::Object),
                    Some(args::Output::StreamJson) => Some(once::Carries::Events),
                };
                once::run(engine, &config, prompt, args.stdin, carries).await
            }
            None => line::run(engine, &config, &surroundings, choose).await,
        }
    });
    let code = runtime.block_on(work).unwrap_or_else(|fault| match fault.try_into_panic() {
        Ok(fault) => std::panic::resume_unwind(fault),
        Err(fault) => Err(CliError::Engine(fault.to_string())),
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
    Ok(Surroundings { cwd, home, env, streams, file: None, answers: false })
}

/// The configuration file, by the name that people know it by: as it was given, or short where they stand.
fn file(args: &Args, around: &Surroundings) -> Option<PathBuf> {
    let is_named = args.config.is_some() || around.env.get(mm_config::env::MM_CONFIG).is_some();
    let found = find(args.config.as_deref(), &around.env, &around.cwd)?;
    let short = found.strip_prefix(&around.cwd).ok().filter(|_| !is_named);
    Some(short.map_or_else(|| found.clone(), PathBuf::from))
}

fn config(args: &Args, surroundings: &Surroundings) -> Result<Config, CliError> {
    let (env, overrides) = (&surroundings.env, overrides(args));
    let config = match &surroundings.file {
        Some(path) => Config::load(path, env, &overrides),
        None => Config::defaults(env, &overrides),
    };
    config.map_err(CliError::Config)
}

/// What the command line says above the configuration.
pub(crate) fn overrides(args: &Args) -> Overrides {
    Overrides { provider: args.provider.clone(), model: args.model.clone(), base_url: args.base_url.clone() }
}

/// Prints a text of the program's own; a reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<ExitCode, CliError> {
    match std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::Engine(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
