//! The instructions of the project that is worked in.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes that are read: no window holds as much.
const LIMIT: u64 = 4 << 20;

/// What a project says to agents that work in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The file, as an absolute path.
    pub path: PathBuf,
    /// Its text without white space at the ends.
    pub text: String,
}

/// Why a file that is there was not read. `Display` is a line for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstructionsError {
    /// It has more characters than allowed; it is never cut.
    #[error("{path} has {chars} characters, more than agentsMd.maxChars ({most}): it is not read")]
    TooLong {
        /// The file.
        path: String,
        /// Its characters, without white space at the ends.
        chars: usize,
        /// The limit.
        most: usize,
    },
    /// There is nothing in it.
    #[error("{path} is empty")]
    Empty {
        /// The file.
        path: String,
    },
    /// It is no text that can be read.
    #[error("{path} cannot be read: {why}")]
    Unreadable {
        /// The file.
        path: String,
        /// What is in the way.
        why: String,
    },
}

impl Instructions {
    /// Reads a file of at most `most` characters, 0 for any number; `None` where there is none.
    ///
    /// # Errors
    /// When something is there that is not read.
    pub fn read(path: &Path, most: usize) -> Result<Option<Self>, InstructionsError> {
        let name = || path.display().to_string();
        let unreadable =
            |why: &dyn ToString| InstructionsError::Unreadable { path: name(), why: why.to_string() };
        if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let metadata = path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => unreadable(&"it is a link to nothing"),
            _ => unreadable(&error),
        })?;
        if !metadata.is_file() {
            return Err(unreadable(if metadata.is_dir() {
                &"it is a directory"
            } else {
                &"it is no regular file"
            }));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
        file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > LIMIT {
            return Err(unreadable(&"it has more than 4 MiB"));
        }
        let text = String::from_utf8(bytes).map_err(|_| unreadable(&"it is not UTF-8 text"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        let chars = text.chars().count();
        match chars {
            0 => Err(InstructionsError::Empty { path: name() }),
            _ if most > 0 && chars > most => Err(InstructionsError::TooLong { path: name(), chars, most }),
            _ => Ok(Some(Self { path: path.to_owned(), text: text.to_owned() })),
        }
    }

    /// What stands behind the system message.
    pub fn paragraph(&self) -> String {
        format!(
            "PROJECT INSTRUCTIONS (from {})\n\
             The instructions of the project you work in. Follow them; when the user asks otherwise in the conversation, \
             the user wins.\n\n{}",
            self.path.display(),
            self.text
        )
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_read_and_why_something_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let write = |name: &str, content: &[u8]| std::fs::write(at(name), content).unwrap();
        write("plain", b"\n  Use tabs.\n\n");
        write("mark", b"\xef\xbb\xbfUse tabs.");
        write("five", "éééé!\n".as_bytes());
        write("six", "ééééé!".as_bytes());
        write("blank", b" \n\t");
        write("nothing", b"");
        write("latin", b"caf\xe9");
        write("secret", b"x");
        std::fs::set_permissions(at("secret"), std::fs::Permissions::from_mode(0o000)).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink("gone", at("dangling")).unwrap();
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("plain", at("link")).unwrap();
        let told = |name: &str| match Instructions::read(&at(name), 5) {
            Ok(Some(read)) => read.text,
            Ok(None) => "-".to_owned(),
            Err(error) => {
                format!("!{}", error.to_string().replace(&format!("{}/", dir.path().display()), ""))
            }
        };
        let unlimited = |name: &str| Instructions::read(&at(name), 0).unwrap().unwrap().text;
        assert_eq!(
            (unlimited("plain"), unlimited("mark"), unlimited("link")),
            ("Use tabs.".into(), "Use tabs.".into(), "Use tabs.".into())
        );
        let rows = [
            ("five", "éééé!"),
            ("six", "!six has 6 characters, more than agentsMd.maxChars (5): it is not read"),
            ("gone", "-"),
            ("blank", "!blank is empty"),
            ("nothing", "!nothing is empty"),
            ("latin", "!latin cannot be read: it is not UTF-8 text"),
            ("folder", "!folder cannot be read: it is a directory"),
            ("dangling", "!dangling cannot be read: it is a link to nothing"),
            ("round", "!round cannot be read: Too many levels of symbolic links (os error 40)"),
            ("socket", "!socket cannot be read: it is no regular file"),
        ];
        for (name, expected) in rows {
            assert_eq!(told(name), expected);
        }
        // Whoever may read everything may read this as well.
        if std::fs::read(at("secret")).is_err() {
            assert_eq!(told("secret"), "!secret cannot be read: Permission denied (os error 13)");
        }
    }
}
