//! `/retry`: asks the last question once more.

use super::Command;

pub(super) const COMMAND: Command = Command {
    names: &["retry"],
    argument: "",
    about: "ask the last question once more, in place of its answer",
    exists: |_| true,
    run: |line, _| Box::pin(line.retry()),
};
