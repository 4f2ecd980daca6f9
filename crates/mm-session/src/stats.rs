//! What answers took.

use std::time::Duration;

use mm_llm::{ChatEvent, Usage};
use tokio::time::Instant;

use crate::steps::sum;

/// What the last answer took, and the whole conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The last answer, with the calls of tools on its way.
    pub last: Counts,
    /// All of them, with the summaries of compressions.
    pub all: Counts,
}

/// What some calls of the model took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Calls of the model.
    pub calls: u32,
    /// Token counts, summed; a count that no server gave is `None`.
    pub usage: Usage,
    /// Calls whose first token came.
    pub begun: u32,
    /// From the requests to their first tokens, summed.
    pub waited: Duration,
    /// From the first tokens to the last ones, summed.
    pub generated: Duration,
    /// Calls of tools.
    pub tool_calls: u32,
    /// How long tools ran, those that ran beside each other one behind the other.
    pub tools: Duration,
}

impl Counts {
    /// The mean time from a request to its first token.
    pub fn first_token(&self) -> Option<Duration> {
        (self.begun > 0).then(|| self.waited / self.begun)
    }

    /// Tokens generated a second: as the server measured it last, or else over the time from the first token to the last.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let seconds = self.generated.as_secs_f64();
        let measured = || Some(self.usage.completion? as f64 / seconds).filter(|_| seconds > 0.0);
        self.usage.tokens_per_second.or_else(measured)
    }

    /// The share of the prompts that the server had cached, in per cent.
    pub fn cached_percent(&self) -> Option<u64> {
        let (cached, prompt) = (self.usage.cached?, self.usage.prompt?);
        (prompt > 0).then(|| (cached as f64 * 100.0 / prompt as f64) as u64)
    }

    fn add(&mut self, call: &Counts) {
        self.calls += call.calls;
        self.usage = sum(self.usage, call.usage);
        self.begun += call.begun;
        self.waited += call.waited;
        self.generated += call.generated;
        self.tool_calls += call.tool_calls;
        self.tools += call.tools;
    }
}

impl Statistics {
    /// Begins a turn.
    pub(crate) fn begin(&mut self) {
        self.last = Counts::default();
    }

    /// Takes a call of the model.
    pub(crate) fn called(&mut self, watch: &CallWatch, usage: Usage) {
        let call = watch.counts(usage);
        self.last.add(&call);
        self.all.add(&call);
    }

    /// Takes the call of a summary, which is part of no answer.
    pub(crate) fn summarized(&mut self, usage: Usage) {
        self.all.add(&Counts {
            calls: 1,
            usage: Usage { tokens_per_second: None, ..usage },
            ..Counts::default()
        });
    }

    /// Takes a call of a tool.
    pub(crate) fn ran(&mut self, time: Duration) {
        let call = Counts { tool_calls: 1, tools: time, ..Counts::default() };
        self.last.add(&call);
        self.all.add(&call);
    }
}

/// Watches the time of a call of the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallWatch {
    sent: Instant,
    first: Option<Instant>,
    last: Instant,
}

impl CallWatch {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { sent: now, first: None, last: now }
    }

    pub(crate) fn saw(&mut self, event: &ChatEvent) {
        if event.is_token() {
            self.last = Instant::now();
            self.first.get_or_insert(self.last);
        }
    }

    fn counts(&self, usage: Usage) -> Counts {
        let zero = Duration::ZERO;
        Counts {
            calls: 1,
            usage,
            begun: u32::from(self.first.is_some()),
            waited: self.first.map_or(zero, |first| first - self.sent),
            generated: self.first.map_or(zero, |first| self.last - first),
            ..Counts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_are_summed_for_the_answer_and_in_all() {
        let mut stats = Statistics::default();
        let usage = |prompt, cached| Usage {
            prompt: Some(prompt),
            cached: Some(cached),
            completion: Some(10),
            ..Usage::default()
        };
        for (prompt, cached) in [(100, 0), (200, 180)] {
            stats.begin();
            let mut watch = CallWatch::start();
            tokio::time::advance(Duration::from_secs(2)).await;
            watch.saw(&ChatEvent::Usage(Usage::default()));
            watch.saw(&ChatEvent::Text("a".into()));
            tokio::time::advance(Duration::from_secs(5)).await;
            watch.saw(&ChatEvent::Text("b".into()));
            stats.called(&watch, usage(prompt, cached));
            stats.ran(Duration::from_millis(250));
        }
        let Statistics { last, all } = stats;
        assert_eq!((last.calls, all.calls, all.tool_calls), (1, 2, 2));
        assert_eq!((last.cached_percent(), all.cached_percent()), (Some(90), Some(60)));
        assert_eq!(
            (last.first_token(), all.first_token()),
            (Some(Duration::from_secs(2)), Some(Duration::from_secs(2)))
        );
        assert_eq!((last.tokens_per_second(), all.tokens_per_second()), (Some(2.0), Some(2.0)));
        assert_eq!((last.tools, all.tools), (Duration::from_millis(250), Duration::from_millis(500)));
        assert_eq!(Counts::default().tokens_per_second(), None);
    }
}
