//! Saving a conversation, and going on with one that was saved.

use mm_llm::{Message, Usage};

use crate::steps::sum;
use crate::store::{Claim, SessionRecord, ShownError, StoreError, new_id, now};
use crate::{Event, Frontend, History, Session, TurnError, session};

/// What of a conversation is kept beside its history.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// As it was saved last, without the messages, the archive and the plan; `None` until the first save.
    record: Option<SessionRecord>,
    /// The right to save; taken when it is needed.
    claim: Option<Claim>,
    /// The errors that are in no record yet.
    errors: Vec<ShownError>,
    /// Token counts that are in no record yet.
    usage: Usage,
    /// Whether it was told that saving fails.
    told: bool,
}

/// What [`Session::resume`] went on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// Its id from now on.
    pub id: String,
    /// Its first question.
    pub title: String,
    /// How many messages it has, the system message apart.
    pub messages: usize,
    /// How many places had to be mended; the next save keeps that.
    pub mended: usize,
    /// The id that somebody else has open, so that this goes on under another one.
    pub copy_of: Option<String>,
}

impl Session {
    /// Goes on with a conversation of the store in place of this one: under the system message, the tools and the
    /// settings of now, and without what was allowed for a session.
    ///
    /// # Errors
    /// When it cannot be loaded; this conversation stays as it is then.
    pub async fn resume(&mut self, id: &str) -> Result<Resumed, StoreError> {
        let store = self.parts.store.clone().ok_or_else(|| StoreError::Missing(id.to_owned()))?;
        let own = if id == self.id { self.kept.claim.take() } else { None };
        let claim = match own {
            Some(claim) => Ok(claim),
            None => store.create(id).await,
        };
        let in_use = matches!(claim, Err(StoreError::InUse(_)));
        let mut record = match store.load(id).await {
            Ok(record) => record,
            Err(error) => {
                if id == self.id {
                    self.kept.claim = claim.ok();
                }
                return Err(error);
            }
        };
        if in_use {
            (record.head.id, record.head.created) = (new_id(), now());
        }
        let system = session::system(&self.parts, &self.options);
        let (history, mended) = History::restore(system, std::mem::take(&mut record.messages));
        self.restart();
        history.answers().for_each(|answer| self.parts.answers.add(answer));
        let is_system = |message: &&Message| matches!(message, Message::System(_));
        let resumed = Resumed {
            id: record.head.id.clone(),
            title: record.head.title.clone(),
            messages: history.messages().iter().filter(|message| !is_system(message)).count(),
            mended,
            copy_of: in_use.then(|| id.to_owned()),
        };
        self.id.clone_from(&record.head.id);
        self.history = history;
        self.parts.plan.set(record.plan.take());
        self.parts.archive.set(std::mem::take(&mut record.compressions));
        // Of another's the claim is taken when this one is saved; what is in the way is told then.
        self.kept = Kept { record: Some(record), claim: claim.ok(), ..Kept::default() };
        Ok(resumed)
    }

    /// Keeps an error that was shown and is none of a turn, such as that of a command; `kind` says of what.
    pub async fn shown_error(&mut self, kind: &str, message: &str) {
        if self.parts.store.is_none() {
            return;
        }
        self.kept.note(kind, message);
        if self.kept.record.is_some() {
            // What is in the way is told at the end of the next turn.
            let _ = self.keep("").await;
        }
    }

    /// Saves what a turn has brought; one that never came to a question is left for the next.
    pub(crate) async fn save(&mut self, question: &str, error: Option<&TurnError>, ui: &dyn Frontend) {
        if self.parts.store.is_none() {
            return;
        }
        if let Some(error) = error.filter(|error| !error.is_interrupted()) {
            self.kept.note("generation", &error.to_string());
        }
        self.kept.usage = sum(self.kept.usage, self.usage);
        self.save_as_it_is(question, ui).await;
    }

    /// Saves the conversation as it is, if it has a question; says once that it cannot be.
    pub(crate) async fn save_as_it_is(&mut self, question: &str, ui: &dyn Frontend) {
        if self.parts.store.is_none() || self.history.last_question().is_none() {
            return;
        }
        match self.keep(question).await {
            Ok(()) => self.kept.told = false,
            Err(error) if !std::mem::replace(&mut self.kept.told, true) => {
                ui.show(Event::SaveFailed { why: error.to_string() }).await;
            }
            Err(_) => {}
        }
    }

    async fn keep(&mut self, question: &str) -> Result<(), StoreError> {
        let Some(store) = self.parts.store.clone() else { return Ok(()) };
        if self.kept.claim.is_none() {
            let claim = match store.create(&self.id).await {
                Err(StoreError::InUse(_)) => {
                    self.id = new_id();
                    store.create(&self.id).await?
                }
                claim => claim?,
            };
            self.kept.claim = Some(claim);
        }
        let Self { kept, options, id, .. } = self;
        let record =
            kept.record.get_or_insert_with(|| SessionRecord::new(id, question, &options.model, &options.cwd));
        record.errors.append(&mut kept.errors);
        record.usage = sum(record.usage, std::mem::take(&mut kept.usage));
        let head = &mut record.head;
        head.id.clone_from(id);
        head.updated = now();
        head.cwd.clone_from(&options.cwd);
        head.config.clone_from(&options.config);
        head.model.clone_from(&options.model);
        self.parts.provider.name().clone_into(&mut head.provider);
        let record = SessionRecord {
            messages: self.history.messages().to_vec(),
            compressions: self.parts.archive.to_vec(),
            plan: self.parts.plan.get(),
            ..record.clone()
        };
        store.save(record).await
    }
}

impl Kept {
    pub(crate) fn note(&mut self, kind: &str, message: &str) {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        self.errors.push(ShownError { time: now(), kind, message });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mm_llm::ProviderError;
    use mm_llm::testing::{ScriptedProvider, Step};
    use mm_schema::ToolCall;
    use mm_tools::plan::{Plan, Status, Step as PlanStep};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::store::{Compression, DirStore, MemoryStore, SessionStore};
    use crate::testing::{RecordingFrontend, check_valid};
    use crate::{SessionOptions, SessionParts};

    fn session(store: Arc<dyn SessionStore>, replies: Vec<Vec<Step>>) -> (Session, Arc<ScriptedProvider>) {
        let provider = Arc::new(ScriptedProvider::new(replies));
        let parts = SessionParts { store: Some(store), ..SessionParts::new(provider.clone()) };
        let mut options = SessionOptions::new("m", "/w");
        (options.system, options.config) = (Some("now".into()), Some("a.yaml".into()));
        (Session::new(parts, options), provider)
    }

    async fn ask(session: &mut Session, question: &str) -> RecordingFrontend {
        let ui = RecordingFrontend::default();
        let _ = session.turn(question, &ui, &CancellationToken::new()).await;
        ui
    }

    fn compression(id: &str) -> Compression {
        let messages = vec![Message::User("q".into()), Message::assistant("a")];
        Compression { id: id.into(), at: now(), summary: "s".into(), messages }
    }

    fn fails() -> Vec<Step> {
        vec![Step::Fail(ProviderError::Server { message: "boom".into() })]
    }

    #[tokio::test]
    async fn a_conversation_goes_on_under_the_settings_of_now() {
        let store = Arc::new(MemoryStore::default());
        let (mut first, _) = session(store.clone(), vec![fails(), ScriptedProvider::text("a")]);
        ask(&mut first, "one").await;
        ask(&mut first, "two").await;
        let id = first.id().to_owned();
        first.shown_error("resume", "there is no session x").await;
        drop(first);
        let mut saved = store.load(&id).await.unwrap();
        let kinds: Vec<_> = saved.errors.iter().map(|e| (e.kind.as_str(), e.message.as_str())).collect();
        let told = ProviderError::Server { message: "boom".into() }.to_string();
        assert_eq!(kinds, [("generation", told.as_str()), ("resume", "there is no session x")]);
        let head = &saved.head;
        assert_eq!(
            (head.title.as_str(), head.provider.as_str(), head.config.as_deref()),
            ("one", "scripted", Some(std::path::Path::new("a.yaml")))
        );
        // As if the process had ended in the midst of a call.
        let step = PlanStep { text: "do".into(), status: Status::Doing };
        saved.plan = Some(Plan { title: "p".into(), steps: vec![step] });
        saved.compressions = vec![compression("1")];
        let call = ToolCall { id: "c".into(), name: "bash".into(), arguments: "{}".into() };
        saved.messages[0] = Message::System("then".into());
        saved.messages.push(Message::User("three".into()));
        saved.messages.push(Message::Assistant { text: String::new(), calls: vec![call] });
        store.save(saved.clone()).await.unwrap();

        let (mut second, provider) = session(store.clone(), vec![ScriptedProvider::text("b")]);
        let resumed = second.resume(&id).await.unwrap();
        assert_eq!((resumed.id.as_str(), resumed.messages, resumed.mended), (id.as_str(), 8, 2));
        assert_eq!((resumed.title.as_str(), resumed.copy_of), ("one", None));
        assert_eq!(second.parts.answers.back(0).as_deref(), Some("a"));
        assert_eq!(
            (second.plan(), second.archive().to_vec()),
            (saved.plan.clone(), saved.compressions.clone())
        );
        let later = compression("2");
        second.archive().add(later.clone());
        ask(&mut second, "four").await;
        let sent = &provider.seen()[0].messages;
        assert_eq!((check_valid(sent), &sent[0]), (Ok(()), &Message::System("now".into())));
        let after = store.load(&id).await.unwrap();
        assert_eq!(after.messages, second.history().messages(), "what was mended is kept");
        assert_eq!(
            (after.plan, after.compressions),
            (saved.plan, [saved.compressions, vec![later]].concat())
        );
        assert_eq!((after.errors, after.head.created), (saved.errors, saved.head.created));
        second.restart();
        assert_eq!((second.plan(), second.archive().to_vec()), (None, Vec::new()));
    }

    #[tokio::test]
    async fn what_another_has_open_goes_on_under_another_id() {
        let store = Arc::new(MemoryStore::default());
        let (mut first, _) =
            session(store.clone(), vec![ScriptedProvider::text("a"), ScriptedProvider::text("b")]);
        ask(&mut first, "one").await;
        let (mut second, _) = session(store.clone(), vec![ScriptedProvider::text("c")]);
        let resumed = second.resume(first.id()).await.unwrap();
        assert_eq!(resumed.copy_of.as_deref(), Some(first.id()));
        assert_ne!(second.id(), first.id());
        ask(&mut second, "other").await;
        ask(&mut first, "two").await;
        let texts = |record: SessionRecord| record.messages.len();
        assert_eq!(texts(store.load(first.id()).await.unwrap()), 5);
        assert_eq!(texts(store.load(second.id()).await.unwrap()), 5);
        // Its own is open to nobody else, and to itself.
        let id = first.id().to_owned();
        assert_eq!(first.resume(&id).await.unwrap().copy_of, None);
        // What cannot be loaded changes nothing.
        let before = first.history().clone();
        assert!(matches!(first.resume("gone").await, Err(StoreError::Missing(_))));
        assert_eq!((first.history(), first.id()), (&before, id.as_str()));
        first.restart();
        assert!(store.create(&id).await.is_ok(), "what was left is free");
    }

    #[tokio::test]
    async fn a_failure_to_save_is_told_once_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let store = Arc::new(DirStore::new(dir.path().join("sessions")));
        let (mut session, _) = session(store.clone(), (0..5).map(|_| ScriptedProvider::text("a")).collect());
        let told = |ui: RecordingFrontend| {
            let failed = |event: &Event| matches!(event, Event::SaveFailed { .. });
            ui.events().iter().filter(|event| failed(event)).count()
        };
        std::fs::write(store.dir(), "in the way").unwrap();
        assert_eq!(told(ask(&mut session, "one").await), 1);
        assert_eq!(told(ask(&mut session, "two").await), 0);
        std::fs::remove_file(store.dir()).unwrap();
        assert_eq!(told(ask(&mut session, "three").await), 0);
        let id = session.id().to_owned();
        assert_eq!(store.load(&id).await.unwrap().messages, session.history().messages());
        std::fs::remove_dir_all(store.dir()).unwrap();
        std::fs::write(store.dir(), "in the way").unwrap();
        assert_eq!(told(ask(&mut session, "four").await), 1, "another failure is news");
    }

    #[tokio::test]
    async fn a_conversation_without_a_question_is_not_saved() {
        let store = Arc::new(MemoryStore::default());
        let (mut session, _) = session(store.clone(), vec![]);
        session.shown_error("resume", "none").await;
        assert!(store.list().await.unwrap().is_empty());
        ask(&mut session, "one").await;
        let id = store.list().await.unwrap().remove(0).id;
        let errors = store.load(&id).await.unwrap().errors;
        assert_eq!(
            errors.iter().map(|error| error.kind.as_str()).collect::<Vec<_>>(),
            ["resume", "generation"]
        );
    }
}
