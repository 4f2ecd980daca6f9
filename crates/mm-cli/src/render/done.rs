//! What was done in a turn, as a numbered list.

use mm_tools::ToolKind;

/// Tools that neither run a command nor touch a file.
const OTHERS: [&str; 4] = ["ask_user", "plan", "read_skill", "unload_model"];
/// The most characters of a line.
const WIDTH: usize = 200;

/// The commands and file operations of a turn.
#[derive(Debug, Default)]
pub(super) struct Done {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    id: String,
    line: String,
    /// `None` while it runs, and when the turn ended first.
    ok: Option<bool>,
}

impl Done {
    /// Takes note of a call, which one line tells.
    pub(super) fn started(&mut self, id: &str, name: &str, kind: ToolKind, line: String) {
        if kind == ToolKind::Declared || !OTHERS.contains(&name) {
            self.calls.push(Call { id: id.to_owned(), line, ok: None });
        }
    }

    /// Takes note of how a call ended.
    pub(super) fn finished(&mut self, id: &str, ok: bool) {
        // Models give an id twice: the last one is meant.
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.id == id && call.ok.is_none()) {
            call.ok = Some(ok);
        }
    }

    /// The list; nothing when nothing was done.
    pub(super) fn list(&self) -> String {
        if self.calls.is_empty() {
            return String::new();
        }
        let wide = self.calls.len().to_string().len();
        let line = |(at, call): (usize, &Call)| {
            let mark = match call.ok {
                Some(true) => "✓",
                Some(false) => "✗",
                None => "…",
            };
            let line: String = call.line.chars().take(WIDTH).collect();
            format!("   {:>wide$}. {mark} {line}\n", at + 1)
        };
        let lines: String = self.calls.iter().enumerate().map(line).collect();
        format!("Done in this turn:\n{lines}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_listed_with_how_it_went() {
        let mut done = Done::default();
        assert_eq!(done.list(), "");
        done.started("a", "plan", ToolKind::BuiltIn, "plan: x".into());
        assert_eq!(done.list(), "");
        for (id, name, kind, ok) in [
            ("b", "bash", ToolKind::BuiltIn, Some(true)),
            ("c", "plan", ToolKind::Declared, Some(false)),
            ("d", "write_file", ToolKind::BuiltIn, None),
        ] {
            done.started(id, name, kind, format!("{name}: x"));
            ok.into_iter().for_each(|ok| done.finished(id, ok));
        }
        let expected = "Done in this turn:\n   1. ✓ bash: x\n   2. ✗ plan: x\n   3. … write_file: x\n";
        assert_eq!(done.list(), expected);
    }
}
