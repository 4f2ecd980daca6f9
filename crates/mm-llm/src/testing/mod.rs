//! Doubles for tests: a TCP server that sends scripted bytes, and a provider that gives scripted events.

mod provider;
mod server;

pub use provider::{ScriptedProvider, SeenRequest, Step};
pub use server::{Answer, End, Piece, Request, ScriptedServer};
