//! `/undo`: takes the last question back, with its answer and what the file tools wrote for it.

use std::path::{Path, PathBuf};

use mm_tools::files::Undone;
use mm_tools::output::visible;

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["undo"],
    argument: "",
    about: "take back the last question, its answer and its changes of files",
    exists: |_| true,
    run: |line, _| Box::pin(run(line)),
};

/// Characters of the question that are shown.
const SHOWN: usize = 60;

async fn run(line: &mut Line) -> Flow {
    let Some((question, undone)) = line.undo().await else {
        line.output.other("(nothing to undo)\n").await;
        return Flow::Stay;
    };
    let cwd = line.engine.session.options().cwd.clone();
    let mut text = format!("(taken back: {})\n", shortened(&question));
    for file in &undone {
        text.push_str(&format!("   {}\n", told(file, &cwd)));
    }
    line.output.other(visible(&text)).await;
    // It may be asked in other words.
    line.prefill(question);
    Flow::Stay
}

fn shortened(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn told(file: &Undone, cwd: &Path) -> String {
    let shown = |path: &PathBuf| path.strip_prefix(cwd).unwrap_or(path).display().to_string();
    match file {
        Undone::Restored(path) => format!("{}: as before", shown(path)),
        Undone::Removed(path) => format!("{}: removed", shown(path)),
        Undone::Left(path, why) => format!("{}: left as it is: {why}", shown(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_each_file_is_told() {
        let path = |name: &str| PathBuf::from("/w").join(name);
        let rows = [
            (Undone::Restored(path("src/a.rs")), "src/a.rs: as before"),
            (Undone::Removed(path("b")), "b: removed"),
            (
                Undone::Left("/etc/c".into(), "it changed since".into()),
                "/etc/c: left as it is: it changed since",
            ),
        ];
        for (file, expected) in rows {
            assert_eq!(told(&file, Path::new("/w")), expected);
        }
        assert_eq!(shortened("What\n is this?"), "What is this?");
        assert_eq!(shortened(&"é".repeat(99)), format!("{}…", "é".repeat(60)));
    }
}
