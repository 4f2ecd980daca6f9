//! What can stand where the cursor is: sources that each know one kind of words.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use mm_session::store::{DirStore, SessionStore};
use tokio::runtime::Handle;

/// The most entries of a directory that are looked at, and the most choices.
const ENTRIES: usize = 20_000;
const MOST: usize = 500;

/// Words for the end of a text.
#[derive(Debug, Default)]
pub(in crate::front::line) struct Choices {
    /// How many bytes at the end of the text they stand for.
    pub(super) replaces: usize,
    /// The words, each whole, in the order in which they are offered.
    pub(super) words: Vec<String>,
}

/// One kind of words. It may look at the disk: it is asked off the async threads.
pub(in crate::front::line) trait Source: Debug + Send + Sync {
    /// The words for the end of a text; `None` when the text does not ask for this kind.
    fn choices(&self, before: &str) -> Option<Choices>;
}

/// The first source that has something to say.
pub(super) fn choices(sources: &[Box<dyn Source>], before: &str) -> Option<Choices> {
    sources.iter().find_map(|source| source.choices(before))
}

/// The names of slash commands.
#[derive(Debug)]
pub(in crate::front::line) struct Commands(pub(in crate::front::line) Vec<String>);

impl Source for Commands {
    fn choices(&self, before: &str) -> Option<Choices> {
        let typed = before.strip_prefix('/')?;
        if typed.contains(|c: char| c != '-' && !c.is_ascii_alphanumeric()) {
            return None;
        }
        let begins = |name: &&String| name.starts_with(typed);
        let words = self.0.iter().filter(begins).map(|name| format!("/{name} ")).collect();
        Some(Choices { replaces: before.len(), words })
    }
}

/// Files behind an `@`, and the words behind a command.
#[derive(Debug)]
pub(in crate::front::line) struct Files {
    pub(in crate::front::line) cwd: PathBuf,
    pub(in crate::front::line) home: Option<PathBuf>,
}

impl Source for Files {
    fn choices(&self, before: &str) -> Option<Choices> {
        let at = begin(before)?;
        let typed = before.get(at + 1..)?;
        let (quoted, typed) = typed.strip_prefix('"').map_or((false, typed), |typed| (true, typed));
        let (dir, name) = typed.rsplit_once('/').map_or(("", typed), |(dir, name)| (dir, name));
        let prefix = typed.get(..typed.len() - name.len()).unwrap_or_default();
        let dir = match (dir, prefix) {
            ("", "/") => PathBuf::from("/"),
            ("~", _) => self.home.clone()?,
            (dir, _) => match dir.strip_prefix("~/") {
                Some(rest) => self.home.as_ref()?.join(rest),
                None => self.cwd.join(dir),
            },
        };
        let words = entries(&dir, name).into_iter().map(|(name, is_dir)| word(prefix, &name, is_dir, quoted));
        Some(Choices { replaces: before.len() - at, words: words.collect() })
    }
}

/// The ids of conversations behind `/resume`.
#[derive(Debug)]
pub(in crate::front::line) struct Sessions {
    store: DirStore,
    runtime: Handle,
}

impl Sessions {
    /// Asks a store, whose work is done where this is called.
    pub(in crate::front::line) fn new(store: DirStore) -> Self {
        Self { store, runtime: Handle::current() }
    }
}

impl Source for Sessions {
    fn choices(&self, before: &str) -> Option<Choices> {
        let typed = before.strip_prefix("/resume ")?.trim_start();
        let listed = self.runtime.block_on(self.store.list()).unwrap_or_default();
        let fitting = listed.into_iter().map(|row| row.id).filter(|id| id.starts_with(typed));
        Some(Choices { replaces: typed.len(), words: fitting.take(MOST).collect() })
    }
}

/// Where a mention begins that the text ends in.
fn begin(before: &str) -> Option<usize> {
    let is_begin = |at: usize| {
        before.get(..at).is_some_and(|text| {
            text.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{'))
        })
    };
    if let Some(at) = before.rfind("@\"").filter(|at| is_begin(*at))
        && before.get(at + 2..).is_some_and(|rest| !rest.contains('"'))
    {
        return Some(at);
    }
    let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let at = word + before.get(word..)?.find('@')?;
    is_begin(at).then_some(at)
}

fn entries(dir: &Path, begins: &str) -> Vec<(String, bool)> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<(String, bool)> = entries
        .take(ENTRIES)
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_wanted = name.starts_with(begins) && (begins.starts_with('.') || !name.starts_with('.'));
            // A link to a directory counts as one.
            is_wanted.then(|| (name, entry.path().is_dir()))
        })
        .collect();
    found.sort();
    found.truncate(MOST);
    found
}

fn word(prefix: &str, name: &str, is_dir: bool, quoted: bool) -> String {
    let path = format!("{prefix}{name}");
    let quoted = quoted || path.contains(char::is_whitespace);
    match (quoted, is_dir) {
        (true, true) => format!("@\"{path}/"),
        (true, false) => format!("@\"{path}\" "),
        (false, true) => format!("@{path}/"),
        (false, false) => format!("@{path} "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_knows_where_it_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["src/main.rs", "src/map.rs", "a b.txt", ".hidden", "my dir/x"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let files = Files { cwd: dir.path().into(), home: Some(dir.path().join("src")) };
        let sources: Vec<Box<dyn Source>> =
            vec![Box::new(Commands(vec!["help".into(), "save".into()])), Box::new(files)];
        let rows: [(&str, Option<(&str, &[&str])>); 16] = [
            ("/he", Some(("/he", &["/help "]))),
            ("/", Some(("/", &["/help ", "/save "]))),
            ("/x", Some(("/x", &[]))),
            ("/save x", None),
            ("see /he", None),
            ("look at @s", Some(("@s", &["@src/"]))),
            ("@src/ma", Some(("@src/ma", &["@src/main.rs ", "@src/map.rs "]))),
            ("(@src/mai", Some(("@src/mai", &["@src/main.rs "]))),
            ("@", Some(("@", &["@\"a b.txt\" ", "@\"my dir/", "@src/"]))),
            ("@.", Some(("@.", &["@.hidden "]))),
            ("@\"a b", Some(("@\"a b", &["@\"a b.txt\" "]))),
            ("@\"my dir/", Some(("@\"my dir/", &["@\"my dir/x\" "]))),
            ("@~/ma", Some(("@~/ma", &["@~/main.rs ", "@~/map.rs "]))),
            ("@none/x", Some(("@none/x", &[]))),
            ("me@src", None),
            ("hello", None),
        ];
        for (before, expected) in rows {
            let found = choices(&sources, before);
            let found = found.map(|found| (&before[before.len() - found.replaces..], found.words));
            let expected =
                expected.map(|(end, words)| (end, words.iter().map(|word| (*word).to_owned()).collect()));
            assert_eq!(found, expected, "{before}");
        }
    }
}
