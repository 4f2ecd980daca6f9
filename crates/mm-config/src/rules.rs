//! The rules that one value can break by itself, and the messages that stand in for a general one.

use crate::de::Path;

/// The numbers and durations that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    AtLeast(i64),
    Above(i64),
    Between(i64, i64),
}

use Bound::{Above, AtLeast, Between};

/// Each key that has a bound; `*` is any key or item.
pub(crate) const BOUNDS: &[(&str, Bound)] = &[
    ("contextWindow", AtLeast(0)),
    ("maxOutput", Above(0)),
    ("maxTurns", Above(0)),
    ("maxRepeatedCalls", AtLeast(0)),
    ("previewLines", AtLeast(0)),
    ("structuredRetries", AtLeast(0)),
    ("watchdogTimeout", Above(0)),
    ("firstTokenTimeout", AtLeast(0)),
    ("bashTimeout", Above(0)),
    ("context.threshold", Between(1, 100)),
    ("context.maxMessages", AtLeast(0)),
    ("context.keepLastTurns", AtLeast(1)),
    ("context.summaryMaxTokens", Above(0)),
    ("agentsMd.maxChars", AtLeast(0)),
    ("hooks.*.*.timeout", Above(0)),
    ("tools.*.timeout", AtLeast(0)),
    ("mcp.discovery.ttl", Above(0)),
    ("mcp.discovery.maxSearchResults", Above(0)),
];

impl Bound {
    /// The bound of a key, if it has one.
    pub(crate) fn of(path: &Path<'_>) -> Option<Self> {
        BOUNDS.iter().find(|(pattern, _)| fits(path, pattern)).map(|(_, bound)| *bound)
    }

    /// What the number must be and is not.
    pub(crate) fn broken(self, number: i128) -> Option<String> {
        let (holds, words) = match self {
            AtLeast(least) => (number >= least.into(), format!("must be >= {least}")),
            Above(limit) => (number > limit.into(), format!("must be > {limit}")),
            Between(least, most) => {
                let holds = number >= least.into() && number <= most.into();
                (holds, format!("must be between {least} and {most}"))
            }
        };
        (!holds).then_some(words)
    }
}

/// Whether a path has the form of a pattern. Compared from the end, where most differ.
pub(crate) fn fits(path: &Path<'_>, pattern: &str) -> bool {
    let (outer, last) = pattern.rsplit_once('.').unwrap_or(("", pattern));
    let parent = match path {
        Path::Top => return pattern.is_empty(),
        Path::Key(parent, key) if last == "*" || *key == last => parent,
        Path::Index(parent, _) if last == "*" => parent,
        Path::Key(..) | Path::Index(..) => return false,
    };
    match (outer, parent) {
        ("", Path::Top) => true,
        ("", _) | (_, Path::Top) => false,
        (outer, parent) => fits(parent, outer),
    }
}

/// The message for a value that is no mapping, where a key has one of its own.
pub(crate) fn no_mapping(path: &Path<'_>) -> Option<&'static str> {
    fits(path, "tools.*.parameters")
        .then_some("parameters must be a mapping of name → {type, description, …}")
}

/// Whether a pattern covers a path that is written like one.
#[cfg(test)]
pub(crate) fn fits_text(path: &str, pattern: &str) -> bool {
    let same = |(step, wanted): (&str, &str)| wanted == "*" || step == wanted;
    path.split('.').count() == pattern.split('.').count() && path.split('.').zip(pattern.split('.')).all(same)
}
