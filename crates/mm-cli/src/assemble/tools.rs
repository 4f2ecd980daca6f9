//! The tools.

use std::sync::Arc;

use mm_config::{Config, DeclaredTool, ParameterType};
use mm_llm::{OpenAi, PRESETS, StateRoute, preset};
use mm_session::SessionParts;
use mm_session::tools::{Recall, RecallSearch, SaveAnswer, UnloadModel};
use mm_tools::ask_user::AskUser;
use mm_tools::bash::{Bash, BashOptions};
use mm_tools::declared::{Declaration, Declared, DeclaredParameter};
use mm_tools::edit_file::EditFile;
use mm_tools::files::{FileOptions, Files};
use mm_tools::guard::Guard;
use mm_tools::plan::{PlanBoard, PlanTool};
use mm_tools::process::ProcessRunner;
use mm_tools::read_file::ReadFile;
use mm_tools::skills::{ReadSkill, Skill};
use mm_tools::write_file::WriteFile;
use mm_tools::{DuplicateTool, Tool, ToolSet};

use super::Surroundings;
use crate::error::CliError;

const ASK_USER: &str = "ask_user";
const SAVE_ANSWER: &str = "save_answer";
const UNLOAD_MODEL: &str = "unload_model";
const RECALL: &str = "recall";
const RECALL_SEARCH: &str = "recall_search";

/// What the tools have in common with the rest of the program.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) processes: ProcessRunner,
    pub(super) plan: PlanBoard,
    pub(super) files: Files,
}

impl Shared {
    pub(super) fn new(config: &Config) -> Self {
        let files = Files::new(FileOptions { read_only_outside_cwd: config.read_only_outside_cwd });
        Self { processes: ProcessRunner::default(), plan: PlanBoard::default(), files }
    }
}

pub(super) fn tools(
    config: &Config,
    around: &Surroundings,
    Shared { processes, plan, files }: &Shared,
    skills: Vec<Skill>,
) -> Result<ToolSet, CliError> {
    let mut tools = ToolSet::new();
    let mut add = |tool: Arc<dyn Tool>| tools.add(tool).map_err(engine_error);
    if config.bash_tool {
        let options = BashOptions {
            timeout: config.bash_timeout.as_duration(),
            timeout_text: config.bash_timeout.to_string(),
            env_remove: key_variables(config),
            guard: guard(config)?,
            ..BashOptions::default()
        };
        add(Arc::new(Bash::new(options, processes.clone())))?;
    }
    if config.edit_tools {
        add(Arc::new(ReadFile::new(files.clone())))?;
        add(Arc::new(WriteFile::new(files.clone())))?;
        add(Arc::new(EditFile::new(files.clone())))?;
    }
    if let Some(fetch) = fetch(config, around, files) {
        add(fetch)?;
    }
    if !skills.is_empty() {
        add(Arc::new(ReadSkill::new(skills)))?;
    }
    if config.plan_tool {
        add(Arc::new(PlanTool::new(plan.clone())))?;
    }
    for tool in &config.tools {
        add(Arc::new(Declared::new(declaration(tool, config), processes.clone())))?;
    }
    Ok(tools)
}

/// `fetch_content`, where it is asked for and this build has it.
#[cfg(feature = "fetch")]
fn fetch(config: &Config, around: &Surroundings, files: &Files) -> Option<Arc<dyn Tool>> {
    let mm_llm::ProxySettings { http, https, except } = super::provider::proxies(around);
    let proxies = mm_tools::fetch::Proxies { http, https, except };
    config.fetch_content_tool.then(|| Arc::new(mm_tools::fetch::Fetch::new(proxies, files.clone())) as _)
}

#[cfg(not(feature = "fetch"))]
fn fetch(_config: &Config, _around: &Surroundings, _files: &Files) -> Option<Arc<dyn Tool>> {
    None
}

/// Adds the tools that need what a session has. None of them stands beside a shape of the answers.
pub(super) fn of_session(
    config: &Config,
    tools: &mut ToolSet,
    provider: Arc<OpenAi>,
    (parts, files): (&SessionParts, &Files),
    around: &Surroundings,
) -> Result<(), CliError> {
    let names = names_of_session(config);
    if names.contains(&ASK_USER) && around.answers {
        tools.add(Arc::new(AskUser::new())).map_err(engine_error)?;
    }
    if names.contains(&SAVE_ANSWER) {
        tools.add(Arc::new(SaveAnswer::new(parts.answers.clone(), files.clone()))).map_err(engine_error)?;
    }
    if names.contains(&UNLOAD_MODEL) {
        tools.add(Arc::new(UnloadModel::new(provider, config.model.clone()))).map_err(engine_error)?;
    }
    if names.contains(&RECALL) {
        tools.add(Arc::new(Recall::new(parts.archive.clone()))).map_err(engine_error)?;
        tools.add(Arc::new(RecallSearch::new(parts.archive.clone()))).map_err(engine_error)?;
    }
    Ok(())
}

/// The names of those tools, `ask_user` too where nobody can answer just now.
pub(super) fn names_of_session(config: &Config) -> Vec<&'static str> {
    if !config.structured_output.trim().is_empty() {
        return Vec::new();
    }
    let can_unload = preset(&config.provider).is_some_and(|preset| preset.state != StateRoute::Unknown);
    let rows = [
        (ASK_USER, config.ask_user_tool),
        (SAVE_ANSWER, config.save_answer_tool),
        (UNLOAD_MODEL, config.unload_models && can_unload),
        (RECALL, config.context.recall),
        (RECALL_SEARCH, config.context.recall),
    ];
    rows.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect()
}

fn declaration(tool: &DeclaredTool, config: &Config) -> Declaration {
    let timeout = if tool.timeout.as_nanos() > 0 { &tool.timeout } else { &config.bash_timeout };
    let parameters = tool.parameters.iter().map(|(name, parameter)| DeclaredParameter {
        name: name.clone(),
        kind: match parameter.kind {
            ParameterType::String => "string",
            ParameterType::Number => "number",
            ParameterType::Integer => "integer",
            ParameterType::Boolean => "boolean",
        },
        description: parameter.description.clone(),
        values: parameter.values.clone(),
        required: parameter.required,
        default: parameter.default.clone(),
    });
    Declaration {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: parameters.collect(),
        command: tool.command.clone(),
        timeout: timeout.as_duration(),
        timeout_text: timeout.to_string(),
        env_remove: key_variables(config),
    }
}

fn engine_error(error: DuplicateTool) -> CliError {
    CliError::Engine(error.to_string())
}

/// The guard of `bash`. What it cannot use stops the start: it must not be believed in.
pub(crate) fn guard(config: &Config) -> Result<Guard, CliError> {
    let section = &config.guard;
    let guard = if section.enabled { Guard::default() } else { Guard::without_rules() };
    let guard = guard.with_patterns(&section.deny_patterns, &section.allow_patterns);
    guard.map_err(|error| CliError::Engine(error.to_string()))
}

/// The variables that hold API keys: no command sees them.
pub(super) fn key_variables(config: &Config) -> Vec<String> {
    let known = PRESETS.iter().filter_map(|preset| preset.key_variable).map(str::to_owned);
    known.chain([config.api_key_env.clone()]).filter(|name| !name.is_empty()).collect()
}
