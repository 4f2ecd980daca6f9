//! The contract of the trait, for every tool of this crate.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::ask_user::AskUser;
use crate::bash::{Bash, BashOptions};
use crate::declared::{Declaration, Declared, DeclaredParameter};
use crate::edit_file::EditFile;
use crate::files::{FileOptions, Files};
use crate::plan::{PlanBoard, PlanTool};
use crate::process::ProcessRunner;
use crate::read_file::ReadFile;
use crate::skills::{ReadSkill, Skills};
use crate::testing::{RecordingHost, ScriptedTool, check_contract};
use crate::write_file::WriteFile;
use crate::{Preview, Tool, ToolContext, ToolOutput};

fn declared(runner: ProcessRunner) -> Declared {
    let parameter = DeclaredParameter {
        name: "text".into(),
        kind: "string",
        description: "What to say.".into(),
        values: None,
        required: true,
        default: None,
    };
    let declaration = Declaration {
        name: "say".into(),
        description: "Says a text.".into(),
        parameters: vec![parameter],
        command: vec!["echo".into(), "{{text}}".into()],
        timeout: std::time::Duration::from_secs(30),
        timeout_text: "30s".into(),
        env_remove: Vec::new(),
    };
    Declared::new(declaration, runner)
}

#[tokio::test]
async fn every_tool_holds_to_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").unwrap();
    std::fs::create_dir(dir.path().join("skills")).unwrap();
    std::fs::write(dir.path().join("skills/tea.md"), "# Tea\n\nHow to make tea.\n").unwrap();
    let (files, runner) = (Files::new(FileOptions::default()), ProcessRunner::new());
    let rows: [(Box<dyn Tool>, Vec<Value>); 8] = [
        (
            Box::new(Bash::new(BashOptions::default(), runner.clone())),
            vec![
                json!({"command": "seq 1 100000"}),
                json!({"command": "sleep 30", "timeout": 0.1}),
                json!({"command": "a\nb"}),
            ],
        ),
        (
            Box::new(ReadFile::new(files.clone())),
            vec![json!({"path": "a.txt"}), json!({"path": "b.txt", "offset": 2}), json!({"path": "."})],
        ),
        (
            Box::new(WriteFile::new(files.clone())),
            vec![json!({"path": "c.txt", "content": "x\ny"}), json!({"path": "a.txt", "content": "x"})],
        ),
        (
            Box::new(EditFile::new(files)),
            vec![
                json!({"path": "a.txt", "old": "two", "new": "2"}),
                json!({"path": "a.txt", "old": "no\nthing", "new": ""}),
            ],
        ),
        (
            Box::new(ReadSkill::new(Skills::find(&dir.path().join("skills")).found)),
            vec![json!({"name": "tea"})],
        ),
        (Box::new(declared(runner)), vec![json!({"text": "a\nb"})]),
        (
            Box::new(PlanTool::new(PlanBoard::default())),
            vec![json!({"action": "show"}), json!({"action": "create", "steps": [{"text": "a\nb"}]})],
        ),
        (Box::new(AskUser::new()), vec![json!({"questions": [{"question": "a\nb?", "kind": "text"}]})]),
    ];
    for (tool, examples) in rows {
        let host = Arc::new(RecordingHost::new());
        let cx = ToolContext { max_output: 2_000, host, ..ToolContext::new(dir.path()) };
        check_contract(&*tool, &cx, &examples).await.unwrap();
    }
}

#[tokio::test]
async fn a_tool_that_breaks_the_contract_is_told_where() {
    let dir = tempfile::tempdir().unwrap();
    let cx = ToolContext { max_output: 2_000, ..ToolContext::new(dir.path()) };
    let outputs = || vec![ToolOutput::error("no"); 9];
    let text = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let rows = [
        (ScriptedTool::reading("2nd", outputs()), json!({}), "2nd: the name has to be of letters"),
        (
            ScriptedTool::reading("a", outputs()).with_parameters(json!({})),
            json!({}),
            "a: the schema of the parameters",
        ),
        (
            ScriptedTool::reading("a", outputs()).with_parameters(text.clone()),
            json!({"b": 1}),
            "a: the example {\"b\":1} does not fit",
        ),
        (
            ScriptedTool::new("a", Preview::mutating("x\ny"), outputs()),
            json!({}),
            "a: the summary is not one plain line",
        ),
        (
            ScriptedTool::reading("a", vec![ToolOutput::ok("x".repeat(3_001))]),
            json!({}),
            "a: a result of 3001 characters",
        ),
        (
            ScriptedTool::reading("a", vec![ToolOutput::ok("fine"); 9]).with_parameters(text),
            json!({"a": "x"}),
            "a: arguments that do not fit are no failure, for null: fine",
        ),
    ];
    for (tool, example, expected) in rows {
        let broken = check_contract(&tool, &cx, &[example]).await.unwrap_err().to_string();
        assert!(broken.starts_with(expected), "{broken}");
    }
    let none = check_contract(&ScriptedTool::reading("a", outputs()), &cx, &[]).await;
    assert_eq!(none.unwrap_err().to_string(), "a: no example was given");
}
