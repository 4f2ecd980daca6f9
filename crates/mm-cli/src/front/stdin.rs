//! stdin for a thread that waits.

use std::io::{self, BufReader, ErrorKind, Read};
use std::time::Duration;

/// Between two looks at a stdin that is empty and says so.
const EMPTY: Duration = Duration::from_millis(10);

/// stdin, which waits for input in any case: some programs hand one to their children that never does.
pub(super) fn waiting() -> BufReader<Waiting> {
    BufReader::with_capacity(64 << 10, Waiting)
}

#[derive(Debug)]
pub(super) struct Waiting;

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match io::stdin().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(EMPTY),
                read => return read,
            }
        }
    }
}
