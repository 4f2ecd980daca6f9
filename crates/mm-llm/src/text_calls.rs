//! Calls that a model writes as text because the server's tool parser does not know its form.
//!
//! Text is held back only while it can still turn out to be nothing but calls of tools that were declared;
//! everything else passes as it comes.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

/// The names of the tools that were declared; none switches all of this off.
pub(crate) type ToolNames = Arc<[String]>;

/// Looks at the text of one reply.
#[derive(Debug)]
pub(crate) struct TextCalls {
    names: ToolNames,
    held: String,
    passing: bool,
    /// What has passed, as far as a call in it is looked for.
    passed: String,
}

/// A call that was written as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TextCall {
    pub(crate) name: String,
    /// JSON text.
    pub(crate) arguments: String,
}

/// What became of the text that was held back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is the answer, or the end of it; perhaps empty.
    Text(String),
    /// The whole answer was calls.
    Calls(Vec<TextCall>),
}

const TAG: &str = "<tool_call>";
const END_TAG: &str = "</tool_call>";
const MISTRAL: &str = "[TOOL_CALLS]";
const MISTRAL_ARGUMENTS: &str = "[ARGS]";
const FENCE: &str = "```";
/// Where a whole answer of calls can begin.
const OPENINGS: [&str; 4] = [TAG, MISTRAL, FENCE, "{"];
/// The keys that a call written as an object can begin with.
const KEYS: [&str; 7] = ["name", "arguments", "parameters", "function", "tool_name", "type", "id"];
/// What has not begun like a call by then is none.
const UNDECIDED: usize = 1024;
/// More is no call, and not to be waited for.
const MOST: usize = 256 << 10;

impl TextCalls {
    pub(crate) fn new(names: ToolNames) -> Self {
        let passing = names.is_empty();
        Self { names, held: String::new(), passing, passed: String::new() }
    }

    /// Takes a piece of text; gives what can be shown.
    pub(crate) fn push(&mut self, text: impl Into<String>) -> String {
        let text = text.into();
        if self.passing {
            self.keep(&text);
            return text;
        }
        self.held.push_str(&text);
        if can_be_calls(&self.held) { String::new() } else { self.pass() }
    }

    /// Takes note of a piece that can be shown as it is; false when it has to be looked at.
    pub(crate) fn lets_pass(&mut self, text: &str) -> bool {
        if self.passing {
            self.keep(text);
        }
        self.passing
    }

    /// Gives what was held back: it is no call after all.
    pub(crate) fn pass(&mut self) -> String {
        let text = std::mem::take(&mut self.held);
        self.keep(&text);
        self.passing = true;
        text
    }

    /// Ends the reply. `whole` says that it was not cut off and has no other call.
    pub(crate) fn finish(&mut self, whole: bool) -> Held {
        if whole
            && !self.passing
            && let Some(calls) = calls(&self.held)
            && calls.iter().all(|call| self.names.contains(&call.name))
        {
            self.held.clear();
            return Held::Calls(calls);
        }
        Held::Text(self.pass())
    }

    /// Whether a call stood in the midst of other text.
    pub(crate) fn is_mixed(&self) -> bool {
        let text = self.passed.as_str();
        // A fence is a call only when it holds one; most hold code.
        let fenced = || {
            text.match_indices(FENCE).any(|(at, _)| self.is_fenced_call(text.get(at..).unwrap_or_default()))
        };
        text.contains(TAG) || text.contains(MISTRAL) || fenced()
    }

    fn is_fenced_call(&self, text: &str) -> bool {
        let end = text.match_indices(FENCE).nth(1).map(|(end, _)| end + FENCE.len());
        let block = end.and_then(|end| text.get(..end));
        let calls = block.and_then(fenced).unwrap_or_default();
        calls.iter().any(|call| self.names.contains(&call.name))
    }

    fn keep(&mut self, text: &str) {
        if !self.names.is_empty() && self.passed.len() + text.len() <= MOST {
            self.passed.push_str(text);
        }
    }
}

/// Whether a text that goes on may turn out to be calls alone.
fn can_be_calls(text: &str) -> bool {
    let (all, text) = (text.len(), text.trim_start());
    if text.len() > MOST {
        return false;
    }
    // It would be looked through again with each piece.
    let undecided = all <= UNDECIDED;
    let Some(opening) = OPENINGS.iter().find(|opening| text.starts_with(**opening)) else {
        return undecided && OPENINGS.iter().any(|opening| opening.starts_with(text));
    };
    match *opening {
        FENCE => match text.split_once('\n') {
            // The word behind the fence is still coming.
            None => text.len() < 24,
            Some((_, object)) => {
                undecided && object.trim_start().is_empty() || may_be_call(object.trim_start(), undecided)
            }
        },
        "{" => may_be_call(text, undecided),
        _ => true,
    }
}

/// Whether an object can be a call, as far as it has come: by its first key.
fn may_be_call(object: &str, undecided: bool) -> bool {
    let Some(inner) = object.strip_prefix('{') else {
        return false;
    };
    let inner = inner.trim_start();
    let Some(key) = inner.strip_prefix('"') else {
        return undecided && inner.is_empty();
    };
    match key.split_once('"') {
        Some((key, _)) => KEYS.contains(&key),
        None => KEYS.iter().any(|known| known.starts_with(key)),
    }
}

/// Reads a text that is calls and nothing else.
fn calls(text: &str) -> Option<Vec<TextCall>> {
    let text = text.trim();
    let calls = match text.strip_prefix(MISTRAL) {
        Some(rest) => mistral(rest)?,
        None if text.starts_with(TAG) => tagged(text)?,
        None if text.starts_with(FENCE) => fenced(text)?,
        None => objects(text)?,
    };
    (!calls.is_empty()).then_some(calls)
}

/// `<tool_call>{…}</tool_call>`, once or more; the last end may be missing, since models stop there.
fn tagged(text: &str) -> Option<Vec<TextCall>> {
    let mut calls = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let inner = rest.strip_prefix(TAG)?;
        let (object, behind) = inner.split_once(END_TAG).unwrap_or((inner, ""));
        calls.extend(objects(object.trim())?);
        rest = behind.trim_start();
    }
    Some(calls)
}

/// One fence or more with an object each.
fn fenced(text: &str) -> Option<Vec<TextCall>> {
    let mut calls = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (_, inner) = rest.strip_prefix(FENCE)?.split_once('\n')?;
        let (object, behind) = inner.split_once(FENCE)?;
        calls.extend(objects(object.trim())?);
        rest = behind.trim_start();
    }
    Some(calls)
}

/// `[{…}, …]`, or `name[ARGS]{…}` with the mark before each.
fn mistral(text: &str) -> Option<Vec<TextCall>> {
    let text = text.trim();
    if text.starts_with('[') {
        let list: Vec<Written> = serde_json::from_str(text).ok()?;
        return list.into_iter().map(Written::call).collect();
    }
    let call = |part: &str| {
        let at = part.find([MISTRAL_ARGUMENTS.chars().next()?, '{'])?;
        let (name, arguments) = part.split_at(at);
        let arguments = arguments.strip_prefix(MISTRAL_ARGUMENTS).unwrap_or(arguments).trim();
        serde_json::from_str::<serde_json::Map<String, Value>>(arguments).ok()?;
        Some(TextCall { name: name.trim().to_owned(), arguments: arguments.to_owned() })
    };
    text.split(MISTRAL).map(call).collect()
}

/// One object or more, one behind the other.
fn objects(text: &str) -> Option<Vec<TextCall>> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Written>();
    stream.map(|written| written.ok()?.call()).collect()
}

/// A call as models write it.
#[derive(Deserialize)]
struct Written {
    #[serde(alias = "tool_name")]
    name: Option<String>,
    #[serde(alias = "parameters")]
    arguments: Option<Value>,
    function: Option<Box<Written>>,
}

impl Written {
    fn call(self) -> Option<TextCall> {
        if let Some(function) = self.function {
            return function.call();
        }
        let arguments = match self.arguments? {
            Value::String(text) => text,
            object @ Value::Object(_) => object.to_string(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
        };
        Some(TextCall { name: self.name?, arguments })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> ToolNames {
        Arc::from(["bash".to_owned(), "read_file".to_owned()])
    }

    /// Feeds pieces; gives what was shown at once, and the end.
    fn feed(pieces: &[&str]) -> (String, Held, bool) {
        let mut calls = TextCalls::new(names());
        let shown: String = pieces.iter().map(|piece| calls.push(*piece)).collect();
        let held = calls.finish(true);
        (shown, held, calls.is_mixed())
    }

    #[test]
    fn an_answer_that_is_nothing_but_calls_is_calls() {
        let rows: [(&str, &[(&str, &str)]); 12] = [
            (
                "<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            ("<tool_call>{\"name\":\"bash\",\"arguments\":{}}", &[("bash", "{}")]),
            (
                "<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}</tool_call>\n",
                &[("bash", "{\"command\":\"a\"}"), ("read_file", "{\"path\":\"b\"}")],
            ),
            (
                "```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            (
                "```\n{\"name\": \"bash\", \"parameters\": {\"command\": \"ls\"}}\n```\n",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            (
                "  {\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            (
                "{\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}}",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            (
                "{\"name\":\"bash\",\"arguments\":{}}\n{\"name\":\"read_file\",\"arguments\":{}}",
                &[("bash", "{}"), ("read_file", "{}")],
            ),
            (
                "[TOOL_CALLS][{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}]",
                &[("bash", "{\"command\":\"ls\"}")],
            ),
            ("[TOOL_CALLS] bash[ARGS]{\"command\": \"ls\"}", &[("bash", "{\"command\": \"ls\"}")]),
            (
                "[TOOL_CALLS]bash{\"command\":\"a\"}[TOOL_CALLS]read_file{\"path\":\"b\"}",
                &[("bash", "{\"command\":\"a\"}"), ("read_file", "{\"path\":\"b\"}")],
            ),
            ("{\"arguments\":{\"b\":1,\"a\":1.0},\"name\":\"bash\"}", &[("bash", "{\"b\":1,\"a\":1.0}")]),
        ];
        for (text, expected) in rows {
            let call = |(name, arguments): &(&str, &str)| TextCall {
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            };
            let expected = Held::Calls(expected.iter().map(call).collect());
            assert_eq!(feed(&[text]), (String::new(), expected, false), "{text}");
        }
    }

    #[test]
    fn everything_else_is_text_and_a_mark_in_it_is_told() {
        let rows = [
            ("", false),
            ("Hello", false),
            ("{\"capital\": \"Paris\"}", false),
            ("{\"name\": \"Ada\", \"age\": 36}", false),
            ("{\"name\": \"rm\", \"arguments\": {}}", false),
            ("{\"name\": \"bash\", \"arguments\": {\"command\": \"l", false),
            ("```rust\nfn main() {}\n```", false),
            ("```json\n{\"name\": \"bash\"}\n```", false),
            ("```json\n{\"name\": \"bash\", \"arguments\": {}}\n```\nThat would list them.", true),
            ("So:\n```\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```\n", true),
            ("So:\n```json\n{\"name\": \"rm\", \"arguments\": {}}\n```\n", false),
            ("<tool_call>{\"name\":\"bash\",\"arguments\":{}}</tool_call> and so on", true),
            ("I will look.\n<tool_call>{\"name\":\"bash\",\"arguments\":{}}</tool_call>", true),
            ("<tool", false),
            ("[TOOL_CALLS] nothing", true),
            ("[1, 2]", false),
            ("<b>bold</b>", false),
        ];
        for (text, mixed) in rows {
            let (shown, held, is_mixed) = feed(&[text]);
            let Held::Text(rest) = held else { panic!("{text}") };
            assert_eq!((shown + &rest, is_mixed), (text.to_owned(), mixed), "{text}");
        }
    }

    #[test]
    fn plain_text_passes_at_once() {
        for text in ["H", "The {", "1", "{\"c", "{\"namely", "```rust\nf", "<th", "[T]"] {
            assert_eq!(feed(&[text]).0, text);
        }
    }

    #[test]
    fn without_tools_and_when_cut_off_all_is_text() {
        let text = "<tool_call>{\"name\":\"bash\",\"arguments\":{}}</tool_call>";
        let mut none = TextCalls::new(Arc::from([]));
        assert_eq!((none.push(text), none.finish(true)), (text.to_owned(), Held::Text(String::new())));
        assert!(!none.is_mixed());
        let mut cut = TextCalls::new(names());
        assert_eq!((cut.push(text), cut.finish(false)), (String::new(), Held::Text(text.to_owned())));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            text in "(<tool_call>|</tool_call>|\\{\"name\":\"bash\",\"arguments\":\\{\\}\\}|```(json)?\n|\\[TOOL_CALLS\\]|[a-z{}\"\n é]){0,6}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let (shown, held, mixed) = feed(&pieces);
            let (whole_shown, whole_held, whole_mixed) = feed(&[&text]);
            match (held, whole_held) {
                (Held::Text(rest), Held::Text(whole_rest)) => {
                    prop_assert_eq!(&(shown + &rest), &text);
                    prop_assert_eq!(whole_shown + &whole_rest, text);
                    prop_assert_eq!(mixed, whole_mixed);
                }
                (held, whole) => prop_assert_eq!((held, shown), (whole, whole_shown)),
            }
        }
    }
}
