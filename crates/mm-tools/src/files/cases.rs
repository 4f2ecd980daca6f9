//! Every case of `tests/fixtures/files/cases.json`, by name: a directory is set up by a shell, calls and further
//! commands run in order, and at the end a command checks what is there. The home is the directory `home` in it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{FileOptions, Files};
use crate::edit_file::EditFile;
use crate::read_file::ReadFile;
use crate::write_file::WriteFile;
use crate::{Tool, ToolContext, ToolOutput};

const FILE: &str = include_str!("../../../../tests/fixtures/files/cases.json");

/// Set for the copy of this program that runs a case under a limit of its own.
const COPY: &str = "MM_TOOLS_CASE";

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
    setup: String,
    /// Whether files may have 100 kB and no more.
    #[serde(default)]
    file_limit: bool,
    calls: Vec<Step>,
    check: Option<String>,
}

#[derive(Deserialize)]
struct Step {
    run: Option<String>,
    together: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    expect: Expect,
    /// The tool with its arguments.
    #[serde(flatten)]
    call: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    ok: Option<bool>,
    text: Option<String>,
    starts_with: String,
    contains: Vec<String>,
    lacks: Vec<String>,
    within_ms: Option<u64>,
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[tokio::test] async fn $name() { check(stringify!($name)).await; })*

        #[test]
        fn every_case_is_run() {
            let file: File = serde_json::from_str(FILE).unwrap();
            let run: Vec<String> = file.cases.iter().map(|case| case.id.to_lowercase()).collect();
            assert_eq!(run, [$(stringify!($name)),*]);
        }
    };
}

cases! { f01 f03 f04 f06 f07 f09 f10 f12 f14 f15 f16 f17 f19 f20 }

async fn check(name: &str) {
    let file: File = serde_json::from_str(FILE).unwrap();
    let case = file.cases.into_iter().find(|case| case.id.eq_ignore_ascii_case(name)).unwrap();
    if !case.file_limit || std::env::var_os(COPY).is_some() {
        run(&case).await;
    } else {
        run_in_copy(name);
    }
}

/// The limit of this process would hold for other tests too.
fn run_in_copy(name: &str) {
    let copy = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" --exact \"$1\""])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("files::cases::{name}"))
        .env(COPY, name)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&copy.stdout);
    assert!(copy.status.success() && output.contains("1 passed"), "{output}");
}

async fn run(case: &Case) {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path();
    shell(case, &case.setup, cwd);
    if case.file_limit {
        let limit = rustix::process::Rlimit { current: Some(100_000), maximum: Some(100_000) };
        rustix::process::setrlimit(rustix::process::Resource::Fsize, limit).unwrap();
    }
    let tools = tools(FileOptions::default());
    for step in &case.calls {
        if let Some(command) = &step.run {
            shell(case, command, cwd);
        } else if let Some(calls) = &step.together {
            let calls: Vec<_> = calls.iter().map(|call| run_call(&tools, call, cwd)).collect();
            for (call, output) in futures(calls).await {
                step.expect.check(&format!("{} ({}): {call:?}", case.id, case.title), &output);
            }
        } else {
            let begun = Instant::now();
            let (call, output) = run_call(&tools, &step.call, cwd).await;
            let what = format!("{} ({}): {call:.200}", case.id, case.title);
            step.expect.check(&what, &output);
            let limit = step.expect.within_ms.map_or(Duration::MAX, Duration::from_millis);
            assert!(begun.elapsed() < limit, "{what}: took {:?}", begun.elapsed());
        }
    }
    if let Some(command) = &case.check {
        shell(case, command, cwd);
    }
}

async fn futures<T>(calls: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    let (Some(second), Some(first)) = (calls.pop(), calls.pop()) else { unreachable!("two calls") };
    let (first, second) = tokio::join!(first, second);
    vec![first, second]
}

async fn run_call(tools: &[Box<dyn Tool>], call: &Map<String, Value>, cwd: &Path) -> (String, ToolOutput) {
    let (name, args) = call.iter().next().unwrap();
    let tool = tools.iter().find(|tool| tool.definition().name == *name).unwrap();
    let mut args = args.clone();
    if args.get("content").is_some_and(|content| content == "{300 kB}") {
        args["content"] = "many words\n".repeat(30_000).into();
    }
    let cx = ToolContext { home: Some(cwd.join("home")), ..ToolContext::new(cwd) };
    (format!("{name} {args}"), tool.run(&args, &cx).await)
}

/// The tools over what they know together.
pub(super) fn tools(options: FileOptions) -> [Box<dyn Tool>; 3] {
    let files = Files::new(options);
    [
        Box::new(ReadFile::new(files.clone())),
        Box::new(WriteFile::new(files.clone())),
        Box::new(EditFile::new(files)),
    ]
}

fn shell(case: &Case, command: &str, cwd: &Path) {
    let output = std::process::Command::new("sh").args(["-c", command]).current_dir(cwd).output().unwrap();
    assert!(output.status.success(), "{} ({}): {command}: {output:?}", case.id, case.title);
}

impl Expect {
    fn check(&self, what: &str, output: &ToolOutput) {
        let text = &output.text;
        let check = |holds: bool, why: &str| assert!(holds, "{what}: {why}: {text}");
        check(self.ok.is_none_or(|ok| ok == output.ok), "ok");
        check(self.text.as_ref().is_none_or(|expected| expected == text), "text");
        check(text.starts_with(&self.starts_with), "start");
        check(self.contains.iter().all(|part| text.contains(part)), "contains");
        check(!self.lacks.iter().any(|part| text.contains(part)), "lacks");
    }
}
