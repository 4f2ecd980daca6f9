//! The sections of the file, one a file: keys, defaults, and the rules that concern more than one value.

mod acp;
mod agents_md;
mod context;
mod guard;
mod hooks;
mod lsp;
mod mcp;
mod mm_configs;
pub(crate) mod sampling;
mod sessions;
pub(crate) mod structured_output;
mod tools;
mod trace;

pub use acp::Acp;
pub use agents_md::AgentsMd;
pub use context::Context;
pub use guard::Guard;
pub(crate) use hooks::unknown_event;
pub use hooks::{Command, Hook, Hooks, OnError};
pub use lsp::{LanguageServer, Lsp};
pub use mcp::{Discovery, Mcp, McpPermissions, McpServer, Transport};
pub use mm_configs::MmConfig;
pub use sessions::Sessions;
pub use tools::{DeclaredTool, Parameter, ParameterType};
pub use trace::Trace;

pub(crate) use mm_configs::check as check_mm_configs;
pub(crate) use tools::{BUILT_IN, LONGEST_NAME, check as check_tools};
