//! Ends a reply whose server is silent for too long.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{ChatEvent, ChatStream, Phase, ProviderError, Waiting};

/// What may still come once a limit is over.
const GRACE: Duration = Duration::from_millis(100);

/// A limit, with the words that the user wrote for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How long.
    pub duration: Duration,
    /// The same for messages, such as `20s`.
    pub text: String,
}

impl Limit {
    /// A limit of whole seconds.
    pub fn seconds(seconds: u64) -> Self {
        Self { duration: Duration::from_secs(seconds), text: format!("{seconds}s") }
    }
}

/// How long a silence may last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitLimits {
    /// Before the first token, while the server loads the model and reads the prompt; a progress report
    /// starts it anew. Never shorter than `between`.
    pub first: Limit,
    /// Between two tokens.
    pub between: Limit,
}

impl WaitLimits {
    fn first(&self) -> &Limit {
        if self.first.duration < self.between.duration { &self.between } else { &self.first }
    }
}

/// Watches a stream: when a limit is over, the stream ends with [`ProviderError::Timeout`] and the
/// connection is closed. A keep-alive comment of the server is no token and starts nothing anew.
pub fn watch(stream: ChatStream, limits: WaitLimits) -> ChatStream {
    let (talking, loading) = (false, false);
    let (deadline, graced, timer) = (None, false, None);
    ChatStream::new(Watched { stream: Some(stream), limits, talking, loading, deadline, graced, timer })
}

struct Watched {
    stream: Option<ChatStream>,
    limits: WaitLimits,
    talking: bool,
    loading: bool,
    /// The end of the silence that is waited in.
    deadline: Option<Instant>,
    /// The deadline is over, and it is only waited for what the clock may have overtaken.
    graced: bool,
    /// Rings at the deadline or before it: it is not set anew with each token, but when it has rung.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Stream for Watched {
    type Item = Result<ChatEvent, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(None) };
        if let Poll::Ready(item) = stream.poll_next_unpin(cx) {
            self.graced = false;
            if let Some(Ok(event)) = &item {
                self.heard(event);
            }
            return Poll::Ready(item);
        }
        ready!(self.silence(cx));
        self.stream = None; // closes the connection before anybody reads the error
        Poll::Ready(Some(Err(self.over())))
    }
}

impl Watched {
    /// Waits until a silence is too long.
    fn silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let limit = if self.talking { &self.limits.between } else { self.limits.first() };
        let deadline = *self.deadline.get_or_insert_with(|| after(limit.duration));
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if deadline < timer.deadline() && !self.graced {
            timer.as_mut().reset(deadline);
        }
        ready!(timer.as_mut().poll(cx));
        let now = Instant::now();
        if now >= deadline && std::mem::replace(&mut self.graced, true) {
            return Poll::Ready(());
        }
        // A program that was stopped (Ctrl-Z) wakes with its clock over and the tokens still unread.
        timer.as_mut().reset(if now < deadline { deadline } else { now + GRACE });
        timer.as_mut().poll(cx)
    }

    fn heard(&mut self, event: &ChatEvent) {
        self.loading = matches!(event, ChatEvent::Waiting(Waiting::Loading));
        let is_progress = matches!(event, ChatEvent::PromptProgress { .. }) && !self.talking;
        self.talking |= event.is_token();
        if event.is_token() || is_progress {
            self.deadline = None;
        }
    }

    fn over(&self) -> ProviderError {
        let (phase, limit) = if self.talking {
            (Phase::NextToken, &self.limits.between)
        } else {
            (Phase::FirstToken, self.limits.first())
        };
        ProviderError::Timeout { phase, after: limit.text.clone(), loading: self.loading }
    }
}

/// A deadline; a limit of many years, which an `Instant` cannot hold, is cut to one.
fn after(limit: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    Instant::now() + limit.min(YEAR)
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn text(text: &str) -> ChatEvent {
        ChatEvent::Text(text.into())
    }

    fn progress() -> ChatEvent {
        ChatEvent::PromptProgress { total: 10, processed: 5, cached: 0 }
    }

    /// Plays (seconds before it, event) rows and gives the last item as text.
    async fn end(limits: (u64, u64), rows: Vec<(u64, ChatEvent)>) -> String {
        let script = stream::iter(rows)
            .then(|(wait, event)| async move {
                tokio::time::sleep(Duration::from_secs(wait)).await;
                Ok(event)
            })
            .chain(stream::pending());
        let limits = WaitLimits { first: Limit::seconds(limits.0), between: Limit::seconds(limits.1) };
        let mut watched = watch(ChatStream::new(script), limits);
        loop {
            match watched.next().await {
                Some(Ok(ChatEvent::Finished(_))) => return "finished".into(),
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    assert!(watched.next().await.is_none(), "nothing comes after the error");
                    return error.to_string();
                }
                None => return "none".into(),
            }
        }
    }

    /// As after Ctrl-Z and `fg`: the clock is long over, and the token is read at the next look but one.
    #[tokio::test(start_paused = true)]
    async fn a_clock_that_jumped_is_no_silence() {
        let mut looks = 0;
        let late = stream::poll_fn(move |_| {
            looks += 1;
            if looks < 3 { Poll::Pending } else { Poll::Ready(Some(Ok(text("a")))) }
        });
        let limits = WaitLimits { first: Limit::seconds(1), between: Limit::seconds(1) };
        let mut watched = watch(ChatStream::new(late), limits);
        assert!(futures_util::poll!(watched.next()).is_pending());
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(futures_util::poll!(watched.next()).is_pending());
        assert!(matches!(futures_util::poll!(watched.next()), Poll::Ready(Some(Ok(ChatEvent::Text(_))))));
    }

    #[tokio::test(start_paused = true)]
    async fn each_silence_has_its_limit() {
        let done = || ChatEvent::Finished(crate::FinishReason::Stop);
        let rows: Vec<((u64, u64), Vec<(u64, ChatEvent)>, &str)> = vec![
            ((3, 1), vec![], "no first token from the server after 3s"),
            (
                (3, 1),
                vec![(1, ChatEvent::Waiting(Waiting::Loading))],
                "no first token from the server after 3s (it says: Loading model)",
            ),
            ((3, 1), vec![(2, text("a"))], "connection hang detected after 1s"),
            ((3, 9), vec![], "no first token from the server after 9s"),
            ((3, 1), vec![(2, progress()), (2, progress()), (2, text("a")), (0, done())], "finished"),
            ((3, 1), vec![(2, progress())], "no first token from the server after 3s"),
            ((9, 2), vec![(1, text("a")), (1, text("b")), (1, done())], "finished"),
            (
                (9, 2),
                vec![(1, text("a")), (1, progress()), (1, progress())],
                "connection hang detected after 2s",
            ),
            ((3, 3), vec![(1, ChatEvent::Reasoning("a".into())), (2, text("b")), (0, done())], "finished"),
        ];
        for (limits, script, expected) in rows {
            let told = format!("{limits:?} {script:?}");
            assert_eq!(end(limits, script).await, expected, "{told}");
        }
    }
}
