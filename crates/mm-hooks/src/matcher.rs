//! Which tools or agents a hook is for.

/// Names with `*` for any text and `|` between alternatives; upper and lower case differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    /// No alternative at all is any name: what guards does not stop guarding for an empty text.
    alternatives: Vec<String>,
}

impl Matcher {
    /// Reads a matcher; every text is one. White space around a name is dropped.
    pub fn new(text: &str) -> Self {
        let alternatives = text.split('|').map(str::trim).filter(|name| !name.is_empty());
        Self { alternatives: alternatives.map(str::to_owned).collect() }
    }

    /// Whether it fits a name.
    pub fn fits(&self, name: &str) -> bool {
        self.alternatives.is_empty() || self.alternatives.iter().any(|pattern| fits(pattern, name))
    }
}

/// The first part stands at the beginning, the last at the end, and the others one after the other between them.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match name.find(part) {
            Some(at) => name = name.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stars_and_alternatives() {
        let rows: [(&str, &[&str], &[&str]); 9] = [
            ("bash", &["bash"], &["bas", "bash2", "Bash", ""]),
            ("*", &["bash", ""], &[]),
            ("*_file", &["read_file", "_file"], &["read_files", "file"]),
            ("read*", &["read", "read_file"], &["rea", "xread"]),
            ("a*b*c", &["abc", "axbxc", "abbcc"], &["ab", "acb", "abcx"]),
            ("a**a", &["aa", "axa"], &["a"]),
            (" bash | write_file|", &["bash", "write_file"], &["edit_file", ""]),
            ("", &["bash"], &[]),
            ("é*ü", &["éü", "é…ü"], &["é"]),
        ];
        for (pattern, fitting, others) in rows {
            let matcher = Matcher::new(pattern);
            for name in fitting {
                assert!(matcher.fits(name), "{pattern:?} {name:?}");
            }
            for name in others {
                assert!(!matcher.fits(name), "{pattern:?} {name:?}");
            }
        }
    }
}
