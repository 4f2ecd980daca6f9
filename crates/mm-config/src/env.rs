//! The environment as a value, and the names that count in it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::Path,
};

use crate::problem::quoted;

/// Names the provider, over `provider` of the file.
pub const AGENT_PROVIDER: &str = "AGENT_PROVIDER";
/// Names the model, over `model` of the file.
pub const AGENT_MODEL: &str = "AGENT_MODEL";
/// Names the endpoint, over `baseUrl` of the file.
pub const AGENT_BASE_URL: &str = "AGENT_BASE_URL";
/// Says whether tools run without asking, over `yolo` and `permissions` of the file.
pub const AGENT_YOLO: &str = "AGENT_YOLO";
/// Says whether the model may ask questions, over `askUserTool` of the file.
pub const AGENT_ASK_USER: &str = "AGENT_ASK_USER";
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

    /// A variable that is true or false, or what is wrong with it.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match value.to_ascii_lowercase().as_str() {
            "1" | "t" | "true" => Ok(Some(true)),
            "0" | "f" | "false" => Ok(Some(false)),
            _ => Err(format!("{name}={}: must be true or false", quoted(&value))),
        }
    }

    fn raw(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_go() {
        let yes = ["1", "t", "T", "true", "True", "TRUE", "tRuE"];
        let no = ["0", "f", "F", "false", "False", "FALSE"];
        let of = |value: &str| Environment::from_iter([(AGENT_YOLO, value)]).flag(AGENT_YOLO);
        assert!(yes.iter().all(|value| of(value) == Ok(Some(true))));
        assert!(no.iter().all(|value| of(value) == Ok(Some(false))));
        assert_eq!(of(""), Ok(None));
        assert_eq!(Environment::default().flag(AGENT_YOLO), Ok(None));
        for bad in ["maybe", "yes", "on", " true", "2", "tru"] {
            assert_eq!(of(bad), Err(format!("AGENT_YOLO=\"{bad}\": must be true or false")));
        }
        assert_eq!(of("a\nb"), Err(r#"AGENT_YOLO="a\nb": must be true or false"#.to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn a_damaged_value_is_not_unset() {
        use std::os::unix::ffi::OsStringExt;
        let env = Environment::from_iter([(AGENT_YOLO, OsString::from_vec(vec![0xFF]))]);
        assert!(env.flag(AGENT_YOLO).is_err());
    }
}
