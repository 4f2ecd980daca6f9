//! What stands in the directory that is worked in: the project's instructions, and skills.

use std::path::PathBuf;

use mm_config::Config;
use mm_config::path::{PathKey, resolve};
use mm_session::store::StoreError;
use mm_session::{Instructions, Resumed};
use mm_tools::skills::Skills;

use super::{Engine, Surroundings};

/// Where the project's instructions are; they are read when a conversation begins.
#[derive(Debug)]
pub(crate) struct Project {
    path: PathBuf,
    most: usize,
}

impl Project {
    /// Answers of a shape follow their schema, and no project.
    pub(super) fn of(config: &Config, around: &Surroundings) -> Option<Self> {
        let wanted = config.agents_md.enabled && config.structured_output.trim().is_empty();
        let path = resolve(PathKey::AgentsMdPath, &config.agents_md.path, around.bases());
        wanted.then_some(Self { path, most: config.agents_md.max_chars })
    }

    /// Reads the file; what is in the way is a warning.
    pub(super) fn read(&self, warnings: &mut Vec<String>) -> Option<Instructions> {
        let read = Instructions::read(&self.path, self.most);
        read.unwrap_or_else(|error| {
            warnings.push(error.to_string());
            None
        })
    }
}

/// Begins a new conversation, under the instructions as they are now.
pub(crate) fn renew(engine: &mut Engine) {
    read_again(engine);
    engine.session.restart();
}

/// Goes on with a conversation that was kept, under the instructions as they are now.
pub(crate) async fn resume(engine: &mut Engine, id: &str) -> Result<Resumed, StoreError> {
    read_again(engine);
    engine.session.resume(id).await
}

fn read_again(engine: &mut Engine) {
    let Engine { project, warnings, session, .. } = engine;
    let instructions = project.as_ref().and_then(|project| project.read(warnings));
    session.set_instructions(instructions);
}

/// The skills, and the directory that was looked through; none of both where `skillsDir` is empty.
pub(super) fn skills(config: &Config, around: &Surroundings) -> (Skills, Option<PathBuf>) {
    if config.skills_dir.is_empty() {
        return (Skills::default(), None);
    }
    let dir = resolve(PathKey::SkillsDir, &config.skills_dir, around.bases());
    (Skills::find(&dir), Some(dir))
}
