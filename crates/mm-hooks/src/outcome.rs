//! What hooks want of the turn, all of them and one of them.

use std::fmt;

use mm_tools::output::cut;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use crate::Moment;
use crate::error::{HookFailure, shortened};

/// The most characters of a reason.
const MAX_REASON: usize = 2_000;

/// Stands in the place of what is cut.
const ADVICE: &str = "a hook said too much";

/// The sum of what the hooks of one event said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookOutcome {
    /// Whether the turn may go on.
    pub decision: Decision,
    /// Text added for the model, marked as coming from a hook; never displayed.
    pub context: Option<String>,
    /// Replaces the question (`preGeneration`, `preAsk`).
    pub prompt: Option<String>,
    /// Replaces the arguments (`preToolCall`); they are checked again.
    pub arguments: Option<Value>,
    /// Replaces the result (`postToolCall`).
    pub result: Option<String>,
    /// Replaces the answer (`postAsk`).
    pub answer: Option<String>,
    /// Lines for the user, such as a hook that failed and is configured to warn.
    pub notices: Vec<String>,
    /// The hooks that ran, in order, for whoever wants to see them.
    pub ran: Vec<HookRun>,
}

/// Whether the turn may go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// It may. This does not replace a permission.
    #[default]
    Allow,
    /// The user is asked, even where nothing else would ask (`preToolCall`).
    Ask,
    /// This question or call is refused.
    Deny {
        /// Told to the model for a tool, to the user for a question.
        reason: String,
    },
    /// A hook that must not fail did: the turn ends.
    Stop {
        /// Told to the user.
        reason: String,
    },
}

impl Decision {
    /// Whether it is a refusal, behind which no further hook runs and nothing that was rewritten counts.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Allow | Self::Ask => false,
            Self::Deny { .. } | Self::Stop { .. } => true,
        }
    }
}

/// A hook that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRun {
    /// Its command, on one line and shortened.
    pub command: String,
    /// What came of it.
    pub verdict: HookVerdict,
    /// The characters of the context that it added.
    pub context_len: usize,
}

/// What came of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookVerdict {
    /// It allowed, or said nothing.
    Allow,
    /// It wants the user to be asked.
    Ask,
    /// It refused.
    Deny,
    /// It failed, and the turn went on.
    Failed,
    /// It failed, and the call was refused for that.
    FailedDeny,
    /// It failed, and the turn ended for that.
    FailedStop,
}

impl fmt::Display for HookVerdict {
    /// Writes the word that the user sees.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Failed => "failed",
            Self::FailedDeny => "failed, denied",
            Self::FailedStop => "failed, stopped",
        })
    }
}

impl HookOutcome {
    /// An outcome that refuses.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny { reason: reason.into() }, ..Self::default() }
    }

    /// Takes what the next hook said: rewrites replace those before, contexts add up, and only a refusal undoes
    /// the wish to ask.
    pub(crate) fn take(&mut self, reply: Reply) {
        match reply.decision {
            Decision::Allow => {}
            decision => self.decision = decision,
        }
        if let Some(more) = reply.context {
            self.context = Some(match self.context.take() {
                Some(context) => format!("{context}\n{more}"),
                None => more,
            });
        }
        self.prompt = reply.prompt.or(self.prompt.take());
        self.arguments = reply.arguments.or(self.arguments.take());
        self.result = reply.result.or(self.result.take());
        self.answer = reply.answer.or(self.answer.take());
    }
}

/// What one hook said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reply {
    pub(crate) decision: Decision,
    pub(crate) context: Option<String>,
    prompt: Option<String>,
    arguments: Option<Value>,
    result: Option<String>,
    answer: Option<String>,
}

impl Reply {
    /// A reply that decides and says no more.
    pub(crate) fn of(decision: Decision) -> Self {
        Self { decision, ..Self::default() }
    }

    /// Reads what a hook wrote: nothing, or one JSON object with fields that its event knows. What a text has beyond
    /// `max_text` characters is left out.
    ///
    /// A field that nobody knows is a failure as well: in a word that was not understood there may be a refusal.
    pub(crate) fn read(moment: Moment, output: &[u8], max_text: usize) -> Result<Self, HookFailure> {
        if output.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let Fields(fields) = serde_json::from_slice(output).map_err(HookFailure::NoObject)?;
        let known = fields_of(moment);
        let (mut reply, mut word, mut reason) = (Self::default(), Word::Allow, None);
        for (name, value) in fields {
            if !known.contains(&name.as_str()) {
                let (name, known) = (shortened(&name, 50), known.join(", "));
                return Err(HookFailure::UnknownField { name, event: moment.name(), known });
            }
            let text = |value| text(&name, value, if name == "reason" { MAX_REASON } else { max_text });
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("decision", value) => word = Word::read(moment, &value)?,
                ("reason", value) => reason = Some(text(value)?),
                ("context", value) => reply.context = Some(text(value)?).filter(|text| !text.is_empty()),
                ("result", value) => reply.result = Some(text(value)?),
                ("answer", value) => reply.answer = Some(text(value)?),
                ("arguments", value @ Value::Object(_)) => reply.arguments = Some(value),
                ("arguments", value) => return Err(bad(&name, "an object", &value)),
                (_, Value::String(prompt)) if !prompt.trim().is_empty() => reply.prompt = Some(prompt),
                (_, value) => return Err(bad(&name, "text that is not empty", &value)),
            }
        }
        reply.decision = word.decision(reason);
        Ok(reply)
    }
}

/// The fields that an answer at this moment can have. What changes nothing there, `allow`, is taken everywhere.
fn fields_of(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::PreGeneration | Moment::PreAsk => &["decision", "reason", "context", "prompt"],
        Moment::PreToolCall => &["decision", "reason", "context", "arguments"],
        Moment::PostToolCall => &["decision", "reason", "context", "result"],
        Moment::PostGeneration => &["decision", "reason"],
        Moment::PostAsk => &["decision", "reason", "answer"],
    }
}

#[derive(Clone, Copy)]
enum Word {
    Allow,
    Ask,
    Deny,
}

impl Word {
    fn read(moment: Moment, value: &Value) -> Result<Self, HookFailure> {
        let (words, wanted): (&[(&str, Self)], _) = match moment {
            Moment::PreToolCall => (
                &[("allow", Self::Allow), ("ask", Self::Ask), ("deny", Self::Deny)],
                "\"allow\", \"ask\" or \"deny\"",
            ),
            Moment::PreGeneration | Moment::PreAsk => {
                (&[("allow", Self::Allow), ("deny", Self::Deny)], "\"allow\" or \"deny\"")
            }
            Moment::PostToolCall | Moment::PostGeneration | Moment::PostAsk => {
                (&[("allow", Self::Allow)], "\"allow\" where nothing can be refused any more")
            }
        };
        let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
        found.map(|(_, word)| *word).ok_or_else(|| bad("decision", wanted, value))
    }

    fn decision(self, reason: Option<String>) -> Decision {
        match self {
            Self::Allow => Decision::Allow,
            Self::Ask => Decision::Ask,
            Self::Deny => {
                let lines = reason.iter().flat_map(|reason| reason.lines()).map(str::trim);
                let line = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
                Decision::Deny {
                    reason: if line.is_empty() { "it gives no reason".to_owned() } else { line },
                }
            }
        }
    }
}

fn text(name: &str, value: Value, max_text: usize) -> Result<String, HookFailure> {
    match value {
        Value::String(text) => Ok(cut(&text, max_text, ADVICE)),
        value => Err(bad(name, "text", &value)),
    }
}

fn bad(name: &str, wanted: &str, value: &Value) -> HookFailure {
    let found = shortened(&value.to_string(), 50);
    HookFailure::BadValue { name: name.to_owned(), wanted: wanted.to_owned(), found }
}

/// The fields of an object in their order; one that stands twice is an error, since one of both would be lost.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields: Vec<(String, Value)> = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    if fields.iter().any(|(known, _)| *known == name) {
                        return Err(A::Error::custom(format_args!("{name:?} stands twice")));
                    }
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests;
