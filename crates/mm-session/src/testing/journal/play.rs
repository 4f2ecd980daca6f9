//! Plays a journal: a scripted server, the real provider and session, and what came of it.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use mm_llm::testing::{self as server, Answer, Piece, ScriptedServer};
use mm_llm::{ChatRequest, Message, OpenAi, OpenAiOptions, Provider, preset};
use serde_json::{Value, json};

use super::compare::check_prefixes;
use super::form::Settings;
use super::tools::{Results, tools};
use super::user::{User, usage};
use super::{End, Expected, Journal, JournalError, Place, Questions, ScriptedReply};
use crate::testing::check_valid;
use crate::{AnswerFormat, Session, SessionOptions, SessionParts};

/// What happened, and what is wrong with the journal itself: something that is missing, or left over.
pub(super) struct Played {
    pub(super) happened: Expected,
    pub(super) sound: Result<(), JournalError>,
}

pub(super) async fn play(journal: &Journal, place: &Place) -> Result<Played, JournalError> {
    let questions: Vec<&str> = match journal.asked() {
        Some(Questions::One(question)) => vec![question],
        Some(Questions::Several(questions)) => questions.iter().map(String::as_str).collect(),
        None => return Err(JournalError::unsound("it has either question or questions")),
    };
    if journal.replies.iter().any(|reply| reply.end == End::Hold) && journal.interrupt_at.is_none() {
        return Err(JournalError::unsound("a reply that holds needs interrupt_at"));
    }
    let answers = journal.replies.iter().map(|reply| answer(reply, place)).collect::<Result<Vec<_>, _>>()?;
    let server = start(answers).await?;
    let results = Arc::new(Results::new(&journal.results, place)?);
    let user = User::new(&journal.confirmations, journal.interrupt_at, results.clone());
    let mut session = session(journal, place, &results, &server)?;
    let (mut outcomes, mut statistics) = (Vec::new(), Vec::new());
    for question in questions {
        let cancel = user.begin();
        outcomes.push(match session.turn(&place.fill(question), &user, &cancel).await {
            Ok(answer) => json!({"answer": answer.text}),
            Err(error) => json!({"error": error.to_string()}),
        });
        statistics.push(json!({"tool_calls": session.tool_calls, "usage": usage(session.usage)}));
    }
    let (bodies, messages) = (bodies(&server), session.history().messages());
    check_prefixes(&bodies)?;
    check_valid(&[messages, &[Message::User("next".into())]].concat()).map_err(JournalError::broken)?;
    let mask = Mask::new(journal, place, &server, messages);
    let single = journal.question.is_some();
    let happened = Expected {
        requests: mask.list(bodies.iter().map(|body| parsed(body)).collect()),
        events: mask.list(user.told()),
        history: mask.list(on_the_wire(journal, messages).await?),
        outcome: mask.value(one_or_list(single, outcomes)),
        statistics: one_or_list(single, statistics),
    };
    let sound =
        check_replies(journal, bodies.len()).and_then(|()| results.check()).and_then(|()| user.check());
    Ok(Played { happened, sound })
}

fn check_replies(journal: &Journal, asked: usize) -> Result<(), JournalError> {
    let given = journal.replies.len();
    match asked.cmp(&given) {
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(JournalError::unsound(format!("request {given} has no reply"))),
        Ordering::Less => Err(JournalError::unsound(format!("reply {asked} was never asked for"))),
    }
}

fn one_or_list(single: bool, mut list: Vec<Value>) -> Value {
    if single { list.pop().unwrap_or_default() } else { Value::Array(list) }
}

async fn start(answers: Vec<Answer>) -> Result<ScriptedServer, JournalError> {
    let started = ScriptedServer::start(answers).await;
    started.map_err(|error| JournalError::unsound(format!("the scripted server cannot start: {error}")))
}

/// A reply as the server sends it.
fn answer(reply: &ScriptedReply, place: &Place) -> Result<Answer, JournalError> {
    let mut answer = match (&reply.lines, &reply.body) {
        (Some(lines), None) => {
            let text: String = lines.iter().map(|line| format!("{}\n\n", place.fill(line))).collect();
            Answer { status: Some(reply.status), ..Answer::events(&text) }
        }
        (None, Some(body)) => Answer::json(reply.status, &place.fill(&body.to_string())),
        _ => return Err(JournalError::unsound("a reply has either lines or body")),
    };
    answer.headers.extend(reply.headers.iter().cloned());
    Ok(match reply.end {
        End::Whole => answer,
        End::Close => answer.ending(server::End::Close),
        End::Hold => answer.ending(server::End::Hold),
        End::Cut => cut(answer),
    })
}

/// A chunked answer whose last chunk never comes.
fn cut(answer: Answer) -> Answer {
    let body: Vec<u8> = answer.pieces.into_iter().flat_map(|piece| piece.bytes).collect();
    let mut bytes = format!("HTTP/1.1 {} Scripted\r\n", answer.status.unwrap_or(200)).into_bytes();
    for line in &answer.headers {
        bytes.extend(format!("{line}\r\n").bytes());
    }
    bytes.extend(format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", body.len()).bytes());
    bytes.extend(body);
    bytes.extend(b"\r\n");
    let pieces = vec![Piece { wait: Duration::ZERO, bytes }];
    Answer { status: None, headers: Vec::new(), pieces, wait: Duration::ZERO, end: server::End::Close }
}

fn provider(journal: &Journal, server: &ScriptedServer) -> Result<OpenAi, JournalError> {
    let name = &journal.settings.provider;
    let preset = preset(name).ok_or_else(|| JournalError::unsound(format!("there is no provider {name}")))?;
    let base_url = Some(server.base_url());
    OpenAi::new(OpenAiOptions { base_url, fallback: None, ..OpenAiOptions::new(preset) })
        .map_err(|error| JournalError::unsound(error.to_string()))
}

fn session(
    journal: &Journal,
    place: &Place,
    results: &Arc<Results>,
    server: &ScriptedServer,
) -> Result<Session, JournalError> {
    let settings = &journal.settings;
    let parts = SessionParts {
        tools: tools(&settings.tools, results, place)?,
        ..SessionParts::new(Arc::new(provider(journal, server)?))
    };
    let options = SessionOptions {
        sampling: settings.sampling.clone(),
        system: settings.system.as_ref().map(|system| place.fill(system)),
        max_turns: settings.max_turns,
        max_repeated_calls: settings.max_repeated_calls,
        yolo: settings.yolo,
        window: settings.window,
        format: settings.structured_output.as_deref().map(|block| format(block, settings)).transpose()?,
        home: Some(place.home.clone()),
        ..SessionOptions::new(&settings.model, &place.cwd)
    };
    Ok(Session::new(parts, options))
}

/// The shape of the answers.
fn format(block: &str, settings: &Settings) -> Result<Arc<AnswerFormat>, JournalError> {
    let schema = mm_schema::translate(block).map_err(|error| JournalError::unsound(error.to_string()))?;
    let format =
        AnswerFormat::new(schema.value()).map_err(|error| JournalError::unsound(error.to_string()))?;
    let mut format = format.declared_as(block);
    format.retries = settings.structured_retries;
    Ok(Arc::new(format))
}

/// The bodies of the requests for an answer.
fn bodies(server: &ScriptedServer) -> Vec<String> {
    server
        .requests()
        .into_iter()
        .filter(|request| request.method == "POST")
        .map(|request| request.body)
        .collect()
}

/// A body that is no JSON is shown as it is.
fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|_| Value::from(body))
}

/// The messages as they would go to the server next: they go to one.
async fn on_the_wire(journal: &Journal, messages: &[Message]) -> Result<Vec<Value>, JournalError> {
    let server = start(vec![Answer::text(&["Fine."])]).await?;
    let mut stream = provider(journal, &server)?.chat(&ChatRequest::new(&journal.settings.model, messages));
    while let Some(event) = stream.next().await {
        event.map_err(|error| JournalError::broken(format!("the history cannot be sent: {error}")))?;
    }
    let sent = bodies(&server).first().map(|body| parsed(body)).unwrap_or_default();
    Ok(sent.get("messages").and_then(Value::as_array).cloned().unwrap_or_default())
}

/// Puts placeholders where a value differs between machines, days and runs.
struct Mask {
    values: Vec<(String, String)>,
    /// Ids that the program made up, in order.
    ids: Vec<String>,
}

impl Mask {
    fn new(journal: &Journal, place: &Place, server: &ScriptedServer, messages: &[Message]) -> Self {
        let base = server.base_url();
        let root = base.strip_suffix("/v1").unwrap_or(&base).to_owned();
        let mut values = vec![(root, "<server>".to_owned())];
        values.extend(place.pairs().map(|(value, word)| (value, word.to_owned())));
        values.push((format!("<cwd> ({})", std::env::consts::OS), "<cwd> (<os>)".to_owned()));
        // An empty value, or the root as a directory, would be found everywhere.
        values.retain(|(value, _)| value.len() > 1);
        let sent = |id: &str| {
            journal.replies.iter().any(|reply| {
                reply.lines.iter().flatten().any(|line| line.contains(id))
                    || reply.body.as_ref().is_some_and(|body| body.to_string().contains(id))
            })
        };
        let calls = messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            Message::System(_) | Message::User(_) | Message::Tool { .. } => None,
        });
        let ids = calls.flatten().map(|call| call.id.clone()).filter(|id| !sent(id)).collect();
        Self { values, ids }
    }

    fn list(&self, list: Vec<Value>) -> Vec<Value> {
        list.into_iter().map(|value| self.value(value)).collect()
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(list) => Value::Array(self.list(list)),
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(key, value)| (key, self.value(value))).collect())
            }
            scalar => scalar,
        }
    }

    fn text(&self, text: String) -> String {
        if let Some(at) = self.ids.iter().position(|id| *id == text) {
            return format!("<id {}>", at + 1);
        }
        self.values.iter().fold(text, |text, (value, word)| text.replace(value, word))
    }
}
