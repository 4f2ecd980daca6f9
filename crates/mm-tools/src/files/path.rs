//! Paths as a model writes them, where they lead, and the names next to one that is not there.

use std::io;
use std::path::{Component, Path, PathBuf};

use mm_schema::nearest;
use rustix::io::Errno;

use super::error::FileError;
use crate::ToolContext;
use crate::output::visible;

/// How many symbolic links are followed, as the kernel does.
const MOST_LINKS: usize = 40;
/// The most names that are offered for one that is not there.
const OFFERED: usize = 3;
/// The most entries of a directory that are compared with it.
const COMPARED: usize = 5_000;

/// Expands `~` and puts a relative path under the working directory; `..` stays for the system to follow.
pub(crate) fn absolute(path: &str, cx: &ToolContext) -> Result<PathBuf, FileError> {
    let rest = match path.strip_prefix('~') {
        _ if path.is_empty() => return Err(FileError::NoPath),
        Some("") => "",
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
        Some(_) | None => return Ok(cx.cwd.join(path)),
    };
    let home = cx.home.as_ref().ok_or_else(|| FileError::NoHome(path.to_owned()))?;
    Ok(if rest.is_empty() { home.clone() } else { home.join(rest) })
}

/// Follows every symbolic link, also one whose target is not there yet, and parents that are not there yet.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    follow(path, MOST_LINKS)
}

fn follow(path: &Path, links: usize) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => return result,
    }
    let Some(fewer) = links.checked_sub(1) else {
        return Err(Errno::LOOP.into());
    };
    let (Some(parent), Some(last)) = (path.parent(), path.components().next_back()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    if let Ok(target) = path.read_link() {
        return follow(&parent.join(target), fewer);
    }
    let parent = follow(parent, links)?;
    Ok(match last {
        Component::ParentDir => parent.parent().map_or(parent.clone(), Path::to_path_buf),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::Normal(_) => {
            parent.join(last)
        }
    })
}

/// What a path says by itself: `..` takes the name before it away, whatever that is.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
        plain
    })
}

/// A path on one line.
pub(crate) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The error for a file that is not there, with what is most like it.
pub(crate) fn missing(asked: &str, path: &Path) -> FileError {
    let near = match path.parent() {
        Some(parent) if !parent.is_dir() => format!(", nor a directory {}", shown(parent)),
        parent => parent.zip(path.file_name()).map_or_else(String::new, |(parent, name)| {
            let names = alike(parent, &name.to_string_lossy());
            if names.is_empty() { String::new() } else { format!(": is it {}?", names.join(" or ")) }
        }),
    };
    FileError::Missing { path: one_line(asked), near }
}

fn alike(parent: &Path, name: &str) -> Vec<String> {
    let entries = parent.read_dir().into_iter().flatten().flatten().take(COMPARED);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let mut found = Vec::new();
    while found.len() < OFFERED
        && let Some(near) = nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    {
        names.retain(|other| *other != near);
        found.push(one_line(&near));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_home_is_expanded_and_nothing_else() {
        let cx = ToolContext { home: Some("/home/u".into()), ..ToolContext::new("/w") };
        let rows = [
            ("a b", "/w/a b"),
            ("/etc/x", "/etc/x"),
            ("../x", "/w/../x"),
            ("~", "/home/u"),
            ("~/", "/home/u"),
            ("~/new dir/x", "/home/u/new dir/x"),
            ("~//etc/x", "/home/u/etc/x"),
            ("~other/x", "/w/~other/x"),
            ("x/~", "/w/x/~"),
        ];
        for (path, expected) in rows {
            assert_eq!(absolute(path, &cx).unwrap(), Path::new(expected), "{path}");
        }
        assert!(absolute("", &cx).is_err());
        assert!(absolute("~/x", &ToolContext::new("/w")).is_err());
    }

    #[test]
    fn links_are_followed_to_what_is_not_there_yet() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        symlink("d/new", root.join("dangling")).unwrap();
        symlink("../d", root.join("d/up")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let rows = [
            ("dangling", "d/new"),
            ("d/up/x", "d/x"),
            ("d/up/../x", "x"),
            ("no/such/../dir/f", "no/dir/f"),
            ("d/./f", "d/f"),
        ];
        for (path, expected) in rows {
            assert_eq!(real(&root.join(path)).unwrap(), root.join(expected), "{path}");
        }
        assert_eq!(real(&root.join("loop")).unwrap_err().raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        assert_eq!(real(Path::new("/../..")).unwrap(), Path::new("/"));
    }

    #[test]
    fn the_nearest_names_are_offered() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["main.rs", "man.rs", "other\n.txt", "zz"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let told = |name: &str| missing(name, &dir.path().join(name)).to_string();
        assert_eq!(told("mian.rs"), "there is no file mian.rs: is it man.rs or main.rs?");
        assert_eq!(told("other.txt"), "there is no file other.txt: is it other\\n.txt?");
        assert_eq!(told("q"), "there is no file q");
        assert!(told("src/lib.rs").starts_with("there is no file src/lib.rs, nor a directory "));
    }
}
