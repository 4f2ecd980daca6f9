//! Conversations of a program that is killed at any moment.

use std::fs;
use std::path::Path;
use std::time::Duration;

use mm_llm::Message;
use mm_llm::testing::{Answer, ScriptedServer};
use mm_session::store::{DirStore, SessionRecord, SessionStore};
use tokio::io::AsyncWriteExt;

use crate::support::{Sandbox, ended, kill};

/// How many times the program is killed; more with this variable.
const KILLS: u64 = 25;
const MORE: &str = "MM_TEST_KILLS";
/// Questions of one run: more than it comes to.
const QUESTIONS: usize = 40;
/// Each run but one in so many goes on with the conversation of the one before.
const FRESH: u64 = 5;
/// A run lives for at most so long.
const MOST: u64 = 900;

/// Whatever was being written, each file loads, no turn before the running one is lost, and nothing piles up.
#[tokio::test]
async fn a_program_that_is_killed_at_any_moment_leaves_whole_sessions() {
    let kills = std::env::var(MORE).ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64 | 1;
    println!("seed {seed}, {kills} kills");
    let answers = (0..kills as usize * QUESTIONS)
        .flat_map(|_| [Answer::bash("head -c 200000 /dev/zero | tr '\\0' x"), Answer::text(&["done\n"])]);
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "sessions: {enabled: true}\nmaxOutput: 250000\n");
    let store = DirStore::new(sandbox.path().join(".mm/sessions"));
    let (mut state, mut saved) = (seed, 0);
    for n in 0..kills {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let goes_on = n % FRESH != 0 && !store.list().await.unwrap().is_empty();
        let before = if goes_on { newest(&store).await } else { None };
        let ran = run(&sandbox, goes_on, Duration::from_millis(state % MOST)).await;
        for row in store.list().await.unwrap() {
            let loaded = store.load(&row.id).await;
            assert!(row.head.is_ok() && loaded.is_ok(), "seed {seed}, kill {n}: {row:?} {loaded:?}");
        }
        let after = newest(&store).await;
        // A new conversation that was not saved yet leaves the newest as it was.
        let is_new = |a: &SessionRecord| before.as_ref().is_none_or(|b| b.head.id != a.head.id);
        let fresh =
            after.as_ref().filter(|after| goes_on || (is_new(after) && after.head.updated > ran.begun));
        let came = fresh.map_or(0, answered).saturating_sub(before.as_ref().map_or(0, answered));
        assert!(came + 1 >= ran.shown, "seed {seed}, kill {n}: {came} of {} answers", ran.shown);
        saved += came;
        let left = hidden(store.dir()).iter().filter(|name| name.ends_with("tmp")).count();
        assert!(left <= 2, "seed {seed}, kill {n}: {left} files were left");
    }
    println!("{saved} turns were saved");
    assert!(saved > 0, "the program never came to a save");
    let last = sandbox.run(&["-p", "end"]).await;
    assert_eq!((last.code, hidden(store.dir())), (Some(0), vec![]), "{}", last.stderr);
}

struct Killed {
    begun: std::time::SystemTime,
    /// Answers that were shown.
    shown: usize,
}

async fn run(sandbox: &Sandbox, goes_on: bool, life: Duration) -> Killed {
    let begun = std::time::SystemTime::now();
    let args: &[&str] = if goes_on { &["--continue"] } else { &[] };
    let mut child = sandbox.command(args).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all("go\n".repeat(QUESTIONS).as_bytes()).await.unwrap();
    tokio::time::sleep(life).await;
    kill(&child, rustix::process::Signal::KILL);
    let ran = ended(child).await;
    assert_eq!(ran.code, None, "it was killed: {}", ran.stderr);
    Killed { begun, shown: ran.stdout.matches("done").count() }
}

async fn newest(store: &DirStore) -> Option<SessionRecord> {
    let id = store.list().await.unwrap().into_iter().next()?.id;
    Some(store.load(&id).await.unwrap())
}

fn answered(record: &SessionRecord) -> usize {
    let is_answer =
        |message: &&Message| matches!(message, Message::Assistant { text, .. } if text.trim() == "done");
    record.messages.iter().filter(is_answer).count()
}

/// What is no session.
fn hidden(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}
