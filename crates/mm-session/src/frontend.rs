//! The seam between a turn and whoever watches it.

use std::pin::Pin;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures_util::Stream;
use mm_tools::{Asked, Question, Risk};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::Event;

/// Shows what happens and answers for the user.
///
/// A turn awaits `show` before it goes on, so that a question never overtakes the text before it, and a
/// slow screen slows the stream instead of filling the memory.
#[async_trait]
pub trait Frontend: Send + Sync {
    /// Takes an event.
    async fn show(&self, event: Event);

    /// Asks whether a call may run. The future is dropped when the turn is interrupted.
    async fn confirm(&self, request: ConfirmRequest<'_>) -> Confirmation;

    /// Asks the user what a tool wants to know. The future is dropped when the turn is interrupted.
    async fn ask(&self, questions: &[Question]) -> Asked {
        let _ = questions;
        Asked::Nobody("nobody can answer here".to_owned())
    }
}

/// A call that waits for permission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfirmRequest<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// One line that says what the call would do.
    pub summary: &'a str,
    /// How dangerous it looks, for the user to read.
    pub risk: &'a Risk,
    /// The whole arguments.
    pub arguments: &'a Value,
    /// The change that the call would make, as a unified diff, where there is one that can be shown whole.
    pub diff: Option<&'a str>,
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// This call may run.
    Once,
    /// This tool may run for the rest of the session.
    Session,
    /// This call may not run.
    Refuse,
    /// This tool may not run for the rest of the session.
    Never,
    /// Nobody can answer, with the reason for the model.
    Nobody(String),
}

/// Nobody watches: events are dropped, and calls that need a permission are refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

#[async_trait]
impl Frontend for Silent {
    async fn show(&self, _event: Event) {}

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        Confirmation::Nobody("nobody can confirm this call".into())
    }
}

/// A front end that hands the events on, for whoever would rather have a stream than implement [`Frontend`]. What
/// needs a permission is refused.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::StreamExt;
/// use mm_llm::testing::ScriptedProvider;
/// use mm_session::{Channel, Event, Session, SessionOptions, SessionParts};
/// use tokio_util::sync::CancellationToken;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let provider = Arc::new(ScriptedProvider::new([ScriptedProvider::text("Blue.")]));
/// let mut session = Session::new(SessionParts::new(provider), SessionOptions::new("any", "/tmp"));
/// let (channel, mut events) = Channel::new();
/// let turn = async {
///     // The stream ends with the channel, which the turn borrows.
///     let answer = session.turn("Which colour?", &channel, &CancellationToken::new()).await;
///     drop(channel);
///     answer
/// };
/// let watch = async {
///     let mut text = String::new();
///     while let Some(event) = events.next().await {
///         if let Event::Text { text: piece } = event {
///             text += &piece;
///         }
///     }
///     text
/// };
/// let (answer, text) = tokio::join!(turn, watch);
/// assert_eq!((answer.unwrap().text.as_str(), text.as_str()), ("Blue.", "Blue."));
/// # }
/// ```
#[derive(Debug)]
pub struct Channel {
    sender: mpsc::Sender<Event>,
}

/// The events of a [`Channel`]; the turn waits for whoever reads them, and goes on unseen when this is dropped.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Event>,
}

impl Channel {
    /// Makes a channel and the stream of its events.
    pub fn new() -> (Self, Events) {
        let (sender, receiver) = mpsc::channel(16);
        (Self { sender }, Events { receiver })
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.receiver.poll_recv(cx)
    }
}

#[async_trait]
impl Frontend for Channel {
    async fn show(&self, event: Event) {
        let _ = self.sender.send(event).await;
    }

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        Confirmation::Nobody("nobody can confirm this call here".into())
    }
}
