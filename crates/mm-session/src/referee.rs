//! What a reply means: the odd ones are rows here, not conditions in the turn.

use std::sync::Arc;

use mm_llm::{FinishReason, Reply, Usage};
use mm_schema::{ToolCall, arguments};

use crate::answer_format::give_back;
use crate::history::EMPTY_ANSWER;
use crate::{AnswerFormat, TurnError};

/// How often a call that `max_tokens` cut is given back to the model.
const CUT_CALLS: u32 = 2;

/// The limits of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls of the model in one turn.
    pub max_turns: u32,
    /// The same call with the same result this often in a row ends the turn; 0 for never.
    pub max_repeated_calls: u32,
    /// Tokens that the model may generate in one reply, where a limit is sent.
    pub max_tokens: Option<u64>,
    /// Tokens of the context window, where known.
    pub window: Option<u64>,
}

/// What a reply means for the turn.
#[derive(Debug)]
pub enum Verdict {
    /// The turn is over.
    Answer {
        /// The part of the reply that is the answer, where not all of it is.
        part: Option<String>,
        /// A word to the user, where the answer was cut off.
        notice: Option<String>,
    },
    /// The calls run.
    RunCalls {
        /// The result of the last call, which was cut off and must not run.
        cut: Option<String>,
    },
    /// The model is asked once more.
    Nudge {
        /// With these words.
        text: String,
        /// A word to the user, where there is one.
        notice: Option<String>,
    },
    /// The turn fails.
    Stop(TurnError),
}

/// Judges the replies of one turn.
#[derive(Debug)]
pub struct Referee {
    limits: Limits,
    rounds: u32,
    cut_calls: u32,
    empty: bool,
    last: Option<(String, String, String)>,
    repeats: u32,
    format: Option<Arc<AnswerFormat>>,
    given_back: u32,
}

impl Referee {
    /// Begins a turn.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            rounds: 0,
            cut_calls: 0,
            empty: false,
            last: None,
            repeats: 0,
            format: None,
            given_back: 0,
        }
    }

    /// The same, for a turn whose answer must have a shape.
    #[must_use]
    pub fn for_format(self, format: Option<Arc<AnswerFormat>>) -> Self {
        Self { format, ..self }
    }

    /// Admits another call of the model.
    ///
    /// # Errors
    /// When `max_turns` are used up.
    pub fn round(&mut self) -> Result<(), TurnError> {
        if self.rounds == self.limits.max_turns {
            return Err(TurnError::MaxTurns(self.limits.max_turns));
        }
        self.rounds += 1;
        Ok(())
    }

    /// Judges a whole reply.
    pub fn judge(&mut self, reply: &Reply) -> Verdict {
        let was_cut = reply.finish == Some(FinishReason::Length);
        match reply.calls.last() {
            Some(last) if was_cut && !arguments::is_complete(&last.arguments) => self.cut_call(),
            // No tool was declared beside a shape: what fits is the answer, whatever is called besides.
            Some(_) if let Some(answer) = self.shaped_beside_calls(reply) => answer,
            Some(_) => Verdict::RunCalls { cut: None },
            None if let Some(format) = self.format.clone() => self.shaped(&format, reply, was_cut),
            None if !reply.text.trim().is_empty() => {
                let ended = || ended(reply).map(|word| format!("the server ended the answer early: {word}"));
                let notice = if was_cut { Some(self.cut_answer(reply.usage)) } else { ended() };
                Verdict::Answer { part: None, notice }
            }
            None if let Some(word) = ended(reply) => Verdict::Stop(TurnError::Ended(word.to_owned())),
            None if was_cut => Verdict::Stop(TurnError::OnlyReasoning { max_tokens: self.limits.max_tokens }),
            None if self.empty => Verdict::Stop(TurnError::Empty),
            None => {
                self.empty = true;
                let text = EMPTY_ANSWER.to_owned();
                Verdict::Nudge { text, notice: None }
            }
        }
    }

    fn shaped_beside_calls(&self, reply: &Reply) -> Option<Verdict> {
        let found = self.format.as_ref()?.find(&reply.text, true).ok()?;
        Some(found_in(reply, found))
    }

    /// Judges a reply that must have a shape.
    fn shaped(&mut self, format: &AnswerFormat, reply: &Reply, was_cut: bool) -> Verdict {
        let error = match format.find(&reply.text, was_cut || ended(reply).is_some()) {
            Ok(found) => return found_in(reply, found),
            Err(error) => error,
        };
        let is_empty = reply.text.trim().is_empty();
        let only_thought = is_empty && !reply.reasoning.trim().is_empty();
        let why = match (is_empty, only_thought, was_cut) {
            (true, true, true) => format!("the model used all of them to think — {NO_THINKING}"),
            (true, true, false) => format!("the model only thought and answered nothing — {NO_THINKING}"),
            (true, false, _) => "the answer is empty".to_owned(),
            (false, ..) => error.to_string(),
        };
        if was_cut {
            let cut = Some(self.cut_at(reply.usage));
            return Verdict::Stop(TurnError::Schema { why, cut });
        }
        // What is thought instead of answered once is thought again.
        let is_last = self.rounds >= self.limits.max_turns;
        if only_thought || is_last || self.given_back >= format.retries {
            return Verdict::Stop(TurnError::Schema { why, cut: None });
        }
        self.given_back += 1;
        let notice = Some(format!("the answer does not fit its schema, and the model is asked again: {why}"));
        Verdict::Nudge { text: give_back(&error), notice }
    }

    /// What to do about an answer that needs more tokens.
    fn cut_at(&self, usage: Option<Usage>) -> String {
        let window = self.limits.window.map_or(String::new(), |window| format!(" of {window} tokens"));
        match (self.limits.max_tokens, usage.and_then(|usage| usage.completion)) {
            (Some(limit), Some(n)) if n < limit => {
                format!("after {n} tokens: the context window{window} is full")
            }
            (Some(limit), _) => format!("{limit}: raise it in sampling"),
            (None, _) => format!("no limit is set, the context window{window} is full"),
        }
    }

    /// Takes note of a call and its result.
    ///
    /// # Errors
    /// When it is the same as before for the last time that is allowed.
    pub fn ran(&mut self, call: &ToolCall, result: &str) -> Result<(), TurnError> {
        self.empty = false;
        let this = (call.name.clone(), call.arguments.clone(), result.to_owned());
        self.repeats = if self.last.as_ref() == Some(&this) { self.repeats + 1 } else { 1 };
        self.last = Some(this);
        let limit = self.limits.max_repeated_calls;
        if limit > 0 && self.repeats >= limit {
            return Err(TurnError::Repeated { name: call.name.clone(), times: limit });
        }
        Ok(())
    }

    fn cut_call(&mut self) -> Verdict {
        if self.cut_calls == CUT_CALLS {
            return Verdict::Stop(TurnError::CutCall { max_tokens: self.limits.max_tokens });
        }
        self.cut_calls += 1;
        let limit = match self.limits.max_tokens {
            Some(n) => format!("max_tokens ({n})"),
            None => "the context window".to_owned(),
        };
        let cut = format!(
            "[error: this call was cut off by {limit} and did not run. \
             Do the work in several smaller calls, each well below that limit.]"
        );
        Verdict::RunCalls { cut: Some(cut) }
    }

    fn cut_answer(&self, usage: Option<Usage>) -> String {
        let usage = usage.unwrap_or_default();
        match (self.limits.max_tokens, usage.completion, usage.prompt) {
            (Some(limit), None, _) => format!("the answer was cut off by max_tokens ({limit})"),
            (Some(limit), Some(n), _) if n >= limit => {
                format!("the answer was cut off by max_tokens ({limit})")
            }
            (limit, Some(completion), Some(prompt)) => {
                let window = self.limits.window.map_or(String::new(), |n| format!(" ({n})"));
                let not = if limit.is_some() { ", not max_tokens" } else { "" };
                format!(
                    "the answer was cut off: the context window{window} is full ({prompt}+{completion}){not}"
                )
            }
            _ => "the answer was cut off: the context window is full".to_owned(),
        }
    }
}

/// How a model comes to its answer at once.
const NO_THINKING: &str = "switch thinking off for it (sampling.reasoning_format: none on llama.cpp)";

/// An answer that is all of a reply, or a part of it.
fn found_in(reply: &Reply, found: &str) -> Verdict {
    let part = (found.len() < reply.text.len()).then(|| found.to_owned());
    Verdict::Answer { part, notice: None }
}

/// The word of a server that ended a reply for a reason of its own. That the model was done has many names.
fn ended(reply: &Reply) -> Option<&str> {
    match &reply.finish {
        Some(FinishReason::Other(word)) if !DONE.contains(&word.to_lowercase().as_str()) => Some(word),
        _ => None,
    }
}

/// What servers say besides `stop` when a model was done.
const DONE: [&str; 6] = ["eos", "eos_token", "end_turn", "stop_sequence", "complete", "done"];

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { max_turns: 10, max_repeated_calls: 3, max_tokens: Some(64), window: Some(512) }
    }

    fn reply(text: &str, arguments: Option<&str>, finish: FinishReason, counts: Option<(u64, u64)>) -> Reply {
        let calls = arguments
            .map(|a| ToolCall { id: "a".into(), name: "bash".into(), arguments: a.into() })
            .into_iter()
            .collect();
        let usage = counts.map(|(p, c)| Usage { prompt: Some(p), completion: Some(c), ..Usage::default() });
        Reply { text: text.into(), calls, finish: Some(finish), usage, ..Reply::default() }
    }

    fn told(verdict: Verdict) -> String {
        match verdict {
            Verdict::Answer { part: None, notice } => format!("answer {}", notice.unwrap_or_default()),
            Verdict::Answer { part: Some(part), .. } => format!("part {part}"),
            Verdict::RunCalls { cut } => format!("run {}", cut.unwrap_or_default()),
            Verdict::Nudge { notice: None, .. } => "nudge".into(),
            Verdict::Nudge { text, .. } => text,
            Verdict::Stop(error) => format!("stop {error}"),
        }
    }

    #[test]
    fn each_reply_has_its_verdict() {
        use FinishReason::{Length, Other, Stop, ToolCalls};
        let cut = "run [error: this call was cut off by max_tokens (64) and did not run. \
                   Do the work in several smaller calls, each well below that limit.]";
        let rows = [
            (vec![reply("hi", None, Stop, None)], "answer "),
            (vec![reply("hi", None, Other("eos".into()), None)], "answer "),
            (
                vec![reply("hi", None, Other("content_filter".into()), None)],
                "answer the server ended the answer early: content_filter",
            ),
            (
                vec![reply("", None, Other("content_filter".into()), None)],
                "stop the server ended the answer before it began: content_filter",
            ),
            (vec![reply("", None, Other("EOS".into()), None)], "nudge"),
            (vec![reply("hi", None, Length, None)], "answer the answer was cut off by max_tokens (64)"),
            (
                vec![reply("hi", None, Length, Some((9, 64)))],
                "answer the answer was cut off by max_tokens (64)",
            ),
            (
                vec![reply("hi", None, Length, Some((470, 41)))],
                "answer the answer was cut off: the context window (512) is full (470+41), not max_tokens",
            ),
            (vec![reply("", Some("{}"), ToolCalls, None)], "run "),
            (vec![reply("text", Some("{}"), Stop, None)], "run "),
            (vec![reply("", Some("broken"), ToolCalls, None)], "run "),
            (vec![reply("", Some("{\"a\": 1}"), Length, None)], "run "),
            (vec![reply("", Some("{\"a\": \"cu"), Length, None)], cut),
            (vec![reply("", Some(""), Length, None); 2], cut),
            (
                vec![reply("", Some("{"), Length, None); 3],
                "stop the model hit max_tokens (64) while writing a tool call",
            ),
            (vec![reply(" \n", None, Stop, None)], "nudge"),
            (vec![reply("", None, Stop, None); 2], "stop the model answered nothing"),
            (
                vec![reply("", None, Length, None)],
                "stop the model reached max_tokens (64) while reasoning and gave no answer",
            ),
        ];
        for (replies, expected) in rows {
            let mut referee = Referee::new(limits());
            let mut last = String::new();
            for reply in &replies {
                last = told(referee.judge(reply));
            }
            assert_eq!(last, expected, "{replies:?}");
        }
    }

    #[test]
    fn an_empty_answer_after_a_tool_ran_is_asked_about_again() {
        let mut referee = Referee::new(limits());
        let empty = reply("", None, FinishReason::Stop, None);
        assert_eq!(told(referee.judge(&empty)), "nudge");
        let call = ToolCall { id: "a".into(), name: "bash".into(), arguments: "{}".into() };
        referee.ran(&call, "r").unwrap();
        assert_eq!(told(referee.judge(&empty)), "nudge");
    }

    #[test]
    fn the_same_call_with_the_same_result_ends_the_turn() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: "bash".into(),
            arguments: arguments.into(),
        };
        let rows: [(u32, &[(&str, &str)], bool); 6] = [
            (3, &[("a", "r"), ("a", "r")], true),
            (3, &[("a", "r"), ("a", "r"), ("a", "r")], false),
            (3, &[("a", "r"), ("a", "r"), ("b", "r"), ("a", "r")], true),
            (3, &[("a", "r"), ("a", "r"), ("a", "other")], true),
            (1, &[("a", "r")], false),
            (0, &[("a", "r"), ("a", "r"), ("a", "r"), ("a", "r")], true),
        ];
        for (limit, ran, fine) in rows {
            let mut referee = Referee::new(Limits { max_repeated_calls: limit, ..limits() });
            let all = ran.iter().enumerate().map(|(n, (a, r))| referee.ran(&call(&n.to_string(), a), r));
            let results: Vec<_> = all.collect();
            assert_eq!(results.iter().all(Result::is_ok), fine, "{limit} {ran:?}");
        }
    }

    #[test]
    fn max_turns_is_the_number_of_model_calls() {
        let mut referee = Referee::new(Limits { max_turns: 2, ..limits() });
        assert!(referee.round().is_ok() && referee.round().is_ok());
        let error = referee.round().unwrap_err().to_string();
        assert_eq!(error, "the model used all maxTurns (2) calls without a final answer");
    }
}
