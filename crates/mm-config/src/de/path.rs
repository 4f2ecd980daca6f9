//! The way from the top of the file to a value.

use std::fmt;

use crate::problem::excerpt;

/// The way from the top of the file to a value, each step borrowing the one before.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Top,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The path of a key in this.
    pub(crate) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The path of an item of this.
    pub(crate) fn index(&'a self, index: usize) -> Path<'a> {
        Path::Index(self, index)
    }

    /// The steps from the top.
    pub(crate) fn steps(&self) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut path = *self;
        loop {
            path = match path {
                Path::Top => break,
                Path::Key(parent, key) => {
                    steps.push(Step::Key(key));
                    *parent
                }
                Path::Index(parent, index) => {
                    steps.push(Step::Index(index));
                    *parent
                }
            };
        }
        steps.reverse();
        steps
    }

    /// The path as text; none is the file itself.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Top => None,
            Self::Key(..) | Self::Index(..) => Some(self.to_string()),
        }
    }
}

/// The letters of a path that are shown; of a longer one, the end.
const LONGEST: usize = 300;

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for step in self.steps() {
            match step {
                Step::Key(key) if text.is_empty() => text += &excerpt(key),
                Step::Key(key) => text += &format!(".{}", excerpt(key)),
                Step::Index(index) => text += &format!("[{index}]"),
            }
        }
        let letters = text.chars().count();
        if letters <= LONGEST {
            return f.write_str(&text);
        }
        write!(f, "…{}", text.chars().skip(letters - LONGEST).collect::<String>())
    }
}
