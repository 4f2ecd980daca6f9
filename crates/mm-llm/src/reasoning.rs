//! Takes `<think>…</think>` out of the answer's text as it streams.

use std::borrow::Cow;

use crate::ChatEvent;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// More before the first character is no wait for a tag.
const BLANK: usize = 1024;
const CLOSE_START: u8 = b'<';

/// Splits the content of one reply into reasoning and answer.
///
/// A block counts as reasoning at the very start of the content. A closing tag alone (some chat templates
/// write the opening one themselves) turns what came before into reasoning; not within backquotes, where
/// it is being talked about.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    state: State,
    held: String,
    /// An answer in JSON was asked for: what begins like that has no tags, only texts that talk of them.
    is_json: bool,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    /// Nothing but white space so far.
    #[default]
    Start,
    Thinking,
    /// Behind the closing tag, before the first character of the answer.
    Closed,
    /// In the answer; `watch` while a lone closing tag may still come.
    Answer {
        watch: bool,
    },
}

impl ThinkSplitter {
    /// Takes a piece of content and gives events.
    pub(crate) fn push<'p>(&mut self, piece: impl Into<Cow<'p, str>>, mut emit: impl FnMut(ChatEvent)) {
        let piece = piece.into();
        if self.held.is_empty() {
            if self.lets_pass(&piece) {
                return emit(ChatEvent::Text(piece.into_owned()));
            }
            self.held = piece.into_owned();
        } else {
            self.held.push_str(&piece);
        }
        while self.step(&mut emit) {}
    }

    /// Whether a piece is text and nothing in it can begin or end a tag.
    pub(crate) fn lets_pass(&self, piece: &str) -> bool {
        let is_plain = |byte: u8| byte != CLOSE_START && byte != b'`';
        matches!(self.state, State::Answer { .. }) && self.held.is_empty() && piece.bytes().all(is_plain)
    }

    /// A splitter of an answer that was asked for in JSON, or not.
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json, ..Self::default() }
    }

    /// Reasoning came through a field of its own, so that tags in the content are only text.
    pub(crate) fn no_tags(&mut self) {
        if matches!(self.state, State::Start | State::Answer { .. }) {
            self.state = State::Answer { watch: false };
        }
    }

    /// Gives what was held back because it might have become a tag.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(ChatEvent)) {
        let rest = std::mem::take(&mut self.held);
        match self.state {
            _ if rest.is_empty() => {}
            State::Thinking => emit(ChatEvent::Reasoning(rest)),
            State::Closed => {}
            State::Start | State::Answer { .. } => emit(ChatEvent::Text(rest)),
        }
    }

    /// Does one step; false when more content is needed.
    fn step(&mut self, emit: &mut impl FnMut(ChatEvent)) -> bool {
        match self.state {
            State::Start => self.start(),
            State::Thinking => self.thinking(emit),
            State::Closed => self.closed(),
            State::Answer { watch } => self.answer(watch, emit),
        }
    }

    fn start(&mut self) -> bool {
        let text = self.held.trim_start();
        if self.held.len() > BLANK || self.is_json && text.starts_with(['{', '[', '"']) {
            self.state = State::Answer { watch: !self.is_json };
            return true;
        }
        if let Some(rest) = text.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = State::Thinking;
            return true;
        }
        if OPEN.starts_with(text) {
            return false;
        }
        self.state = State::Answer { watch: true };
        true
    }

    fn thinking(&mut self, emit: &mut impl FnMut(ChatEvent)) -> bool {
        if let Some(at) = self.close() {
            let rest = self.held.split_off(at);
            let thought =
                std::mem::replace(&mut self.held, rest.get(CLOSE.len()..).unwrap_or_default().to_owned());
            if !thought.is_empty() {
                emit(ChatEvent::Reasoning(thought));
            }
            self.state = State::Closed;
            return true;
        }
        if let Some(thought) = self.take_safe() {
            emit(ChatEvent::Reasoning(thought));
        }
        false
    }

    fn closed(&mut self) -> bool {
        let text = self.held.trim_start();
        if text.is_empty() {
            self.held.clear();
            return false;
        }
        self.held = text.to_owned();
        self.state = State::Answer { watch: false };
        true
    }

    fn answer(&mut self, watch: bool, emit: &mut impl FnMut(ChatEvent)) -> bool {
        if !watch {
            if !self.held.is_empty() {
                emit(ChatEvent::Text(std::mem::take(&mut self.held)));
            }
            return false;
        }
        if let Some(at) = self.close() {
            let quoted = self.held.get(..at).is_some_and(|before| before.ends_with('`'));
            let rest = self.held.split_off(at);
            let before = std::mem::take(&mut self.held);
            if !before.is_empty() {
                emit(ChatEvent::Text(before));
            }
            if quoted {
                self.held = rest;
                self.state = State::Answer { watch: false };
            } else {
                self.held = rest.get(CLOSE.len()..).unwrap_or_default().to_owned();
                self.state = State::Closed;
                emit(ChatEvent::TextWasReasoning);
            }
            return true;
        }
        if let Some(text) = self.take_safe() {
            emit(ChatEvent::Text(text));
        }
        false
    }

    /// Where a closing tag begins. Most pieces have no angle bracket, which is quickly seen.
    fn close(&self) -> Option<usize> {
        self.held.find(char::from(CLOSE_START)).and_then(|at| Some(at + self.held.get(at..)?.find(CLOSE)?))
    }

    /// Takes what cannot be the beginning of a closing tag, with a backquote before one kept back too.
    fn take_safe(&mut self) -> Option<String> {
        // A beginning has one angle bracket, the last of the text.
        let start = self.held.rfind(char::from(CLOSE_START)).and_then(|at| self.held.get(at..));
        let held_back = start.filter(|start| CLOSE.starts_with(start)).map_or(0, str::len);
        let mut at = self.held.len() - held_back;
        if self.held.get(..at).is_some_and(|before| before.ends_with('`')) {
            at -= 1;
        }
        let rest = self.held.split_off(at);
        let safe = std::mem::replace(&mut self.held, rest);
        (!safe.is_empty()).then_some(safe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut reply = crate::Reply::default();
        for piece in pieces {
            splitter.push(*piece, |event| reply.push(&event));
        }
        splitter.finish(|event| reply.push(&event));
        (reply.reasoning, reply.text)
    }

    #[test]
    fn tags_are_taken_out_wherever_the_pieces_are_cut() {
        let rows = [
            ("<think>a b</think>\n\nyes", "a b", "yes"),
            ("\n<think>a</think>yes", "a", "yes"),
            ("<think></think>yes", "", "yes"),
            ("hmm\n</think>\nyes", "hmm\n", "yes"),
            ("</think>yes", "", "yes"),
            ("plain <think> text", "", "plain <think> text"),
            ("the tag `</think>` ends it", "", "the tag `</think>` ends it"),
            ("<think>cut", "cut", ""),
            ("a <", "", "a <"),
            ("a `", "", "a `"),
            ("<thi", "", "<thi"),
            ("1 </think> 2 </think> 3", "1 ", "2 </think> 3"),
            ("<think>a</think></think>b", "a", "</think>b"),
            ("", "", ""),
        ];
        for (content, reasoning, text) in rows {
            for at in (0..=content.len()).filter(|at| content.is_char_boundary(*at)) {
                let (a, b) = content.split_at(at);
                assert_eq!(split(&[a, b]), (reasoning.into(), text.into()), "{content:?} cut at {at}");
            }
            let chars: Vec<String> = content.chars().map(String::from).collect();
            let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
            assert_eq!(split(&chars), (reasoning.into(), text.into()), "{content:?} by characters");
        }
    }

    #[test]
    fn json_has_no_tags_where_it_was_asked_for() {
        let split = |content: &str| {
            let mut splitter = ThinkSplitter::new(true);
            let mut reply = crate::Reply::default();
            content.chars().for_each(|c| splitter.push(c.to_string(), |event| reply.push(&event)));
            splitter.finish(|event| reply.push(&event));
            (reply.reasoning, reply.text)
        };
        let rows = [
            ("[\"a</think>b\"]", "", "[\"a</think>b\"]"),
            (" {\"n\": \"<think>x</think>\"}", "", " {\"n\": \"<think>x</think>\"}"),
            ("<think>hm</think>{\"a\": \"</think>\"}", "hm", "{\"a\": \"</think>\"}"),
            ("Let me see.</think>\n[1]", "Let me see.", "[1]"),
        ];
        for (content, reasoning, text) in rows {
            assert_eq!(split(content), (reasoning.into(), text.into()), "{content}");
        }
        let blank = " ".repeat(5000);
        assert_eq!(split(&blank).1, blank);
    }

    #[test]
    fn with_a_reasoning_field_tags_are_only_text() {
        let mut splitter = ThinkSplitter::default();
        let mut reply = crate::Reply::default();
        splitter.no_tags();
        splitter.push("a </think> b", |event| reply.push(&event));
        assert_eq!(reply.text, "a </think> b");
    }
}
