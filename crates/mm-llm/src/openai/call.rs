//! One call: its request, sent again where that helps, and the events of its answer.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::{Stream, stream};

use super::decode::Wanted;
use super::stream::Reading;
use super::{Inner, body};
use crate::retry::Again;
use crate::{ChatEvent, ChatRequest, ChatStream, ProviderError, Waiting};

/// Starts a call.
pub(super) fn chat(inner: &Arc<Inner>, request: &ChatRequest<'_>) -> ChatStream {
    let refused = inner.refused().clone();
    let start = match body::body(request, inner.preset, &refused) {
        Ok(body) => Call::Asked(Asked {
            inner: inner.clone(),
            body,
            wanted: Wanted {
                tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
                is_json: request.schema.is_some(),
            },
            tried: 0,
            told: false,
            wait: Duration::ZERO,
        }),
        Err(error) => Call::Failed(error),
    };
    ChatStream::new(Events { ready: VecDeque::new(), call: Box::pin(batches(start)) })
}

/// A call from its request to its end.
enum Call {
    Asked(Asked),
    Failed(ProviderError),
    Reading(Box<Reading>),
    Over,
}

/// A request that has no stream yet.
struct Asked {
    inner: Arc<Inner>,
    body: Vec<u8>,
    wanted: Wanted,
    tried: u32,
    /// What has been told of the wait.
    told: bool,
    wait: Duration,
}

impl Asked {
    /// Sends the request; gives what follows, with an event that tells of it, if there is one.
    async fn send(self) -> (Option<ChatEvent>, Call) {
        if self.wait.is_zero() {
            // The connection of the answer before, read to its end, is there again after some turns of its tasks.
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        } else {
            tokio::time::sleep(self.wait).await;
        }
        let refusal = match self.inner.open(&self.body, &self.wanted).await {
            Ok(reading) => return (None, Call::Reading(Box::new(reading))),
            Err(refusal) => refusal,
        };
        match refusal.again(self.tried, &self.body) {
            Again::Never => (None, Call::Failed(self.inner.hide_key(refusal.told()))),
            Again::After(wait) => {
                let event = ChatEvent::Waiting(Waiting::Retry { after: wait });
                (Some(event), Call::Asked(Self { tried: self.tried + 1, wait, ..self }))
            }
            Again::Loading(wait) => {
                let event = (!self.told).then_some(ChatEvent::Waiting(Waiting::Loading));
                (event, Call::Asked(Self { told: true, wait, ..self }))
            }
            Again::Without(key) => {
                self.inner.refused().push(key);
                match body::without(&self.body, key) {
                    Some(body) => (None, Call::Asked(Self { body, wait: Duration::ZERO, ..self })),
                    None => (None, Call::Failed(refusal.error)),
                }
            }
        }
    }
}

/// Events that came together: a fast server sends many at once.
type Batch = Result<VecDeque<ChatEvent>, ProviderError>;

/// Plays a call to its end.
fn batches(start: Call) -> impl Stream<Item = Batch> {
    stream::unfold(start, |mut call| async move {
        loop {
            call = match call {
                Call::Asked(asked) => match asked.send().await {
                    (Some(event), call) => return Some((Ok(VecDeque::from([event])), call)),
                    (None, call) => call,
                },
                Call::Failed(error) => return Some((Err(error), Call::Over)),
                Call::Reading(mut reading) => match reading.next().await? {
                    Ok(events) => return Some((Ok(events), Call::Reading(reading))),
                    Err(error) => Call::Failed(error),
                },
                Call::Over => return None,
            }
        }
    })
}

/// The events of a call, one by one.
struct Events<S> {
    ready: VecDeque<ChatEvent>,
    call: Pin<Box<S>>,
}

impl<S: Stream<Item = Batch>> Stream for Events<S> {
    type Item = Result<ChatEvent, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            match ready!(self.call.as_mut().poll_next(cx)) {
                Some(Ok(batch)) => self.ready = batch,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}
