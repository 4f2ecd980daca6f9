use std::sync::Arc;

use super::*;
use crate::testing::RecordingHost;

fn question(text: &str, kind: QuestionKind, options: &[&str], default: Option<Value>) -> Question {
    Question { text: text.into(), kind, options: options.iter().map(|o| (*o).to_owned()).collect(), default }
}

async fn run(args: Value, host: Arc<RecordingHost>) -> ToolOutput {
    let tool = AskUser::new();
    let args = mm_schema::arguments::check(tool.tolerate(args), &tool.definition().parameters);
    let args = match args {
        Ok(args) => args,
        Err(fault) => return ToolOutput::error(fault),
    };
    tool.run(&args, &ToolContext { host, ..ToolContext::new("/") }).await
}

#[tokio::test]
async fn questions_are_understood_however_they_are_written() {
    use QuestionKind::{Choose, ChooseMany, Text, YesNo};
    let colour = |default| question("Which?", Choose, &["red", "blue"], default);
    let rows = [
        (
            json!({"questions": [{"question": "Which?", "kind": "choose", "options": ["red", "blue"]}]}),
            colour(None),
        ),
        (
            json!({"question": "Which?", "options": ["red", "blue"], "default": "Blue"}),
            colour(Some("blue".into())),
        ),
        (
            json!({"questions": {"question": "Which?", "options": "red, blue", "default": "2"}}),
            colour(Some("blue".into())),
        ),
        (
            json!({"questions": [{"text": "Which?", "type": "text", "choices": [{"label": "red"}, {"value": "blue"}, "red"]}]}),
            colour(None),
        ),
        (
            json!({"questions": [{"question": "Which?", "kind": "choose", "options": ["red", "blue"], "default": "green"}]}),
            colour(None),
        ),
        (json!({"questions": "What is it called?"}), question("What is it called?", Text, &[], None)),
        (json!({"questions": ["Name?"]}), question("Name?", Text, &[], None)),
        (
            json!({"questions": [{"question": "Name?", "kind": "choose", "options": []}]}),
            question("Name?", Text, &[], None),
        ),
        (
            json!({"questions": [{"question": "Name?", "kind": "text", "default": "Ada"}]}),
            question("Name?", Text, &[], Some("Ada".into())),
        ),
        (
            json!({"questions": [{"question": "Go on?", "kind": "yes_no", "default": true}]}),
            question("Go on?", YesNo, &[], Some(true.into())),
        ),
        (
            json!({"questions": [{"question": "Go on?", "kind": "confirm"}]}),
            question("Go on?", YesNo, &[], None),
        ),
        (
            json!({"questions": [{"question": "Go on?", "kind": "choose", "options": ["Yes", "No"], "default": "no"}]}),
            question("Go on?", YesNo, &[], Some(false.into())),
        ),
        (
            json!({"questions": [{"question": "Which?", "kind": "choose_many", "options": [1, 2, 3], "default": ["1", "3"]}]}),
            question("Which?", ChooseMany, &["1", "2", "3"], Some(json!(["1", "3"]))),
        ),
    ];
    for (args, expected) in rows {
        let host = Arc::new(RecordingHost::new());
        let output = run(args.clone(), host.clone()).await;
        assert_eq!(host.asked(), [expected], "{args}");
        assert_eq!((output.text.as_str(), output.ok), ("[the user did not answer]", false));
    }
}

#[tokio::test]
async fn what_is_no_question_is_told_with_what_is_wrong() {
    let many: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let rows = [
        (json!({}), "questions"),
        (json!({"questions": []}), "[error: questions is empty: ask at least one]"),
        (json!({"questions": 3}), "questions"),
        (json!({"questions": [7]}), "questions"),
        (json!({"questions": [{"question": " "}]}), "[error: a question is empty]"),
        (json!({"questions": vec!["x"; 11]}), "[error: at most 10 questions at once]"),
        (
            json!({"questions": [{"question": "Which?", "options": many}]}),
            "[error: \"Which?\" has 40 options: give 30 at most]",
        ),
    ];
    for (args, expected) in rows {
        let host = Arc::new(RecordingHost::new());
        let output = run(args.clone(), host.clone()).await;
        assert!(
            !output.ok && output.text.starts_with("[error: ") && output.text.contains(expected),
            "{args}: {output:?}"
        );
        assert_eq!(host.asked(), [], "{args}");
    }
}

#[tokio::test]
async fn the_answers_come_back_as_json_and_none_is_made_up() {
    let args = || json!({"questions": ["Name?", {"question": "Go?", "kind": "yes_no", "default": "yes"}]});
    let nobody = Asked::Nobody("nobody can answer here".into());
    let rows = [
        (
            Asked::Answered(vec!["Ada".into(), false.into()]),
            r#"[{"question":"Name?","answer":"Ada"},{"question":"Go?","answer":false}]"#,
            true,
        ),
        (
            Asked::Answered(vec![Value::Null, true.into()]),
            r#"[{"question":"Name?","answer":null},{"question":"Go?","answer":true}]"#,
            true,
        ),
        (Asked::Answered(vec![Value::Null, Value::Null]), "[the user did not answer]", false),
        (Asked::Declined, "[the user did not answer]", false),
        (
            nobody,
            "[error: nobody can answer here: go on without an answer, or say what you need to know]",
            false,
        ),
    ];
    for (asked, text, ok) in rows {
        let output = run(args(), Arc::new(RecordingHost::answering([asked]))).await;
        assert_eq!((output.text.as_str(), output.ok), (text, ok));
    }
}
