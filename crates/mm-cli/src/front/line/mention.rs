//! Files that a question mentions: what stands behind `@path` goes to the model with the question.

use std::collections::HashSet;
use std::path::PathBuf;

use mm_tools::files::{FileOptions, Files};
use mm_tools::output::visible;
use mm_tools::read_file::ReadFile;
use mm_tools::{Tool, ToolContext, ToolOutput};
use serde_json::json;

/// The most files of a question.
const MOST: usize = 50;
/// So few characters say nothing of a file.
const LEAST: usize = 200;
/// What may end a sentence behind a path.
const ENDS: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\''];

/// Reads what is mentioned as `read_file` does: nothing that waits for ever, and no more than the model may get.
pub(super) struct Mentions {
    tool: ReadFile,
    cx: ToolContext,
}

/// A question with the files that it mentions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expanded {
    /// What the model gets.
    pub(super) text: String,
    /// What the user should know, a line each.
    pub(super) notes: Vec<String>,
}

impl Mentions {
    /// Relative paths begin at `cwd`; all files together have `max_output` characters at most.
    pub(super) fn new(cwd: PathBuf, home: Option<PathBuf>, max_output: usize) -> Self {
        let tool = ReadFile::new(Files::new(FileOptions::default()));
        Self { tool, cx: ToolContext { home, max_output, ..ToolContext::new(cwd) } }
    }

    /// Adds each file that is there, whose name stands in the text without its `@` then: a weak model takes that for a part
    /// of the name. A word that names none stays a word.
    pub(super) async fn expand(&self, question: &str) -> Expanded {
        let mut expanded = Expanded { text: question.to_owned(), notes: Vec::new() };
        let mut left = self.cx.max_output;
        let existing = self.existing(question).await;
        for (at, _) in existing.iter().rev() {
            expanded.text.replace_range(*at..at + 1, "");
        }
        let mut seen = HashSet::new();
        for path in
            existing.into_iter().map(|(_, path)| path).filter(|path| seen.insert(path.clone())).take(MOST)
        {
            let shown = visible(&path).replace('\n', " ");
            if left < LEAST {
                expanded
                    .notes
                    .push(format!("(not added: {shown}: the files have more than maxOutput characters)"));
                continue;
            }
            let cx = ToolContext { max_output: left, ..self.cx.clone() };
            let read = self.tool.run(&json!({"path": path}), &cx).await;
            match added(&read) {
                Ok(what) => {
                    left = left.saturating_sub(read.text.chars().count());
                    let title = if what.is_listed { String::new() } else { format!("[{shown}]\n") };
                    expanded.text.push_str(&format!("\n\n{title}{}", read.text));
                    expanded.notes.push(format!("(added {shown}: {})", what.amount));
                }
                Err(why) => expanded.notes.push(format!("(not added: {})", visible(&why).replace('\n', " "))),
            }
        }
        expanded
    }

    /// The paths that are there, each with the place of its `@`.
    async fn existing(&self, question: &str) -> Vec<(usize, String)> {
        let mentioned = mentioned(question);
        if mentioned.is_empty() {
            return Vec::new();
        }
        let (cwd, home) = (self.cx.cwd.clone(), self.cx.home.clone());
        let look = move || {
            let is_there = |path: &str| match (path.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest).symlink_metadata().is_ok(),
                (Some(_), None) => false,
                (None, _) => cwd.join(path).symlink_metadata().is_ok(),
            };
            let there = |(at, readings): (usize, Vec<String>)| {
                Some((at, readings.into_iter().find(|path| is_there(path))?))
            };
            mentioned.into_iter().filter_map(there).collect()
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }
}

/// What was read of a file.
struct Added {
    amount: String,
    /// The text says itself what it is.
    is_listed: bool,
}

/// Tells by what `read_file` says how much it gave, or why nothing.
fn added(read: &ToolOutput) -> Result<Added, String> {
    let text = read.text.as_str();
    if !read.ok {
        let why = text.trim_start_matches("[error: ").trim_end_matches(']');
        return Err(why.to_owned());
    }
    let first = text.lines().next().unwrap_or_default();
    if let Some((_, entries)) = first.strip_prefix('[').and_then(|line| line.split_once(" is a directory: "))
    {
        return Ok(Added { amount: entries.trim_end_matches(']').to_owned(), is_listed: true });
    }
    // A word about a file that is no text, or empty: lines of a file have their numbers in front.
    if let Some(what) = first.strip_prefix('[') {
        return Err(what.trim_end_matches(']').to_owned());
    }
    let last = text.lines().last().unwrap_or_default();
    let part = last.strip_prefix('[').and_then(|line| line.split_once(": go on with offset "));
    let lines = text.lines().filter(|line| !line.starts_with('[')).count();
    let amount = match part {
        Some((part, _)) => part.to_owned(),
        None if lines == 1 => "1 line".to_owned(),
        None => format!("{lines} lines"),
    };
    Ok(Added { amount, is_listed: false })
}

/// The places of the mentions of a text, and what each may be read as, the likeliest first.
fn mentioned(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let (before, behind) = text.split_at(at);
        let begins = before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{\"'`".contains(c));
        let behind = behind.get(1..).unwrap_or_default();
        if !begins {
            continue;
        }
        let readings = match behind.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((path, _)) => vec![path.to_owned()],
            None => readings(behind.split(char::is_whitespace).next().unwrap_or_default()),
        };
        let readings: Vec<String> = readings.into_iter().filter(|path| !path.is_empty()).collect();
        if !readings.is_empty() {
            found.push((at, readings));
        }
    }
    found
}

/// A word as it is, and without what may only end a sentence.
fn readings(word: &str) -> Vec<String> {
    let mut readings = vec![word.to_owned()];
    let mut rest = word;
    while let Some(shorter) = rest.strip_suffix(|c| ENDS.contains(&c) || matches!(c, '"' | '`')) {
        readings.push(shorter.to_owned());
        rest = shorter;
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_begins_a_word() {
        let rows: [(&str, &[&[&str]]); 10] = [
            ("see @a.txt", &[&["a.txt"]]),
            ("@a.txt, @b.", &[&["a.txt,", "a.txt"], &["b.", "b"]]),
            ("(@src/x.rs)?", &[&["src/x.rs)?", "src/x.rs)", "src/x.rs"]]),
            ("@\"a b.txt\" too", &[&["a b.txt"]]),
            ("@\"open", &[&["\"open"]]),
            ("me@example.org", &[]),
            ("@", &[]),
            ("a @ b", &[]),
            ("@\"\"", &[]),
            ("line\n@é.txt\n", &[&["é.txt"]]),
        ];
        for (text, expected) in rows {
            let found: Vec<Vec<String>> = mentioned(text).into_iter().map(|(_, readings)| readings).collect();
            assert_eq!(found, expected.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), "{text}");
        }
    }

    #[tokio::test]
    async fn what_is_there_is_added_and_anything_else_stays_a_word() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("notes.txt"), "one\ntwo\n").unwrap();
        std::fs::write(at("a b"), "x").unwrap();
        std::fs::write(at("pic.png"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
        std::fs::write(at("empty"), "").unwrap();
        std::fs::write(at("long"), "line\n".repeat(5_000)).unwrap();
        std::fs::create_dir(at("dir")).unwrap();
        std::fs::write(at("dir/x"), "").unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        std::fs::File::create(at("huge")).unwrap().set_len(2 << 30).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let mentions = Mentions::new(dir.path().into(), Some(at("dir")), 2_000);
        let rows: [(&str, &str, &[&str]); 15] = [
            ("@notes.txt", "notes.txt\n\n[notes.txt]\n1\tone\n2\ttwo", &["(added notes.txt: 2 lines)"]),
            (
                "(see @notes.txt).",
                "(see notes.txt).\n\n[notes.txt]\n1\tone\n2\ttwo",
                &["(added notes.txt: 2 lines)"],
            ),
            (
                "@notes.txt @notes.txt!",
                "notes.txt notes.txt!\n\n[notes.txt]\n1\tone\n2\ttwo",
                &["(added notes.txt: 2 lines)"],
            ),
            ("@\"a b\"", "\"a b\"\n\n[a b]\n1\tx", &["(added a b: 1 line)"]),
            (
                "@~/x @dir",
                "~/x dir\n\n[dir is a directory: 1 entry]\nx",
                &["(not added: ~/x is empty)", "(added dir: 1 entry)"],
            ),
            ("@nobody and me@notes.txt", "@nobody and me@notes.txt", &[]),
            ("é @empty me@empty", "é empty me@empty", &["(not added: empty is empty)"]),
            ("@pic.png", "pic.png", &["(not added: pic.png: "]),
            ("@empty", "empty", &["(not added: empty is empty)"]),
            ("@huge", "huge", &["(not added: huge: "]),
            ("@fifo", "fifo", &["(not added: "]),
            ("@/dev/zero", "/dev/zero", &["(not added: /dev/zero "]),
            ("@loop", "loop", &["(not added: "]),
            ("@/dev/null/x", "@/dev/null/x", &[]),
            ("no mention", "no mention", &[]),
        ];
        for (question, text, notes) in rows {
            let expanded =
                tokio::time::timeout(std::time::Duration::from_secs(20), mentions.expand(question));
            let expanded = expanded.await.expect("it hangs");
            assert_eq!(expanded.text, text, "{question}");
            assert_eq!(expanded.notes.len(), notes.len(), "{question}: {expanded:?}");
            for (note, begin) in expanded.notes.iter().zip(notes) {
                assert!(note.starts_with(begin) && note.ends_with(')'), "{question}: {note}");
            }
        }
    }

    #[tokio::test]
    async fn all_files_together_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("long"), "line\n".repeat(5_000)).unwrap();
        std::fs::write(dir.path().join("other"), "x\n").unwrap();
        let mentions = Mentions::new(dir.path().into(), None, 1_000);
        let expanded = mentions.expand("@long @other").await;
        assert!(expanded.text.len() < 1_200, "{}", expanded.text.len());
        assert!(expanded.notes[0].starts_with("(added long: lines 1-"), "{:?}", expanded.notes);
        let more = "(not added: other: the files have more than maxOutput characters)";
        assert_eq!(expanded.notes[1], more);
    }
}
