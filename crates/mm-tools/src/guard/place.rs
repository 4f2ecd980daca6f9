//! What a path of a command lies on or above: the root, the home, the project.

use std::path::Path;

use super::shell::UNKNOWN;

/// Directories of the first level without which no system works.
const SYSTEM: [&str; 20] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin",
    "srv", "sys", "usr", "var", "Library", "System", "Users",
];
/// Those of the second level.
const SYSTEM_BELOW: [(&str, &str); 7] = [
    ("usr", "bin"),
    ("usr", "lib"),
    ("usr", "lib64"),
    ("usr", "sbin"),
    ("usr", "share"),
    ("usr", "local"),
    ("System", "Library"),
];

/// The longest path that is followed, in bytes.
const LONGEST: usize = 1024;

/// What a deletion would hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The root, or a directory of the system.
    Root,
    /// The home, or a directory above it.
    Home,
    /// A directory above the project.
    Above,
    /// The project, or something in it.
    Project,
    Elsewhere,
    /// It cannot be known before the command runs.
    Unknown,
}

/// Where a command runs: text, since nothing is looked up.
#[derive(Debug)]
pub(super) struct Place {
    project: Vec<String>,
    home: Vec<String>,
}

impl Place {
    pub(super) fn new(project: &Path, home: Option<&Path>) -> Self {
        let steps = |path: &Path| -> Vec<String> {
            steps(&path.to_string_lossy()).into_iter().map(str::to_owned).collect()
        };
        // A home that is not known is still no other place.
        let home = home.map_or_else(|| vec!["~".to_owned()], steps);
        Self { project: steps(project), home }
    }

    pub(super) fn project(&self) -> String {
        format!("/{}", self.project.join("/"))
    }

    pub(super) fn home(&self) -> String {
        format!("/{}", self.home.join("/"))
    }

    /// Says what lies at a path, which may be a pattern.
    pub(super) fn spot(&self, path: &str, cwd: Option<&str>, is_pattern: bool) -> Spot {
        let Some(path) = absolute(path, cwd) else { return Spot::Unknown };
        let mut steps = steps(&path);
        // What takes everything in a directory takes the directory.
        let mut is_swept = false;
        while is_pattern && steps.last().is_some_and(|last| is_sweep(last)) {
            steps.pop();
            is_swept = true;
        }
        let fits = |pattern: &str, name: &str| pattern == name || (is_pattern && matches(pattern, name));
        let is_system = match steps.as_slice() {
            [] => true,
            [first] => SYSTEM.iter().any(|name| fits(first, name)),
            [first, second] => SYSTEM_BELOW.iter().any(|(a, b)| fits(first, a) && fits(second, b)),
            _ => false,
        };
        let holds = |path: &[String]| {
            steps.len() <= path.len() && steps.iter().zip(path).all(|(step, name)| fits(step, name))
        };
        // A pattern beside the project that fits it takes its neighbours too.
        let is_itself = steps.len() == self.project.len() && (is_swept || self.project == steps);
        if is_system {
            Spot::Root
        } else if holds(&self.home) {
            Spot::Home
        } else if holds(&self.project) && !is_itself {
            Spot::Above
        } else if steps.iter().zip(&self.project).filter(|(a, b)| a == b).count() == self.project.len() {
            Spot::Project
        } else {
            Spot::Elsewhere
        }
    }
}

/// The path from the root on, without `.` and `..`; `None` where it cannot be known.
pub(super) fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    if path.contains(UNKNOWN) {
        return None;
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", cwd?) };
    // `cd` in a row makes it ever longer.
    if whole.len() > LONGEST {
        return None;
    }
    Some(format!("/{}", steps(&whole).join("/")))
}

fn steps(path: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps
}

/// Whether a pattern takes all, or nearly all, that is in a directory.
fn is_sweep(pattern: &str) -> bool {
    let mut in_class = false;
    let rest = pattern.chars().filter(|c| {
        let was_in_class = in_class;
        in_class = match c {
            '[' => true,
            ']' => false,
            _ => in_class,
        };
        !was_in_class && *c != '['
    });
    pattern.contains('*') && rest.into_iter().all(|c| matches!(c, '*' | '?' | '.'))
}

/// Whether a shell pattern fits a name; a class fits any character.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = classless(pattern);
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                p = at + 1;
                n = from + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

/// The pattern with `?` for each class.
fn classless(pattern: &str) -> Vec<char> {
    let mut result = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let end = (c == '[').then(|| rest.find(']')).flatten();
        result.push(if end.is_some() { '?' } else { c });
        rest = rest.get(end.map_or(c.len_utf8(), |end| end + 1)..).unwrap_or_default();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_its_spot() {
        let place = Place::new(Path::new("/home/me/work/project"), Some(Path::new("/home/me")));
        let rows = [
            ("/", Spot::Root),
            ("//", Spot::Root),
            ("/*", Spot::Root),
            ("/.*", Spot::Root),
            ("/*/*", Spot::Root),
            ("/tmp/..", Spot::Root),
            ("/usr", Spot::Root),
            ("/e*", Spot::Root),
            ("/[a-z]*", Spot::Root),
            ("/u?r/", Spot::Root),
            ("/usr/lib", Spot::Root),
            ("/home/me", Spot::Home),
            ("/home/me/*", Spot::Home),
            ("/home/*", Spot::Root),
            ("/home/m*", Spot::Home),
            ("../..", Spot::Home),
            ("..", Spot::Above),
            ("../*", Spot::Above),
            ("../proj*", Spot::Above),
            ("/home/me/work", Spot::Above),
            ("../project", Spot::Project),
            (".", Spot::Project),
            ("*", Spot::Project),
            ("build/*", Spot::Project),
            ("../other", Spot::Elsewhere),
            ("/home/me/other", Spot::Elsewhere),
            ("/home/me/D*", Spot::Elsewhere),
            ("/home/you/*", Spot::Elsewhere),
            ("/tmp/*", Spot::Elsewhere),
            ("/var/lib", Spot::Elsewhere),
            ("/\0", Spot::Unknown),
        ];
        for (path, spot) in rows {
            let cwd = Some("/home/me/work/project");
            assert_eq!(place.spot(path, cwd, path.contains(['*', '?', '['])), spot, "{path}");
        }
        assert_eq!(place.spot("build", None, false), Spot::Unknown);
    }
}
