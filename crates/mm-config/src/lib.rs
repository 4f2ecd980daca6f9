//! One YAML file becomes one immutable [`Config`], or the list of every [`Problem`] it has, with their places.
//!
//! Nothing here looks at the environment or the current directory: both are parameters. The only I/O is to
//! look for a file and to read it.
//!
//! ```
//! use mm_config::{Config, Environment, Overrides};
//!
//! let env = Environment::from_iter([("AGENT_MODEL", "qwen3:8b")]);
//! let config = Config::from_yaml("provider: ollama\nmaxTurns: 40\n", "agent.yaml", &env, &Overrides::default());
//! let config = config.expect("the text is right");
//! assert_eq!((config.provider.as_str(), config.max_turns), ("ollama", 40));
//! assert_eq!(config.model, "qwen3:8b", "the environment stands above the file");
//!
//! let wrong = "yolo: yes\nmaxTurns: 0\n";
//! let problems = Config::from_yaml(wrong, "agent.yaml", &env, &Overrides::default()).unwrap_err();
//! let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
//! assert_eq!(
//!     lines,
//!     [
//!         "[config error: agent.yaml: line 1, column 7: yolo must be true or false, not \"yes\" \
//!          (which is text in YAML 1.2: write true)]",
//!         "[config error: agent.yaml: maxTurns must be > 0]",
//!     ]
//! );
//! ```

mod config;
mod find;
mod read;
mod report;
mod section;

mod de;
mod document;
mod layers;
mod resolve;
mod rules;
mod scalar;
mod tree;
mod weight;

mod duration;
pub mod env;
mod json_schema;
pub mod path;
mod problem;
mod show;
mod slips;
mod syntax;
mod wording;

pub use config::{Config, Overrides, UnknownKey};
pub use duration::{DurationError, GoDuration};
pub use env::Environment;
pub use find::find;
pub use json_schema::json_schema;
pub use problem::Problem;
pub use report::{Remark, Report};
pub use section::{
    Acp, AgentsMd, Command, Context, DeclaredTool, Discovery, Guard, Hook, Hooks, LanguageServer, Lsp, Mcp,
    McpPermissions, McpServer, MmConfig, OnError, Parameter, ParameterType, Sessions, Trace, Transport,
};
pub use show::{Effective, Origin, Setting};
