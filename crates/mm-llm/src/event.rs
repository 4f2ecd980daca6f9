//! What comes out of a stream, the same for every server.

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEvent {
    /// Nothing has come yet, and it is known why.
    Waiting(Waiting),
    /// The server reads the prompt (llama.cpp servers only).
    PromptProgress {
        /// Tokens of the whole prompt.
        total: u64,
        /// Tokens read so far, those from the cache included.
        processed: u64,
        /// Tokens taken from the cache.
        cached: u64,
    },
    /// A piece of the answer.
    Text(String),
    /// A piece of what the model thinks before it answers; never part of the answer.
    Reasoning(String),
    /// All text so far was reasoning: a closing `</think>` came whose opening tag the chat template had
    /// written.
    TextWasReasoning,
    /// The model begins a call.
    CallStarted {
        /// The position of the call in this reply, from 0.
        slot: usize,
        /// The server's id, or a made-up one; never empty, different in each slot.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A piece of a call's arguments.
    CallArguments {
        /// The position of the call in this reply.
        slot: usize,
        /// A piece of JSON text.
        text: String,
    },
    /// A call stood in the midst of other text, where it stays text: the server's tool parser does not fit the
    /// model. Once, at the end.
    CallInText,
    /// Token counts, once, at the end.
    Usage(Usage),
    /// The reply is complete; the last event.
    Finished(FinishReason),
}

impl ChatEvent {
    /// Whether the event carries something that the model generated. Progress and counts do not.
    pub fn is_token(&self) -> bool {
        match self {
            Self::Text(_) | Self::Reasoning(_) | Self::CallStarted { .. } | Self::CallArguments { .. } => {
                true
            }
            Self::Waiting(_)
            | Self::PromptProgress { .. }
            | Self::TextWasReasoning
            | Self::CallInText
            | Self::Usage(_)
            | Self::Finished(_) => false,
        }
    }
}

/// What an answer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The server loads the model; it is asked until it has.
    Loading,
    /// The request failed in passing and is sent again.
    Retry {
        /// After so long.
        after: std::time::Duration,
    },
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It wants its calls run.
    ToolCalls,
    /// `max_tokens` or the context window cut it off.
    Length,
    /// Another word of the server's.
    Other(String),
}

/// Token counts of one call; a count that the server did not give is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub prompt: Option<u64>,
    /// Tokens of the prompt that the server had cached.
    pub cached: Option<u64>,
    /// Tokens generated, reasoning included.
    pub completion: Option<u64>,
    /// Tokens of reasoning.
    pub reasoning: Option<u64>,
    /// Generated tokens per second, as the server measured them.
    pub tokens_per_second: Option<f64>,
}

impl Usage {
    /// Tokens of the window in use after the call, where both counts are known.
    pub fn total(&self) -> Option<u64> {
        Some(self.prompt?.saturating_add(self.completion?))
    }
}
