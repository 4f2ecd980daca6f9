//! A conversation as the text of a file: one line a key of the head, one a message.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::SystemTime;

use mm_llm::{Message, Usage};
use mm_tools::plan::{Plan, Status, Step};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::head::{self, HeadTwin, time};
use super::message::MessageTwin;
use super::migrate::{VERSION, migrate};
use crate::store::{Compression, Fault, SessionRecord, ShownError};

/// Writes a conversation.
pub(super) fn write(record: &SessionRecord, to: &mut impl Write) -> io::Result<()> {
    let usage = UsageTwin::from(record.usage);
    to.write_all(b"{\n")?;
    if let Value::Object(head) = serde_json::to_value(HeadTwin::of(&record.head, VERSION))? {
        for (key, value) in &head {
            entry(to, key, value)?;
            to.write_all(b",\n")?;
        }
    }
    list(to, "messages", record.messages.iter().map(MessageTwin::from))?;
    entry(to, "usage", &usage)?;
    to.write_all(b",\n")?;
    list(to, "compressions", record.compressions.iter().map(CompressionTwin::from))?;
    entry(to, "plan", &record.plan.as_ref().map(PlanTwin::from))?;
    to.write_all(b",\n")?;
    let errors = record.errors.iter().map(ErrorTwin::from);
    entry(to, "errors", &errors.collect::<Vec<_>>())?;
    to.write_all(b"\n}\n")
}

fn entry(to: &mut impl Write, key: &str, value: &impl Serialize) -> io::Result<()> {
    write!(to, "\"{key}\": ")?;
    Ok(serde_json::to_writer(to, value)?)
}

fn list<T: Serialize>(
    to: &mut impl Write,
    key: &str,
    items: impl ExactSizeIterator<Item = T>,
) -> io::Result<()> {
    write!(to, "\"{key}\": [")?;
    for (at, item) in items.enumerate() {
        to.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *to, &item)?;
    }
    to.write_all(b"\n],\n")
}

/// Reads a whole file of any version that was; `changed` is its own time.
pub(super) fn read(bytes: &[u8], changed: SystemTime) -> Result<SessionRecord, Fault> {
    let (found, version) = head::of_bytes(bytes)?;
    let head = head::of_map(found, changed)?;
    let told = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Eof => Fault::Cut,
        serde_json::error::Category::Data => Fault::Foreign(error.to_string()),
        serde_json::error::Category::Io | serde_json::error::Category::Syntax => Fault::NotJson(error),
    };
    let body: BodyTwin = if version == VERSION {
        serde_json::from_slice(bytes).map_err(told)?
    } else {
        let mut file = serde_json::from_slice(bytes).map_err(told)?;
        migrate(&mut file)?;
        serde_json::from_value(Value::Object(file)).map_err(told)?
    };
    let time = |text: &str| text.parse::<jiff::Timestamp>().map_or(changed, SystemTime::from);
    Ok(SessionRecord {
        head,
        messages: body.messages.into_iter().map(Message::from).collect(),
        usage: body.usage.unwrap_or_default().into(),
        compressions: body
            .compressions
            .unwrap_or_default()
            .into_iter()
            .map(|twin| Compression {
                id: twin.id.into_owned(),
                at: time(&twin.at),
                summary: twin.summary.into_owned(),
                messages: twin.messages.into_iter().map(Message::from).collect(),
            })
            .collect(),
        plan: body.plan.map(Plan::from),
        errors: body
            .errors
            .unwrap_or_default()
            .into_iter()
            .map(|error| ShownError {
                time: time(&error.time),
                kind: error.kind.into_owned(),
                message: error.message.into_owned(),
            })
            .collect(),
    })
}

/// All behind the head.
#[derive(Deserialize)]
#[serde(expecting = "a session")]
struct BodyTwin {
    messages: Vec<MessageTwin<'static>>,
    usage: Option<UsageTwin>,
    compressions: Option<Vec<CompressionTwin<'static>>>,
    plan: Option<PlanTwin<'static>>,
    errors: Option<Vec<ErrorTwin<'static>>>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(expecting = "token counts")]
struct UsageTwin {
    prompt: Option<u64>,
    cached: Option<u64>,
    completion: Option<u64>,
    reasoning: Option<u64>,
}

impl From<Usage> for UsageTwin {
    fn from(usage: Usage) -> Self {
        let Usage { prompt, cached, completion, reasoning, tokens_per_second: _ } = usage;
        Self { prompt, cached, completion, reasoning }
    }
}

impl From<UsageTwin> for Usage {
    fn from(twin: UsageTwin) -> Self {
        let UsageTwin { prompt, cached, completion, reasoning } = twin;
        Self { prompt, cached, completion, reasoning, tokens_per_second: None }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a compression")]
struct CompressionTwin<'a> {
    #[serde(default)]
    id: Cow<'a, str>,
    #[serde(default)]
    at: String,
    #[serde(default)]
    summary: Cow<'a, str>,
    messages: Vec<MessageTwin<'a>>,
}

impl<'a> From<&'a Compression> for CompressionTwin<'a> {
    fn from(compression: &'a Compression) -> Self {
        Self {
            id: Cow::Borrowed(&compression.id),
            at: time(compression.at),
            summary: Cow::Borrowed(&compression.summary),
            messages: compression.messages.iter().map(MessageTwin::from).collect(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a plan")]
struct PlanTwin<'a> {
    #[serde(default)]
    title: Cow<'a, str>,
    steps: Vec<StepTwin<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a step of a plan")]
struct StepTwin<'a> {
    text: Cow<'a, str>,
    /// One that is not known is one of a step that is not begun.
    #[serde(default)]
    status: Cow<'a, str>,
}

impl<'a> From<&'a Plan> for PlanTwin<'a> {
    fn from(plan: &'a Plan) -> Self {
        let steps = plan.steps.iter().map(|step| StepTwin {
            text: Cow::Borrowed(&step.text),
            status: Cow::Borrowed(step.status.name()),
        });
        Self { title: Cow::Borrowed(&plan.title), steps: steps.collect() }
    }
}

impl From<PlanTwin<'_>> for Plan {
    fn from(twin: PlanTwin<'_>) -> Self {
        let steps = twin.steps.into_iter().map(|step| Step {
            text: step.text.into_owned(),
            status: Status::of(&step.status).unwrap_or_default(),
        });
        Self { title: twin.title.into_owned(), steps: steps.collect() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an error")]
struct ErrorTwin<'a> {
    #[serde(default)]
    time: String,
    kind: Cow<'a, str>,
    message: Cow<'a, str>,
}

impl<'a> From<&'a ShownError> for ErrorTwin<'a> {
    fn from(error: &'a ShownError) -> Self {
        Self {
            time: time(error.time),
            kind: Cow::Borrowed(&error.kind),
            message: Cow::Borrowed(&error.message),
        }
    }
}
