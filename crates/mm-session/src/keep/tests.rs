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
    Compression { id: id.into(), at: std::time::UNIX_EPOCH, summary: "s".into(), messages }
}

fn fails() -> Vec<Step> {
    vec![Step::Fail(ProviderError::Server { message: "boom".into() })]
}

/// The directory is deleted in the midst of a talk, and another program goes on with the conversation.
#[tokio::test]
async fn a_conversation_whose_lock_was_deleted_is_not_written_by_two() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(DirStore::new(dir.path().join("sessions")));
    let replies = || (0..4).map(|_| ScriptedProvider::text("a")).collect();
    let (mut first, _) = session(store.clone(), replies());
    ask(&mut first, "one").await;
    std::fs::remove_dir_all(store.dir()).unwrap();
    ask(&mut first, "two").await;
    let (mut second, _) = session(store.clone(), replies());
    assert_eq!(second.resume(first.id()).await.unwrap().copy_of.as_deref(), Some(first.id()));
    ask(&mut second, "from second").await;
    ask(&mut first, "three").await;
    for session in [&first, &second] {
        assert_eq!(store.load(session.id()).await.unwrap().messages, session.history().messages());
    }
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
    let archived = second.archive().to_vec();
    assert_eq!((second.plan(), archived), (saved.plan.clone(), saved.compressions.clone()));
    let later = compression("2");
    second.archive().add(later.clone());
    ask(&mut second, "four").await;
    let sent = &provider.seen()[0].messages;
    assert_eq!((check_valid(sent), &sent[0]), (Ok(()), &Message::System("now".into())));
    let after = store.load(&id).await.unwrap();
    assert_eq!(after.messages, second.history().messages(), "what was mended is kept");
    assert_eq!((after.plan, after.compressions), (saved.plan, [saved.compressions, vec![later]].concat()));
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
    let rest = async |session: &mut Session| {
        let ui = RecordingFrontend::default();
        session.save_rest(&ui).await;
        told(ui)
    };
    assert_eq!(rest(&mut session).await, 1, "whoever leaves is told again");
    std::fs::remove_file(store.dir()).unwrap();
    assert_eq!(rest(&mut session).await, 0);
    let saved = store.load(&id).await.unwrap();
    assert_eq!((&saved.messages[..], saved.head.title.as_str()), (session.history().messages(), "one"));
    std::fs::remove_dir_all(store.dir()).unwrap();
    assert_eq!(rest(&mut session).await, 0);
    assert!(!store.dir().exists(), "what is saved is not saved again");
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
    assert_eq!(errors.iter().map(|error| error.kind.as_str()).collect::<Vec<_>>(), ["resume", "generation"]);
}

#[tokio::test]
async fn a_question_that_was_taken_back_is_in_no_file() {
    let store = Arc::new(MemoryStore::default());
    let replies = ["a", "b"].map(ScriptedProvider::text);
    let (mut session, _) = session(store.clone(), replies.into());
    ask(&mut session, "one").await;
    let ui = RecordingFrontend::default();
    assert_eq!(session.take_back(&ui).await.as_deref(), Some("one"));
    let kept = store.load(session.id()).await.unwrap();
    assert_eq!((kept.head.title.as_str(), &kept.messages[..]), ("", &[Message::System("now".into())][..]));
    ask(&mut session, "two").await;
    let kept = store.load(session.id()).await.unwrap();
    assert_eq!((kept.head.title.as_str(), &kept.messages[..]), ("two", session.history().messages()));
    assert_eq!(store.list().await.unwrap().len(), 1);
}
