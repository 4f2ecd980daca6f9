//! Lines from stdin, read by a thread of their own.

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use tokio::sync::{Mutex, mpsc};

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
    receiver: mpsc::Receiver<String>,
    /// Typed before somebody asked for a fresh line: questions to come.
    ahead: VecDeque<String>,
}

impl Input {
    /// Starts the thread.
    pub(super) fn start() -> Self {
        let (sender, receiver) = mpsc::channel(64);
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            loop {
                let mut line = Vec::new();
                match stdin.by_ref().take(LIMIT).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self { lines: Mutex::new(Lines { receiver, ahead: VecDeque::new() }) }
    }

    /// Gives the next line; `None` at the end of the input.
    pub(super) async fn next(&self) -> Option<String> {
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
    pub(super) async fn fresh(&self) -> Option<String> {
        self.lines.lock().await.receiver.recv().await
    }
}
