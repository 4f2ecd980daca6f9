//! What is typed: lines from stdin, read by a thread of their own, or edited in a terminal.

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use tokio::sync::{Mutex, mpsc};

use super::edit::{Edited, Kind};
use crate::front::stdin;
use crate::output::Output;

/// The longest line that is taken.
const LIMIT: u64 = 16 << 20;

/// What is typed, and where it is asked for.
#[derive(Debug)]
pub(super) struct Input {
    source: Source,
    output: Output,
    /// Told of Ctrl-C where that is a key.
    interrupts: mpsc::Sender<()>,
}

#[derive(Debug)]
enum Source {
    // Held while a line is awaited: the prompt and a permission request never wait at the same time, and a
    // request that is dropped lets go of it.
    Lines(Mutex<Lines>),
    Edited(Edited),
}

#[derive(Debug)]
struct Lines {
    receiver: mpsc::Receiver<Result<String, String>>,
    /// Typed before somebody asked for a fresh line: questions to come.
    ahead: VecDeque<Result<String, String>>,
}

/// A line, or why there is none.
#[derive(Debug)]
pub(super) enum Typed {
    Line(String),
    /// Input that is no line.
    Bad(String),
    /// A text that is no command, however it begins.
    Question(String),
    /// Ctrl-C, where it is a key.
    Interrupt,
    /// Ctrl-C that took away what was typed.
    Cleared,
    End,
}

impl Input {
    /// Takes lines as they are edited, or else as they come, from a thread that starts now.
    pub(super) fn new(edited: Option<Edited>, output: Output, interrupts: mpsc::Sender<()>) -> Self {
        let source = match edited {
            Some(edited) => Source::Edited(edited),
            None => Source::Lines(Mutex::new(Lines { receiver: start(), ahead: VecDeque::new() })),
        };
        Self { source, output, interrupts }
    }

    /// Whether lines are edited, so that more is typed than lines.
    pub(super) fn is_edited(&self) -> bool {
        matches!(self.source, Source::Edited(_))
    }

    /// Has the next question begin with a text; false where the terminal edits by itself and cannot.
    pub(super) fn prefill(&self, text: String) -> bool {
        match &self.source {
            Source::Edited(edited) => edited.prefill(text),
            Source::Lines(_) => return false,
        }
        true
    }

    /// Reads nothing until [`take_back`](Self::take_back), and leaves the terminal as it was at the start.
    pub(super) async fn lend(&self) {
        if let Source::Edited(edited) = &self.source {
            edited.lend().await;
        }
    }

    /// Goes on reading.
    pub(super) fn take_back(&self) {
        if let Source::Edited(edited) = &self.source {
            edited.take_back();
        }
    }

    /// Lets go of a line that nobody waits for any more.
    pub(super) async fn close(&self) {
        if let Source::Edited(edited) = &self.source {
            edited.close().await;
        }
    }

    /// Gives the next question, asked for by a prompt unless nobody sees one.
    pub(super) async fn question(&self, prompt: Option<&str>, kind: Kind) -> Typed {
        let lines = match &self.source {
            Source::Edited(edited) => return edited.read(prompt.unwrap_or_default(), kind).await,
            Source::Lines(lines) => lines,
        };
        if let Some(prompt) = prompt {
            self.output.other(prompt).await;
            self.output.flush().await;
        }
        let mut lines = lines.lock().await;
        let line = match lines.ahead.pop_front() {
            Some(line) => Some(line),
            None => lines.receiver.recv().await,
        };
        self.output.line_was_typed().await;
        match line {
            Some(Ok(line)) => Typed::Line(line),
            Some(Err(why)) => Typed::Bad(why),
            None => Typed::End,
        }
    }

    /// Puts what was typed so far aside for [`question`](Self::question): it answers nothing that is only now asked.
    pub(super) async fn set_aside(&self) {
        match &self.source {
            Source::Edited(edited) => edited.set_aside(),
            Source::Lines(lines) => {
                let mut lines = lines.lock().await;
                while let Ok(line) = lines.receiver.try_recv() {
                    lines.ahead.push_back(line);
                }
            }
        }
    }

    /// Gives a line typed after [`set_aside`](Self::set_aside); `None` when there will be none. Ctrl-C ends what the
    /// answer is for, and gives none.
    pub(super) async fn answer(&self, prompt: &str) -> Option<String> {
        let typed = match &self.source {
            Source::Edited(edited) => edited.read(prompt, Kind::Answer).await,
            Source::Lines(lines) => {
                self.output.other(prompt).await;
                self.output.flush().await;
                let line = lines.lock().await.receiver.recv().await?.ok()?;
                self.output.line_was_typed().await;
                Typed::Line(line)
            }
        };
        match typed {
            Typed::Line(line) | Typed::Question(line) => Some(line),
            Typed::Bad(_) | Typed::End => None,
            Typed::Interrupt | Typed::Cleared => {
                let _ = self.interrupts.try_send(());
                std::future::pending().await
            }
        }
    }
}

/// Starts the thread.
fn start() -> mpsc::Receiver<Result<String, String>> {
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
    receiver
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
