use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use mm_llm::{Message, Usage};
use mm_schema::ToolCall;
use mm_tools::plan::{Plan, Status, Step as PlanStep};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::store::{Compression, SessionHead, ShownError, new_id};

fn at(millis: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

/// A record that has everything.
fn record(id: &str) -> SessionRecord {
    let call = ToolCall { id: "c1".into(), name: "bash".into(), arguments: "{\"command\": \"ls\"}".into() };
    SessionRecord {
        head: SessionHead {
            id: id.into(),
            title: "What \"is\" this?".into(),
            created: at(1_790_000_000_123),
            updated: at(1_790_000_060_000),
            cwd: "/w".into(),
            config: Some("agent.yaml".into()),
            provider: "llamacpp".into(),
            model: "m".into(),
        },
        messages: vec![
            Message::System("s".into()),
            Message::User("What\nis this? \u{1b}[31m é 🔧".into()),
            Message::Assistant { text: String::new(), calls: vec![call.clone()] },
            Message::Tool { call_id: "c1".into(), text: "a\nb".into() },
            Message::assistant("A list."),
        ],
        usage: Usage { prompt: Some(10), completion: Some(2), ..Usage::default() },
        compressions: vec![Compression {
            id: "1".into(),
            at: at(1_790_000_000_250),
            summary: "They \"met\".".into(),
            messages: vec![
                Message::User("Who?\n".into()),
                Message::Assistant { text: String::new(), calls: vec![call.clone()] },
                Message::Tool { call_id: "c1".into(), text: "\0".into() },
            ],
        }],
        plan: Some(Plan {
            title: "p".into(),
            steps: [("a", Status::Doing), ("b", Status::Todo)]
                .map(|(text, status)| PlanStep { text: text.into(), status })
                .into(),
        }),
        errors: vec![ShownError {
            time: at(1_790_000_000_500),
            kind: "generation".into(),
            message: "boom".into(),
        }],
    }
}

fn place() -> (TempDir, DirStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = DirStore::new(dir.path().join("a/sessions"));
    (dir, store)
}

fn names(store: &DirStore) -> Vec<String> {
    let entries = fs::read_dir(store.dir()).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_was_saved_is_loaded_and_nobody_else_may_read_it() {
    let (_dir, store) = place();
    let record = record("one");
    store.save(record.clone()).await.unwrap();
    assert_eq!(store.load("one").await.unwrap(), record);
    assert_eq!(names(&store), ["one.json"]);
    let modes = [store.dir().parent().unwrap(), store.dir(), &store.dir().join("one.json")].map(mode);
    assert_eq!(modes, [0o700, 0o700, 0o600]);
    let listed = store.list().await.unwrap().remove(0);
    assert_eq!(listed.head.unwrap(), record.head);
    assert_eq!((listed.updated, listed.size > 500), (record.head.updated, true));
    store.delete("one").await.unwrap();
    assert!(matches!(store.load("one").await, Err(StoreError::Missing(_))));
    assert!(matches!(store.delete("one").await, Err(StoreError::Missing(_))));
}

/// The file is read by other programs too.
#[tokio::test]
async fn a_file_has_its_head_first_and_a_line_a_message() {
    let (_dir, store) = place();
    store.save(record("one")).await.unwrap();
    let text = fs::read_to_string(store.dir().join("one.json")).unwrap();
    let expected = r#"{
"version": 1,
"id": "one",
"title": "What \"is\" this?",
"created": "2026-09-21T14:13:20.123Z",
"updated": "2026-09-21T14:14:20Z",
"cwd": "/w",
"config": "agent.yaml",
"provider": "llamacpp",
"model": "m",
"messages": [
{"role":"system","content":"s"},
{"role":"user","content":"What\nis this? \u001b[31m é 🔧"},
{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}]},
{"role":"tool","content":"a\nb","tool_call_id":"c1"},
{"role":"assistant","content":"A list."}
],
"usage": {"prompt":10,"cached":null,"completion":2,"reasoning":null},
"compressions": [
{"id":"1","at":"2026-09-21T14:13:20.25Z","summary":"They \"met\".","messages":[{"role":"user","content":"Who?\n"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}]},{"role":"tool","content":"\u0000","tool_call_id":"c1"}]}
],
"plan": {"title":"p","steps":[{"text":"a","status":"doing"},{"text":"b","status":"todo"}]},
"errors": [{"time":"2026-09-21T14:13:20.5Z","kind":"generation","message":"boom"}]
}
"#;
    assert_eq!(text, expected);
}

/// Each row: a file, and why it cannot be read. Whatever it is, it stays as it is.
#[tokio::test]
async fn what_cannot_be_read_is_listed_with_the_reason_and_stays() {
    let (_dir, store) = place();
    store.save(record("good")).await.unwrap();
    let good = fs::read_to_string(store.dir().join("good.json")).unwrap();
    let path = |id: &str| store.dir().join(format!("{id}.json"));
    let newer = good.replace("\"version\": 1", "\"version\": 2");
    let files = [
        ("bad", "{\"id\":", "it was cut off: its end is missing"),
        ("blank", "\n\n", "it was cut off: its end is missing"),
        ("foreign", "{\"name\": \"x\", \"version\": \"1.2\"}", "it is no session: it has no messages"),
        ("headless", "{\"messages\": []}", "it is no session: missing field `id`"),
        ("list", "[1, 2]", "it is no session: invalid type: sequence, expected an object at line 1 column 0"),
        ("newer", &newer, "it has version 2, and this mm reads up to 1: a newer mm wrote it"),
        ("nul", &"\0".repeat(4096), "it is not JSON: expected value at line 1 column 1"),
        ("text", "hello", "it is not JSON: expected value at line 1 column 1"),
        ("half", &good[..good.len() / 2], "it was cut off: its end is missing"),
        ("zero", "", "it is empty"),
    ];
    for (id, content, _) in &files {
        fs::write(path(id), content).unwrap();
    }
    fs::create_dir(path("folder")).unwrap();
    symlink("loop.json", path("loop")).unwrap();
    fs::write(path("secret"), &good).unwrap();
    fs::set_permissions(path("secret"), Permissions::from_mode(0o000)).unwrap();
    File::create(path("huge")).unwrap().set_len(2 << 30).unwrap();
    rustix_free_fifo(&path("pipe"));
    let mut expected: Vec<(&str, &str)> = files.iter().map(|(id, _, why)| (*id, *why)).collect();
    expected.extend([
        ("folder", "it is a directory"),
        ("loop", "Too many levels of symbolic links (os error 40)"),
        ("huge", "it is not JSON: expected value at line 1 column 1"),
        ("pipe", "it is no regular file"),
    ]);
    if File::open(path("secret")).is_err() {
        expected.push(("secret", "Permission denied (os error 13)"));
    }

    let listed = store.list().await.unwrap();
    for (id, why) in expected {
        let row = listed.iter().find(|row| row.id == id).unwrap();
        assert_eq!(row.head.as_ref().unwrap_err().to_string(), why, "{id}");
        let told = store.load(id).await.unwrap_err().to_string();
        let why = if id == "huge" { "it has 2147 MB, more than the 512 MB that are read" } else { why };
        assert_eq!(told, format!("the session {id} cannot be read: {why}"));
    }
    assert!(listed.iter().any(|row| row.id == "good" && row.head.is_ok()));
    drop(store.create("bad").await.unwrap());
    for (id, content, _) in &files {
        assert_eq!(fs::read(path(id)).unwrap(), content.as_bytes(), "{id}");
    }
}

/// There is no call for that in std.
fn rustix_free_fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[tokio::test]
async fn a_name_is_the_id_and_nothing_else_is_one() {
    let (_dir, store) = place();
    store.save(record("one")).await.unwrap();
    fs::copy(store.dir().join("one.json"), store.dir().join("a copy.json")).unwrap();
    assert_eq!(store.load("a copy").await.unwrap().head.id, "a copy");
    let ids: Vec<String> = store.list().await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["one", "a copy"]);
    for id in ["", "../one", "a/b", ".one", "a\0b", &"x".repeat(300)] {
        assert!(matches!(store.load(id).await, Err(StoreError::BadId(_))), "{id:?}");
        assert!(matches!(store.create(id).await, Err(StoreError::BadId(_))), "{id:?}");
    }
    assert!(DirStore::new("/nowhere/at/all").list().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_file_without_a_version_is_brought_up_to_date() {
    let (_dir, store) = place();
    fs::create_dir_all(store.dir()).unwrap();
    let old = json!({
        "id": "old", "created": 1_790_000_000, "updated": 1_790_000_060, "cwd": "/w", "model": "m",
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
    });
    fs::write(store.dir().join("old.json"), old.to_string()).unwrap();
    let listed = store.list().await.unwrap().remove(0).head.unwrap();
    let loaded = store.load("old").await.unwrap();
    assert_eq!(loaded.head, listed);
    assert_eq!((listed.title.as_str(), listed.created), ("(untitled)", at(1_790_000_000_000)));
    assert_eq!(loaded.messages, [Message::User("q".into()), Message::assistant("a")]);
    store.save(loaded.clone()).await.unwrap();
    let saved: Value = serde_json::from_slice(&fs::read(store.dir().join("old.json")).unwrap()).unwrap();
    assert_eq!((&saved["version"], &saved["created"]), (&json!(1), &json!("2026-09-21T14:13:20Z")));
    assert_eq!(store.load("old").await.unwrap(), loaded);
}

/// As an edit by hand or a lesser version may leave it.
#[tokio::test]
async fn what_is_not_told_of_a_compression_and_a_plan_is_not_needed() {
    let (_dir, store) = place();
    store.save(record("one")).await.unwrap();
    let path = store.dir().join("one.json");
    let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    file["compressions"] = json!([{"messages": [{"role": "user", "content": "q"}], "later": 1}]);
    file["plan"] = json!({"steps": [{"text": "a", "status": "lost"}, {"text": "b"}], "later": 1});
    fs::write(&path, file.to_string()).unwrap();
    let loaded = store.load("one").await.unwrap();
    let [Compression { id, at: _, summary, messages }] = &loaded.compressions[..] else {
        panic!("{loaded:?}")
    };
    assert_eq!((id.as_str(), summary.as_str(), &messages[..]), ("", "", &[Message::User("q".into())][..]));
    let statuses: Vec<_> =
        loaded.plan.unwrap().steps.into_iter().map(|step| (step.text, step.status)).collect();
    assert_eq!(statuses, [("a".to_owned(), Status::Todo), ("b".to_owned(), Status::Todo)]);
    let plain = |file: &mut Value, value: Value| {
        (file["compressions"], file["plan"]) = (value.clone(), value);
        fs::write(&path, file.to_string()).unwrap();
    };
    plain(&mut file, Value::Null);
    let loaded = store.load("one").await.unwrap();
    assert_eq!((loaded.compressions, loaded.plan), (vec![], None));
    // What cannot be understood would be lost with the next save.
    for (key, value, why) in [
        ("plan", json!(7), "expected a plan"),
        ("plan", json!({"steps": [7]}), "expected a step of a plan"),
        ("compressions", json!([7]), "expected a compression"),
        ("compressions", json!([{"messages": [7]}]), "expected a message"),
    ] {
        let mut file = file.clone();
        file[key] = value;
        fs::write(&path, file.to_string()).unwrap();
        let told = store.load("one").await.unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
}

/// As `jq -S` leaves it, with a head far behind the messages.
#[tokio::test]
async fn a_file_whose_keys_were_sorted_is_listed_and_loaded() {
    let (_dir, store) = place();
    let mut record = record("one");
    record.messages.push(Message::User("x".repeat(100_000)));
    store.save(record.clone()).await.unwrap();
    let path = store.dir().join("one.json");
    let file: std::collections::BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::write(&path, serde_json::to_vec_pretty(&file).unwrap()).unwrap();
    assert_eq!(store.list().await.unwrap().remove(0).head.unwrap(), record.head);
    assert_eq!(store.load("one").await.unwrap(), record);
    // One that is far behind is not looked for: a list does not wait for it, and whoever has its id may.
    record.messages.push(Message::User("x".repeat(33_000_000)));
    store.save(record.clone()).await.unwrap();
    let file: std::collections::BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
    let told = store.list().await.unwrap().remove(0).head.unwrap_err().to_string();
    assert_eq!(told, "it is no session: its first 32 MB have no head");
    assert_eq!(store.load("one").await.unwrap(), record);
}

#[tokio::test]
async fn a_session_is_open_once_and_a_lock_goes_with_its_holder() {
    let (_dir, store) = place();
    let claim = store.create("one").await.unwrap();
    let other = DirStore::new(store.dir());
    assert!(matches!(other.create("one").await, Err(StoreError::InUse(_))));
    store.save(record("one")).await.unwrap();
    assert!(matches!(other.create("one").await, Err(StoreError::InUse(_))), "a save keeps the lock");
    assert!(matches!(other.delete("one").await, Err(StoreError::InUse(_))));
    drop(other.create("two").await.unwrap());
    drop(claim);
    assert_eq!(names(&store), ["one.json"]);
    drop(other.create("one").await.unwrap());
}

#[tokio::test]
async fn what_killed_processes_left_is_cleaned_up_and_nothing_else() {
    let (_dir, store) = place();
    let held = store.create("open").await.unwrap();
    let file = |name: &str| fs::write(store.dir().join(name), "x").unwrap();
    [".gone.mm-lock", ".gone.json.Ab12.mm-tmp", "Cargo.lock", ".other.lock", "a.tmp", "b.mm-tmp"]
        .into_iter()
        .for_each(file);
    let writing = File::create(store.dir().join(".busy.json.x.mm-tmp")).unwrap();
    writing.try_lock().unwrap();
    drop(store.create("new").await.unwrap());
    let left = [".busy.json.x.mm-tmp", ".open.mm-lock", ".other.lock", "Cargo.lock", "a.tmp", "b.mm-tmp"];
    assert_eq!(names(&store), left);
    drop(held);
}

/// Several programs in one directory, each with conversations of its own.
#[test]
fn whoever_cleans_up_takes_nothing_from_others() {
    let (_dir, store) = place();
    replace::make(store.dir()).unwrap();
    let work = |id: String| {
        for _ in 0..25 {
            let lock = Lock::take(store.dir(), &id).unwrap();
            let path = store.dir().join(format!("{id}.json"));
            replace::replace(&path, |file| wire::write(&record(&id), file)).unwrap();
            replace::sweep(store.dir());
            assert!(matches!(Lock::take(store.dir(), &id), Err(StoreError::InUse(_))));
            drop(lock);
        }
    };
    std::thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || work(format!("s{n}")));
        }
    });
    assert_eq!(names(&store), ["s0.json", "s1.json", "s2.json", "s3.json"]);
}

/// Somebody who tidies up deletes the lock with the directory: the next save takes it anew, and others are told.
#[tokio::test]
async fn a_lock_that_was_deleted_is_no_claim() {
    let (_dir, store) = place();
    let claim = store.create("a").await.unwrap();
    assert!(claim.holds());
    std::fs::remove_dir_all(store.dir()).unwrap();
    assert!(!claim.holds());
    let again = store.create("a").await.unwrap();
    assert!(again.holds() && !claim.holds());
    drop(claim);
    assert!(again.holds(), "the old one takes nothing away");
}

#[tokio::test]
async fn a_save_that_fails_leaves_the_old_file_and_says_where() {
    let (dir, store) = place();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(store.dir(), "in the way").unwrap();
    let told = store.save(record("one")).await.unwrap_err().to_string();
    assert!(told.starts_with(&format!("{}/one.json: ", store.dir().display())), "{told}");
    assert!(store.create("one").await.is_err() && store.list().await.is_err());
    assert_eq!(fs::read(store.dir()).unwrap(), b"in the way");
    fs::remove_file(store.dir()).unwrap();
    store.save(record("one")).await.unwrap();
    // The writing itself fails half-way.
    let path = store.dir().join("one.json");
    let before = fs::read(&path).unwrap();
    let failed = replace::replace(&path, |file| {
        std::io::Write::write_all(file, b"{ half")?;
        Err(ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!((fs::read(&path).unwrap(), names(&store)), (before, vec!["one.json".to_owned()]));
}

#[test]
fn ids_sort_by_time() {
    let ids: Vec<String> = (0..5).map(|_| new_id()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}

fn any_message() -> impl Strategy<Value = Message> {
    let call = ("\\PC{0,4}", "[a-z]{0,4}", "\\PC{0,6}|\\{\\}");
    let call = call.prop_map(|(id, name, arguments)| ToolCall { id, name, arguments });
    prop_oneof![
        any::<String>().prop_map(Message::System),
        any::<String>().prop_map(Message::User),
        (any::<String>(), prop::collection::vec(call, 0..3))
            .prop_map(|(text, calls)| Message::Assistant { text, calls }),
        any::<(String, String)>().prop_map(|(call_id, text)| Message::Tool { call_id, text }),
    ]
}

proptest! {
    #[test]
    fn any_messages_come_back_and_any_cut_is_seen(
        messages in prop::collection::vec(any_message(), 0..12),
        title in any::<String>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut record = record("x");
        (record.messages, record.head.title) = (messages.clone(), title);
        record.compressions.push(Compression { id: "2".into(), at: at(7), summary: "s".into(), messages });
        let mut bytes = Vec::new();
        wire::write(&record, &mut bytes).unwrap();
        prop_assert_eq!(&wire::read(&bytes, at(0)).unwrap(), &record);
        // The line end behind the last brace may go.
        let cut = cut.index(bytes.len() - 1);
        prop_assert!(wire::read(&bytes[..cut], at(0)).is_err());
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("x.json"), &bytes[..cut]).unwrap();
        // A list sees the beginning and the last characters alone.
        let listed = list(dir.path()).unwrap().remove(0);
        let ends_well = bytes[..cut].trim_ascii_end().ends_with(b"}");
        prop_assert!(listed.head.is_err() || ends_well);
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at_most in 0usize..600) {
        let mut file = Vec::new();
        wire::write(&record("x"), &mut file).unwrap();
        let from = at_most.min(file.len());
        file.splice(from.., bytes);
        let _ = wire::read(&file, at(0));
    }
}
