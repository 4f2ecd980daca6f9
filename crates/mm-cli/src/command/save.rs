//! `/save`: writes the last answer to a file.

use std::path::{Path, PathBuf};

use mm_tools::ToolContext;
use mm_tools::files::{FileOptions, Files};
use mm_tools::output::visible;

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["save"],
    argument: "[path]",
    about: "write the last answer to a file",
    exists: |_| true,
    run: |line, words| Box::pin(run(line, words)),
};

/// The most names that are tried for an answer without one.
const MOST_NAMES: u32 = 1_000;

async fn run(line: &mut Line, words: &str) -> Flow {
    // As in a shell.
    let quoted = |sign: char| words.strip_prefix(sign)?.strip_suffix(sign);
    let words = quoted('"').or_else(|| quoted('\'')).unwrap_or(words);
    let Some(answer) = line.engine.session.answers().back(0) else {
        return line.failed("there is no answer to save yet".to_owned()).await;
    };
    let content = answer.trim_end().to_owned() + "\n";
    let options = line.engine.session.options();
    let cx = ToolContext { home: options.home.clone(), ..ToolContext::new(options.cwd.clone()) };
    let files = Files::new(FileOptions::default());
    let path = if words.is_empty() { free_name(&cx.cwd) } else { PathBuf::from(words) };
    let path = path.display().to_string();
    let mut done = files.create(&path, content.clone(), &cx).await;
    if !done.ok && files.holds(&path, &cx).await {
        let question = format!("{} exists. Replace it? [y]es, [n]o: ", visible(&path).replace('\n', " "));
        if !line.agrees(&question).await {
            line.output.other("(not saved)\n").await;
            return Flow::Stay;
        }
        done = files.replace(&path, content, &cx).await;
    }
    let told = done.text.trim_matches(['[', ']']).to_owned();
    match (done.ok, told.strip_prefix("error: ")) {
        (true, _) => line.output.other(format!("({})\n", visible(&told))).await,
        (false, why) => return line.failed(why.unwrap_or(&told).to_owned()).await,
    }
    Flow::Stay
}

/// A name that no file has: `answer.md`, `answer-2.md`, …
fn free_name(cwd: &Path) -> PathBuf {
    let names = (2..MOST_NAMES).map(|n| format!("answer-{n}.md"));
    let mut names = std::iter::once("answer.md".to_owned()).chain(names);
    names.find(|name| cwd.join(name).symlink_metadata().is_err()).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_name_gets_one_that_is_free() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(free_name(dir.path()), Path::new("answer.md"));
        std::fs::write(dir.path().join("answer.md"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("answer-2.md")).unwrap();
        assert_eq!(free_name(dir.path()), Path::new("answer-3.md"));
    }
}
