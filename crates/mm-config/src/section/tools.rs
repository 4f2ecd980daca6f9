//! `tools`: commands declared as tools with typed parameters.

mod values;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    de::{Findings, Path},
    duration::GoDuration,
    problem::{excerpt, quoted},
};

/// A command that the model can call as a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct DeclaredTool {
    /// The name that the model calls: a letter, then letters, digits, `_` or `-`, at most 64 characters; not the
    /// name of a built-in tool, and each name once. Required.
    pub name: String,
    /// What the tool does and when to use it, told to the model. Required.
    pub description: String,
    /// The arguments by name, in the order written. Names follow the rules of `name`.
    pub parameters: IndexMap<String, Parameter>,
    /// The program and its arguments, run without a shell. `{{p}}` in an argument is replaced by the value of the
    /// parameter `p`. Required.
    pub command: Vec<String>,
    /// The time that a call may take; 0 is `bashTimeout`.
    pub timeout: GoDuration,
}

impl Default for DeclaredTool {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            parameters: IndexMap::new(),
            command: Vec::new(),
            timeout: GoDuration::seconds("0", 0),
        }
    }
}

/// One argument of a declared tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Parameter {
    /// The type of the value: `string`, `number`, `integer` or `boolean`.
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// What the value is, told to the model.
    pub description: String,
    /// The only values that are accepted, each of the parameter's type. Absent is any.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Value>>,
    /// Whether a call must give the value.
    pub required: bool,
    /// The value when a call gives none. Only with `required: false`; of the parameter's type, and one of `enum`
    /// where that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

impl Default for Parameter {
    fn default() -> Self {
        Self {
            kind: ParameterType::String,
            description: String::new(),
            values: None,
            required: true,
            default: None,
        }
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ParameterType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
}

/// The names of tools that `mm` brings, declared or not.
pub(crate) const BUILT_IN: &[&str] = &[
    "ask_agent",
    "ask_user",
    "bash",
    "edit_file",
    "fetch_content",
    "lsp",
    "plan",
    "read_file",
    "read_skill",
    "recall",
    "recall_search",
    "save_answer",
    "tool_search_tool_bm25",
    "tool_search_tool_regex",
    "unload_model",
    "write_file",
];

/// The characters that a name may have.
pub(crate) const LONGEST_NAME: usize = 64;
const NAME_RULE: &str =
    "must start with a letter and hold only letters, digits, _ or - (64 characters at most)";

/// Checks every tool and gives the values of its parameters their types.
pub(crate) fn check(tools: &mut [DeclaredTool], findings: &Findings<'_>) {
    let all = Path::Top.key("tools");
    for index in 0..tools.len() {
        let Some((tool, earlier)) = tools.get_mut(..=index).and_then(<[_]>::split_last_mut) else {
            continue;
        };
        let path = all.index(index);
        tool.check(findings, &path);
        if !tool.name.is_empty()
            && !findings.is_faulty(&path.key("name"))
            && earlier.iter().any(|other| other.name == tool.name)
        {
            findings.broken(&path, &format!(": another tool is already called {}", quoted(&tool.name)));
        }
    }
}

impl DeclaredTool {
    fn check(&mut self, findings: &Findings<'_>, path: &Path<'_>) {
        if !is_name(&self.name) {
            findings.broken(&path.key("name"), &format!(" {} {NAME_RULE}", quoted(&self.name)));
        } else if BUILT_IN.contains(&self.name.as_str()) {
            let words = format!(" {} is the name of a built-in tool", quoted(&self.name));
            findings.broken(&path.key("name"), &words);
        }
        if self.description.trim().is_empty() {
            let words = " must not be empty: it tells the model what the tool does and when to use it";
            findings.broken(&path.key("description"), words);
        }
        let parameters = path.key("parameters");
        for (name, parameter) in &mut self.parameters {
            let path = parameters.key(name);
            if !is_name(name) {
                findings.broken(&path, &format!(": a parameter name {NAME_RULE}"));
            }
            parameter.check(findings, &path);
        }
        self.check_command(findings, &path.key("command"));
        if !findings.is_touched(path) {
            self.hint_unused(findings, path);
        }
    }

    fn hint_unused(&self, findings: &Findings<'_>, path: &Path<'_>) {
        let used: Vec<&str> = self.command.iter().flat_map(|part| mm_schema::placeholders(part)).collect();
        for name in self.parameters.keys().filter(|name| !used.contains(&name.as_str())) {
            let words = format!("{}: no argument has {{{{{}}}}}", findings.subject(path), excerpt(name));
            findings.hint(&path.key("parameters").key(name), words);
        }
    }

    fn check_command(&self, findings: &Findings<'_>, path: &Path<'_>) {
        if findings.is_touched(path) {
            return;
        }
        let Some((program, arguments)) = self.command.split_first().filter(|(p, _)| !p.trim().is_empty())
        else {
            let words = " must name a program, then its arguments, as in [\"./release.sh\", \"{{version}}\"]";
            return findings.broken(path, words);
        };
        if mm_schema::placeholders(program).next().is_some() {
            let words = format!(": the program ({}) cannot come from a parameter", quoted(program));
            findings.broken_in(path, &path.index(0), &words);
        }
        for (index, argument) in arguments.iter().enumerate() {
            let item = path.index(index + 1);
            for name in mm_schema::placeholders(argument) {
                if !self.parameters.contains_key(name) {
                    let words = format!(": {{{{{}}}}} is not a declared parameter", excerpt(name));
                    findings.plain(&item, findings.subject(path) + &words);
                    self.hint_spaces(findings, &item, name);
                }
            }
            self.hint(findings, &item, index, argument);
        }
        self.hint_shell(findings, path);
    }

    fn hint_spaces(&self, findings: &Findings<'_>, item: &Path<'_>, name: &str) {
        if self.parameters.contains_key(name.trim()) {
            let words =
                format!("{}: write {{{{{}}}}}, without spaces", findings.subject(item), excerpt(name.trim()));
            findings.hint(item, words);
        }
    }

    /// A value within the text of a shell can be any command.
    fn hint_shell(&self, findings: &Findings<'_>, path: &Path<'_>) {
        let shell = self.command.first().and_then(|program| program.rsplit('/').next());
        let is_shell = shell.is_some_and(|name| ["sh", "bash", "zsh", "dash", "fish"].contains(&name));
        let script = self.command.iter().position(|argument| argument == "-c").map(|at| at + 1);
        let script = script.and_then(|at| self.command.get(at)).filter(|_| is_shell);
        if script.is_some_and(|script| mm_schema::placeholders(script).next().is_some()) {
            let tool = findings.subject(path);
            let words = format!(
                "{tool}: what the model gives becomes part of a shell command — pass it as an argument"
            );
            findings.hint(path, words);
        }
    }

    /// A value that begins with a dash becomes an option of a program that was not told where they end.
    fn hint(&self, findings: &Findings<'_>, item: &Path<'_>, index: usize, argument: &str) {
        let name = argument.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let Some((name, parameter)) = name.and_then(|name| self.parameters.get_key_value(name)) else {
            return;
        };
        let free = parameter.kind == ParameterType::String && parameter.values.is_none();
        let before = self.command.get(1..=index).unwrap_or_default();
        if free && !before.iter().any(|argument| argument == "--") {
            let (tool, name) = (findings.subject(item), excerpt(name));
            let words = format!(
                "{tool}: a value of {name} that begins with - would be read as an option — \
                 put \"--\" before \"{{{{{name}}}}}\" if the program knows it"
            );
            findings.hint(item, words);
        }
    }
}

impl Parameter {
    fn check(&mut self, findings: &Findings<'_>, path: &Path<'_>) {
        if let Some(list) = &mut self.values {
            check_values(list, self.kind, findings, &path.key("enum"));
        }
        let default = path.key("default");
        let Some(value) = &mut self.default else {
            return;
        };
        let Some(node) = findings.node(&default) else {
            return;
        };
        if self.required {
            return findings.broken(&default, " only makes sense with required: false");
        }
        match values::typed(node, self.kind) {
            Ok(typed) => *value = typed,
            Err(words) => return findings.broken(&default, &format!(": {words}")),
        }
        if self.values.as_ref().is_some_and(|values| !values.contains(value)) {
            let shown = node.text().map(quoted_if_text(self.kind)).unwrap_or_default();
            findings.broken(&default, &format!(" {shown} is not one of the enum values"));
        }
    }
}

/// Gives the values of an `enum` their type.
fn check_values(list: &mut [Value], kind: ParameterType, findings: &Findings<'_>, path: &Path<'_>) {
    let Some(node) = findings.node(path) else {
        return;
    };
    if list.is_empty() {
        findings.broken(path, ": must list at least one value");
    }
    for (index, value) in list.iter_mut().enumerate() {
        match node.item(index).map(|node| values::typed(node, kind)) {
            Some(Ok(typed)) => *value = typed,
            Some(Err(words)) => findings.broken_in(path, &path.index(index), &format!(": {words}")),
            None => {}
        }
    }
}

fn quoted_if_text(kind: ParameterType) -> impl Fn(&str) -> String {
    move |text| if kind == ParameterType::String { quoted(text) } else { text.to_owned() }
}

fn is_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(inner)
        && name.len() <= LONGEST_NAME
}
