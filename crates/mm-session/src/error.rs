//! Why a turn ended without an answer.

use mm_llm::ProviderError;

/// A turn that ended without an answer, as one line that a person can act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The model could not be asked, or its reply broke off.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Every call that the turn may make was used.
    #[error("the model used all maxTurns ({0}) calls without a final answer")]
    MaxTurns(u32),
    /// `max_tokens` cut a tool call three times.
    #[error("the model hit {} while writing a tool call", tokens(*max_tokens))]
    CutCall {
        /// The limit that was sent.
        max_tokens: Option<u64>,
    },
    /// Nothing but reasoning came before the limit.
    #[error("the model reached {} while reasoning and gave no answer", tokens(*max_tokens))]
    OnlyReasoning {
        /// The limit that was sent.
        max_tokens: Option<u64>,
    },
    /// The answer does not have the shape that was asked for.
    #[error("{}model failed to generate output matching expected schema: {why}", cut_json(cut))]
    Schema {
        /// What is wrong with it, or what came in its place.
        why: String,
        /// How it was cut off, if it was.
        cut: Option<String>,
    },
    /// The server ended the reply for a reason of its own before anything of an answer came.
    #[error("the server ended the answer before it began: {0}")]
    Ended(String),
    /// Neither text nor a call came, twice.
    #[error("the model answered nothing")]
    Empty,
    /// The model goes round in circles.
    #[error(
        "the model made the same call of {name} with the same result {times} times in a row (maxRepeatedCalls)"
    )]
    Repeated {
        /// The tool.
        name: String,
        /// How often.
        times: u32,
    },
    /// A command was silent, or ran, for longer than the watchdog allows.
    #[error(
        "connection hang detected after {after}: a command ran for longer than watchdogTimeout — raise it together with bashTimeout"
    )]
    Watchdog {
        /// The limit as the user wrote it.
        after: String,
    },
    /// A hook refused the question.
    #[error("a hook refused the question: {reason}")]
    Refused {
        /// The hook's own words.
        reason: String,
    },
    /// A hook that must not fail did.
    #[error("a hook failed: {reason}")]
    Hook {
        /// What went wrong.
        reason: String,
    },
}

impl TurnError {
    /// Whether the user stopped the turn.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted)
    }

    /// The provider's failure, where it was one.
    pub fn provider(&self) -> Option<&ProviderError> {
        match self {
            Self::Provider(error) => Some(error),
            _ => None,
        }
    }
}

fn cut_json(cut: &Option<String>) -> String {
    let cut = cut.as_ref();
    cut.map_or_else(String::new, |how| format!("{CUT} ({how}) — "))
}

const CUT: &str = "the answer was cut off by max_tokens before its JSON was complete";

fn tokens(max_tokens: Option<u64>) -> String {
    max_tokens.map_or_else(|| "the end of the context window".to_owned(), |n| format!("max_tokens ({n})"))
}
