//! Reads the body of one answer, from its first byte to its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::BytesMut;
use futures_util::FutureExt;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, SimplexStream};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::decode::{Decoder, Wanted};
use super::{CallIds, SseDecoder};
use crate::observer::WatchAnswer;
use crate::retry::Refusal;
use crate::{ChatEvent, ProviderError, http, retry};

/// The most bytes of a whole answer, and of an error body.
const WHOLE_LIMIT: usize = 64 << 20;
const ERROR_LIMIT: usize = 64 << 10;
/// The most bytes of a body that wait to be decoded.
const PIECE: usize = 64 << 10;
/// How long the body of an error may take.
const ERROR_WAIT: Duration = Duration::from_secs(5);
/// How long the end of a body may come after `[DONE]`. A body that was read to its end leaves the
/// connection open for the next request.
const TAIL_WAIT: Duration = Duration::from_millis(20);

/// How long `[DONE]` may come after the model has finished.
const FINISHED_WAIT: Duration = Duration::from_secs(2);

/// An answer that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    body: Body,
    decoder: Decoder,
    form: Form,
    /// When the model's answer was first seen to be over.
    finished: Option<Instant>,
    /// What to give once the events before it are out.
    last: Option<Result<(), ProviderError>>,
    watch: Option<Box<dyn WatchAnswer>>,
}

/// What the body turned out to be.
#[derive(Debug)]
enum Form {
    /// Not a byte besides white space yet.
    Unknown(Vec<u8>),
    /// Server-sent events, with the first bytes for a message and whether any event came.
    Events { sse: SseDecoder, head: Vec<u8>, any: bool },
    /// One JSON value: an error, or an answer that was not streamed.
    Whole(Vec<u8>),
}

impl Reading {
    /// Takes an answer whose head has come.
    pub(crate) async fn begin(
        response: Response,
        url: &str,
        ids: Arc<CallIds>,
        wanted: Wanted,
        mut watch: Option<Box<dyn WatchAnswer>>,
    ) -> Result<Self, Refusal> {
        let status = response.status();
        if let Some(watch) = &mut watch {
            let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            watch.head(status.as_u16(), kind);
        }
        let encoding = response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            let near = format!("Content-Encoding: {}", http::one_line(encoding));
            let what = "the server compresses its answer, which was not asked for";
            return Err(ProviderError::Protocol { what, near }.into());
        }
        if !status.is_success() {
            let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
            let retry_after = header.and_then(|value| retry::retry_after(value, SystemTime::now()));
            let error = status_error(response, url, watch).await;
            return Err(Refusal { error, retry_after, unheard: false });
        }
        let form = Form::Unknown(Vec::new());
        let decoder = Decoder::new(ids, wanted);
        let body = Body::of(response);
        Ok(Self { body, decoder, form, finished: None, last: None, watch })
    }

    /// Gives the events that come next, at least one; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<Result<VecDeque<ChatEvent>, ProviderError>> {
        loop {
            let events = self.decoder.take();
            if !events.is_empty() {
                return Some(Ok(events));
            }
            match self.last.take() {
                None => self.read().await,
                Some(Ok(())) => {
                    self.last = Some(Ok(()));
                    return None;
                }
                Some(Err(error)) => {
                    self.last = Some(Ok(()));
                    return Some(Err(error));
                }
            }
        }
    }

    async fn read(&mut self) {
        let Self { body, decoder, form, finished, watch, .. } = self;
        let next = body.next();
        let next = match decoder.is_finished() {
            false => next.await,
            // What is still due are counts and `[DONE]`; some servers send neither and keep the connection.
            true => {
                let finished = *finished.get_or_insert_with(Instant::now);
                tokio::time::timeout_at(finished + FINISHED_WAIT, next).await.unwrap_or(Ok(None))
            }
        };
        if let (Some(watch), Ok(Some(bytes))) = (watch, &next) {
            watch.bytes(bytes);
        }
        let end = match next {
            Ok(Some(bytes)) => form.take(bytes, decoder),
            Ok(None) => form.end(decoder).map(|()| true),
            Err(_) if decoder.is_finished() => Ok(true),
            Err(error) => Err(broken(&error)),
        };
        match end {
            Ok(false) => {}
            Ok(true) => {
                let _ = tokio::time::timeout(TAIL_WAIT, self.tail()).await;
                self.watched(None);
                self.decoder.end();
                self.last = Some(Ok(()));
            }
            Err(error) => {
                self.watched(Some(&error));
                self.decoder.flush();
                self.last = Some(Err(error));
            }
        }
    }

    fn watched(&mut self, error: Option<&ProviderError>) {
        if let Some(watch) = &mut self.watch {
            watch.end(error.map(ToString::to_string).as_deref());
        }
    }

    async fn tail(&mut self) {
        let Self { body, watch, .. } = self;
        while let Ok(Some(bytes)) = body.next().await {
            if let Some(watch) = watch {
                watch.bytes(bytes);
            }
        }
    }
}

impl Form {
    /// Takes bytes; true when `[DONE]` was among them.
    fn take(&mut self, bytes: &[u8], decoder: &mut Decoder) -> Result<bool, ProviderError> {
        match self {
            Self::Unknown(held) => {
                held.extend_from_slice(bytes);
                let start = held.strip_prefix(b"\xef\xbb\xbf").unwrap_or(held);
                let held = match start.iter().find(|b| !b.is_ascii_whitespace()) {
                    None => return Ok(false),
                    Some(b'{' | b'[') => {
                        *self = Self::Whole(start.to_vec());
                        return Ok(false);
                    }
                    Some(_) => std::mem::take(held),
                };
                *self = Self::Events { sse: SseDecoder::default(), head: Vec::new(), any: false };
                self.take(&held, decoder)
            }
            Self::Whole(body) => {
                body.extend_from_slice(bytes);
                if body.len() > WHOLE_LIMIT {
                    return Err(protocol("the server's answer has more than 64 MiB"));
                }
                Ok(false)
            }
            Self::Events { sse, head, any } => {
                if head.len() < 200 {
                    head.extend(bytes.iter().take(200));
                }
                let mut feed = Feed { decoder, done: false, failed: None };
                sse.push(bytes, |data| feed.data(data, any))?;
                feed.failed.map_or(Ok(feed.done), Err)
            }
        }
    }

    /// The connection ended, or the body did.
    fn end(&mut self, decoder: &mut Decoder) -> Result<(), ProviderError> {
        match self {
            Self::Unknown(_) => Err(protocol("the server sent an empty answer")),
            Self::Whole(body) => {
                let text = String::from_utf8_lossy(body).into_owned();
                decoder.payload(&text)?;
                if !decoder.has_begun() {
                    let what = "the server sent something that is no answer";
                    return Err(ProviderError::Protocol { what, near: http::one_line(&text) });
                }
                Ok(())
            }
            Self::Events { sse, head, any } => {
                let mut feed = Feed { decoder, done: false, failed: None };
                sse.finish(|data| feed.data(data, any));
                // After the end of the answer, counts that were cut off are no loss.
                if feed.done || feed.decoder.is_finished() {
                    return Ok(());
                }
                match feed.failed {
                    // An event without its end is a part of one.
                    Some(ProviderError::Protocol { .. }) | None => {}
                    Some(error) => return Err(error),
                }
                if *any {
                    return Err(protocol("the stream ended before the model finished"));
                }
                let near = http::one_line(&String::from_utf8_lossy(head));
                Err(ProviderError::Protocol { what: "the server's answer is no event stream", near })
            }
        }
    }
}

/// The body of an answer; dropping it closes the connection.
///
/// The connection gives a token at a time. A small task takes them, so that whoever waits for an answer is not woken
/// with each token of a fast one.
#[derive(Debug)]
struct Body {
    pipe: ReadHalf<SimplexStream>,
    /// What was read last.
    piece: BytesMut,
    task: JoinSet<reqwest::Result<()>>,
}

impl Body {
    fn of(mut response: Response) -> Self {
        let (pipe, mut filled) = tokio::io::simplex(PIECE);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut end = Ok(());
            loop {
                match response.chunk().await {
                    Ok(Some(bytes)) if filled.write_all(&bytes).await.is_ok() => {}
                    Ok(_) => break,
                    Err(error) => {
                        end = Err(error);
                        break;
                    }
                }
            }
            let _ = filled.shutdown().await;
            end
        });
        Self { pipe, piece: BytesMut::with_capacity(PIECE), task }
    }

    /// Gives what has come; `None` at the end.
    async fn next(&mut self) -> reqwest::Result<Option<&[u8]>> {
        self.piece.clear();
        if let Ok(1..) = self.pipe.read_buf(&mut self.piece).await {
            // What comes right behind it belongs to the same piece.
            tokio::task::yield_now().await;
            let _ = self.pipe.read_buf(&mut self.piece).now_or_never();
            return Ok(Some(&self.piece));
        }
        match self.task.join_next().await {
            Some(Ok(Err(error))) => Err(error),
            Some(Ok(Ok(())) | Err(_)) | None => Ok(None),
        }
    }
}

/// Hands the data of events to the decoder until one says that it was the last.
struct Feed<'a> {
    decoder: &'a mut Decoder,
    done: bool,
    failed: Option<ProviderError>,
}

impl Feed<'_> {
    fn data(&mut self, data: &str, any: &mut bool) {
        *any = true;
        if self.done || self.failed.is_some() {
            return;
        }
        match data.trim() {
            "" => {}
            "[DONE]" => self.done = true,
            data => self.failed = self.decoder.payload(data).err(),
        }
    }
}

fn protocol(what: &'static str) -> ProviderError {
    ProviderError::Protocol { what, near: String::new() }
}

fn broken(error: &reqwest::Error) -> ProviderError {
    let what = "the connection broke off before the model finished";
    ProviderError::Protocol { what, near: http::why(error) }
}

async fn status_error(
    mut response: Response,
    url: &str,
    mut watch: Option<Box<dyn WatchAnswer>>,
) -> ProviderError {
    let status = response.status().as_u16();
    // Relative to what was asked.
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let location = location.map(|to| {
        let asked = reqwest::Url::parse(url).and_then(|asked| asked.join(to));
        asked.map_or_else(|_| to.to_owned(), String::from)
    });
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > ERROR_LIMIT {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(ERROR_WAIT, read).await;
    if let Some(watch) = &mut watch {
        watch.bytes(&body);
        watch.end(None);
    }
    match http::status_error(status, &String::from_utf8_lossy(&body), location.as_deref()) {
        // The path is what a person needs to see here.
        ProviderError::Http { status: 404, message } => {
            ProviderError::Http { status, message: format!("{message} [{url}]") }
        }
        error => error,
    }
}
