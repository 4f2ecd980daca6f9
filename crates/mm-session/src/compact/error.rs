//! Why a compression did not come about.

use mm_llm::ProviderError;

/// A compression that left the conversation as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// Everything is to be kept, or summed up already.
    #[error("nothing to compact")]
    Nothing,
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The model could not be asked, or its reply broke off.
    #[error("the summary failed: {0}")]
    Provider(#[from] ProviderError),
    /// The model thought and wrote nothing before the limit.
    #[error(
        "the summary is empty: the model reasoned until the limit, {max_tokens} tokens — raise context.summaryMaxTokens"
    )]
    OnlyReasoning {
        /// The limit.
        max_tokens: u64,
    },
    /// The model wrote nothing.
    #[error("the summary is empty")]
    Empty,
    /// The model called a tool.
    #[error("the model called {tool} instead of writing a summary")]
    Called {
        /// The tool that it named first.
        tool: String,
    },
    /// The limit came before the end.
    #[error("the summary was cut off after {max_tokens} tokens — raise context.summaryMaxTokens")]
    CutOff {
        /// The limit.
        max_tokens: u64,
    },
    /// The server ended the summary for a reason of its own.
    #[error("the server ended the summary: {0}")]
    Ended(String),
    /// It would take as much room as what it stands for.
    #[error("the summary is not shorter than what it would replace (~{after} tokens for ~{before})")]
    NotShorter {
        /// Tokens of what it would replace.
        before: u64,
        /// Its own tokens.
        after: u64,
    },
}

impl CompactError {
    /// Whether the user stopped it.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted)
    }

    /// Whether there was a summary, and it would not have helped.
    pub fn is_not_shorter(&self) -> bool {
        matches!(self, Self::NotShorter { .. })
    }

    /// Whether there was nothing to do, so that no model was asked.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}
