//! The real server with the real model: questions end in the right command and a sensible answer.
//!
//! `./check` starts the server and sets `MM_TEST_SERVER` to its base URL; without it these tests say that
//! they were skipped.

use std::time::Instant;

use mm_llm::testing::{Answer, ScriptedServer};

use crate::support::{Ran, Sandbox, ended};

pub(crate) fn server() -> Option<String> {
    let server = std::env::var("MM_TEST_SERVER").ok().filter(|url| !url.is_empty());
    if server.is_none() {
        eprintln!("SKIPPED: MM_TEST_SERVER names no server (./check starts one)");
    }
    server
}

/// A folder to ask about.
fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "buy milk\ncall Ada\nwater the plants\n");
    sandbox.write("old.txt", "old\n");
    sandbox
}

async fn ask(sandbox: &Sandbox, server: &str, question: &str) -> Ran {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agents/try.yaml");
    let mut command = sandbox.command(&["-c", config, "-p", question]);
    ended(command.env("AGENT_BASE_URL", server).env("USER", "tester").spawn().unwrap()).await
}

/// A question, what its command must hold, and whether the answer makes sense of the result.
struct Question {
    text: &'static str,
    command: &'static [&'static str],
    sensible: fn(&Sandbox, &str) -> bool,
}

const QUESTIONS: [Question; 10] = [
    Question {
        text: "Which files are here?",
        command: &["ls"],
        sensible: |_, answer| answer.contains("notes.txt"),
    },
    Question {
        text: "Where are we?",
        command: &["pwd"],
        sensible: |sandbox, answer| answer.contains(sandbox.path().file_name().unwrap().to_str().unwrap()),
    },
    Question {
        text: "Which day is it today?",
        command: &["date"],
        sensible: |_, answer| answer.contains("20"),
    },
    Question {
        text: "Make a folder called out.",
        command: &["mkdir", "out"],
        sensible: |sandbox, answer| sandbox.path().join("out").is_dir() && !answer.trim().is_empty(),
    },
    Question {
        text: "What is in notes.txt?",
        command: &["cat", "notes.txt"],
        sensible: |_, answer| answer.contains("milk"),
    },
    Question {
        text: "Show the first line of notes.txt.",
        command: &["head", "notes.txt"],
        sensible: |_, answer| answer.contains("buy milk"),
    },
    Question {
        text: "How many lines has notes.txt?",
        command: &["wc", "notes.txt"],
        sensible: |_, answer| answer.contains('3'),
    },
    Question {
        text: "Delete the file old.txt.",
        command: &["rm", "old.txt"],
        sensible: |sandbox, answer| !sandbox.path().join("old.txt").exists() && !answer.trim().is_empty(),
    },
    Question {
        text: "Which system is this?",
        command: &["uname"],
        sensible: |_, answer| answer.contains("Linux"),
    },
    Question { text: "Who am I?", command: &["whoami"], sensible: |_, answer| !answer.trim().is_empty() },
];

#[tokio::test]
async fn simple_questions_end_in_the_right_command_and_a_sensible_answer() {
    let Some(server) = server() else { return };
    let mut right = 0;
    for question in QUESTIONS {
        let sandbox = folder();
        let started = Instant::now();
        let ran = ask(&sandbox, &server, question.text).await;
        let calls: Vec<&str> = ran.stderr.lines().filter_map(|line| line.strip_prefix("🔧 bash: ")).collect();
        let called =
            calls.first().is_some_and(|first| question.command.iter().all(|word| first.contains(word)));
        // An answer that goes on and on is none.
        let short = ran.stdout.len() < 400;
        let fine = ran.code == Some(0) && called && short && (question.sensible)(&sandbox, &ran.stdout);
        right += u32::from(fine);
        let mark = if fine { "right" } else { "WRONG" };
        println!(
            "{mark} {:>5} ms  {}  {calls:?}  {:?}",
            started.elapsed().as_millis(),
            question.text,
            ran.stdout.trim()
        );
    }
    assert!(right >= 5, "{right} of {} questions were answered rightly", QUESTIONS.len());
}

#[tokio::test]
async fn a_conversation_from_a_pipe_is_answered_line_by_line() {
    let Some(server) = server() else { return };
    let sandbox = folder();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agents/try.yaml");
    let mut command = sandbox.command(&["-c", config]);
    let mut child =
        command.env("AGENT_BASE_URL", &server).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"Where are we?\nWhich files are here?\n").await.unwrap();
    drop(stdin);
    let ran = ended(child).await;
    // So small a model may have nothing to say to a second question; the server must take it all the same.
    let speechless = ran.code == Some(2) && ran.stderr.contains("[error: the model answered nothing]");
    assert!(ran.code == Some(0) || speechless, "{}", ran.stderr);
    assert!(!ran.stdout.trim().is_empty(), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("mm ") && ran.stderr.contains("| tools: bash\n"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_question_that_is_interrupted_frees_the_server() {
    let Some(server) = server() else { return };
    let sandbox = folder();
    let yaml = format!(
        "provider: llamacpp\nmodel: m\nbaseUrl: {server}\nfallback: \"\"\nbashTool: false\neditTools: false\nsystem: \"\"\n"
    );
    sandbox.write("agent.yaml", yaml);
    let mut command = sandbox.command(&["-p", "Tell me a very long story about a ship."]);
    let child = command.spawn().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    crate::support::kill(&child, rustix::process::Signal::INT);
    let started = Instant::now();
    assert_eq!(ended(child).await.code, Some(130));
    // The slot is free again: the next question is answered without waiting for the story's end.
    let ran = sandbox.run(&["-p", "Say yes."]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    println!("interrupted and asked anew in {} ms", started.elapsed().as_millis());
}

#[tokio::test]
async fn doctor_finds_that_everything_works() {
    let Some(server) = server() else { return };
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agents/try.yaml");
    let sandbox = folder();
    let ran =
        ended(sandbox.command(&["-c", config, "doctor"]).env("AGENT_BASE_URL", &server).spawn().unwrap())
            .await;
    let marks: Vec<&str> = ran.stdout.lines().map(|line| line.get(..14).unwrap_or(line)).collect();
    let expected = [
        "ok  server    ",
        "ok  model     ",
        "ok  window    ",
        "ok  answer    ",
        "ok  tool call ",
        "ok  JSON      ",
    ];
    assert_eq!(marks, expected, "{}{}", ran.stdout, ran.stderr);
    let models =
        ended(sandbox.command(&["-c", config, "models"]).env("AGENT_BASE_URL", &server).spawn().unwrap())
            .await;
    assert_eq!(models.stdout, "smollm2  (window 4.1k, loaded)\n");
}

#[tokio::test]
async fn a_program_and_a_trace_get_what_really_happened() {
    let Some(server) = server() else { return };
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agents/try.yaml");
    let sandbox = folder();
    let mut command = sandbox.command(&["-c", config, "-p", "Which files are here?", "--output", "json"]);
    let ran = ended(command.env("AGENT_BASE_URL", &server).env("AGENT_TRACE", "1").spawn().unwrap()).await;
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&object["error"], object["toolCalls"][0]["name"].as_str()),
        (&serde_json::Value::Null, Some("bash"))
    );
    assert!(object["usage"]["prompt"].as_u64() > Some(100), "{object}");
    let files: Vec<_> = std::fs::read_dir(sandbox.path().join(".mm/traces")).unwrap().flatten().collect();
    assert_eq!(files.len(), 4, "two requests, two answers");
    for file in files.iter().filter(|file| file.path().extension().is_some_and(|ext| ext == "sse")) {
        assert!(std::fs::read_to_string(file.path()).unwrap().ends_with("data: [DONE]\n\n"));
    }
}

/// A tool other than `bash`: the configuration that declares it, a question, and what the call is shown as.
const TOOLS: [(&str, &str, &str); 7] = [
    ("", "Read notes.txt.", "🔧 read_file: notes.txt"),
    ("", "Write good day to hi.txt.", "🔧 write_file: hi.txt"),
    ("", "In notes.txt replace milk by rye.", "🔧 edit_file: notes.txt (\"milk\" → \"rye\")"),
    ("editTools: false\nskillsDir: tricks\n", "How do I make tea?", "🔧 read_skill: tea"),
    (
        "editTools: false\nfetchContentTool: true\n",
        "What is on PAGES/tea?",
        "🔧 fetch_content: http://127.0.0.1:",
    ),
    ("editTools: false\nplanTool: true\n", "Make a plan: boil, pour.", "🔧 plan: create: "),
    ("editTools: false\nunloadModels: true\n", "Unload the model.", "🔧 unload_model: "),
];

/// The settings of a question for a tool that is not `bash`.
fn without_bash(server: &str, more: &str) -> Sandbox {
    let sandbox = folder();
    std::fs::create_dir(sandbox.path().join("tricks")).unwrap();
    sandbox.write("tricks/tea.md", "---\nname: tea\ndescription: How to make tea.\n---\nBoil the water.\n");
    let unload = if more.contains("unloadModels") { "" } else { "unloadModels: false\n" };
    sandbox.write(
        "agent.yaml",
        format!(
            "provider: llamacpp\nmodel: smollm2\nbaseUrl: {server}\nfallback: \"\"\nbashTool: false\n{unload}\
             system: You use one tool.\nsampling: {{temperature: 0, max_tokens: 80}}\n{more}"
        ),
    );
    sandbox
}

#[tokio::test]
async fn a_real_model_uses_the_other_tools() {
    let Some(server) = server() else { return };
    let page = Answer {
        headers: vec!["Content-Type: text/html".into()],
        ..Answer::events("<title>Tea</title><p>The tea is green.")
    };
    let pages = ScriptedServer::start([]).await.unwrap().with_route("GET /tea", [page]);
    let mut missed = Vec::new();
    for (config, question, call) in TOOLS {
        let question = &question.replace("PAGES", pages.base_url().trim_end_matches("/v1"));
        let ran = without_bash(&server, config).run(&["-p", question]).await;
        println!("{question}\n{}{}\n", ran.stderr, ran.stdout.trim());
        if !ran.stderr.contains(call) {
            missed.push(call);
        }
    }
    // So small a model may miss one on another machine.
    assert!(missed.len() <= 1, "not called: {missed:?}");
}
