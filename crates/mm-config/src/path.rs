//! Where the paths of the file lead.

use std::path::{Path, PathBuf};

/// A key of the file that holds a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathKey {
    /// `skillsDir`
    SkillsDir,
    /// `sessions.dir`
    SessionsDir,
    /// `trace.dir`
    TraceDir,
    /// `agentsMd.path`
    AgentsMdPath,
    /// `mmConfigs.<name>.path`
    MmConfigPath,
    /// `mcp.servers.<name>.envFile`
    EnvFile,
}

/// What `mm` serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A terminal, a pipe or the window.
    Terminal,
    /// An editor, which gives each session a directory of its own.
    Acp,
}

/// The directories that relative paths can be relative to.
#[derive(Clone, Copy, Debug)]
pub struct Bases<'a> {
    /// What `mm` serves.
    pub mode: Mode,
    /// The directory where `mm` was started.
    pub launch: &'a Path,
    /// The working directory of the conversation: that of the session in an editor, else `launch`.
    pub conversation: &'a Path,
    /// The configuration file, if there is one, absolute or relative to `launch`.
    pub file: Option<&'a Path>,
    /// The user's home directory, for `~`.
    pub home: Option<&'a Path>,
}

/// Gives the path that a key means. An absolute path is taken as it is; `~` and what begins with `~/` is in the
/// home directory. No file is looked at.
///
/// ```
/// use mm_config::path::{Bases, Mode, PathKey, resolve};
/// use std::path::Path;
///
/// let bases = Bases {
///     mode: Mode::Acp,
///     launch: Path::new("/"),
///     conversation: Path::new("/work/project"),
///     file: Some(Path::new("/etc/mm/agent.yaml")),
///     home: Some(Path::new("/home/ada")),
/// };
/// assert_eq!(resolve(PathKey::SessionsDir, ".mm/sessions", bases), Path::new("/work/project/.mm/sessions"));
/// assert_eq!(resolve(PathKey::SkillsDir, "skills", bases), Path::new("/etc/mm/skills"));
/// assert_eq!(resolve(PathKey::SkillsDir, "~/skills", bases), Path::new("/home/ada/skills"));
/// ```
pub fn resolve(key: PathKey, written: &str, bases: Bases<'_>) -> PathBuf {
    let path = expanded(written, bases.home);
    if path.is_absolute() {
        return path;
    }
    let beside_file = || bases.file.and_then(Path::parent).map(|parent| bases.launch.join(parent));
    let base = match (key, bases.mode) {
        (PathKey::SkillsDir, Mode::Acp) | (PathKey::MmConfigPath | PathKey::EnvFile, _) => {
            beside_file().unwrap_or_else(|| bases.launch.to_owned())
        }
        (PathKey::SkillsDir | PathKey::SessionsDir, Mode::Terminal) => bases.launch.to_owned(),
        (PathKey::SessionsDir, Mode::Acp) | (PathKey::TraceDir | PathKey::AgentsMdPath, _) => {
            bases.conversation.to_owned()
        }
    };
    base.join(path)
}

/// Replaces `~` at the start; another user's home, `~name`, is a name like any.
fn expanded(written: &str, home: Option<&Path>) -> PathBuf {
    let rest = if written == "~" { Some("") } else { written.strip_prefix("~/") };
    match (rest, home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        (Some(_), None) | (None, _) => PathBuf::from(written),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Mode::{Acp, Terminal},
        PathKey::{AgentsMdPath, EnvFile, MmConfigPath, SessionsDir, SkillsDir, TraceDir},
        *,
    };

    /// Rows of (key, mode, with a file, the base).
    #[test]
    fn each_key_has_its_base_in_each_mode() {
        let rows = [
            (SkillsDir, Terminal, true, "/launch"),
            (SkillsDir, Terminal, false, "/launch"),
            (SkillsDir, Acp, true, "/conf"),
            (SkillsDir, Acp, false, "/launch"),
            (SessionsDir, Terminal, true, "/launch"),
            (SessionsDir, Acp, true, "/session"),
            (SessionsDir, Acp, false, "/session"),
            (TraceDir, Terminal, true, "/session"),
            (TraceDir, Acp, true, "/session"),
            (AgentsMdPath, Terminal, true, "/session"),
            (AgentsMdPath, Acp, true, "/session"),
            (MmConfigPath, Terminal, true, "/conf"),
            (MmConfigPath, Acp, true, "/conf"),
            (MmConfigPath, Terminal, false, "/launch"),
            (EnvFile, Terminal, true, "/conf"),
            (EnvFile, Acp, false, "/launch"),
        ];
        for (key, mode, with_file, base) in rows {
            let bases = Bases {
                mode,
                launch: Path::new("/launch"),
                conversation: Path::new("/session"),
                file: with_file.then_some(Path::new("/conf/agent.yaml")),
                home: Some(Path::new("/home/ada")),
            };
            let of = |written| resolve(key, written, bases);
            assert_eq!(of("a/b"), Path::new(base).join("a/b"), "{key:?} {mode:?}");
            assert_eq!(of("../b"), Path::new(base).join("../b"));
            assert_eq!(of("/abs/b"), Path::new("/abs/b"));
            assert_eq!(of("~"), Path::new("/home/ada"));
            assert_eq!(of("~/b"), Path::new("/home/ada/b"));
            assert_eq!(of("~//b"), Path::new("/home/ada/b"));
            assert_eq!(of("~eve/b"), Path::new(base).join("~eve/b"));
            let homeless = resolve(key, "~/b", Bases { home: None, ..bases });
            assert_eq!(homeless, Path::new(base).join("~/b"), "without a home it is a name");
        }
    }

    #[test]
    fn a_file_that_was_named_relatively_is_beside_the_launch() {
        let bases = Bases {
            mode: Terminal,
            launch: Path::new("/launch"),
            conversation: Path::new("/launch"),
            file: Some(Path::new("conf/agent.yaml")),
            home: None,
        };
        assert_eq!(resolve(MmConfigPath, "other.yaml", bases), Path::new("/launch/conf/other.yaml"));
        let bare = Bases { file: Some(Path::new("agent.yaml")), ..bases };
        assert_eq!(resolve(MmConfigPath, "other.yaml", bare), Path::new("/launch/other.yaml"));
    }
}
