//! The messages of a conversation, valid for a server at every moment.

use mm_llm::Message;
use mm_schema::{ToolCall, arguments};

/// A conversation that only grows, and only in ways that keep it valid:
///
/// - every call has exactly one result, behind the message that made it and in the order of the calls;
/// - no assistant message is empty, and the arguments of every call are a JSON object;
/// - questions and answers alternate.
///
/// A call without a result, or a question without an answer, is *open*: [`question`](Self::question) and
/// [`close`](Self::close) give it one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    messages: Vec<Message>,
    /// Ids of the last reply's calls that have no result yet, in order.
    open: Vec<String>,
}

/// How a turn ended that did not end by an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the user.
    Interrupted,
    /// By an error or a limit.
    Failed,
}

impl Ending {
    /// What the model reads in place of what did not come.
    fn note(self) -> &'static str {
        match self {
            Self::Interrupted => "[interrupted by the user]",
            Self::Failed => "[no answer: the turn failed]",
        }
    }
}

impl History {
    /// Begins a conversation; an empty system message is left out.
    pub fn new(system: impl Into<String>) -> Self {
        let system = system.into();
        let messages = if system.is_empty() { Vec::new() } else { vec![Message::System(system)] };
        Self { messages, open: Vec::new() }
    }

    /// The messages, oldest first. Valid for a server when nothing is open.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a question, after closing what is still open.
    pub fn question(&mut self, text: impl Into<String>) {
        self.close(Ending::Failed);
        self.messages.push(Message::User(text.into()));
    }

    /// Adds a reply. One without text and calls is not added; broken arguments become `{}`, since
    /// llama-server answers 500 to any later request that holds them.
    pub fn reply(&mut self, text: &str, calls: &[ToolCall]) {
        if text.trim().is_empty() && calls.is_empty() {
            return;
        }
        self.close_calls(Ending::Failed);
        if let Some(Message::Assistant { calls, .. }) = self.messages.last()
            && calls.is_empty()
        {
            self.messages.push(Message::User("Go on.".into()));
        }
        let calls: Vec<ToolCall> = calls.iter().map(sound).collect();
        self.open = calls.iter().map(|call| call.id.clone()).collect();
        self.messages.push(Message::Assistant { text: text.to_owned(), calls });
    }

    /// Adds the result of the next open call. False, and nothing added, when none of that id is next.
    pub fn result(&mut self, call_id: &str, text: impl Into<String>) -> bool {
        if self.open.first().is_none_or(|next| next != call_id) {
            return false;
        }
        let call_id = self.open.remove(0);
        self.messages.push(Message::Tool { call_id, text: text.into() });
        true
    }

    /// Adds a remark of the program to the model, as the other side of the conversation.
    pub fn nudge(&mut self, text: &str) {
        self.close_calls(Ending::Failed);
        if !self.is_answered() {
            self.messages.push(Message::assistant("[empty answer]"));
        }
        self.messages.push(Message::User(text.to_owned()));
    }

    /// Gives every open call a result and an open question an answer, which say how the turn ended.
    pub fn close(&mut self, ending: Ending) {
        self.close_calls(ending);
        if !self.is_answered() {
            self.messages.push(Message::assistant(ending.note()));
        }
    }

    /// Keeps the text of a reply that broke off, marked as such, and closes.
    pub fn break_off(&mut self, text: &str, ending: Ending) {
        self.close_calls(ending);
        if !text.trim().is_empty() {
            self.reply(&format!("{}\n{}", text.trim_end(), ending.note()), &[]);
        }
        self.close(ending);
    }

    fn close_calls(&mut self, ending: Ending) {
        let text = match ending {
            Ending::Interrupted => ending.note(),
            Ending::Failed => "[not run: the turn ended first]",
        };
        for call_id in std::mem::take(&mut self.open) {
            self.messages.push(Message::Tool { call_id, text: text.into() });
        }
    }

    /// Whether a question may follow.
    fn is_answered(&self) -> bool {
        match self.messages.last() {
            None | Some(Message::System(_)) => true,
            Some(Message::Assistant { calls, .. }) => calls.is_empty(),
            Some(Message::User(_) | Message::Tool { .. }) => false,
        }
    }
}

/// A call as it may go back to a server: arguments that are JSON, and a name that is one.
fn sound(call: &ToolCall) -> ToolCall {
    let mut name: String = call.name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    if name.is_empty() {
        name.push_str("unnamed");
    }
    ToolCall { name, arguments: arguments::for_history(&call.arguments), ..call.clone() }
}

/// Characters of a tool's name; servers take no more.
pub(crate) const MAX_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_valid;
    use proptest::prelude::*;

    fn call(id: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "bash".into(), arguments: arguments.into() }
    }

    fn told(history: &History) -> Vec<String> {
        history
            .messages()
            .iter()
            .map(|message| match message {
                Message::System(text) => format!("S {text}"),
                Message::User(text) => format!("U {text}"),
                Message::Assistant { text, calls } => {
                    let calls: Vec<String> =
                        calls.iter().map(|c| format!("{}={}", c.id, c.arguments)).collect();
                    format!("A {text}{}", calls.join(","))
                }
                Message::Tool { call_id, text } => format!("T {call_id} {text}"),
            })
            .collect()
    }

    #[test]
    fn an_interrupted_call_gets_its_result_and_the_question_an_answer() {
        let mut history = History::new("s");
        history.question("q");
        history.reply("", &[call("a", "{}"), call("b", "broken")]);
        assert!(history.result("a", "done"));
        assert!(!history.result("a", "twice"));
        history.close(Ending::Interrupted);
        history.question("next");
        let expected = [
            "S s",
            "U q",
            "A a={},b={}",
            "T a done",
            "T b [interrupted by the user]",
            "A [interrupted by the user]",
            "U next",
        ];
        assert_eq!(told(&history), expected);
    }

    #[test]
    fn text_that_broke_off_stays_and_is_marked() {
        let mut history = History::new("");
        history.question("q");
        history.break_off("half an ans", Ending::Failed);
        assert_eq!(told(&history), ["U q", "A half an ans\n[no answer: the turn failed]"]);
    }

    #[test]
    fn an_empty_reply_is_never_a_message() {
        let mut history = History::new("");
        history.question("q");
        history.reply(" \n", &[]);
        history.nudge("Answer.");
        assert_eq!(told(&history), ["U q", "A [empty answer]", "U Answer."]);
    }

    #[derive(Clone, Debug)]
    enum Move {
        Question,
        Reply(String, Vec<String>),
        Result(usize),
        Nudge,
        Close(bool),
        BreakOff(String),
    }

    fn any_move() -> impl Strategy<Value = Move> {
        prop_oneof![
            Just(Move::Question),
            ("[ a]{0,2}", prop::collection::vec("\\PC{0,4}|\\{\\}", 0..3))
                .prop_map(|(t, c)| Move::Reply(t, c)),
            (0usize..40).prop_map(Move::Result),
            Just(Move::Nudge),
            any::<bool>().prop_map(Move::Close),
            "[ a]{0,2}".prop_map(Move::BreakOff),
        ]
    }

    proptest! {
        #[test]
        fn after_any_moves_the_history_is_valid_and_only_grew(moves in prop::collection::vec(any_move(), 0..40)) {
            let mut history = History::new("s");
            for (step, next) in moves.into_iter().enumerate() {
                let before = history.messages().to_vec();
                match next {
                    Move::Question => history.question("q"),
                    Move::Reply(text, calls) => {
                        let calls: Vec<ToolCall> =
                            calls.iter().enumerate().map(|(n, a)| call(&format!("{step}.{n}"), a)).collect();
                        history.reply(&text, &calls);
                    }
                    Move::Result(n) => {
                        let id = history.open.get(n % 2).cloned().unwrap_or_default();
                        history.result(&id, "r");
                    }
                    Move::Nudge => history.nudge("n"),
                    Move::Close(true) => history.close(Ending::Interrupted),
                    Move::Close(false) => history.close(Ending::Failed),
                    Move::BreakOff(text) => history.break_off(&text, Ending::Failed),
                }
                prop_assert!(history.messages().starts_with(&before));
                let mut closed = history.clone();
                closed.question("last");
                prop_assert_eq!(check_valid(closed.messages()), Ok(()));
            }
        }
    }
}
