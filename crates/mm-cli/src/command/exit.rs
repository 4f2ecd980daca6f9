//! `/exit`: leaves.

use super::{Command, Flow};

pub(super) const COMMAND: Command = Command {
    names: &["exit", "quit"],
    argument: "",
    about: "leave",
    exists: |_| true,
    run: |_, _| Box::pin(async { Flow::Leave }),
};
