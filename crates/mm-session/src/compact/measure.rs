//! How full the window is, as far as it is known, and where a conversation can be cut.

use mm_llm::Message;
use mm_schema::ToolSpec;

use super::CompactOptions;
use crate::history::is_question;

/// Bytes that a token stands for where nobody counts.
const BYTES: usize = 4;
/// The messages of a first question, with a system message.
const FIRST: usize = 2;
/// Tokens of a message beside its text: what a chat template puts around it.
const AROUND: usize = 4;

/// What the server counted in the last call of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Tokens of the prompt; 0 where the server does not say.
    pub(crate) prompt: u64,
    /// The messages that were sent.
    pub(crate) messages: usize,
    /// Tokens that the server's chat template has beside the messages, as far as the first call of a conversation told.
    pub(crate) template: u64,
}

impl Counted {
    /// Takes the count of a call. What it has beyond the estimate of a first question is the template's.
    pub(crate) fn take(&mut self, prompt: u64, sent: &[Message], tools: &[ToolSpec]) {
        if sent.len() <= FIRST {
            self.template = prompt.saturating_sub(estimate(sent) + estimate_tools(tools));
        }
        (self.prompt, self.messages) = (prompt, sent.len());
    }

    /// Forgets the last call: the messages are others now.
    pub(crate) fn forget(&mut self) {
        (self.prompt, self.messages) = (0, 0);
    }
}

/// Tokens of messages, estimated.
pub(crate) fn estimate(messages: &[Message]) -> u64 {
    let tokens = messages.iter().map(|message| bytes(message).div_ceil(BYTES) + AROUND).sum::<usize>();
    tokens as u64
}

/// Tokens of the tools' definitions, estimated.
pub(crate) fn estimate_tools(tools: &[ToolSpec]) -> u64 {
    let bytes =
        |tool: &ToolSpec| tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
    (tools.iter().map(bytes).sum::<usize>() / BYTES) as u64
}

/// Tokens of a conversation: the larger of what the server counted with what came since, and the estimate of all of
/// it. Some servers cut a prompt and count what is left, others count nothing.
pub(crate) fn size(messages: &[Message], tools: &[ToolSpec], counted: Counted) -> u64 {
    let since = messages.get(counted.messages..).unwrap_or_default();
    let by_server = if counted.prompt > 0 { counted.prompt.saturating_add(estimate(since)) } else { 0 };
    by_server.max(counted.template.saturating_add(estimate(messages) + estimate_tools(tools)))
}

/// How many per cent of a window so many tokens are.
pub(crate) fn percent(tokens: u64, window: u64) -> f64 {
    tokens as f64 * 100.0 / window.max(1) as f64
}

/// Whether a conversation of so many tokens and messages calls for a compression.
pub(crate) fn is_due(options: &CompactOptions, window: Option<u64>, tokens: u64, messages: usize) -> bool {
    let is_full = window.is_some_and(|window| percent(tokens, window) > f64::from(options.threshold));
    is_full || (options.max_messages > 0 && messages >= options.max_messages)
}

/// Where the messages that a compression replaces begin and end. Nothing when there is none besides a summary that
/// stands for all of them already.
///
/// The end is the beginning of a question, so that no call is parted from its result.
pub(crate) fn cut(messages: &[Message], keep: usize) -> Option<std::ops::Range<usize>> {
    let begin = usize::from(matches!(messages.first(), Some(Message::System(_))));
    let questions = messages.iter().enumerate().filter(|(_, message)| is_question(message));
    let mut questions = questions.map(|(at, _)| at).rev();
    let end = questions.nth(keep.max(1) - 1)?;
    // Another question stands before it.
    questions.next().map(|_| begin..end)
}

fn bytes(message: &Message) -> usize {
    match message {
        Message::System(text) | Message::User(text) | Message::Tool { text, .. } => text.len(),
        Message::Assistant { text, calls } => {
            text.len() + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::SUMMARY;
    use crate::testing::check_valid;
    use crate::{Ending, History};
    use mm_schema::ToolCall;
    use proptest::prelude::*;

    fn talk(questions: usize) -> History {
        let mut history = History::new("system");
        for n in 0..questions {
            history.question(format!("question {n}"));
            history.reply("answer", &[]);
        }
        history
    }

    #[test]
    fn what_the_server_counted_and_what_came_since_are_added_unless_the_estimate_is_larger() {
        let messages = talk(2).messages().to_vec();
        let all = estimate(&messages);
        let rows = [
            (Counted::default(), all),
            (Counted { prompt: 1_000, messages: 5, template: 0 }, 1_000),
            (Counted { prompt: 1_000, messages: 4, template: 0 }, 1_000 + estimate(&messages[4..])),
            // After a silent cut the server counts less than there is.
            (Counted { prompt: 3, messages: 5, template: 0 }, all),
            (Counted { prompt: 3, messages: 5, template: 7 }, all + 7),
            (Counted { prompt: 0, messages: 5, template: 0 }, all),
            (Counted { prompt: 1_000, messages: 99, template: 0 }, 1_000),
        ];
        for (counted, expected) in rows {
            assert_eq!(size(&messages, &[], counted), expected, "{counted:?}");
        }
    }

    #[test]
    fn it_is_due_above_the_threshold_or_at_the_number_of_messages() {
        let options = CompactOptions { threshold: 75, max_messages: 10, ..CompactOptions::default() };
        let rows = [
            (Some(1_000), 750, 9, false),
            (Some(1_000), 751, 9, true),
            (Some(1_000), 10, 10, true),
            (None, 1_000_000, 9, false),
            (None, 0, 10, true),
        ];
        for (window, tokens, messages, expected) in rows {
            assert_eq!(
                is_due(&options, window, tokens, messages),
                expected,
                "{window:?} {tokens} {messages}"
            );
        }
        let never = CompactOptions { max_messages: 0, ..options };
        assert!(!is_due(&never, None, 1_000_000, 1_000_000));
    }

    #[test]
    fn the_last_questions_stay_and_a_remark_of_the_program_is_none() {
        assert_eq!(cut(talk(3).messages(), 3), None);
        assert_eq!(cut(talk(4).messages(), 3), Some(1..3));
        assert_eq!(cut(talk(4).messages(), 1), Some(1..7));
        assert_eq!(cut(&[], 1), None);
        let mut nudged = talk(3);
        nudged.question("last");
        nudged.nudge("Go on.");
        nudged.reply("a", &[]);
        assert_eq!(cut(nudged.messages(), 3), Some(1..3), "the remark is no fifth question");
        let mut compressed = talk(4);
        compressed.replace(1..3, format!("{SUMMARY} c1]\nnotes"));
        assert_eq!(cut(compressed.messages(), 3), None, "a summary alone is not summed up again");
    }

    proptest! {
        /// Whatever a conversation holds, a cut leaves messages that a server takes.
        #[test]
        fn a_cut_never_parts_a_call_from_its_result(
            turns in prop::collection::vec((0usize..4, any::<bool>(), any::<bool>()), 0..12),
            keep in 1usize..6,
        ) {
            let mut history = History::new("s");
            for (turn, (calls, nudged, broken)) in turns.into_iter().enumerate() {
                history.question("q");
                let calls: Vec<ToolCall> = (0..calls)
                    .map(|n| ToolCall { id: format!("{turn}.{n}"), name: "bash".into(), arguments: "{}".into() })
                    .collect();
                history.reply("", &calls);
                let results = if broken { calls.len() / 2 } else { calls.len() };
                for call in calls.iter().take(results) {
                    history.result(&call.id, "r");
                }
                if nudged {
                    history.nudge("Go on.");
                }
                if !broken {
                    history.reply("a", &[]);
                }
            }
            history.close(Ending::Failed);
            if let Some(range) = cut(history.messages(), keep) {
                let taken = history.replace(range.clone(), format!("{SUMMARY} c1]\nnotes"));
                prop_assert_eq!(taken.len(), range.len());
            }
            history.question("next");
            prop_assert_eq!(check_valid(history.messages()), Ok(()));
        }
    }
}
