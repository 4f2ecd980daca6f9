//! Skills: texts that a model reads when a task needs them, and the tool that gives them.

mod front_matter;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use mm_schema::{ToolSpec, nearest};
use serde_json::{Value, json};

use crate::output::cut;
use crate::{Preview, Tool, ToolContext, ToolOutput};

/// The most bytes of a skill.
const LIMIT: u64 = 1 << 20;
/// The most characters of a description that the model reads before it asks for the skill.
const SHORT: usize = 200;
/// The most files of a directory that are listed.
const LISTED: usize = 50;

/// What was found in a directory of skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// The skills, by name.
    pub found: Vec<Skill>,
    /// What looks like one and cannot be used: a line each.
    pub skipped: Vec<String>,
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// What the model calls it by.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// The file.
    pub path: PathBuf,
    /// Its directory, where it has one of its own.
    pub dir: Option<PathBuf>,
}

impl Skills {
    /// Looks for `<name>.md` and `<name>/SKILL.md`; a directory that is not there has none.
    pub fn find(dir: &Path) -> Self {
        let mut skills = Self::default();
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(stem) = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()) else {
                continue;
            };
            let inner = path.join("SKILL.md");
            if stem.starts_with('.') {
                continue;
            } else if path.is_dir() {
                if inner.symlink_metadata().is_ok() {
                    skills.take(&inner, &path.file_name().unwrap_or_default().to_string_lossy(), Some(&path));
                }
            } else if path.extension().is_some_and(|ending| ending == "md") {
                skills.take(&path, &stem, None);
            }
        }
        skills.found.sort_by(|a, b| a.name.cmp(&b.name));
        skills
    }

    fn take(&mut self, path: &Path, stem: &str, dir: Option<&Path>) {
        let read = read(path).and_then(|text| front_matter::of(&text, stem));
        let (name, description) = match read {
            Ok(told) => told,
            Err(why) => return self.skipped.push(format!("{}: {why}", path.display())),
        };
        if self.found.iter().any(|other| other.name == name) {
            return self.skipped.push(format!("{}: another skill is called {name}", path.display()));
        }
        let description = one_line(&description);
        self.found.push(Skill { name, description, path: path.to_owned(), dir: dir.map(Path::to_owned) });
    }
}

/// Reads a skill's file. A pipe or a device is none, and would not end.
fn read(path: &Path) -> Result<String, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if metadata.len() > LIMIT {
        return Err("it has more than 1 MiB".to_owned());
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHORT) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// The tool `read_skill`: gives the text of a skill, and the paths of the files that belong to it.
#[derive(Debug)]
pub struct ReadSkill {
    definition: ToolSpec,
    skills: Vec<Skill>,
}

impl ReadSkill {
    /// Makes the tool; its description lists the skills.
    pub fn new(skills: Vec<Skill>) -> Self {
        let list: String =
            skills.iter().map(|skill| format!("\n- {}: {}", skill.name, skill.description)).collect();
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let definition = ToolSpec {
            name: "read_skill".to_owned(),
            description: format!(
                "Gives the text of a skill. Read the one that fits the task before you begin:{list}"
            ),
            parameters: json!({
                "type": "object",
                "properties": { "name": { "type": "string", "enum": names } },
                "required": ["name"],
            }),
        };
        Self { definition, skills }
    }
}

#[async_trait]
impl Tool for ReadSkill {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        Preview::reading(name(args))
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let wanted = name(args);
        let Some(skill) = self.skills.iter().find(|skill| skill.name == wanted).cloned() else {
            let names = self.skills.iter().map(|skill| skill.name.as_str());
            let hint = nearest(wanted, names).map_or(String::new(), |name| format!(": did you mean {name}?"));
            return ToolOutput::error(format!("there is no skill {wanted}{hint}"));
        };
        let read = tokio::task::spawn_blocking(move || whole(&skill)).await;
        match read.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(text) => ToolOutput::ok(cut(&text, cx.max_output, "read the file in parts")),
            Err(why) => ToolOutput::error(format!("the skill {wanted} cannot be read: {why}")),
        }
    }
}

fn name(args: &Value) -> &str {
    args.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The text without its front matter, and the files beside it.
fn whole(skill: &Skill) -> Result<String, String> {
    let text = read(&skill.path)?;
    let body = front_matter::body(&text).trim().to_owned();
    let files = skill.dir.as_deref().map(|dir| files(dir, &skill.path)).unwrap_or_default();
    if files.is_empty() {
        return Ok(body);
    }
    let more = if files.len() > LISTED { "\n…" } else { "" };
    let listed: String = files.iter().take(LISTED).map(|path| format!("\n{}", path.display())).collect();
    Ok(format!("{body}\n\nFiles of this skill:{listed}{more}"))
}

/// The files in a directory but for one, in order; links are listed and not followed.
fn files(dir: &Path, but: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop().filter(|_| found.len() <= LISTED) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => dirs.push(entry.path()),
                Ok(_) if entry.path() != but => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests;
