//! The question of `-p`: the prompt, and what is piped in.

use std::io::Read;
use std::time::Duration;

use rustix::io::Errno;
use tokio::sync::mpsc;

use crate::error::CliError;
use crate::front::stdin;
use crate::output::{Output, Streams, at_once};

/// How long a pipe beside a prompt may be silent before its first byte.
const SILENCE: Duration = Duration::from_secs(3);
/// The most bytes that are read from stdin: no window of a local model holds as much.
const LIMIT: usize = 32 << 20;
/// The bytes of one read.
const PIECE: usize = 64 << 10;

/// Puts the question together.
pub(super) async fn read(
    prompt: String,
    streams: Streams,
    wait_for_stdin: bool,
    output: &Output,
) -> Result<String, CliError> {
    let piped = match (prompt.as_str(), streams.stdin_is_terminal) {
        ("-", _) => read_stdin(None).await?,
        (_, true) => None,
        _ => read_stdin((!wait_for_stdin).then_some(SILENCE)).await?,
    };
    let Some(piped) = piped else {
        if !streams.stdin_is_terminal {
            let text = "[notice: stdin is open but silent and was left out: --stdin waits for it]\n";
            output.other(text).await;
        }
        return checked(prompt);
    };
    let piped = decode(piped, output).await;
    match (prompt.as_str(), piped.trim().is_empty()) {
        ("-", _) => checked(piped),
        (_, true) => checked(prompt),
        _ => checked(format!("{prompt}\n\n{}", piped.trim_end())),
    }
}

fn checked(question: String) -> Result<String, CliError> {
    if question.trim().is_empty() {
        return Err(CliError::Usage("the question is empty".into()));
    }
    Ok(question)
}

async fn decode(bytes: Vec<u8>, output: &Output) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            output.other("[notice: stdin is not UTF-8: its other bytes were replaced]\n").await;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    }
}

/// Reads stdin to its end; `None` when its first byte does not come within `silence`.
async fn read_stdin(silence: Option<Duration>) -> Result<Option<Vec<u8>>, CliError> {
    let mut all = Vec::new();
    if read_ready(&mut all)? {
        return Ok(Some(all));
    }
    let mut pieces = read_in_thread();
    let first = match silence.filter(|_| all.is_empty()) {
        None => pieces.recv().await,
        Some(silence) => match tokio::time::timeout(silence, pieces.recv()).await {
            Ok(first) => first,
            Err(_) => return Ok(None),
        },
    };
    let mut next = first;
    while let Some(piece) = next {
        if !add(&mut all, &piece.map_err(|error| unread(&error))?)? {
            break;
        }
        next = pieces.recv().await;
    }
    Ok(Some(all))
}

/// Reads what is there already, as in most cases all of it is; true at the end of the input.
fn read_ready(all: &mut Vec<u8>) -> Result<bool, CliError> {
    let stdin = rustix::stdio::stdin();
    let mut buffer = vec![0; PIECE];
    loop {
        match at_once::read(stdin, &mut buffer) {
            Err(Errno::INTR) => {}
            // Nothing yet, or nothing that can be read without waiting.
            Err(_) => return Ok(false),
            Ok(read) if !add(all, buffer.get(..read).unwrap_or_default())? => return Ok(true),
            Ok(_) => {}
        }
    }
}

/// Reads in a thread of its own: a read that never returns must not hold up the end of the program.
fn read_in_thread() -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, pieces) = mpsc::channel(4);
    std::thread::spawn(move || {
        let mut stdin = stdin::waiting();
        let mut buffer = vec![0; PIECE];
        loop {
            let read = stdin.read(&mut buffer).map(|n| buffer.get(..n).unwrap_or_default().to_vec());
            let is_last = read.as_ref().map_or(true, Vec::is_empty);
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    pieces
}

/// Adds a piece; false when it is empty, as the one at the end is.
fn add(all: &mut Vec<u8>, piece: &[u8]) -> Result<bool, CliError> {
    all.extend_from_slice(piece);
    if all.len() > LIMIT {
        return Err(CliError::Usage("stdin has more than 32 MiB".into()));
    }
    Ok(!piece.is_empty())
}

fn unread(error: &std::io::Error) -> CliError {
    CliError::Engine(format!("cannot read stdin: {error}"))
}
