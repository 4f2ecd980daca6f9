//! What was asked in a project, kept in a file.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mm_config::Environment;
use mm_config::env::HOME;
use tokio::task::spawn_blocking;

use super::PATIENCE;
use super::paste::Pastes;

/// The directory of what programs remember.
const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// The most questions that are kept.
pub(super) const MOST: usize = 1_000;
/// The longest question that is kept in the file.
const LONGEST: usize = 4 << 10;
/// The most bytes of a file that are looked at.
const BYTES: u64 = 8 << 20;
/// How often a file that somebody else holds is tried, and how long between.
const TRIES: (u32, Duration) = (50, Duration::from_millis(10));

/// What was asked, and where it is kept.
#[derive(Debug)]
pub(super) struct History {
    /// As they were typed, with words for long texts that were pasted.
    questions: Vec<String>,
    store: Option<Store>,
    is_loaded: bool,
}

impl History {
    pub(super) fn new(store: Option<Store>) -> Self {
        Self { questions: Vec::new(), store, is_loaded: false }
    }

    /// Reads what was asked before, once. What fails is told, once.
    pub(super) async fn load(&mut self) -> Result<(), String> {
        if std::mem::replace(&mut self.is_loaded, true) {
            return Ok(());
        }
        let Some(store) = self.store.clone() else { return Ok(()) };
        self.questions = self.unless_it_fails(move || store.load()).await?;
        Ok(())
    }

    /// Keeps a question: as it was typed, and in the file as it was sent. One that begins with a blank is not kept.
    pub(super) async fn keep(&mut self, typed: &str, sent: &str) -> Result<(), String> {
        let is_again = self.questions.last().is_some_and(|last| last == typed);
        if typed.trim().is_empty() || typed.starts_with(char::is_whitespace) || is_again {
            return Ok(());
        }
        self.questions.push(typed.to_owned());
        let (Some(store), sent) = (self.store.clone(), sent.to_owned()) else { return Ok(()) };
        self.unless_it_fails(move || store.add(&sent)).await
    }

    /// The questions as the editor shows them, the newest last.
    pub(super) fn shown(&self, pastes: &mut Pastes) -> Vec<String> {
        let newest = self.questions.iter().skip(self.questions.len().saturating_sub(MOST));
        newest.map(|question| pastes.shorten(question.clone())).collect()
    }

    async fn unless_it_fails<T: Default + Send + 'static>(
        &mut self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let done = tokio::time::timeout(PATIENCE, spawn_blocking(work)).await;
        let why = match done {
            Ok(Ok(Ok(done))) => return Ok(done),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(_)) | Err(_) => "the disk does not answer".to_owned(),
        };
        match self.store.take() {
            Some(store) => Err(format!("{}: {why}", store.path.display())),
            None => Ok(T::default()),
        }
    }
}

/// Where the questions of a project are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::front::line) struct Store {
    path: PathBuf,
}

impl Store {
    /// The file of the project that a directory is part of; `None` without a home.
    pub(in crate::front::line) fn of(cwd: &Path, env: &Environment) -> Option<Self> {
        let absolute = |name| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = absolute(XDG_STATE_HOME).or_else(|| Some(absolute(HOME)?.join(".local/state")))?;
        let project = cwd.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(cwd);
        let words = project.file_name().unwrap_or_default().to_string_lossy();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = words.chars().take(40).map(plain).collect();
        let file = format!("{name}-{:016x}", hash(project.as_os_str().as_encoded_bytes()));
        Some(Self { path: state.join("mm/history").join(file) })
    }

    /// Reads the questions, the newest last. A file that is not there has none.
    pub(super) fn load(&self) -> io::Result<Vec<String>> {
        match File::open(&self.path) {
            Ok(mut file) => read(&mut file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Adds a question. Other programs may do the same at the same time.
    pub(super) fn add(&self, question: &str) -> io::Result<()> {
        if question.len() > LONGEST {
            return Ok(());
        }
        let mut file = self.locked()?;
        let line = format!("{}\n", serde_json::Value::from(question));
        file.write_all(line.as_bytes())?;
        let lines = read(&mut file)?;
        if lines.len() < 2 * MOST && file.metadata()?.len() < BYTES {
            return Ok(());
        }
        self.shorten(&lines)
    }

    /// Writes the newest questions to a file that takes the place of the old one.
    fn shorten(&self, lines: &[String]) -> io::Result<()> {
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        let mut new = tempfile::NamedTempFile::new_in(dir)?;
        for line in lines.iter().skip(lines.len().saturating_sub(MOST)) {
            writeln!(new, "{}", serde_json::Value::from(line.as_str()))?;
        }
        new.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Opens the file for this program alone.
    fn locked(&self) -> io::Result<File> {
        if let Some(dir) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        }
        for _ in 0..TRIES.0 {
            let file =
                OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(&self.path)?;
            match file.try_lock() {
                // Somebody may have put a shorter file in its place meanwhile.
                Ok(()) if is_at(&file, &self.path) => return Ok(file),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => std::thread::sleep(TRIES.1),
                // Some file systems have no locks.
                Err(TryLockError::Error(_)) => return Ok(file),
            }
        }
        Err(io::Error::other("another program holds it"))
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(named)) = (file.metadata(), path.metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Reads the end of a file; lines that are no JSON string, such as a half one, are left out.
fn read(file: &mut File) -> io::Result<Vec<String>> {
    let from = file.metadata()?.len().saturating_sub(BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    let questions: Vec<String> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    Ok(questions)
}

/// FNV-1a: the same in every version of the program.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(dir: &Path) -> Store {
        Store { path: dir.join("state/mm/history/p-1") }
    }

    #[test]
    fn questions_of_two_programs_are_all_kept_for_the_user_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        assert!(store.load().unwrap().is_empty());
        std::thread::scope(|scope| {
            for name in ["a", "b"] {
                let store = &store;
                scope.spawn(move || (0..20).for_each(|n| store.add(&format!("{name}\n{n}")).unwrap()));
            }
        });
        let kept = store.load().unwrap();
        assert_eq!(kept.len(), 40);
        let of_a: Vec<&String> = kept.iter().filter(|line| line.starts_with('a')).collect();
        assert_eq!(of_a[19], "a\n19");
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(&store.path), 0o600);
        assert_eq!(mode(store.path.parent().unwrap()), 0o700);
    }

    #[test]
    fn the_newest_questions_are_kept_and_half_lines_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        store.add("first").unwrap();
        let lines: String = (0..2 * MOST).map(|n| format!("\"{n}\"\n")).collect();
        std::fs::write(&store.path, lines + "\"half\n").unwrap();
        store.add("last").unwrap();
        let kept = store.load().unwrap();
        assert_eq!((kept.len(), kept[MOST - 1].as_str(), kept[0].as_str()), (MOST, "last", "1001"));
        store.add(&"x".repeat(LONGEST + 1)).unwrap();
        assert_eq!(store.load().unwrap().len(), MOST);
    }

    #[test]
    fn each_project_has_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("my project/src");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir(dir.path().join("my project/.git")).unwrap();
        let env = |rows: &[(&str, &str)]| Environment::from_iter(rows.iter().copied());
        let at = |cwd: &Path, rows: &[(&str, &str)]| Store::of(cwd, &env(rows)).map(|store| store.path);
        let home = at(&inner, &[("HOME", "/h")]).unwrap();
        assert!(home.starts_with("/h/.local/state/mm/history"), "{home:?}");
        assert!(home.file_name().unwrap().to_str().unwrap().starts_with("my_project-"), "{home:?}");
        assert_eq!(at(inner.parent().unwrap(), &[("HOME", "/h")]), Some(home.clone()));
        assert_ne!(at(dir.path(), &[("HOME", "/h")]), Some(home));
        assert!(at(&inner, &[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]).unwrap().starts_with("/s/mm"));
        assert!(at(&inner, &[("HOME", "/h"), ("XDG_STATE_HOME", "s")]).unwrap().starts_with("/h"));
        assert_eq!(at(&inner, &[]), None);
    }
}
