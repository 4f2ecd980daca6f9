//! The settled configuration, and the ways to get one.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{
    document::Document,
    duration::GoDuration,
    env::Environment,
    problem::{Problem, report},
    read::read,
    resolve::{Above, resolve},
    weight::MAX_BYTES,
};

/// A configuration that needs no further check: defaults, file, environment and flags are settled in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The name of the server's kind, such as `dmr`; never empty. Whether there is such a kind is for whoever
    /// talks to servers to say. Default `dmr`.
    pub provider: String,
    /// The model in the provider's own naming; never empty. Default: a quantized Mellum 2 from Hugging Face.
    pub model: String,
    /// The OpenAI-compatible endpoint to try first; none is the provider's default.
    pub base_url: Option<String>,
    /// The endpoint for when the first does not answer: none is the provider's default, an empty text means no
    /// other endpoint at all.
    pub fallback: Option<String>,
    /// The variable that holds the API key; none is the provider's default.
    pub api_key_env: Option<String>,
    /// The tokens that the server serves; 0, the default, means ask the server.
    pub context_window: usize,
    /// The characters that a tool may give back to the model. Default 16,000, at least 1.
    pub max_output: usize,
    /// The round trips between model and tools for one question. Default 10, at least 1.
    pub max_turns: usize,
    /// How often in a row the same call with the same result ends the turn; 0 means never. Default 5.
    pub max_repeated_calls: usize,
    /// The lines of a command's output shown in the terminal; 0 shows none. Default 20.
    pub preview_lines: usize,
    /// Whether a model's thinking is shown. Default true.
    pub show_thinking: bool,
    /// The system prompt; none is the built-in one, which whoever knows the tools puts together.
    pub system: Option<String>,
    /// Whether `bash` is declared. Default true.
    pub bash_tool: bool,
    /// Whether `read_file`, `write_file` and `edit_file` are declared. Default true.
    pub edit_tools: bool,
    /// Whether `fetch_content` is declared. Default false.
    pub fetch_content_tool: bool,
    /// Whether `ask_user` is declared. Default true.
    pub ask_user_tool: bool,
    /// The parameters of generation under their OpenAI names, the defaults first (`temperature` 0.0, `top_p`
    /// 0.9, `max_tokens` 4096), then those of the file in the order written, each number as it was written.
    pub sampling: Map<String, Value>,
    /// The silence allowed between two tokens. Default 20 s, above 0.
    pub watchdog_timeout: GoDuration,
    /// The silence allowed before the first token. Default 3 min, never shorter than `watchdog_timeout`.
    pub first_token_timeout: GoDuration,
    /// The time that a `bash` command may take. Default 30 s, above 0.
    pub bash_timeout: GoDuration,
    /// Whether tools run without asking. Default true.
    pub yolo: bool,
    /// What the user should know though nothing is wrong, a line each, in file order.
    pub warnings: Vec<String>,
    /// The keys of the file that nothing reads, in file order.
    pub unknown_keys: Vec<UnknownKey>,
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
        resolve(Document::parse(text), origin, Above { env, overrides })
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
        Self::from_yaml("", "<defaults>", env, overrides)
    }
}
