//! `lsp`: language servers behind the tool `lsp`.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    de::{Findings, Path},
    problem::quoted,
};

/// Language servers behind the tool `lsp`; without one there is no such tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Lsp {
    /// One entry a server. The extension of a file chooses it.
    pub servers: Vec<LanguageServer>,
}

/// One language server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LanguageServer {
    /// The name in the banner, in the tool's description and in warnings. Required.
    pub name: String,
    /// The program, looked for on the `PATH` at the start. Required.
    pub command: String,
    /// Its arguments; many servers want `--stdio`.
    pub args: Vec<String>,
    /// The extensions of the files that it serves, with their point, in any case. Required, at least one, each
    /// served by one server.
    pub extensions: Vec<String>,
}

impl Lsp {
    pub(crate) fn check(&self, findings: &Findings<'_>) {
        let lsp = Path::Top.key("lsp");
        let servers = lsp.key("servers");
        let mut served: HashMap<String, usize> = HashMap::new();
        for (index, server) in self.servers.iter().enumerate() {
            let path = servers.index(index);
            server.check(findings, &path);
            for extension in server.extensions.iter().filter(|extension| !extension.is_empty()) {
                let first = *served.entry(extension.to_lowercase()).or_insert(index);
                if let Some(other) = self.servers.get(first).filter(|_| first != index) {
                    let words = format!(
                        ": extension {} is already served by {}",
                        quoted(extension),
                        quoted(&other.name)
                    );
                    findings.plain(&path, findings.subject(&path) + &words);
                }
            }
        }
    }
}

impl LanguageServer {
    fn check(&self, findings: &Findings<'_>, path: &Path<'_>) {
        for (key, value) in [("name", &self.name), ("command", &self.command)] {
            if value.trim().is_empty() {
                findings.broken(&path.key(key), " must not be empty");
            }
        }
        let extensions = path.key("extensions");
        if self.extensions.is_empty() && !findings.is_touched(&extensions) {
            findings.broken(&extensions, " must list at least one extension");
        }
        for (index, extension) in self.extensions.iter().enumerate() {
            let item = extensions.index(index);
            if !extension.starts_with('.') || extension == "." {
                findings.broken_in(&extensions, &item, &no_point(extension));
            }
        }
    }
}

fn no_point(extension: &str) -> String {
    let name = extension.trim_matches(['.', '*', ' ']);
    let example = if name.is_empty() { "go" } else { name };
    format!(": {} must start with a dot, like {}", quoted(extension), quoted(&format!(".{example}")))
}
