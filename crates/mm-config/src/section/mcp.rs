//! `mcp`: servers of the Model Context Protocol.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::de::{Findings, Path};

/// Servers of the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Mcp {
    /// Starts the servers.
    pub enabled: bool,
    /// The servers by name. Their tools are called `<server>_<tool>`.
    pub servers: IndexMap<String, McpServer>,
    /// `ask` asks about every call of a server's tool, also under `yolo: true`.
    pub permissions: McpPermissions,
    /// Tools that are found when they are wanted.
    pub discovery: Discovery,
}

impl Default for Mcp {
    fn default() -> Self {
        Self {
            enabled: true,
            servers: IndexMap::new(),
            permissions: McpPermissions::Auto,
            discovery: Discovery::default(),
        }
    }
}

/// One server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct McpServer {
    /// Starts this server.
    pub enabled: bool,
    /// How the server is reached: as a child process, by the old server-sent events, or by streamable HTTP. Absent:
    /// `sse` with a `url`, else `stdio`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The program of a server on `stdio`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its variables, `stdio` only. `${NAME}` stands for a variable of `mm`'s own environment.
    pub env: IndexMap<String, String>,
    /// A file of more variables, `stdio` only. Relative to the directory of the configuration file.
    pub env_file: String,
    /// The address of a server on `http` or `sse`.
    pub url: String,
    /// Headers for that address. `${NAME}` stands for a variable of the environment.
    pub headers: IndexMap<String, String>,
}

impl Default for McpServer {
    fn default() -> Self {
        Self {
            enabled: true,
            transport: None,
            command: String::new(),
            args: Vec::new(),
            env: IndexMap::new(),
            env_file: String::new(),
            url: String::new(),
            headers: IndexMap::new(),
        }
    }
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Transport {
    /// A child process.
    Stdio,
    /// The old transport of server-sent events.
    Sse,
    /// Streamable HTTP.
    Http,
}

/// Whether calls of servers' tools are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum McpPermissions {
    /// As `yolo` has it.
    Auto,
    /// Always.
    Ask,
}

/// Tools that are hidden until a search finds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Discovery {
    /// Hides the servers' tools; the model searches for them.
    pub enabled: bool,
    /// The turns for which a tool that was found stays there.
    pub ttl: usize,
    /// The tools that one search gives at most.
    pub max_search_results: usize,
    /// Declares the search by words, `tool_search_tool_bm25`.
    pub use_bm25: bool,
    /// Declares the search by regular expression, `tool_search_tool_regex`.
    pub use_regex: bool,
}

impl Default for Discovery {
    fn default() -> Self {
        Self { enabled: false, ttl: 5, max_search_results: 5, use_bm25: true, use_regex: false }
    }
}

impl Mcp {
    /// Checks the section and settles how each server is reached.
    pub(crate) fn check(&mut self, findings: &Findings<'_>) {
        let mcp = Path::Top.key("mcp");
        let servers = mcp.key("servers");
        for (name, server) in &mut self.servers {
            server.check(findings, &servers.key(name));
        }
        let Discovery { enabled, use_bm25, use_regex, .. } = self.discovery;
        if enabled && !use_bm25 && !use_regex {
            findings.broken(&mcp.key("discovery"), ": useBm25 or useRegex must be true");
        }
    }
}

impl McpServer {
    fn check(&mut self, findings: &Findings<'_>, path: &Path<'_>) {
        if ["type", "command", "url"].iter().any(|key| findings.is_touched(&path.key(key))) {
            return;
        }
        let (has_command, has_url) = (!self.command.trim().is_empty(), !self.url.trim().is_empty());
        let transport = self.transport.or(match (has_url, has_command) {
            (true, _) => Some(Transport::Sse),
            (false, true) => Some(Transport::Stdio),
            (false, false) => None,
        });
        self.transport = transport;
        match transport {
            None => findings.broken_here(path, " must have a command or a url"),
            Some(Transport::Stdio) if !has_command => {
                findings.broken_here(&path.key("command"), " must not be empty");
            }
            Some(Transport::Sse | Transport::Http) if !has_url => {
                findings.broken_here(&path.key("url"), " must not be empty");
            }
            Some(Transport::Stdio | Transport::Sse | Transport::Http) => {}
        }
        if findings.is_touched(path) {
            return;
        }
        self.warn(transport, findings, path);
    }

    /// Tells of keys that the way to the server has no use for.
    fn warn(&self, transport: Option<Transport>, findings: &Findings<'_>, path: &Path<'_>) {
        let is_stdio = transport == Some(Transport::Stdio);
        let environment = "has no effect: only a server on stdio has an environment";
        let process = "has no effect beside url: the server is reached at that";
        let address = "has no effect: only a server with a url takes headers";
        let idle = [
            ("env", !is_stdio && !self.env.is_empty(), environment),
            ("envFile", !is_stdio && !self.env_file.is_empty(), environment),
            ("command", !is_stdio && !self.command.is_empty(), process),
            ("args", !is_stdio && !self.args.is_empty(), process),
            ("headers", is_stdio && !self.headers.is_empty(), address),
        ];
        for (key, _, why) in idle.into_iter().filter(|(_, is_idle, _)| *is_idle) {
            findings.warn(path, format!("{path}.{key} {why}"));
        }
    }
}
