//! The program from outside: one binary, a file a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]
#![allow(clippy::print_stderr, missing_docs, unreachable_pub)]

mod support;

mod bad_input;
mod cases;
mod cli;
mod closed;
mod config;
mod declared;
mod editing;
#[cfg(feature = "fetch")]
mod fetch;
mod files;
mod guard;
mod helpers;
mod hook_examples;
mod hooks;
mod killed;
mod line;
mod long_talk;
mod once;
mod project;
mod real;
mod reference;
mod schema;
mod screen;
mod sessions;
mod structured;
mod talk;
mod terminal;
mod tidy;
