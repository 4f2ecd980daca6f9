//! Every case of `tests/fixtures/llm/cases.json`: what odd servers send, and what a user sees of it.
//!
//! In `config`, `stderr` and `files`, `{base}` is the scripted server's base URL, `{root}` the same without `/v1`, and
//! `{nobody}` a base URL where nothing listens. `server` answers `POST /v1/chat/completions` in order, `routes`
//! other methods and paths. `post` counts from 1.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mm_llm::testing::{Answer, End, Piece, Request, ScriptedServer};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::support::{Ran, Sandbox};
use crate::terminal::Terminal;

/// How many cases run at the same time.
const AT_ONCE: usize = 4;
const CHAT: &str = "POST /v1/chat/completions";

/// What a case's `config` comes on top of.
const DEFAULT: &str = "
provider: llamacpp
model: m
baseUrl: '{base}'
fallback: ''
yolo: true
bashTool: false
editTools: false
fetchContentTool: false
askUserTool: false
unloadModels: false
context: {enabled: false}
sessions: {enabled: false}
trace: {enabled: false}
";

/// The cases that wait, with the feature that they wait for.
const WAITING: [(&str, &str); 0] = [];

/// The cases that need a terminal; each has a test of its own.
const BY_HAND: [&str; 2] = ["rs-09-interrupted-while-thinking", "to-07-ctrl-c-closes-socket"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    title: String,
    waits: Option<String>,
    #[serde(default)]
    by_hand: bool,
    #[serde(default)]
    config: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    args: Vec<String>,
    input: Option<String>,
    server: Vec<Scripted>,
    #[serde(default)]
    routes: BTreeMap<String, Vec<Scripted>>,
    expect: Expect,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scripted {
    #[serde(default)]
    wait_ms: u64,
    /// Nothing but the pieces is sent when it is null.
    status: Option<u16>,
    headers: Vec<String>,
    pieces: Vec<ScriptedPiece>,
    end: ScriptedEnd,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedPiece {
    #[serde(default)]
    wait_ms: u64,
    text: Option<String>,
    hex: Option<String>,
    split_every: Option<usize>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScriptedEnd {
    Keep,
    Close,
    Reset,
    Hold,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Exact; a terminal has none.
    stdout: Option<String>,
    #[serde(default)]
    stderr: Vec<String>,
    #[serde(default)]
    no_error: bool,
    code: i32,
    posts: Option<usize>,
    /// Every method and path, in order.
    paths: Option<Vec<String>>,
    within_ms: Option<u64>,
    #[serde(default)]
    requests: Vec<RequestCheck>,
    #[serde(default)]
    files: Vec<FileCheck>,
}

/// What must hold for the files that were made and whose name ends so.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCheck {
    name_ends: String,
    count: Option<usize>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestCheck {
    #[serde(default = "chat")]
    route: String,
    post: usize,
    pointer: String,
    equals: Option<Value>,
    #[serde(default)]
    absent: bool,
    contains: Option<String>,
    /// Another pointer into the same body.
    same_as: Option<String>,
    /// Another pointer to another text, neither of them empty.
    differs_from: Option<String>,
}

fn chat() -> String {
    CHAT.to_owned()
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/llm/cases.json");
    let file: File = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file.cases
}

fn case(id: &str) -> Case {
    cases().into_iter().find(|case| case.id == id).unwrap()
}

#[tokio::test]
async fn every_case_that_does_not_wait_comes_out_as_expected() {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let cases = cases().into_iter().filter(|case| case.waits.is_none() && !case.by_hand);
    let running = cases.map(|case| {
        let (at_once, name) = (at_once.clone(), format!("{}: {}", case.id, case.title));
        let task = tokio::spawn(async move {
            let _permit = at_once.acquire_owned().await;
            case.run().await
        });
        (name, task)
    });
    let running: Vec<_> = running.collect();
    let count = running.len();
    let mut failed = Vec::new();
    for (name, task) in running {
        let faults = task.await.unwrap_or_else(|error| vec![format!("it panicked: {error}")]);
        if !faults.is_empty() {
            failed.push(format!("{name}\n  {}", faults.join("\n  ").replace('\n', "\n  ")));
        }
    }
    println!("{} of {count} cases came out as expected", count - failed.len());
    assert!(failed.is_empty(), "{} of {count} cases failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_cases_that_wait_are_known() {
    let cases = cases();
    let waiting: Vec<(&str, &str)> =
        cases.iter().filter_map(|case| Some((case.id.as_str(), case.waits.as_deref()?))).collect();
    for (id, feature) in &waiting {
        println!("{id} waits for {feature}");
    }
    assert_eq!(waiting, WAITING);
    let by_hand: Vec<&str> = cases.iter().filter(|case| case.by_hand).map(|case| case.id.as_str()).collect();
    assert_eq!(by_hand, BY_HAND);
    let ids: std::collections::BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "each id is there once");
}

#[tokio::test]
async fn a_question_interrupted_while_the_model_thinks_leaves_a_history_that_works() {
    let case = case(BY_HAND[0]);
    let server = case.start().await;
    let sandbox = case.sandbox(&server.base_url());
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("first\n").await;
    terminal.until("pondering").await;
    terminal.type_in("\x03").await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    terminal.type_in("second\n").await;
    terminal.until("ok").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(case.expect.code));
    assert_eq!(case.expect.faults_of_requests(&server.requests()), [""; 0]);
}

#[tokio::test]
async fn ctrl_c_closes_the_connection_and_the_next_question_is_asked() {
    let case = case(BY_HAND[1]);
    let server = case.start().await;
    let sandbox = case.sandbox(&server.base_url());
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    let mut fastest = Duration::MAX;
    for n in 1..=3 {
        terminal.type_in(&format!("question {n}\n")).await;
        terminal.until("begin").await;
        let begun = Instant::now();
        terminal.type_in("\x03").await;
        server.closed(n).await;
        fastest = fastest.min(begun.elapsed());
        terminal.until("[interrupted]").await;
        terminal.until("> ").await;
    }
    // The best of three: other tests run on the same machine.
    assert!(fastest < Duration::from_millis(500), "closed after {fastest:?}");
    terminal.type_in("question 4\n").await;
    terminal.until("fine").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(case.expect.code));
    assert_eq!(case.expect.faults_of_requests(&server.requests()), [""; 0]);
}

impl Case {
    /// Runs the case; gives what is not as expected.
    async fn run(&self) -> Vec<String> {
        let server = self.start().await;
        let sandbox = self.sandbox(&server.base_url());
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let begun = Instant::now();
        let ran = sandbox.run_in(&args, &self.env, self.input.as_deref().map(str::as_bytes)).await;
        let took = begun.elapsed();
        let mut faults = self.expect.faults_of_run(&ran, &server.base_url());
        if self.expect.within_ms.is_some_and(|limit| took > Duration::from_millis(limit)) {
            faults.push(format!("it took {took:?}"));
        }
        faults.extend(self.expect.faults_of_requests(&server.requests()));
        let made = made(sandbox.path());
        faults.extend(self.expect.files.iter().flat_map(|check| check.faults(&made, &server.base_url())));
        faults
    }

    async fn start(&self) -> ScriptedServer {
        let server = ScriptedServer::start(self.server.iter().map(Answer::from)).await.unwrap();
        self.routes.iter().fold(server, |server, (route, answers)| {
            server.with_route(route, answers.iter().map(Answer::from))
        })
    }

    fn sandbox(&self, base: &str) -> Sandbox {
        let mapping = |yaml: &str| -> serde_yaml::Mapping {
            let yaml = filled(yaml, base);
            if yaml.trim().is_empty() { Default::default() } else { serde_yaml::from_str(&yaml).unwrap() }
        };
        let mut config = mapping(DEFAULT);
        config.extend(mapping(&self.config));
        let sandbox = Sandbox::new();
        sandbox.write("agent.yaml", serde_yaml::to_string(&config).unwrap());
        sandbox
    }
}

/// The files under a folder but for the configuration, with their text.
fn made(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(made(&path));
        } else if !path.ends_with("agent.yaml") {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
    found
}

/// Puts URLs in the place of their names.
fn filled(text: &str, base: &str) -> String {
    let root = base.strip_suffix("/v1").unwrap();
    // The port of "discard", which nobody serves any more.
    let nobody = "http://127.0.0.1:9/v1";
    text.replace("{base}", base).replace("{root}", root).replace("{nobody}", nobody)
}

impl From<&Scripted> for Answer {
    fn from(scripted: &Scripted) -> Self {
        Self {
            wait: Duration::from_millis(scripted.wait_ms),
            status: scripted.status,
            headers: scripted.headers.clone(),
            pieces: scripted.pieces.iter().flat_map(ScriptedPiece::pieces).collect(),
            end: match scripted.end {
                ScriptedEnd::Keep => End::KeepAlive,
                ScriptedEnd::Close => End::Close,
                ScriptedEnd::Reset => End::Reset,
                ScriptedEnd::Hold => End::Hold,
            },
        }
    }
}

impl ScriptedPiece {
    fn pieces(&self) -> Vec<Piece> {
        let bytes = match (&self.text, &self.hex) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(hex)) => {
                let digits = hex.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
                digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
            }
            _ => panic!("a piece is either text or hex"),
        };
        let piece = Piece { wait: Duration::from_millis(self.wait_ms), bytes };
        match self.split_every {
            Some(every) => piece.split(every),
            None => vec![piece],
        }
    }
}

impl Expect {
    fn faults_of_run(&self, ran: &Ran, base: &str) -> Vec<String> {
        let mut faults = Vec::new();
        if self.stdout.as_ref().is_some_and(|expected| *expected != ran.stdout) {
            faults.push(format!("stdout is {:?}, not {:?}", ran.stdout, self.stdout));
        }
        if ran.code != Some(self.code) {
            faults.push(format!("the exit code is {:?}, not {}", ran.code, self.code));
        }
        let missing =
            self.stderr.iter().map(|text| filled(text, base)).filter(|text| !ran.stderr.contains(text));
        faults.extend(missing.map(|text| format!("stderr lacks {text:?}")));
        let is_error =
            |line: &str| ["[error", "[engine error", "[warning"].iter().any(|p| line.starts_with(p));
        if self.no_error && ran.stderr.lines().any(is_error) {
            faults.push("stderr has an error".to_owned());
        }
        if !faults.is_empty() {
            faults.push(format!("stderr: {:?}", ran.stderr));
        }
        faults
    }

    fn faults_of_requests(&self, requests: &[Request]) -> Vec<String> {
        let mut bodies: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut paths = Vec::new();
        for request in requests {
            let path = format!("{} {}", request.method, request.path);
            let body = serde_json::from_str(&request.body).unwrap_or_default();
            bodies.entry(path.clone()).or_default().push(body);
            paths.push(path);
        }
        let posts = bodies.get(CHAT).map_or(0, Vec::len);
        let mut faults = Vec::new();
        if self.posts.is_some_and(|expected| expected != posts) {
            faults.push(format!("there were {posts} questions, not {:?}", self.posts));
        }
        if self.paths.as_ref().is_some_and(|expected| *expected != paths) {
            faults.push(format!("requests: {paths:?}"));
        }
        faults.extend(self.requests.iter().filter_map(|check| check.fault(&bodies)));
        faults
    }
}

impl FileCheck {
    fn faults(&self, made: &[(String, String)], base: &str) -> Vec<String> {
        let files: Vec<_> = made.iter().filter(|(name, _)| name.ends_with(&self.name_ends)).collect();
        let mut faults = Vec::new();
        if self.count.is_some_and(|count| count != files.len()) {
            let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
            faults.push(format!("not {:?} files …{} among {names:?}", self.count, self.name_ends));
        }
        for (name, text) in files {
            let missing = self.contains.iter().filter(|part| !text.contains(&filled(part, base)));
            faults.extend(missing.map(|part| format!("{name} lacks {part:?}")));
            let there = self.lacks.iter().filter(|part| text.contains(*part));
            faults.extend(there.map(|part| format!("{name} has {part:?}")));
        }
        faults
    }
}

impl RequestCheck {
    fn fault(&self, bodies: &BTreeMap<String, Vec<Value>>) -> Option<String> {
        let Some(body) = bodies.get(&self.route).and_then(|bodies| bodies.get(self.post.checked_sub(1)?))
        else {
            return Some(format!("there was no request {} of {}", self.post, self.route));
        };
        let found = body.pointer(&self.pointer);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let differs = |other: &String| {
            let (one, two) = (text(found), text(body.pointer(other)));
            !one.is_empty() && !two.is_empty() && one != two
        };
        let checks = [
            self.absent.then(|| found.is_none()),
            self.equals.as_ref().map(|expected| found == Some(expected)),
            self.contains.as_ref().map(|part| text(found).contains(part)),
            self.same_as.as_ref().map(|other| found.is_some() && found == body.pointer(other)),
            self.differs_from.as_ref().map(differs),
        ];
        let holds: Vec<bool> = checks.into_iter().flatten().collect();
        let [holds] = holds[..] else {
            return Some(format!("{}: one thing is checked", self.pointer));
        };
        let shown = found.map_or("nothing".to_owned(), Value::to_string);
        (!holds).then(|| format!("request {} of {}: {} is {shown}", self.post, self.route, self.pointer))
    }
}
