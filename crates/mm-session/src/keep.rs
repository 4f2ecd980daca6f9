//! Saving a conversation, and going on with one that was saved.

use mm_llm::{Message, Usage};

use crate::steps::sum;
use crate::store::{Claim, SessionRecord, ShownError, StoreError, new_id, now, title};
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
    /// Whether there is something that no save has.
    unsaved: bool,
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

    /// Saves what no save has yet, as whoever is about to leave the conversation does. What is in the way is told, also
    /// when it was before: this is the last time.
    pub async fn save_rest(&mut self, ui: &dyn Frontend) {
        if self.kept.unsaved {
            self.kept.told = false;
            self.save_as_it_is("", ui).await;
        }
    }

    /// Saves the conversation as it is, once it has come to a question; says once that it cannot be. `question` is the
    /// title of one that has none yet.
    pub(crate) async fn save_as_it_is(&mut self, question: &str, ui: &dyn Frontend) {
        self.kept.unsaved = true;
        let has_come = self.history.last_question().is_some() || self.kept.record.is_some();
        if self.parts.store.is_none() || !has_come {
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
        // Before anything can fail: the title is the first question, whenever it is saved.
        let mut record = self.record(question);
        // Whoever deleted the lock let others in.
        self.kept.claim.take_if(|claim| !claim.holds());
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
        record.head.id.clone_from(&self.id);
        store.save(record).await?;
        self.kept.unsaved = false;
        Ok(())
    }

    /// The conversation as it is now.
    fn record(&mut self, question: &str) -> SessionRecord {
        let Self { kept, options, id, .. } = self;
        let first = || SessionRecord::new(id, question, &options.model, &options.cwd);
        let record = kept.record.get_or_insert_with(first);
        record.errors.append(&mut kept.errors);
        record.usage = sum(record.usage, std::mem::take(&mut kept.usage));
        let head = &mut record.head;
        // The first question may be taken back.
        if self.history.last_question().is_none() {
            head.title.clear();
        } else if head.title.is_empty() {
            head.title = title(question);
        }
        head.updated = now();
        head.cwd.clone_from(&options.cwd);
        head.config.clone_from(&options.config);
        head.model.clone_from(&options.model);
        self.parts.provider.name().clone_into(&mut head.provider);
        SessionRecord {
            messages: self.history.messages().to_vec(),
            compressions: self.parts.archive.to_vec(),
            plan: self.parts.plan.get(),
            ..record.clone()
        }
    }
}

impl Kept {
    pub(crate) fn note(&mut self, kind: &str, message: &str) {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        self.errors.push(ShownError { time: now(), kind, message });
        self.unsaved = true;
    }
}

#[cfg(test)]
mod tests;
