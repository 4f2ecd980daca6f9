//! The body of an answer: decompressed as it comes, counted as it comes out.
//!
//! The limit is on what is unpacked. A thread of its own unpacks, and pulls from a short queue; when it has enough it
//! lets go of the queue, and the transfer ends.

use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::error::{FetchError, why};

/// The largest window of zstd that is reserved, as HTTP has it.
const ZSTD_WINDOW: u64 = 8 << 20;

/// How much of an answer is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes after decompression.
    pub(super) bytes: usize,
    /// For all of it, from the first connection to the last byte.
    pub(super) time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 5 << 20, time: Duration::from_secs(30) }
    }
}

/// What came of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) end: End,
}

/// Why a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    TooLong,
    TooSlow,
    Broken(String),
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    None,
    Gzip,
    Brotli,
    Zstd,
}

impl Coding {
    pub(super) fn of(response: &Response) -> Result<Self, FetchError> {
        let Some(value) = response.headers().get(CONTENT_ENCODING) else { return Ok(Self::None) };
        let value = String::from_utf8_lossy(value.as_bytes()).trim().to_ascii_lowercase();
        match value.as_str() {
            "" | "identity" => Ok(Self::None),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "br" => Ok(Self::Brotli),
            "zstd" => Ok(Self::Zstd),
            other => Err(FetchError::Coding(super::address::short(other))),
        }
    }
}

/// Takes the body of an answer until it ends, is too long, or `deadline` has come. What was unpacked by then is kept.
pub(super) async fn receive(
    response: Response,
    limits: Limits,
    deadline: Instant,
) -> Result<Body, FetchError> {
    let coding = Coding::of(&response)?;
    let pieces = response.bytes_stream().map(|piece| piece.map_err(|error| why(&error)));
    transfer(pieces, coding, limits, deadline).await
}

async fn transfer<B>(
    pieces: impl Stream<Item = Result<B, String>>,
    coding: Coding,
    limits: Limits,
    deadline: Instant,
) -> Result<Body, FetchError>
where
    B: AsRef<[u8]> + Send + 'static,
{
    let (queue, packed) = mpsc::channel(4);
    let unpacking = tokio::task::spawn_blocking(move || unpack(coding, Pieces::new(packed), limits.bytes));
    let mut pieces = std::pin::pin!(pieces);
    let time_is_up = tokio::time::sleep_until(deadline);
    tokio::pin!(time_is_up);
    let end = loop {
        let piece = tokio::select! {
            biased;
            () = queue.closed() => break End::Whole,
            piece = pieces.next() => piece,
            () = &mut time_is_up => break End::TooSlow,
        };
        match piece {
            // The thread pulls steadily; that it has let go is seen above.
            Some(Ok(piece)) => drop(queue.send(piece).await),
            Some(Err(why)) => break End::Broken(why),
            None => break End::Whole,
        }
    };
    drop(queue);
    let unpacked = unpacking.await.map_err(|fault| FetchError::Fault(fault.to_string()))?;
    let end = match (unpacked.end, end) {
        (End::TooLong, _) => End::TooLong,
        // A body that was cut cannot be unpacked to its end either.
        (_, cut @ (End::TooSlow | End::Broken(_))) => cut,
        (unpacked, End::Whole | End::TooLong) => unpacked,
    };
    Ok(Body { bytes: unpacked.bytes, end })
}

fn unpack(coding: Coding, pieces: impl Read, most: usize) -> Body {
    let mut packed = BufReader::new(pieces);
    match (coding, packed.fill_buf()) {
        (Coding::None, _) | (_, Ok([])) => read(packed, most),
        (Coding::Gzip, _) => read(flate2::bufread::MultiGzDecoder::new(packed), most),
        (Coding::Brotli, _) => read(brotli_decompressor::Decompressor::new(packed, 8 << 10), most),
        (Coding::Zstd, _) => {
            match ruzstd::decoding::StreamingDecoder::new_with_max_window_size(packed, ZSTD_WINDOW) {
                Ok(decoder) => read(decoder, most),
                Err(error) => Body { bytes: Vec::new(), end: End::Broken(format!("bad zstd data: {error}")) },
            }
        }
    }
}

/// Reads up to `most` bytes; an error ends it and loses nothing.
fn read(mut from: impl Read, most: usize) -> Body {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    let end = loop {
        match from.read(&mut buffer) {
            Ok(0) => break End::Whole,
            Ok(count) => bytes.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break End::Broken(format!("its compressed data is broken: {error}")),
        }
        if bytes.len() > most {
            bytes.truncate(most);
            break End::TooLong;
        }
    };
    Body { bytes, end }
}

/// The queue as something to read from.
struct Pieces<B> {
    queue: mpsc::Receiver<B>,
    piece: Option<B>,
    at: usize,
}

impl<B: AsRef<[u8]>> Pieces<B> {
    fn new(queue: mpsc::Receiver<B>) -> Self {
        Self { queue, piece: None, at: 0 }
    }
}

impl<B: AsRef<[u8]>> Read for Pieces<B> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest =
                self.piece.as_ref().and_then(|piece| piece.as_ref().get(self.at..)).unwrap_or_default();
            if !rest.is_empty() {
                let count = (&mut &*rest).read(buffer)?;
                self.at += count;
                return Ok(count);
            }
            self.piece = self.queue.blocking_recv();
            self.at = 0;
            if self.piece.is_none() {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;

    use super::*;
    use crate::fetch::tests::pack::{brotli, gzip, zstd};

    async fn take(coding: Coding, pieces: Vec<Result<Vec<u8>, String>>, most: usize) -> Body {
        let limits = Limits { bytes: most, time: Duration::from_secs(30) };
        transfer(stream::iter(pieces), coding, limits, Instant::now() + limits.time).await.unwrap()
    }

    #[tokio::test]
    async fn bodies_are_unpacked_in_pieces_of_any_size() {
        let text = b"some text, some text, some more text".repeat(100);
        let rows = [
            (Coding::None, text.clone()),
            (Coding::Gzip, gzip(&text)),
            (Coding::Brotli, brotli(&text)),
            (Coding::Zstd, zstd(&text)),
        ];
        for (coding, packed) in rows {
            for size in [1, 7, 4096] {
                let pieces = packed.chunks(size).map(|piece| Ok(piece.to_vec())).collect();
                let body = take(coding, pieces, 1 << 20).await;
                assert_eq!((body.bytes == text, body.end), (true, End::Whole), "{coding:?} {size}");
            }
            let body = take(coding, vec![Ok(packed.clone())], 100).await;
            assert_eq!((&*body.bytes, body.end), (&text[..100], End::TooLong), "{coding:?}");
            // Cut in the middle: what came is kept, and the reason.
            let half = packed[..packed.len() / 2].to_vec();
            let body = take(coding, vec![Ok(half), Err("the connection was reset".into())], 1 << 20).await;
            assert!(text.starts_with(&body.bytes), "{coding:?}");
            assert_eq!(body.end, End::Broken("the connection was reset".into()));
        }
        let body = take(Coding::Gzip, vec![], 100).await;
        assert_eq!(body, Body { bytes: vec![], end: End::Whole }, "an empty body is no broken one");
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            let body = take(coding, vec![Ok(b"this is not packed at all".to_vec())], 100).await;
            assert!(matches!(body.end, End::Broken(_)), "{coding:?} {:?}", body.end);
        }
    }

    #[tokio::test]
    async fn a_bomb_stops_the_transfer_at_the_limit() {
        let bomb = gzip(&vec![b' '; 16 << 20]);
        let pulled = Arc::new(AtomicUsize::new(0));
        let count = pulled.clone();
        // For ever: each turn is another member of 16 MiB.
        let pieces = stream::iter(
            bomb.chunks(1024).map(<[u8]>::to_vec).collect::<Vec<_>>().into_iter().cycle(),
        )
        .map(move |piece| {
            count.fetch_add(piece.len(), Ordering::Relaxed);
            Ok(piece)
        });
        let limits = Limits { bytes: 5 << 20, ..Limits::default() };
        let body = transfer(pieces, Coding::Gzip, limits, Instant::now() + limits.time).await.unwrap();
        assert_eq!((body.bytes.len(), body.end), (5 << 20, End::TooLong));
        // A queue of four pieces and a buffer more than what five MiB of spaces are packed to.
        let needed = bomb.len() * 5 / 16 + 32 * 1024;
        assert!(pulled.load(Ordering::Relaxed) <= needed, "{} of {needed}", pulled.load(Ordering::Relaxed));
    }

    #[tokio::test(start_paused = true)]
    async fn at_the_deadline_what_came_is_kept() {
        let pieces = stream::iter([Ok(b"a first part".to_vec())]).chain(stream::pending());
        let limits = Limits { bytes: 100, time: Duration::from_secs(30) };
        let fetched = transfer(pieces, Coding::None, limits, Instant::now() + limits.time);
        let (body, ()) = tokio::join!(fetched, tokio::time::advance(Duration::from_secs(31)));
        assert_eq!(body.unwrap(), Body { bytes: b"a first part".to_vec(), end: End::TooSlow });
    }
}
