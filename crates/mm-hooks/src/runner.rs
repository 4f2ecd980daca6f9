//! The seam between the turn and whoever listens to it, and the commands that do.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use mm_tools::process::{Command, ProcessRunner};
use serde_json::Value;

use crate::command::{self, Run, Starter};
use crate::error::HookFailure;
use crate::outcome::Reply;
use crate::{
    Decision, HookCommand, HookContext, HookEvent, HookOutcome, HookRun, HookVerdict, Matcher, Moment,
    payload,
};

/// The most bytes that a hook may answer.
const MAX_OUTPUT: usize = 1 << 20;

/// Runs the hooks of an event.
#[async_trait]
pub trait HookRunner: Debug + Send + Sync {
    /// Runs every hook of the event in order and sums up what they said.
    ///
    /// A failure is never a decision: an implementation says by [`Decision::Stop`] or by a notice what its
    /// failure means. Ends early when the turn is cancelled or the future dropped.
    async fn run(&self, event: HookEvent<'_>, cx: &HookContext<'_>) -> HookOutcome;
}

/// No hooks: everything is allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

#[async_trait]
impl HookRunner for NoHooks {
    async fn run(&self, _event: HookEvent<'_>, _cx: &HookContext<'_>) -> HookOutcome {
        HookOutcome::default()
    }
}

/// A command at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it runs.
    pub moment: Moment,
    /// What runs.
    pub command: HookCommand,
    /// For which tools or agents; for all when `None`.
    pub matcher: Option<Matcher>,
    /// How long it may take, from its start to its end.
    pub timeout: Duration,
    /// The same as the user wrote it, such as `10s`.
    pub timeout_text: String,
    /// What follows when it fails.
    pub on_error: OnError,
}

/// What follows when a hook fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The turn ends; before a call, that call is denied.
    Fail,
    /// One line tells it.
    #[default]
    Warn,
    /// Nothing.
    Ignore,
}

/// What all commands have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOptions {
    /// Variables that they do not get, such as those that hold keys.
    pub env_remove: Vec<String>,
    /// The most characters of a text that one of them hands to the model.
    pub max_text: usize,
}

impl Default for HookOptions {
    /// No variable is kept from them, and a text has 16,000 characters.
    fn default() -> Self {
        Self { env_remove: Vec::new(), max_text: 16_000 }
    }
}

/// Hooks that are commands: each reads one JSON object and may answer one.
///
/// They run one after the other in the directory of the turn, without a terminal. What one rewrites, the next reads; the
/// first that denies is the last to run. What a command leaves in the background is ended with it.
#[derive(Debug)]
pub struct ProcessHooks {
    hooks: Vec<Hook>,
    options: HookOptions,
    starter: Starter,
}

impl ProcessHooks {
    /// Makes hooks that run in this order. Nothing is started or looked up before an event.
    pub fn new(hooks: Vec<Hook>, options: HookOptions, runner: ProcessRunner) -> Self {
        Self { hooks, options, starter: Starter::new(runner) }
    }

    async fn ask(
        &self,
        hook: &Hook,
        event: &HookEvent<'_>,
        cx: &HookContext<'_>,
    ) -> Result<Reply, HookFailure> {
        let (env, unset) = payload::variables(event, cx);
        let env_remove = self.options.env_remove.iter().cloned().chain(unset).collect();
        let command = Command { env, env_remove, ..command::at(cx.cwd, hook.timeout) };
        let input = payload::line(event, cx, Timestamp::now());
        let run = Run { command, input: &input, max_output: MAX_OUTPUT };
        let went = self.starter.run(&hook.command, run, cx.cancel).await?;
        HookFailure::of(went.ending, &hook.timeout_text, &went.stderr)?;
        if went.is_cut {
            return Err(HookFailure::TooMuch);
        }
        Reply::read(hook.moment, &went.stdout, self.options.max_text)
    }
}

#[async_trait]
impl HookRunner for ProcessHooks {
    async fn run(&self, event: HookEvent<'_>, cx: &HookContext<'_>) -> HookOutcome {
        let mut outcome = HookOutcome::default();
        for hook in self.hooks.iter().filter(|hook| hook.fits(&event)) {
            let summary = outcome.arguments.as_ref().map(Value::to_string);
            let reply = self.ask(hook, &rewritten(event, &outcome, summary.as_deref()), cx).await;
            if cx.cancel.is_cancelled() {
                outcome.decision = Decision::Stop { reason: HookFailure::Interrupted.to_string() };
                break;
            }
            hook.settle(reply, &mut outcome);
            if outcome.decision.is_final() {
                break;
            }
        }
        outcome
    }
}

impl Hook {
    fn fits(&self, event: &HookEvent<'_>) -> bool {
        let fits = |name| self.matcher.as_ref().is_none_or(|matcher| matcher.fits(name));
        self.moment == event.moment() && event.target().is_none_or(fits)
    }

    /// Adds what it said, or what its failure means, and what of it is shown.
    fn settle(&self, reply: Result<Reply, HookFailure>, outcome: &mut HookOutcome) {
        let (verdict, reply) = match reply {
            Ok(reply) => (verdict(&reply.decision), reply),
            Err(failure) => {
                let told = format!("{}: {failure}", self.command);
                let (verdict, decision) = self.consequence(told, &mut outcome.notices);
                (verdict, Reply::of(decision))
            }
        };
        let context_len = reply.context.as_ref().map_or(0, |context| context.chars().count());
        outcome.ran.push(HookRun { command: self.command.to_string(), verdict, context_len });
        outcome.take(reply);
    }

    fn consequence(&self, told: String, notices: &mut Vec<String>) -> (HookVerdict, Decision) {
        match (self.on_error, self.moment) {
            (OnError::Fail, Moment::PreToolCall) => {
                (HookVerdict::FailedDeny, Decision::Deny { reason: format!("it failed: {told}") })
            }
            (OnError::Fail, _) => (HookVerdict::FailedStop, Decision::Stop { reason: told }),
            (OnError::Warn, _) => {
                notices.push(format!("a hook failed: {told}"));
                (HookVerdict::Failed, Decision::Allow)
            }
            (OnError::Ignore, _) => (HookVerdict::Failed, Decision::Allow),
        }
    }
}

fn verdict(decision: &Decision) -> HookVerdict {
    match decision {
        Decision::Allow => HookVerdict::Allow,
        Decision::Ask => HookVerdict::Ask,
        Decision::Deny { .. } => HookVerdict::Deny,
        Decision::Stop { .. } => HookVerdict::FailedStop,
    }
}

/// The event as the hooks so far have left it. The summary of arguments that a hook wrote is those arguments
/// themselves: only the tool could say more of them, and the old one would be of another call.
fn rewritten<'a>(
    event: HookEvent<'a>,
    outcome: &'a HookOutcome,
    new_summary: Option<&'a str>,
) -> HookEvent<'a> {
    let prompt_or = |old| outcome.prompt.as_deref().unwrap_or(old);
    match event {
        HookEvent::PreGeneration { prompt } => HookEvent::PreGeneration { prompt: prompt_or(prompt) },
        HookEvent::PreToolCall { tool, arguments, summary } => HookEvent::PreToolCall {
            tool,
            arguments: outcome.arguments.as_ref().unwrap_or(arguments),
            summary: new_summary.unwrap_or(summary),
        },
        HookEvent::PostToolCall { tool, arguments, summary, result, ok, duration } => {
            let result = outcome.result.as_deref().unwrap_or(result);
            HookEvent::PostToolCall { tool, arguments, summary, result, ok, duration }
        }
        HookEvent::PostGeneration { .. } => event,
        HookEvent::PreAsk { agent, question } => HookEvent::PreAsk { agent, question: prompt_or(question) },
        HookEvent::PostAsk { agent, question, answer } => {
            HookEvent::PostAsk { agent, question, answer: outcome.answer.as_deref().unwrap_or(answer) }
        }
    }
}

#[cfg(test)]
mod tests;
