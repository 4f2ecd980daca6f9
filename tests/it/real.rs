//! The real server with the real model: questions end in the right command and a sensible answer.
//!
//! `./check` starts the server and sets `MM_TEST_SERVER` to its base URL; without it these tests say that
//! they were skipped.

use crate::support::Sandbox;

fn server() -> Option<String> {
    let server = std::env::var("MM_TEST_SERVER").ok().filter(|url| !url.is_empty());
    if server.is_none() {
        eprintln!("skipped: MM_TEST_SERVER names no server");
    }
    server
}
