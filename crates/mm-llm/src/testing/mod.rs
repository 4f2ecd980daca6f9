//! Doubles for tests: a TCP server that sends scripted bytes, and a provider that gives scripted events. And the
//! decoder without a connection, for its bench.

mod provider;
mod server;

pub use crate::openai::bare::{decode, parse};
pub use provider::{ScriptedProvider, SeenRequest, Step};
pub use server::{Answer, End, Piece, Request, ScriptedServer};
