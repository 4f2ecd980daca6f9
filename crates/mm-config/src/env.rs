//! The environment as a value, and the names that count in it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::Path,
};

/// Names the provider, over `provider` of the file.
pub const AGENT_PROVIDER: &str = "AGENT_PROVIDER";
/// Names the model, over `model` of the file.
pub const AGENT_MODEL: &str = "AGENT_MODEL";
/// Names the endpoint, over `baseUrl` of the file.
pub const AGENT_BASE_URL: &str = "AGENT_BASE_URL";
/// Says whether tools run without asking, over `yolo` and `permissions` of the file.
pub const AGENT_YOLO: &str = "AGENT_YOLO";
/// Says whether requests and answers are written to files, over `trace.enabled` of the file.
pub const AGENT_TRACE: &str = "AGENT_TRACE";
/// Says whether the model may ask questions, over `askUserTool` of the file.
pub const AGENT_ASK_USER: &str = "AGENT_ASK_USER";
/// What stands before a key in upper snake case: every single-valued key has such a variable.
pub const PREFIX: &str = "MM_";
/// The variables of `mm` that begin with [`PREFIX`] and are no keys.
pub const OTHERS: [&str; 7] =
    [MM_CONFIG, "MM_AGENT", "MM_CWD", "MM_DEPTH", "MM_EVENT", "MM_SESSION", "MM_TOOL"];
/// Names the configuration file when no flag does.
pub const MM_CONFIG: &str = "MM_CONFIG";
/// The directory of the user's configuration files.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The user's home directory.
pub const HOME: &str = "HOME";

/// The environment variables, handed in by the caller: this crate never looks for them itself.
///
/// Collected from pairs, `std::env::vars_os()` included. An empty variable counts as unset.
///
/// ```
/// let env = mm_config::Environment::from_iter([("AGENT_YOLO", "false"), ("AGENT_MODEL", "")]);
/// assert_eq!(env.get("AGENT_YOLO"), Some("false".into()));
/// assert_eq!(env.get("AGENT_MODEL"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self { variables: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

impl Environment {
    /// Gives the value of a variable that is set and not empty. What is no Unicode is replaced, so that a
    /// damaged value fails its check rather than count as unset.
    pub fn get(&self, name: &str) -> Option<String> {
        self.raw(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// A variable that names a path, byte for byte.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.raw(name).map(Path::new)
    }

    /// The names with a prefix that are set and not empty, in order.
    pub(crate) fn names<'e>(&'e self, prefix: &'e str) -> impl Iterator<Item = &'e str> {
        let names = self.variables.iter().filter(|(_, value)| !value.is_empty());
        names.filter_map(|(name, _)| name.to_str()).filter(move |name| name.starts_with(prefix))
    }

    fn raw(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }
}

/// Reads a boolean as Go's `strconv.ParseBool` does, in any case.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "t" | "true" => Some(true),
        "0" | "f" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_go() {
        let yes = ["1", "t", "T", "true", "True", "TRUE", "tRuE"];
        let no = ["0", "f", "F", "false", "False", "FALSE"];
        assert!(yes.iter().all(|value| parse_bool(value) == Some(true)));
        assert!(no.iter().all(|value| parse_bool(value) == Some(false)));
        for bad in ["", "maybe", "yes", "on", " true", "2", "tru"] {
            assert_eq!(parse_bool(bad), None, "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_damaged_value_is_not_unset() {
        use std::os::unix::ffi::OsStringExt;
        let env = Environment::from_iter([(AGENT_YOLO, OsString::from_vec(vec![0xFF]))]);
        assert_eq!(env.get(AGENT_YOLO).as_deref().map(parse_bool), Some(None));
    }
}
