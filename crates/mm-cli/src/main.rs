//! `mm`: see the library of the same package.

use std::process::ExitCode;

fn main() -> ExitCode {
    mm_cli::main(std::env::args_os().collect())
}
