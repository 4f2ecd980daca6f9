//! `mm completions`: what a shell needs to complete the command line.

use clap_complete::Shell;

/// The script for a shell.
pub(crate) fn text(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::args::command(), "mm", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
