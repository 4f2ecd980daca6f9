//! `/edit`: writes a question in an editor.

use std::io::Write;

use mm_tools::output::visible;
use tokio_util::sync::CancellationToken;

use super::{Command, Flow};
use crate::front::line::Line;

pub(super) const COMMAND: Command = Command {
    names: &["edit"],
    argument: "[text]",
    about: "write the question in your editor ($VISUAL, $EDITOR)",
    exists: |_| true,
    run: |line, words| Box::pin(run(line, words)),
};

async fn run(line: &mut Line, text: &str) -> Flow {
    if !line.engine.streams.stdin_is_terminal {
        return line.failed("/edit needs a terminal".to_owned()).await;
    }
    let written = match write(text) {
        Ok(file) => edited(line, file).await,
        Err(error) => Err(format!("cannot make a file to edit: {error}")),
    };
    match written {
        _ if line.is_ending() => Flow::Leave,
        Ok(question) if question.trim().is_empty() => {
            line.output.other("(nothing was written, nothing is asked)\n").await;
            Flow::Stay
        }
        Ok(question) => {
            line.output.other(format!("> {}\n", visible(question.trim()))).await;
            line.ask(question.trim()).await
        }
        Err(why) => line.failed(why).await,
    }
}

/// A file for the editor, for its owner alone; it goes when it is read.
fn write(text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("mm-question-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

async fn edited(line: &mut Line, file: tempfile::NamedTempFile) -> Result<String, String> {
    let editor = line.engine.editor.clone();
    let cwd = line.engine.session.options().cwd.clone();
    let _lent = line.lend_terminal().await;
    let (processes, end) = (line.engine.processes.clone(), CancellationToken::new());
    let ended = line.while_lent(processes.edit(&editor, file.path(), &cwd, &end), &end).await;
    line.forget_interrupts();
    match ended {
        Ok(status) if status.success() => std::fs::read(file.path())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|error| format!("what the editor wrote cannot be read: {error}")),
        Ok(status) if status.code() == Some(127) => {
            Err(format!("there is no editor {editor}: set VISUAL or EDITOR to one that is there"))
        }
        Ok(status) => Err(format!("the editor ({editor}) failed, nothing is asked: {status}")),
        Err(error) => Err(error.to_string()),
    }
}
