//! Doubles for tests of a turn, whole turns as files, and the rules of a valid history.

pub mod journal;

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use mm_llm::Message;
use mm_tools::{Asked, Question};

use crate::{ConfirmRequest, Confirmation, Event, Frontend};

/// Records every event, and answers requests with given answers, in order.
#[derive(Debug, Default)]
pub struct RecordingFrontend {
    // Behind locks since a front end is shared; held only for a push or a pop.
    events: Mutex<Vec<Event>>,
    asked: Mutex<Vec<String>>,
    answers: Mutex<VecDeque<Confirmation>>,
    questions: Mutex<Vec<Question>>,
    replies: Mutex<VecDeque<Asked>>,
}

impl RecordingFrontend {
    /// Makes a front end whose user gives these answers and then refuses.
    pub fn new(answers: impl IntoIterator<Item = Confirmation>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    /// Gives these replies to the questions of tools, in order, and then none.
    pub fn replying(self, replies: impl IntoIterator<Item = Asked>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), ..self }
    }

    /// The questions of tools so far.
    pub fn questions(&self) -> Vec<Question> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The requests so far, as `tool: summary`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Frontend for RecordingFrontend {
    async fn show(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    async fn confirm(&self, request: ConfirmRequest<'_>) -> Confirmation {
        let line = format!("{}: {}", request.tool, request.summary);
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or(Confirmation::Refuse)
    }

    async fn ask(&self, questions: &[Question]) -> Asked {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(questions);
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or(Asked::Declined)
    }
}

/// Checks that a server would take these messages.
///
/// # Errors
/// Says which rule is broken at which message.
pub fn check_valid(messages: &[Message]) -> Result<(), String> {
    let mut open: VecDeque<&str> = VecDeque::new();
    let mut last_is_user = false;
    for (at, message) in messages.iter().enumerate() {
        let broken = |rule: &str| Err(format!("message {at}: {rule}: {message:?}"));
        match message {
            Message::System(_) if at > 0 => return broken("a system message must be the first"),
            Message::System(_) => {}
            Message::User(_) => {
                let after_answer = matches!(
                    at.checked_sub(1).and_then(|before| messages.get(before)),
                    None | Some(Message::System(_) | Message::Assistant { .. })
                );
                if !open.is_empty() || last_is_user || !after_answer {
                    return broken("a question must follow an answer");
                }
            }
            Message::Assistant { text, calls } => {
                let ids: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
                if text.trim().is_empty() && calls.is_empty() {
                    return broken("an assistant message must not be empty");
                }
                if !open.is_empty() {
                    return broken("a call has no result");
                }
                if ids.len() != calls.len() || ids.contains("") {
                    return broken("each call must have an id of its own");
                }
                if calls.iter().any(|call| !mm_schema::arguments::is_complete(&call.arguments)) {
                    return broken("arguments must be a JSON object");
                }
                open = calls.iter().map(|call| call.id.as_str()).collect();
            }
            Message::Tool { call_id, .. } => {
                if open.pop_front() != Some(call_id) {
                    return broken("a result must follow its call");
                }
            }
        }
        last_is_user = matches!(message, Message::User(_));
    }
    if open.is_empty() { Ok(()) } else { Err(format!("calls without a result: {open:?}")) }
}
