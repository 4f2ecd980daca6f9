//! The messages of a conversation, valid for a server at every moment.

use std::ops::Range;

use mm_llm::Message;
use mm_schema::{ToolCall, arguments};

use crate::compact::SUMMARY;
use crate::steps::FROM_HOOK;

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

/// The other side of the conversation, where an answer follows an answer.
const GO_ON: &str = "Go on.";

impl Ending {
    const ALL: [Self; 2] = [Self::Interrupted, Self::Failed];

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

    /// Makes messages from elsewhere valid, under a system message of its own: gives how many places were mended.
    ///
    /// Each call gets exactly one result, directly behind it and in the order of the calls; one that is missing says
    /// so. What answers no call, says nothing, or is a system message behind the first is left out. Where two
    /// messages of one side follow each other, the other side gets a word.
    pub fn restore(system: impl Into<String>, messages: impl IntoIterator<Item = Message>) -> (Self, usize) {
        let (mut history, mut mended) = (Self::new(system), 0);
        let mut rest = messages.into_iter().peekable();
        rest.next_if(|first| matches!(first, Message::System(_)));
        while let Some(message) = rest.next() {
            match message {
                Message::System(_) | Message::Tool { .. } => mended += 1,
                Message::User(text) => {
                    mended += usize::from(!history.is_answered());
                    history.question(text);
                }
                Message::Assistant { text, calls } if text.trim().is_empty() && calls.is_empty() => {
                    mended += 1
                }
                Message::Assistant { text, calls } => {
                    let is_result = |next: &Message| matches!(next, Message::Tool { .. });
                    let results = std::iter::from_fn(|| rest.next_if(is_result)).collect();
                    mended += history.restore_reply(&text, &calls, results);
                }
            }
        }
        mended += usize::from(!history.is_answered());
        history.close(Ending::Failed);
        (history, mended)
    }

    /// Adds a reply with what stood behind it; gives how many places were mended.
    fn restore_reply(&mut self, text: &str, calls: &[ToolCall], mut results: Vec<Message>) -> usize {
        let mut mended = 0;
        if matches!(self.messages.last(), None | Some(Message::System(_) | Message::Assistant { .. })) {
            self.messages.push(Message::User(GO_ON.into()));
            mended += 1;
        }
        let mut named: Vec<ToolCall> = Vec::with_capacity(calls.len());
        for call in calls {
            let mut call = call.clone();
            while call.id.is_empty() || named.iter().any(|other| other.id == call.id) {
                call.id.push_str(&format!("_{}", named.len()));
            }
            named.push(call);
        }
        self.reply(text, &named);
        let kept =
            matches!(self.messages.last(), Some(Message::Assistant { calls: kept, .. }) if kept == calls);
        mended += usize::from(!kept);
        for (call, named) in calls.iter().zip(named) {
            let of_call =
                |result: &Message| matches!(result, Message::Tool { call_id, .. } if *call_id == call.id);
            let found = results.iter().position(of_call);
            mended += usize::from(found != Some(0));
            match found.map(|at| results.remove(at)) {
                Some(Message::Tool { text, .. }) => self.result(&named.id, text),
                Some(_) | None => self.result(&named.id, LOST),
            };
        }
        mended + results.len()
    }

    /// The answers, oldest first, but for those that did not come.
    pub fn answers(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.messages.iter().filter_map(|message| match message {
            Message::Assistant { text, calls } if calls.is_empty() => {
                let came = Ending::ALL.iter().all(|ending| !text.ends_with(ending.note()));
                came.then_some(text.as_str())
            }
            Message::Assistant { .. } | Message::System(_) | Message::User(_) | Message::Tool { .. } => None,
        })
    }

    /// The last question, if there is one, without what hooks added to it: that is for the model alone.
    pub fn last_question(&self) -> Option<&str> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(asked(text)),
            Message::Assistant { .. } | Message::System(_) | Message::Tool { .. } => None,
        })
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
            self.messages.push(Message::User(GO_ON.into()));
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

    /// Puts a summary, and a word to it, in the place of messages that begin with a question and end before one; gives
    /// those.
    pub(crate) fn replace(&mut self, range: Range<usize>, summary: String) -> Vec<Message> {
        let pair = [Message::User(summary), Message::assistant("Understood.")];
        self.messages.splice(range, pair).collect()
    }

    /// Takes the last question away with all that came of it; gives it as [`last_question`](Self::last_question) does, and how many answers were among that. A summary
    /// is none, nor is a remark of the program.
    pub(crate) fn take_back(&mut self) -> Option<(String, usize)> {
        let at = self.messages.iter().rposition(is_question)?;
        let before = self.answers().count();
        let mut taken = self.messages.split_off(at).into_iter();
        self.open.clear();
        match taken.next() {
            Some(Message::User(text)) => Some((asked(&text).to_owned(), before - self.answers().count())),
            Some(Message::System(_) | Message::Assistant { .. } | Message::Tool { .. }) | None => None,
        }
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

/// The result of a call whose own was never saved.
const LOST: &str = "[interrupted: there is no result of this call]";

/// What every remark of the program begins with, besides [`GO_ON`].
pub(crate) const EMPTY_ANSWER: &str = "Your answer was empty. Answer the question, or call a tool.";
pub(crate) const MISFIT: &str = "Your answer does not fit the OUTPUT FORMAT:";

/// Whether a message is a question of the user: neither a remark of the program nor a summary.
pub(crate) fn is_question(message: &Message) -> bool {
    match message {
        Message::User(text) => !is_remark(text) && !text.starts_with(SUMMARY),
        Message::System(_) | Message::Assistant { .. } | Message::Tool { .. } => false,
    }
}

fn is_remark(text: &str) -> bool {
    text == GO_ON || text == EMPTY_ANSWER || text.starts_with(MISFIT)
}

/// A question without what hooks added to it.
fn asked(text: &str) -> &str {
    text.split_once(FROM_HOOK).map_or(text, |(asked, _)| asked)
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

    /// Rows of (messages as `told` writes them, what becomes of them, how many places are mended).
    #[test]
    fn messages_from_elsewhere_are_made_valid_by_rule() {
        let lost = "[interrupted: there is no result of this call]";
        let failed = "A [no answer: the turn failed]";
        let cases: [(&[&str], Vec<String>, usize); 13] = [
            (&["S old", "U q", "A a"], vec!["U q".into(), "A a".into()], 0),
            (&["U q", "A =c1,c2", "T c1 r", "T c2 s", "A a"], vec![], 0),
            // Nothing was saved of the second call.
            (
                &["U q", "A =c1,c2", "T c1 r"],
                vec![
                    "U q".into(),
                    "A c1={},c2={}".into(),
                    "T c1 r".into(),
                    format!("T c2 {lost}"),
                    failed.into(),
                ],
                2,
            ),
            (
                &["U q", "A =c1,c2", "T c2 s", "T c1 r", "A a"],
                vec!["U q".into(), "A c1={},c2={}".into(), "T c1 r".into(), "T c2 s".into(), "A a".into()],
                1,
            ),
            (
                &["U q", "A =c1", "T c1 r", "T c1 twice", "T x y", "A a"],
                vec!["U q".into(), "A c1={}".into(), "T c1 r".into(), "A a".into()],
                2,
            ),
            (&["T c1 r", "U q", "A a"], vec!["U q".into(), "A a".into()], 1),
            (
                &["U q", "A =c1", "U again", "T c1 late", "A a"],
                vec![
                    "U q".into(),
                    "A c1={}".into(),
                    format!("T c1 {lost}"),
                    failed.into(),
                    "U again".into(),
                    "A a".into(),
                ],
                3,
            ),
            (&["U q", "U r", "A a"], vec!["U q".into(), failed.into(), "U r".into(), "A a".into()], 1),
            (&["U q", "A a", "A b"], vec!["U q".into(), "A a".into(), "U Go on.".into(), "A b".into()], 1),
            (&["A a"], vec!["U Go on.".into(), "A a".into()], 1),
            (&["U q", "A ", "A a", "S late"], vec!["U q".into(), "A a".into()], 2),
            (
                &["U q", "A =c,c,", "T c 1", "T c 2", "T  3", "A a"],
                vec![
                    "U q".into(),
                    "A c={},c_1={},_2={}".into(),
                    "T c 1".into(),
                    "T c_1 2".into(),
                    "T _2 3".into(),
                    "A a".into(),
                ],
                1,
            ),
            (&[], vec![], 0),
        ];
        for (messages, expected, mended) in cases {
            let given: Vec<Message> = messages.iter().map(|line| read(line)).collect();
            let (history, count) = History::restore("s", given.clone());
            if mended > 0 || !expected.is_empty() {
                assert_eq!(told(&history)[1..], expected, "{messages:?}");
            } else {
                assert_eq!(history.messages()[1..], given, "{messages:?}");
            }
            assert_eq!(count, mended, "{messages:?}");
        }
    }

    /// `U text`, `A text=id,id` with calls, `T id text`, `S text`.
    fn read(line: &str) -> Message {
        let (side, text) = line.split_once(' ').unwrap();
        match (side, text.split_once('=')) {
            ("S", _) => Message::System(text.into()),
            ("U", _) => Message::User(text.into()),
            ("A", None) => Message::assistant(text),
            ("A", Some((text, ids))) => Message::Assistant {
                text: text.into(),
                calls: ids.split(',').map(|id| call(id, "{}")).collect(),
            },
            _ => {
                let (id, text) = text.split_once(' ').unwrap();
                Message::Tool { call_id: id.into(), text: text.into() }
            }
        }
    }

    #[test]
    fn answers_are_those_that_came() {
        let lines = [
            "U q",
            "A =c1",
            "T c1 r",
            "A one",
            "U r",
            "A half\n[no answer: the turn failed]",
            "U s",
            "A two",
        ];
        let (history, _) = History::restore("s", lines.map(read));
        assert_eq!(history.answers().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(history.last_question(), Some("s"));
        for (question, asked) in [("a\n\n[from a hook]\nb", "a"), ("a [from a hook]", "a [from a hook]")] {
            let (history, _) = History::restore("s", [Message::User(question.into())]);
            assert_eq!(history.last_question(), Some(asked));
        }
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let id = || prop_oneof![Just("a"), Just("b"), Just("c"), Just("")];
        let calls = prop::collection::vec((id(), "\\PC{0,4}|\\{\\}"), 0..4);
        prop_oneof![
            1 => Just(Message::System("x".into())),
            3 => "[ a]{0,2}".prop_map(Message::User),
            4 => ("[ a]{0,2}", calls).prop_map(|(text, calls)| Message::Assistant {
                text,
                calls: calls.iter().map(|(id, arguments)| call(id, arguments)).collect(),
            }),
            5 => (id(), "[ r]{0,2}").prop_map(|(id, text)| Message::Tool { call_id: id.into(), text }),
        ]
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
        fn any_messages_are_made_valid_and_what_is_valid_stays(
            messages in prop::collection::vec(any_message(), 0..30),
        ) {
            let (history, mended) = History::restore("s", messages.clone());
            let next = [history.messages(), &[Message::User("next".into())]].concat();
            prop_assert_eq!(check_valid(&next), Ok(()));
            // Nothing was mended exactly when nothing is different.
            let without_system = |all: &[Message]| match all.split_first() {
                Some((Message::System(_), rest)) => rest.to_vec(),
                _ => all.to_vec(),
            };
            let same = without_system(history.messages()) == without_system(&messages);
            prop_assert_eq!(mended == 0, same);
            prop_assert_eq!(History::restore("s", history.messages().to_vec()), (history, 0));
        }

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
