//! Turns sections of the configuration into options of the libraries: nothing else knows both sides.

mod format;
mod hooks;
mod project;
pub(crate) mod provider;
mod session;
mod sessions;
pub(crate) mod tools;
pub(crate) mod warnings;

use std::path::PathBuf;
use std::sync::Arc;

use mm_config::path::{Bases, Mode};
use mm_config::{Config, Environment};
use mm_llm::{OpenAi, Provider, Trace};
use mm_session::store::{DirStore, SessionStore};
use mm_session::{Resumed, Session, SessionOptions, SessionParts};
use mm_tools::ToolSet;
use mm_tools::files::Files;
use mm_tools::process::ProcessRunner;

pub(crate) use project::{Project, renew, resume};

use crate::error::CliError;
use crate::output::Streams;

/// What the program found around it.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// The user's home directory.
    pub(crate) home: Option<PathBuf>,
    /// The environment.
    pub(crate) env: Environment,
    /// The standard streams.
    pub(crate) streams: Streams,
    /// The configuration file, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Whether somebody can answer the questions of a tool.
    pub(crate) answers: bool,
}

impl Surroundings {
    /// The command that edits a file.
    fn editor(&self) -> String {
        let set = |name: &str| self.env.get(name).filter(|editor| !editor.trim().is_empty());
        set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
    }

    /// What the relative paths of the configuration are relative to.
    pub(crate) fn bases(&self) -> Bases<'_> {
        Bases {
            mode: Mode::Terminal,
            launch: &self.cwd,
            conversation: &self.cwd,
            file: self.file.as_deref(),
            home: self.home.as_deref(),
        }
    }
}

/// All that a front end works with.
#[derive(Debug)]
pub(crate) struct Engine {
    /// The conversation.
    pub(crate) session: Session,
    /// The server, for what is not a turn.
    pub(crate) provider: OpenAi,
    /// Every process that was started; ended with the program.
    pub(crate) processes: ProcessRunner,
    /// What the file tools wrote.
    pub(crate) files: Files,
    /// The command that edits a file.
    pub(crate) editor: String,
    /// The standard streams.
    pub(crate) streams: Streams,
    /// What the user should know though nothing is wrong.
    pub(crate) warnings: Vec<String>,
    /// Requests and answers in files, where that is on, with their directory.
    pub(crate) trace: Option<(Trace, PathBuf)>,
    /// Where the project's instructions are, unless they are switched off.
    pub(crate) project: Option<Project>,
    /// Where conversations are kept, if anywhere.
    pub(crate) store: Option<DirStore>,
    /// The conversation that this one goes on with, until it is told.
    pub(crate) resumed: Option<Resumed>,
    /// Where skills were looked for, and their names with what each is for.
    pub(crate) skills: (Option<PathBuf>, Vec<(String, String)>),
    /// What the user should know if the server does not tell its window.
    pub(crate) unknown_window: Option<String>,
    /// Whether the configuration says the window.
    pub(crate) is_window_set: bool,
}

/// Puts everything together. No network, no process.
pub(crate) fn engine(config: &Config, around: &Surroundings) -> Result<Engine, CliError> {
    let preset = provider::preset(config)?;
    let trace = provider::trace(config, around)?;
    let provider = provider::provider(config, preset, around, trace.as_ref().map(|(trace, _)| trace))?;
    let shared = tools::Shared::new(config);
    let (skills, skills_dir) = project::skills(config, around);
    let known = skills.found.iter().map(|skill| (skill.name.clone(), skill.description.clone())).collect();
    let mut tools = tools::tools(config, around, &shared, skills.found)?;
    format::check(config, &tools, around)?;
    let unmatched = unmatched(config, &tools);
    let tools::Shared { processes, plan, files } = shared;
    let hooks = hooks::hooks(config, &processes);
    let store = sessions::store(config, around);
    let kept = store.clone().map(|store| Arc::new(store) as Arc<dyn SessionStore>);
    let base = SessionParts::new(Arc::new(provider.clone()));
    let mut parts = SessionParts { plan, hooks, store: kept, ..base };
    tools::of_session(config, &mut tools, Arc::new(provider.clone()), (&parts, &files), around)?;
    parts.tools = tools;
    let project = Project::of(config, around);
    let mut unread = Vec::new();
    let options = SessionOptions {
        instructions: project.as_ref().and_then(|project| project.read(&mut unread)),
        ..session::options(config, preset, around)?
    };
    let session = Session::new(parts, options);
    let skipped = skills.skipped.into_iter().map(|line| format!("skill left out: {line}"));
    let warnings = config
        .warnings
        .iter()
        .cloned()
        .chain(warnings::of(config, around).into_iter().chain(unmatched).map(|(_, words)| words))
        .chain(unread)
        .chain(skipped)
        .collect();
    let unknown_window = warnings::of_unknown_window(config);
    Ok(Engine {
        session,
        provider,
        processes,
        files,
        editor: around.editor(),
        streams: around.streams,
        warnings,
        trace,
        project,
        store,
        resumed: None,
        skills: (skills_dir, known),
        unknown_window,
        is_window_set: config.context_window > 0,
    })
}

/// Forgets the window of a model that no longer answers.
pub(crate) fn forget_window(engine: &mut Engine) {
    if !engine.is_window_set {
        engine.session.set_window(None);
    }
}

/// Asks the server for its window, where the configuration does not say.
pub(crate) async fn learn_window(engine: &mut Engine) {
    if engine.session.options().window.is_none() {
        let window = engine.provider.context_window(&engine.session.options().model).await;
        engine.session.set_window(window);
        if window.is_none() {
            engine.warnings.extend(engine.unknown_window.take());
        }
    }
}

/// The system prompt that holds when the configuration has none.
pub(crate) fn system_prompt(config: &Config, around: &Surroundings) -> Result<String, CliError> {
    if let Some(format) = format::format(config)? {
        return Ok(mm_session::prompt::with_format(None, &format));
    }
    let tools =
        tools::tools(config, around, &tools::Shared::new(config), project::skills(config, around).0.found)?;
    Ok(mm_session::prompt::built_in(&tools, &around.cwd))
}

/// What is wrong with a configuration whose keys are all fine by themselves, with the key.
pub(crate) fn clash(config: &Config, around: &Surroundings) -> Option<(&'static str, String)> {
    if config.structured_output.trim().is_empty() {
        return None; // no need to make a tool
    }
    let tools =
        tools::tools(config, around, &tools::Shared::new(config), project::skills(config, around).0.found)
            .ok()?;
    format::clash(config, &tools).map(|words| ("structuredOutput", words))
}

/// The matchers of hooks that fit nothing, each with its key. Tools are made only where one names them.
pub(crate) fn unmatched_hooks(config: &Config, around: &Surroundings) -> Vec<(Option<String>, String)> {
    if !hooks::names_tools(config) {
        return unmatched(config, &ToolSet::new());
    }
    let skills = project::skills(config, around).0.found;
    let tools = tools::tools(config, around, &tools::Shared::new(config), skills);
    unmatched(config, &tools.unwrap_or_default())
}

/// The same, where the tools that need no session are known.
fn unmatched(config: &Config, tools: &ToolSet) -> Vec<(Option<String>, String)> {
    let names: Vec<&str> = tools.names().chain(tools::names_of_session(config)).collect();
    hooks::unmatched(config, &names)
}

/// Waits until the trace is written; gives what is wrong with it, once.
pub(crate) async fn trace_failure(engine: &Engine) -> Option<String> {
    let (trace, _) = engine.trace.clone()?;
    let flushed = tokio::task::spawn_blocking(move || {
        trace.flush();
        trace.failure()
    });
    flushed.await.ok()?
}
