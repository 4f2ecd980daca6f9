//! A double for tests of a turn.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::{HookContext, HookEvent, HookOutcome, HookRunner};
use async_trait::async_trait;

/// Answers given events with given outcomes, in order, and remembers what it was told.
#[derive(Debug, Default)]
pub struct ScriptedHooks {
    // Behind locks since a runner is shared; held only for a push or a pop.
    outcomes: Mutex<VecDeque<(&'static str, HookOutcome)>>,
    seen: Mutex<Vec<String>>,
}

impl ScriptedHooks {
    /// Makes hooks that give each outcome once, to the next event of that name.
    pub fn new(outcomes: impl IntoIterator<Item = (&'static str, HookOutcome)>) -> Self {
        Self { outcomes: Mutex::new(outcomes.into_iter().collect()), seen: Mutex::default() }
    }

    /// The events so far, in their `Debug` form.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl HookRunner for ScriptedHooks {
    async fn run(&self, event: HookEvent<'_>, _cx: &HookContext<'_>) -> HookOutcome {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{event:?}"));
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let next = outcomes.iter().position(|(name, _)| *name == event.name());
        next.and_then(|at| outcomes.remove(at)).map(|(_, outcome)| outcome).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::TokenCounts;

    #[tokio::test]
    async fn an_outcome_goes_to_the_next_event_of_its_name() {
        let hooks = ScriptedHooks::new([("preGeneration", HookOutcome::deny("no"))]);
        let cancel = CancellationToken::new();
        let cx = HookContext { session: "1", cwd: Path::new("/"), agent: "a", model: "m", cancel: &cancel };
        let post = HookEvent::PostGeneration {
            prompt: "q",
            answer: "a",
            usage: TokenCounts::default(),
            tool_calls: 0,
        };
        assert_eq!(hooks.run(post, &cx).await, HookOutcome::default());
        let pre = HookEvent::PreGeneration { prompt: "q" };
        assert_eq!(hooks.run(pre, &cx).await, HookOutcome::deny("no"));
        assert_eq!(hooks.run(pre, &cx).await, HookOutcome::default());
        assert_eq!(hooks.seen().len(), 3);
    }
}
