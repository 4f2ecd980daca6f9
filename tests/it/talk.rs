//! Tools that talk with the user: questions, the plan, saved answers.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::json;

use crate::support::{Sandbox, calls, results};
use crate::terminal::Terminal;

#[tokio::test]
async fn the_user_answers_the_questions_of_the_model() {
    let ask = calls(&[(
        "ask_user",
        json!({"questions": [
            {"question": "Which colour?", "kind": "choose", "options": ["red", "blue"], "default": "red"},
            {"question": "Which sizes?", "kind": "choose_many", "options": ["S", "M", "L"]},
            {"question": "Its name?", "kind": "text"},
            {"question": "Go on?", "kind": "yes_no"},
        ]}),
    )]);
    // As a weak model writes it.
    let again = calls(&[("ask_user", json!({"question": "Sure?", "options": ["yes", "no"]}))]);
    let server = ScriptedServer::start([ask, again, Answer::text(&["Thanks."])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    // What is typed ahead is the next question, and no answer.
    terminal.type_in("go\nblue\n").await;
    let asked = terminal.until("Enter: the default: ").await;
    for part in ["🔧 ask_user: 4 questions", " ? Which colour?", "   1) red (default)", "   2) blue"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    terminal.type_in("3\n").await;
    terminal.until("Enter: the default: ").await;
    terminal.type_in("\n").await;
    terminal.until("numbers such as 1,3").await;
    terminal.type_in("1, 3\n").await;
    terminal.until(" ? Its name?").await;
    terminal.until("Enter: no answer: ").await;
    terminal.type_in("Ada\n").await;
    terminal.until("[y]es or [n]o").await;
    terminal.type_in("no\n").await;
    terminal.until(" ? Sure?").await;
    terminal.until("Enter: no answer: ").await;
    terminal.type_in("\x04").await;
    terminal.until("Thanks.").await;
    let expected = concat!(
        r#"[{"question":"Which colour?","answer":"red"},{"question":"Which sizes?","answer":["S","L"]},"#,
        r#"{"question":"Its name?","answer":"Ada"},{"question":"Go on?","answer":false}]"#
    );
    assert_eq!(results(&server.bodies()[2]), [expected, "[the user did not answer]"]);
}

#[tokio::test]
async fn ctrl_c_at_a_question_ends_the_turn() {
    let ask = calls(&[("ask_user", json!({"questions": ["Which?"]}))]);
    let server = ScriptedServer::start([ask, Answer::text(&["fine"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("Enter: no answer: ").await;
    terminal.type_in("\x03").await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    terminal.type_in("again\n").await;
    terminal.until("fine").await;
    assert_eq!(results(&server.bodies()[1]), ["[interrupted by the user]"]);
}

#[tokio::test]
async fn with_nobody_to_answer_nothing_is_asked_and_nothing_made_up() {
    let ask =
        || calls(&[("ask_user", json!({"questions": ["Which?", {"question": "Go?", "kind": "yes_no"}]}))]);
    let server =
        ScriptedServer::start([ask(), Answer::text(&["I chose."]), ask(), Answer::text(&["Well."])]).await;
    let server = server.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let ran = sandbox.run(&["-p", "choose"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("I chose.\n", Some(0)), "{}", ran.stderr);
    let ran = sandbox.run_with(&[], "choose\n").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("Well.\n", Some(0)), "{}", ran.stderr);
    let bodies = server.bodies();
    assert!(!bodies[0]["tools"].to_string().contains("ask_user"));
    let told = "[error: nobody can answer questions here: go on without an answer, or say in your answer what you need to know]";
    assert_eq!(results(&bodies[1]), [told]);
    assert_eq!(results(&bodies[3]), [told]);
}

#[tokio::test]
async fn the_plan_is_shown_whenever_it_changes_and_by_a_command() {
    let create = json!({"action": "create", "title": "Tea", "steps": ["boil", "pour"]});
    let make = calls(&[("plan", create)]);
    let next = calls(&[("plan", json!({"action": "next"})), ("plan", json!({"action": "show"}))]);
    let answers = || [make.clone(), next.clone(), Answer::text(&["Boiling."])];
    let server = ScriptedServer::start(answers()).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "planTool: true\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("/plan\n").await;
    terminal.until("(there is no plan)").await;
    terminal.type_in("go\n").await;
    terminal.until("🔧 plan: create: Tea (2 steps)").await;
    terminal.until("   │ Tea (0 of 2 done)\r\n   │ [ ] 1. boil\r\n   │ [ ] 2. pour\r\n").await;
    terminal.until("🔧 plan: next").await;
    terminal.until("   │ [>] 1. boil\r\n").await;
    terminal.until("Boiling.").await;
    terminal.type_in("/plan\n").await;
    terminal.until("   │ [>] 1. boil\r\n   │ [ ] 2. pour\r\n").await;
    terminal.type_in("/new\n/plan\n").await;
    terminal.until("(there is no plan)").await;
    assert_eq!(results(&server.bodies()[2])[1], "Tea (0 of 2 done)\n[>] 1. boil\n[ ] 2. pour");

    let server = ScriptedServer::start(answers()).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "planTool: true\n");
    let ran = sandbox.run(&["-p", "go", "--output", "stream-json"]).await;
    let plan = r#"{"type":"plan_changed","plan":{"title":"Tea","steps":[{"text":"boil","status":"doing"},{"text":"pour","status":"todo"}]}}"#;
    assert!(ran.stdout.lines().any(|line| line == plan), "{}", ran.stdout);
    assert!(ran.stderr.contains("   │ [>] 1. boil\n"), "{}", ran.stderr);
}

#[tokio::test]
async fn without_yolo_a_change_of_the_plan_is_asked_about() {
    let create = calls(&[("plan", json!({"action": "create", "title": "T", "steps": ["a"]}))]);
    let show = calls(&[("plan", json!({"action": "show"}))]);
    let server = ScriptedServer::start([create, show, Answer::text(&["ok"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "planTool: true\nyolo: false\n");
    sandbox.run(&["-p", "go"]).await;
    let expected =
        ["[refused: nobody can confirm this call in -p mode]", "[error: there is no plan: create one]"];
    assert_eq!(results(&server.bodies()[2]), expected);
}

#[tokio::test]
async fn save_writes_the_last_answer_and_replaces_nothing_unasked() {
    let server = ScriptedServer::start([Answer::text(&["# Tea\n\nBoil.\n"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("/save\n").await;
    terminal.until("[error: there is no answer to save yet]").await;
    terminal.type_in("go\n").await;
    terminal.until("Boil.").await;
    terminal.type_in("/save\n").await;
    terminal.until("(created answer.md: 3 lines)").await;
    terminal.type_in("/save new/tea.md\n").await;
    terminal.until("(created new/tea.md: 3 lines)").await;
    let kept = sandbox.write("kept.md", "old\n");
    terminal.type_in("/save kept.md\n").await;
    terminal.until("kept.md exists. Replace it? [y]es, [n]o: ").await;
    terminal.type_in("\n").await;
    terminal.until("(not saved)").await;
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "old\n");
    terminal.type_in("/save kept.md\n").await;
    terminal.until("[n]o: ").await;
    terminal.type_in("y\n").await;
    terminal.until("(replaced kept.md: 3 lines)").await;
    terminal.type_in("/save new\n").await;
    terminal.until("[error: ").await;
    for path in [kept, sandbox.path().join("answer.md"), sandbox.path().join("new/tea.md")] {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Tea\n\nBoil.\n", "{}", path.display());
    }
}
