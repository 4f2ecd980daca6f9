//! The program `mm`: settings become a session, and a front end shows it.
//!
//! The only crate of the family that touches the environment, the terminal and the standard streams.

mod app;
mod args;
mod error;

mod assemble;

mod front;

mod sub;

mod command;
mod sessions;

mod banner;
mod output;
mod render;
mod signals;

pub use app::main;
