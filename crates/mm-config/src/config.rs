//! The settled configuration, and the ways to get one.

use std::path::Path;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    duration::GoDuration,
    env::Environment,
    problem::{Problem, report},
    read::read,
    report::Remark,
    resolve::resolve,
    section::{
        Acp, AgentsMd, Context, DeclaredTool, Guard, Hooks, Lsp, Mcp, MmConfig, Sessions, Trace, sampling,
    },
    weight::MAX_BYTES,
};

/// A configuration that needs no further check: defaults, file, environment and flags are settled in it.
///
/// Its fields are the keys of the file, with their descriptions; a key that is left out or null has the value of
/// [`Config::default`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(
    title = "The configuration of mm",
    description = "Every key may be left out, and so may the file."
)]
#[non_exhaustive]
pub struct Config {
    /// The kind of server: `dmr`, `llamacpp`, `llmman` or `ollama`. Not empty.
    pub provider: String,
    /// The model in the server's own naming. Not empty.
    pub model: String,
    /// The OpenAI-compatible end point that is tried first. Empty is the provider's.
    pub base_url: String,
    /// The end point that is tried when the first does not answer within 2 s. Absent is the provider's, empty is
    /// none.
    pub fallback: Option<String>,
    /// The variable that holds the API key. Empty is the provider's.
    pub api_key_env: String,
    /// The tokens of the window that the server serves; 0 asks the server.
    pub context_window: usize,
    /// The characters that a tool may give back to the model. Of a longer result the beginning and up to 2,000
    /// characters of the end are kept.
    pub max_output: usize,
    /// The calls of the model for one question.
    pub max_turns: usize,
    /// The same call with the same result this often in a row ends the turn; 0 is never.
    pub max_repeated_calls: usize,
    /// The lines of a command's output that are shown; 0 shows none.
    pub preview_lines: usize,
    /// Shows the numbered commands and file operations after each answer.
    pub display_commands: bool,
    /// Shows each hook that ran.
    pub display_hooks: bool,
    /// Shows what the model thinks, on stderr. It is read in any case, and kept out of the answer.
    pub show_thinking: bool,
    /// The system prompt. Absent is the built-in one, empty sends none.
    pub system: Option<String>,
    /// The shape that each answer must have, as Go declarations. Empty is free text. Excludes every tool.
    pub structured_output: String,
    /// How often an answer that breaks the shape is given back before the turn fails.
    pub structured_retries: usize,
    /// The directory of the skills, `<name>.md` or `<name>/SKILL.md` each. Relative to the directory where `mm` was
    /// started; in an editor to that of the configuration file, if there is one.
    pub skills_dir: String,
    /// Declares `bash`.
    pub bash_tool: bool,
    /// Declares `read_file`, `write_file` and `edit_file`.
    pub edit_tools: bool,
    /// Declares `fetch_content`, which fetches web pages.
    pub fetch_content_tool: bool,
    /// Declares `ask_user`, by which the model asks the user questions.
    pub ask_user_tool: bool,
    /// Declares `save_answer`, which writes an answer that was given to a new file.
    pub save_answer_tool: bool,
    /// Declares `plan`, a check list that the model keeps.
    pub plan_tool: bool,
    /// Brings `/unload` and `unload_model`, which free the memory of a model on the server.
    pub unload_models: bool,
    /// Makes the file tools refuse to write outside the working directory.
    pub read_only_outside_cwd: bool,
    /// Parameters of generation under their OpenAI names, sent to the server as they are. Merged key by key over the
    /// defaults; a key that is null is not sent.
    #[serde(deserialize_with = "sampling::merge")]
    pub sampling: Map<String, Value>,
    /// The silence allowed between two tokens. The commands that one reply calls count as silence too.
    pub watchdog_timeout: GoDuration,
    /// The silence allowed before the first token of each call; a progress report of the server begins it anew. Never
    /// shorter than `watchdogTimeout`.
    pub first_token_timeout: GoDuration,
    /// The time that a command of `bash` may take. One above `watchdogTimeout` is of no use: raise both.
    pub bash_timeout: GoDuration,
    /// Compression of the history.
    pub context: Context,
    /// Conversations kept in files.
    pub sessions: Sessions,
    /// The project's instructions, added to the system prompt.
    pub agents_md: AgentsMd,
    /// Requests and answers written to files.
    pub trace: Trace,
    /// How `mm -acp` presents itself to an editor.
    pub acp: Acp,
    /// Language servers behind the tool `lsp`.
    pub lsp: Lsp,
    /// Commands that run at six moments of a turn.
    pub hooks: Hooks,
    /// Commands declared as tools with typed parameters.
    pub tools: Vec<DeclaredTool>,
    /// Servers of the Model Context Protocol.
    pub mcp: Mcp,
    /// The command guard of `bash`, a guard rail and no sandbox.
    pub guard: Guard,
    /// The other agents that this one can ask: a name to a path, or to a mapping. Names are of lowercase letters,
    /// digits and `-`.
    pub mm_configs: IndexMap<String, MmConfig>,
    /// Starts in window mode. Without a terminal that is line mode.
    pub tui: bool,
    /// Runs tools without asking. `false` asks about each call that changes something.
    pub yolo: bool,
    /// Replaced by `yolo`: `ask` is `yolo: false` and wins over `yolo: true`, `auto` changes nothing. Both warn.
    #[serde(skip_serializing)]
    pub(crate) permissions: Option<Permissions>,
    /// What the user should know though nothing is wrong, a line each, in file order.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// The keys of the file that nothing reads, in file order.
    #[serde(skip)]
    pub unknown_keys: Vec<UnknownKey>,
}

/// The values of the key that `yolo` replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Permissions {
    Auto,
    Ask,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            provider: "dmr".to_owned(),
            model: "huggingface.co/jetbrains/mellum2-12b-a2.5b-instruct-gguf-q4_k_m:Q4_K_M".to_owned(),
            base_url: String::new(),
            fallback: None,
            api_key_env: String::new(),
            context_window: 0,
            max_output: 16_000,
            max_turns: 10,
            max_repeated_calls: 5,
            preview_lines: 20,
            display_commands: false,
            display_hooks: false,
            show_thinking: true,
            system: None,
            structured_output: String::new(),
            structured_retries: 1,
            skills_dir: "skills".to_owned(),
            bash_tool: true,
            edit_tools: true,
            fetch_content_tool: false,
            ask_user_tool: true,
            save_answer_tool: false,
            plan_tool: false,
            unload_models: true,
            read_only_outside_cwd: false,
            sampling: sampling::defaults(),
            watchdog_timeout: GoDuration::seconds("20s", 20),
            first_token_timeout: GoDuration::seconds("3m", 180),
            bash_timeout: GoDuration::seconds("30s", 30),
            context: Context::default(),
            sessions: Sessions::default(),
            agents_md: AgentsMd::default(),
            trace: Trace::default(),
            acp: Acp::default(),
            lsp: Lsp::default(),
            hooks: Hooks::default(),
            tools: Vec::new(),
            mcp: Mcp::default(),
            guard: Guard::default(),
            mm_configs: IndexMap::new(),
            tui: false,
            yolo: true,
            permissions: None,
            warnings: Vec::new(),
            unknown_keys: Vec::new(),
        }
    }
}

/// A key of the file that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKey {
    /// The key, with those it stands under.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, in characters from 1.
    pub column: usize,
    /// The key that is most like it, if one is like it at all.
    pub nearest: Option<String>,
    /// Whether it is so like that key that it is probably meant.
    pub is_slip: bool,
}

impl UnknownKey {
    /// What to tell at the start about a key that was probably meant to be another.
    fn warning(&self) -> Option<Remark> {
        let meant = self.nearest.as_deref().filter(|_| self.is_slip)?;
        let words =
            format!("line {}: unknown key {} is ignored — did you mean {meant}?", self.line, self.path);
        Some(Remark { line: Some(self.line), words })
    }
}

/// The settings of the command line, which stand above all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The provider, over `AGENT_PROVIDER` and the file.
    pub provider: Option<String>,
    /// The model, over `AGENT_MODEL` and the file.
    pub model: Option<String>,
    /// The endpoint, over `AGENT_BASE_URL` and the file.
    pub base_url: Option<String>,
}

impl Config {
    /// Makes a configuration of YAML text; `origin` names the text in problems.
    ///
    /// # Errors
    /// Every problem of the text, in its order, then those of the environment. Text that is no YAML has one.
    pub fn from_yaml(
        text: &str,
        origin: &str,
        env: &Environment,
        overrides: &Overrides,
    ) -> Result<Self, Vec<Problem>> {
        let resolved = resolve(text, env, overrides);
        if !resolved.faults.is_empty() {
            return Err(report(resolved.faults, origin));
        }
        let slips = resolved.unknown_keys.iter().filter_map(UnknownKey::warning);
        let mut warnings: Vec<Remark> = resolved.warnings.into_iter().chain(slips).collect();
        warnings.sort_by_key(|warning| (warning.line.is_none(), warning.line));
        let warnings = warnings.into_iter().map(|warning| warning.words).collect();
        Ok(Self { warnings, unknown_keys: resolved.unknown_keys, ..resolved.config })
    }

    /// Reads a file and makes a configuration of it. Only regular files are read, and of those not more than
    /// a byte above the limit of 1 MiB.
    ///
    /// # Errors
    /// As [`Config::from_yaml`], or the one reason why the file could not be read.
    pub fn load(path: &Path, env: &Environment, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        let origin = path.display().to_string();
        match read(path, MAX_BYTES) {
            Ok(text) => Self::from_yaml(&text, &origin, env, overrides),
            Err(fault) => Err(report(vec![fault], &origin)),
        }
    }

    /// Makes the configuration that holds without a file. Problems name `<defaults>`.
    ///
    /// # Errors
    /// The problems of the environment and the flags.
    pub fn defaults(env: &Environment, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        Self::from_yaml("", DEFAULTS, env, overrides)
    }
}

/// The name of the file where there is none.
pub(crate) const DEFAULTS: &str = "<defaults>";
