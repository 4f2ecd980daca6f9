//! From chunks to events: one state for one reply.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::CallIds;
use super::wire::{self, CallDelta, Chunk, Delta};
use crate::reasoning::ThinkSplitter;
use crate::text_calls::{Held, TextCall, TextCalls, ToolNames};
use crate::{ChatEvent, FinishReason, ProviderError, Usage, http};

/// The most calls of one reply. A model that writes more runs in circles.
const MOST_CALLS: usize = 1000;

/// The most bytes of text in one reply. No model writes as much; a loop does.
const MOST_BYTES: usize = 64 << 20;

/// What an answer may be.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The tools that were declared.
    pub(crate) tools: ToolNames,
    /// Whether it must follow a schema.
    pub(crate) is_json: bool,
}

/// Decodes the payloads of one reply.
#[derive(Debug)]
pub(crate) struct Decoder {
    events: VecDeque<ChatEvent>,
    slots: Vec<Slot>,
    splitter: ThinkSplitter,
    text_calls: TextCalls,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    ids: Arc<CallIds>,
    /// The bytes of text so far.
    taken: usize,
}

/// A call that has begun.
#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    /// The server's own id, if it gave one.
    id: Option<String>,
    /// The arguments so far.
    arguments: String,
}

impl Decoder {
    /// A decoder of the reply to a request.
    pub(crate) fn new(ids: Arc<CallIds>, Wanted { tools, is_json }: Wanted) -> Self {
        Self {
            events: VecDeque::new(),
            slots: Vec::new(),
            splitter: ThinkSplitter::new(is_json),
            taken: 0,
            text_calls: TextCalls::new(tools),
            finish: None,
            usage: None,
            ids,
        }
    }

    /// Takes the events that are due.
    pub(crate) fn take(&mut self) -> VecDeque<ChatEvent> {
        std::mem::take(&mut self.events)
    }

    /// Whether the server said why the model stopped.
    pub(crate) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether anything of an answer has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.is_finished() || !self.events.is_empty()
    }

    /// Takes one payload: the data of an event, or a whole answer.
    pub(crate) fn payload(&mut self, data: &str) -> Result<(), ProviderError> {
        match serde_json::from_str::<Chunk<'_>>(data) {
            Ok(chunk) if chunk.error.is_none() && !chunk.is_empty() => self.chunk(chunk),
            _ => self.odd_payload(data),
        }
    }

    /// Takes a payload that is an error of the server's, or has something that no chunk should have.
    fn odd_payload(&mut self, data: &str) -> Result<(), ProviderError> {
        let json = serde_json::from_str::<Value>(data).ok();
        if let Some(error) = json.as_ref().and_then(http::reported) {
            return Err(error);
        }
        let mended = wire::mend(data);
        match mended.as_deref().map(serde_json::from_str::<Chunk<'_>>) {
            Some(Ok(chunk)) => self.chunk(chunk),
            _ => {
                let what = "the server sent something that is no chunk of an answer";
                Err(ProviderError::Protocol { what, near: http::one_line(data) })
            }
        }
    }

    /// Ends the reply: what was held back, the counts, and why the model stopped.
    pub(crate) fn end(&mut self) {
        self.split_rest();
        let whole = self.slots.is_empty() && self.finish != Some(FinishReason::Length);
        match self.text_calls.finish(whole) {
            Held::Text(text) => self.text(text),
            Held::Calls(calls) => {
                for TextCall { name, arguments } in calls {
                    let slot = self.start(None, None, name);
                    self.events.push_back(ChatEvent::CallArguments { slot, text: arguments });
                }
            }
        }
        if self.text_calls.is_mixed() && self.slots.is_empty() {
            self.events.push_back(ChatEvent::CallInText);
        }
        if let Some(usage) = self.usage {
            self.events.push_back(ChatEvent::Usage(usage));
        }
        let finish = match self.finish.take() {
            // Some servers say `stop`, or nothing at all, after calls.
            None | Some(FinishReason::Stop) if !self.slots.is_empty() => FinishReason::ToolCalls,
            None => FinishReason::Stop,
            Some(finish) => finish,
        };
        self.events.push_back(ChatEvent::Finished(finish));
    }

    /// Gives out what was held back, where the reply broke off.
    pub(crate) fn flush(&mut self) {
        self.split_rest();
        let held = self.text_calls.pass();
        self.text(held);
    }

    fn split_rest(&mut self) {
        let Self { splitter, text_calls, events, .. } = self;
        splitter.finish(|event| split(event, text_calls, events));
    }

    fn text(&mut self, text: String) {
        push_text(text, &mut self.events);
    }

    fn chunk(&mut self, chunk: Chunk<'_>) -> Result<(), ProviderError> {
        if let Some(progress) = chunk.prompt_progress {
            self.events.push_back(ChatEvent::PromptProgress {
                total: progress.total,
                processed: progress.processed,
                cached: progress.cache,
            });
        }
        // One answer was asked for; a second choice would only mix into it.
        if let Some(choice) = chunk.choices {
            if let Some(delta) = choice.message.map(|message| *message).or(choice.delta) {
                self.delta(delta)?;
            }
            if let Some(word) = choice.finish_reason.some() {
                self.finish = Some(finish(&word));
            }
        }
        if chunk.usage.is_some() || chunk.timings.is_some() {
            self.counts(chunk.usage.as_deref(), chunk.timings.as_deref());
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>) -> Result<(), ProviderError> {
        let Delta { content, reasoning_content, reasoning, .. } = &delta;
        self.taken += content.0.len() + reasoning_content.0.len() + reasoning.0.len();
        if self.taken > MOST_BYTES {
            let what = "the server's answer has more than 64 MiB";
            return Err(ProviderError::Protocol { what, near: String::new() });
        }
        // A server that fills both fields says the same in both.
        if let Some(reasoning) = delta.reasoning_content.some().or_else(|| delta.reasoning.some()) {
            self.splitter.no_tags();
            self.events.push_back(ChatEvent::Reasoning(reasoning.into_owned()));
        }
        if let Some(content) = delta.content.some() {
            let Self { splitter, text_calls, events, .. } = self;
            // As most pieces go: right to the text before them.
            if let Some(ChatEvent::Text(before)) = events.back_mut()
                && splitter.lets_pass(&content)
                && text_calls.lets_pass(&content)
            {
                before.push_str(&content);
            } else {
                splitter.push(content, |event| split(event, text_calls, events));
            }
        }
        delta.tool_calls.into_iter().flatten().try_for_each(|call| self.call(call))
    }

    fn call(&mut self, delta: CallDelta<'_>) -> Result<(), ProviderError> {
        let function = delta.function.unwrap_or_default();
        let (id, name) = (delta.id.some(), function.name.some());
        let arguments = match function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(object) => object.to_string(),
        };
        let slot = match self.find(delta.index, id.as_deref(), name.is_some(), &arguments) {
            Some(slot) => slot,
            None if self.slots.len() == MOST_CALLS => {
                let what = "the model calls more than 1000 tools in one reply";
                return Err(ProviderError::Protocol { what, near: String::new() });
            }
            None => {
                let name = name.unwrap_or_default().into_owned();
                self.start(delta.index, id.map(Cow::into_owned), name)
            }
        };
        if !arguments.is_empty() {
            self.taken += arguments.len();
            if let Some(slot) = self.slots.get_mut(slot) {
                slot.arguments.push_str(&arguments);
            }
            self.events.push_back(ChatEvent::CallArguments { slot, text: arguments });
        }
        Ok(())
    }

    /// Finds the call that a delta goes on with: by index, else by id, else the last one.
    fn find(&self, index: Option<u64>, id: Option<&str>, named: bool, arguments: &str) -> Option<usize> {
        let same_id = |slot: &Slot| match (id, &slot.id) {
            (Some(new), Some(old)) => new == old,
            _ => true,
        };
        if index.is_some() {
            // Some servers give several calls the same index: another id, or a name after whole arguments,
            // is another call.
            let at = self.slots.iter().rposition(|slot| slot.index == index)?;
            return self
                .slots
                .get(at)
                .filter(|slot| same_id(slot) && !self.is_next(slot, id, named))
                .map(|_| at);
        }
        if let Some(id) = id {
            let at = self.slots.iter().rposition(|slot| slot.id.as_deref() == Some(id))?;
            // A second whole call under the same id is another one; a name that only comes again is not.
            let again = named && !arguments.is_empty();
            return self.slots.get(at).filter(|slot| !(again && is_whole(slot))).map(|_| at);
        }
        let last = self.slots.last()?;
        (!self.is_next(last, id, named)).then(|| self.slots.len() - 1)
    }

    /// Whether a delta with a name and without an id begins another call, since the slot's is complete.
    fn is_next(&self, slot: &Slot, id: Option<&str>, named: bool) -> bool {
        named && id.is_none() && is_whole(slot)
    }

    fn start(&mut self, index: Option<u64>, id: Option<String>, name: String) -> usize {
        let slot = self.slots.len();
        let taken = |id: &String| self.slots.iter().any(|slot| slot.id.as_ref() == Some(id));
        let shown = id.clone().filter(|id| !taken(id)).unwrap_or_else(|| self.ids.next());
        self.slots.push(Slot { index, id, arguments: String::new() });
        self.events.push_back(ChatEvent::CallStarted { slot, id: shown, name });
        slot
    }

    /// Counts are cumulative: the last ones win.
    fn counts(&mut self, usage: Option<&Value>, timings: Option<&Value>) {
        let number = |object: Option<&Value>, path: &str| object?.pointer(path)?.as_u64();
        let mut counts = self.usage.unwrap_or_default();
        let fields = [
            (&mut counts.prompt, number(usage, "/prompt_tokens")),
            (&mut counts.completion, number(usage, "/completion_tokens")),
            (&mut counts.cached, number(usage, "/prompt_tokens_details/cached_tokens")),
            (&mut counts.reasoning, number(usage, "/completion_tokens_details/reasoning_tokens")),
        ];
        for (field, found) in fields {
            *field = found.or(*field);
        }
        if let Some(read) = number(timings, "/prompt_n") {
            let cached = number(timings, "/cache_n").unwrap_or(0);
            counts.cached = Some(cached);
            counts.prompt = counts.prompt.or(Some(read.saturating_add(cached)));
            counts.completion = counts.completion.or(number(timings, "/predicted_n"));
        }
        let speed = timings.and_then(|t| t.get("predicted_per_second")).and_then(Value::as_f64);
        counts.tokens_per_second = speed.or(counts.tokens_per_second);
        if counts != Usage::default() {
            self.usage = Some(counts);
        }
    }
}

fn is_whole(slot: &Slot) -> bool {
    mm_schema::arguments::is_complete(&slot.arguments)
}

/// Takes what the splitter made of a piece of content.
fn split(event: ChatEvent, text_calls: &mut TextCalls, events: &mut VecDeque<ChatEvent>) {
    match event {
        ChatEvent::Text(text) => push_text(text_calls.push(text), events),
        ChatEvent::TextWasReasoning => {
            push_text(text_calls.pass(), events);
            events.push_back(ChatEvent::TextWasReasoning);
        }
        other => events.push_back(other),
    }
}

/// Adds text; what came in one read is one piece.
fn push_text(text: String, events: &mut VecDeque<ChatEvent>) {
    match events.back_mut() {
        Some(ChatEvent::Text(before)) => before.push_str(&text),
        _ if text.is_empty() => {}
        _ => events.push_back(ChatEvent::Text(text)),
    }
}

fn finish(word: &str) -> FinishReason {
    match word {
        "stop" => FinishReason::Stop,
        "length" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        _ => FinishReason::Other(word.to_owned()),
    }
}
