//! Lines from stdin, read by a thread of their own.

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use tokio::sync::{Mutex, mpsc};

use crate::front::stdin;

/// The longest line that is taken.
const LIMIT: u64 = 16 << 20;

/// The lines typed.
#[derive(Debug)]
pub(super) struct Input {
    // Held while a line is awaited: the prompt and a permission request never wait at the same time, and a
    // request that is dropped lets go of it.
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    receiver: mpsc::Receiver<Typed>,
    /// Typed before somebody asked for a fresh line: questions to come.
    ahead: VecDeque<Typed>,
}

/// A line, or why there is none.
pub(super) type Typed = Result<String, String>;

impl Input {
    /// Starts the thread.
    pub(super) fn start() -> Self {
        let (sender, receiver) = mpsc::channel(64);
        std::thread::spawn(move || {
            let mut stdin = stdin::waiting();
            loop {
                let typed = read(&mut stdin);
                let is_last = matches!(typed, None | Some(Err(Fault::Broken(_))));
                let typed = typed.map(|typed| typed.map_err(|fault| fault.to_string()));
                if typed.is_some_and(|typed| sender.blocking_send(typed).is_err()) || is_last {
                    return;
                }
            }
        });
        Self { lines: Mutex::new(Lines { receiver, ahead: VecDeque::new() }) }
    }

    /// Gives the next line; `None` at the end of the input.
    pub(super) async fn next(&self) -> Option<Typed> {
        let mut lines = self.lines.lock().await;
        match lines.ahead.pop_front() {
            Some(line) => Some(line),
            None => lines.receiver.recv().await,
        }
    }

    /// Puts what was typed so far aside for [`next`](Self::next): it answers nothing that is only now asked.
    pub(super) async fn set_aside(&self) {
        let mut lines = self.lines.lock().await;
        while let Ok(line) = lines.receiver.try_recv() {
            lines.ahead.push_back(line);
        }
    }

    /// Gives a line typed after [`set_aside`](Self::set_aside).
    pub(super) async fn fresh(&self) -> Option<Typed> {
        self.lines.lock().await.receiver.recv().await
    }
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("a line of more than 16 MiB was left out")]
    TooLong,
    #[error("cannot read stdin: {0}")]
    Broken(#[from] std::io::Error),
}

/// Reads a line; one that is too long is read to its end and left out, not cut into several.
fn read(stdin: &mut impl BufRead) -> Option<Result<String, Fault>> {
    let mut line = Vec::new();
    match stdin.by_ref().take(LIMIT).read_until(b'\n', &mut line) {
        Ok(0) => return None,
        Ok(_) => {}
        Err(error) => return Some(Err(error.into())),
    }
    if line.len() as u64 == LIMIT && !line.ends_with(b"\n") {
        return Some(stdin.skip_until(b'\n').map_err(Fault::from).and(Err(Fault::TooLong)));
    }
    Some(Ok(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_left_out_whole() {
        let long = "x".repeat(LIMIT as usize + 5);
        let mut input = std::io::Cursor::new(format!("one\r\n{long}\ntwo"));
        assert_eq!(read(&mut input).unwrap().unwrap(), "one");
        assert!(matches!(read(&mut input), Some(Err(Fault::TooLong))));
        assert_eq!(read(&mut input).unwrap().unwrap(), "two");
        assert!(read(&mut input).is_none());
    }
}
