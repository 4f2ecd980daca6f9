use serde_json::json;

use super::*;

async fn run(tool: &PlanTool, args: Value) -> String {
    let args = mm_schema::arguments::check(tool.tolerate(args), &tool.definition().parameters);
    match args {
        Ok(args) => tool.run(&args, &ToolContext::new("/")).await.text,
        Err(fault) => fault.to_string(),
    }
}

#[tokio::test]
async fn a_plan_is_made_followed_and_given_up() {
    let board = PlanBoard::default();
    let tool = PlanTool::new(board.clone());
    let create = json!({"action": "create", "title": "Release", "steps": [{"text": "build"}, {"text": "test", "status": "todo"}, {"text": "tag"}]});
    let steps = [
        (json!({"action": "show"}), "[error: there is no plan: create one]"),
        (json!({"action": "next"}), "[error: there is no plan: create one]"),
        (json!({"action": "create", "steps": []}), "[error: steps is empty: give the steps of the plan]"),
        (create, "Release (0 of 3 done)\n[ ] 1. build\n[ ] 2. test\n[ ] 3. tag"),
        (json!({"action": "next"}), "Release (0 of 3 done)\n[>] 1. build\n[ ] 2. test\n[ ] 3. tag"),
        (json!({"action": "next"}), "Release (1 of 3 done)\n[x] 1. build\n[>] 2. test\n[ ] 3. tag"),
        (
            json!({"action": "update", "steps": [{"text": "TAG", "status": "skipped"}, {"text": "say so"}]}),
            "Release (1 of 3 done)\n[x] 1. build\n[>] 2. test\n[-] 3. tag\n[ ] 4. say so",
        ),
        (
            json!({"action": "update", "title": "Release 2", "steps": [{"text": "4", "status": "done"}]}),
            "Release 2 (2 of 3 done)\n[x] 1. build\n[>] 2. test\n[-] 3. tag\n[x] 4. say so",
        ),
        (
            json!({"action": "next"}),
            "Release 2 (3 of 3 done)\n[x] 1. build\n[x] 2. test\n[-] 3. tag\n[x] 4. say so",
        ),
        (json!({"action": "delete"}), "[the plan is deleted]"),
        (json!({"action": "delete"}), "[error: there is no plan: create one]"),
    ];
    for (args, expected) in steps {
        assert_eq!(run(&tool, args.clone()).await, expected, "{args}");
    }
    assert_eq!((board.get(), board.changes()), (None, 7));
}

#[tokio::test]
async fn steps_are_understood_however_they_are_written() {
    let rows = [
        (
            json!({"action": "Create", "title": "T", "steps": ["a", "b"]}),
            "T (0 of 2 done)\n[ ] 1. a\n[ ] 2. b",
        ),
        (
            json!({"action": "create", "steps": "1. a\n2) b\n- c\n\n10 d"}),
            "Plan (0 of 4 done)\n[ ] 1. a\n[ ] 2. b\n[ ] 3. c\n[ ] 4. 10 d",
        ),
        (
            json!({"action": "create", "steps": [{"content": "a\nb", "status": "completed"}, {"step": "c", "status": "In Progress"}]}),
            "Plan (1 of 2 done)\n[x] 1. a b\n[>] 2. c",
        ),
        (
            json!({"action": "create", "steps": {"title": "a\u{1b}[2J"}}),
            "Plan (0 of 1 done)\n[ ] 1. a\\u{1b}[2J",
        ),
    ];
    for (args, expected) in rows {
        let tool = PlanTool::new(PlanBoard::default());
        assert_eq!(run(&tool, args.clone()).await, expected, "{args}");
    }
    let tool = PlanTool::new(PlanBoard::default());
    for (args, part) in [
        (json!({"action": "create", "steps": vec!["x"; 51]}), "at most 50 steps"),
        (
            json!({"action": "create", "steps": [{"text": "a", "status": "maybe"}]}),
            "/steps/0/status: \"maybe\" is not one of \"todo\", \"doing\", \"done\" or \"skipped\"",
        ),
        (json!({"action": "grow"}), "action"),
        (json!({"action": "create", "steps": 5}), "steps"),
    ] {
        let told = run(&tool, args.clone()).await;
        assert!(told.contains(part), "{args}: {told}");
    }
}

#[test]
fn what_changes_the_plan_is_asked_about_and_showing_it_is_not() {
    let tool = PlanTool::new(PlanBoard::default());
    let rows = [
        (
            json!({"action": "create", "title": "A  b", "steps": [{"text": "x"}]}),
            "create: A b (1 step)",
            true,
        ),
        (json!({"action": "update", "steps": [{"text": "x"}, {"text": "y"}]}), "update: 2 steps", true),
        (json!({"action": "next"}), "next", true),
        (json!({"action": "delete"}), "delete", true),
        (json!({"action": "show"}), "show", false),
    ];
    for (args, summary, mutating) in rows {
        let preview = tool.preview(&args, &ToolContext::new("/"));
        assert_eq!((preview.summary.as_str(), preview.mutating), (summary, mutating));
    }
}
