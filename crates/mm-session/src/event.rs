//! What a turn tells whoever watches it.

use std::time::Duration;

use mm_hooks::HookVerdict;
use mm_llm::Usage;
use mm_tools::ToolKind;
use mm_tools::plan::Plan;

use crate::Compacted;

/// Something that happened in a turn. Plain data, in the order it happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A question was taken.
    TurnStarted {
        /// The question as typed.
        question: String,
    },
    /// The model is asked; nothing has come yet.
    Waiting,
    /// The server loads the model first.
    ModelLoading,
    /// The server could not answer just now and is asked again.
    Retrying {
        /// After so long.
        after: Duration,
    },
    /// The server reads the prompt.
    PromptProgress {
        /// Tokens read so far, those from the cache included.
        processed: u64,
        /// Tokens of the whole prompt.
        total: u64,
    },
    /// A piece of what the model thinks.
    Thinking {
        /// The piece.
        text: String,
    },
    /// A piece of the answer.
    Text {
        /// The piece.
        text: String,
    },
    /// The model writes an answer that is shown once it is whole and has the shape that was asked for.
    WritingAnswer,
    /// The text of this reply so far was thinking, not answer.
    TextWasThinking,
    /// The model writes a call: its name has come, its arguments are coming.
    WritingCall {
        /// The tool's name.
        name: String,
    },
    /// A call was taken up.
    ToolStarted {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// Where the tool comes from.
        kind: ToolKind,
        /// One line that says what the call does.
        summary: String,
        /// Whether the arguments had a fault of form that was mended.
        mended: bool,
    },
    /// Output of a running tool.
    ToolProgress {
        /// The call's id.
        id: String,
        /// Clean text, perhaps several lines, perhaps a part of one.
        text: String,
    },
    /// A call is done with.
    ToolFinished {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// Whether it did what it was asked to.
        ok: bool,
        /// The text for the model.
        result: String,
        /// How long it took, waiting for a permission apart.
        elapsed: Duration,
    },
    /// A hook has run; shown where the user wants to see hooks.
    HookRan {
        /// The event's name, such as `preToolCall`.
        event: &'static str,
        /// The tool or agent that the event is about.
        target: Option<String>,
        /// The hook's command, on one line and shortened.
        command: String,
        /// What came of it.
        verdict: HookVerdict,
        /// The characters of the context that it added for the model.
        context_len: usize,
    },
    /// The plan of the conversation is another one now, or there is none any more.
    PlanChanged {
        /// The plan.
        plan: Option<Plan>,
    },
    /// The model is asked for a summary of what was said long ago.
    Compacting,
    /// A summary took the place of what was said long ago.
    Compacted(Compacted),
    /// A word to the user.
    Notice {
        /// The word.
        text: String,
    },
    /// The conversation could not be saved; told once, until it can be again.
    SaveFailed {
        /// What is in the way, with the path.
        why: String,
    },
    /// The turn is over; nothing follows.
    TurnEnded {
        /// How.
        outcome: Outcome,
        /// Token counts summed over the calls of the model.
        usage: Usage,
    },
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// By an answer.
    Answered,
    /// By the user.
    Interrupted,
    /// By an error or a limit, told in one line.
    Failed(String),
}
