//! Which file is the configuration.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::env::{Environment, HOME, MM_CONFIG, XDG_CONFIG_HOME};

/// Finds the configuration file: the flag, `$MM_CONFIG`, `agent.yaml` in `cwd`, then
/// `$XDG_CONFIG_HOME/mm/agent.yaml` (without that variable, `$HOME/.config/mm/agent.yaml`).
///
/// A path that was named is given back whether or not it exists, so that [`Config::load`](crate::Config::load)
/// reports its absence; one that was only searched for is given back if something is there, readable or not.
/// `None` means the built-in defaults.
pub fn find(flag: Option<&Path>, env: &Environment, cwd: &Path) -> Option<PathBuf> {
    if let Some(named) = flag.or_else(|| env.path(MM_CONFIG)) {
        return Some(named.to_owned());
    }
    let here = cwd.join("agent.yaml");
    let of_user = directory_of_user(env).map(|directory| directory.join("mm").join("agent.yaml"));
    [Some(here), of_user].into_iter().flatten().find(|path| is_there(path))
}

/// The XDG rule: a relative directory in the variable is ignored.
fn directory_of_user(env: &Environment) -> Option<PathBuf> {
    let absolute = env.path(XDG_CONFIG_HOME).filter(|path| path.is_absolute());
    absolute.map(Path::to_owned).or_else(|| env.path(HOME).map(|home| home.join(".config")))
}

/// A file that cannot be looked at is there: passing over it would run with other settings than written.
fn is_there(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_list_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let (cwd, xdg, home) = (root.path().join("cwd"), root.path().join("xdg"), root.path().join("home"));
        let files = [cwd.join("agent.yaml"), xdg.join("mm/agent.yaml"), home.join(".config/mm/agent.yaml")];
        for file in &files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let [here, of_xdg, of_home] = &files;
        let full = Environment::from_iter([
            (MM_CONFIG, Path::new("named.yaml")),
            (XDG_CONFIG_HOME, &xdg),
            (HOME, &home),
        ]);
        let searching = Environment::from_iter([(XDG_CONFIG_HOME, &xdg), (HOME, &home)]);
        let relative = Environment::from_iter([(XDG_CONFIG_HOME, Path::new("xdg")), (HOME, &home)]);

        assert_eq!(find(Some(Path::new("f.yaml")), &full, &cwd).unwrap(), Path::new("f.yaml"));
        assert_eq!(find(None, &full, &cwd).unwrap(), Path::new("named.yaml"), "named, though not there");
        assert_eq!(find(None, &searching, &cwd).as_ref(), Some(here));
        fs::remove_file(here).unwrap();
        assert_eq!(find(None, &searching, &cwd).as_ref(), Some(of_xdg));
        assert_eq!(find(None, &relative, &cwd).as_ref(), Some(of_home));
        fs::remove_file(of_xdg).unwrap();
        assert_eq!(find(None, &searching, &cwd), None, "with the variable set, home is not looked at");
        assert_eq!(find(None, &Environment::default(), &cwd), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_dangling_link_is_there() {
        let cwd = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", cwd.path().join("agent.yaml")).unwrap();
        assert!(find(None, &Environment::default(), cwd.path()).is_some());
    }
}
