//! `mmConfigs`: the other agents that this one can ask.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    de::{Findings, Path},
    problem::quoted,
};

/// Another agent. A text alone is its `path`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct MmConfig {
    /// The agent's configuration file. Relative to the directory of the file that names it. Required, unless
    /// `command` is there.
    pub path: String,
    /// Program and arguments of another agent that speaks ACP, in place of `path`.
    pub command: Vec<String>,
    /// When to ask this agent, told to the model. Empty is the `acp.title` of the agent's file.
    pub description: String,
    /// Decides about the calls of this agent's tools when it is asked: `true` runs them, `false` asks about each.
    /// Absent is the `yolo` of the agent that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yolo: Option<bool>,
    /// Whether this agent may ask the user questions when it is asked. Absent is its own `askUserTool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_user: Option<bool>,
}

pub(crate) fn check(agents: &IndexMap<String, MmConfig>, findings: &Findings<'_>) {
    let all = Path::Top.key("mmConfigs");
    for (name, agent) in agents {
        let path = all.key(name);
        if let Some(why) = misnamed(name) {
            findings.plain(&path, format!("mmConfigs: {} is not a valid name ({why})", quoted(name)));
        }
        match (agent.path.trim().is_empty(), agent.command.is_empty()) {
            _ if findings.is_touched(&path.key("path")) || findings.is_touched(&path.key("command")) => {}
            (true, true) => findings.broken(&path, ": the path must not be empty"),
            (false, false) => findings.broken_here(&path, ": path and command cannot both be set"),
            (true, false) if agent.command.first().is_some_and(|program| program.trim().is_empty()) => {
                findings.broken_here(&path.key("command"), " must name a program");
            }
            (true, false) | (false, true) => {}
        }
    }
}

fn misnamed(name: &str) -> Option<&'static str> {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if name.starts_with("with-context") {
        return Some("it would read as /ask-with-context-…");
    }
    let fine = name.starts_with(letter) && name.chars().all(|c| letter(c) || c == '-');
    (!fine).then_some("lowercase letters, digits and -, beginning with a letter or a digit")
}
