//! The moments, with what is known at each.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A moment by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A question is about to reach the model.
    PreGeneration,
    /// A tool is about to run.
    PreToolCall,
    /// A tool has run.
    PostToolCall,
    /// The turn ended with an answer.
    PostGeneration,
    /// Another agent is about to be asked.
    PreAsk,
    /// Another agent has answered.
    PostAsk,
}

impl Moment {
    /// All of them, in the order in which a turn comes to them.
    pub const ALL: [Self; 6] = [
        Self::PreGeneration,
        Self::PreToolCall,
        Self::PostToolCall,
        Self::PostGeneration,
        Self::PreAsk,
        Self::PostAsk,
    ];

    /// The name in configuration files: `preGeneration`, `preToolCall`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::PreGeneration => "preGeneration",
            Self::PreToolCall => "preToolCall",
            Self::PostToolCall => "postToolCall",
            Self::PostGeneration => "postGeneration",
            Self::PreAsk => "preAsk",
            Self::PostAsk => "postAsk",
        }
    }
}

/// A moment of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HookEvent<'a> {
    /// A question is about to reach the model.
    PreGeneration {
        /// The question as typed.
        prompt: &'a str,
    },
    /// A tool is about to run; permission has not been asked yet.
    PreToolCall {
        /// The tool's name.
        tool: &'a str,
        /// The checked arguments, a JSON object.
        arguments: &'a Value,
        /// The one line that the user sees.
        summary: &'a str,
    },
    /// A tool has run.
    PostToolCall {
        /// The tool's name.
        tool: &'a str,
        /// The arguments it ran with.
        arguments: &'a Value,
        /// The one line that the user sees.
        summary: &'a str,
        /// The text for the model.
        result: &'a str,
        /// Whether the call did what it was asked to.
        ok: bool,
        /// How long it ran.
        duration: Duration,
    },
    /// The turn ended with an answer.
    PostGeneration {
        /// The question as it reached the model.
        prompt: &'a str,
        /// The answer.
        answer: &'a str,
        /// The tokens of the turn.
        usage: TokenCounts,
        /// How many tools were called.
        tool_calls: usize,
    },
    /// Another agent is about to be asked.
    PreAsk {
        /// The name of that agent.
        agent: &'a str,
        /// What it is asked.
        question: &'a str,
    },
    /// Another agent has answered.
    PostAsk {
        /// The name of that agent.
        agent: &'a str,
        /// What it was asked.
        question: &'a str,
        /// What it answered.
        answer: &'a str,
    },
}

/// Token counts, as far as the server gave them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Tokens of the prompts.
    pub prompt: Option<u64>,
    /// Those of them that came from the server's cache.
    pub cached: Option<u64>,
    /// Tokens that the model wrote.
    pub completion: Option<u64>,
    /// Those of them that it thought.
    pub reasoning: Option<u64>,
}

/// Where an event happens: the same for all events of a turn.
#[derive(Clone, Copy, Debug)]
pub struct HookContext<'a> {
    /// The conversation's id.
    pub session: &'a str,
    /// The working directory of the turn.
    pub cwd: &'a Path,
    /// The name that this agent goes by.
    pub agent: &'a str,
    /// The model in the server's own naming.
    pub model: &'a str,
    /// Cancelled when the turn is interrupted.
    pub cancel: &'a CancellationToken,
}

impl HookEvent<'_> {
    /// The event's moment.
    pub fn moment(&self) -> Moment {
        match self {
            Self::PreGeneration { .. } => Moment::PreGeneration,
            Self::PreToolCall { .. } => Moment::PreToolCall,
            Self::PostToolCall { .. } => Moment::PostToolCall,
            Self::PostGeneration { .. } => Moment::PostGeneration,
            Self::PreAsk { .. } => Moment::PreAsk,
            Self::PostAsk { .. } => Moment::PostAsk,
        }
    }

    /// The event's name in configuration files: `preGeneration`, `preToolCall`, …
    pub fn name(&self) -> &'static str {
        self.moment().name()
    }

    /// The tool that is called or the agent that is asked, which a matcher names.
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::PreToolCall { tool, .. } | Self::PostToolCall { tool, .. } => Some(tool),
            Self::PreAsk { agent, .. } | Self::PostAsk { agent, .. } => Some(agent),
            Self::PreGeneration { .. } | Self::PostGeneration { .. } => None,
        }
    }
}
