//! `/exit`: leaves.

use super::{Command, Flow};

pub(super) const COMMAND: Command =
    Command { names: &["exit", "quit"], about: "leave", run: |_| Box::pin(async { Flow::Leave }) };
