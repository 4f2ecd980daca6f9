//! The directory that is worked in: its instructions, and skills.

use mm_llm::testing::{Answer, ScriptedServer};

use crate::support::Sandbox;

fn root(sandbox: &Sandbox) -> String {
    sandbox.path().canonicalize().unwrap().display().to_string()
}

#[tokio::test]
async fn the_instructions_of_the_project_are_read_when_a_conversation_begins() {
    let answers = ["one", "two", "three"].map(|text| Answer::text(&[text]));
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "system: You are terse.\n");
    sandbox.write("AGENTS.md", "\n# House rules\n\nUse tabs.\n\n");
    let ran = sandbox.run_with(&[], "first\nsecond\n/new\nthird\n").await;
    let path = format!("{}/AGENTS.md", root(&sandbox));
    assert!(ran.stderr.contains(&format!(" | instructions: {path} (24 characters)\n")), "{}", ran.stderr);
    let system = format!(
        "You are terse.\n\nPROJECT INSTRUCTIONS (from {path})\nThe instructions of the project you work in. Follow them; when \
         the user asks otherwise in the conversation, the user wins.\n\n# House rules\n\nUse tabs."
    );
    let told: Vec<String> = server
        .bodies()
        .iter()
        .map(|body| body["messages"][0]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, [system.as_str(); 3]);
}

/// Rows of (further configuration, content of the file, how the first message ends, what stderr has of `-p`).
#[tokio::test]
async fn a_file_that_is_not_read_is_told_once() {
    let rows = [
        ("", Some("CLAUDE.md"), "the user wins.\n\nCLAUDE.md", ""),
        ("", None, "You are terse.", ""),
        ("", Some(" \n"), "You are terse.", "[warning: ROOT/AGENTS.md is empty]\n"),
        ("agentsMd: {enabled: false}\n", Some("Use tabs."), "You are terse.", ""),
        (
            "agentsMd: {maxChars: 5}\n",
            Some("Use tabs."),
            "You are terse.",
            "[warning: ROOT/AGENTS.md has 9 characters, more than agentsMd.maxChars (5): it is not read]\n",
        ),
        ("agentsMd: {path: docs/HOW.md}\n", Some("Use tabs."), "You are terse.", ""),
        (
            "bashTool: false\neditTools: false\nstructuredOutput: var X int\n",
            Some("Use tabs."),
            "var X int",
            "",
        ),
    ];
    for (config, content, end, stderr) in rows {
        let server = ScriptedServer::start([Answer::text(&["1"])]).await.unwrap();
        let sandbox = Sandbox::with_config(&server.base_url(), &format!("system: You are terse.\n{config}"));
        if let Some(content) = content {
            sandbox.write("AGENTS.md", content);
        }
        let ran = sandbox.run(&["-p", "hi"]).await;
        let told = ran.stderr.replace(&root(&sandbox), "ROOT");
        assert_eq!((told.as_str(), ran.code), (stderr, Some(0)), "{config} {content:?}");
        let bodies = server.bodies();
        let system = bodies[0]["messages"][0]["content"].as_str().unwrap();
        assert!(system.ends_with(end), "{config} {content:?}: {system}");
    }
}

#[tokio::test]
async fn skills_are_offered_by_their_descriptions_and_read_when_wanted() {
    let answers = [Answer::call("read_skill", r#"{"name": "release"}"#), Answer::text(&["done"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox =
        Sandbox::with_config(&server.base_url(), "bashTool: false\neditTools: false\nyolo: false\n");
    std::fs::create_dir_all(sandbox.path().join("skills/release")).unwrap();
    sandbox.write("skills/release/SKILL.md", "---\ndescription: Use when asked: release?\n---\n1. Tag it.\n");
    sandbox.write("skills/release/check.sh", "true\n");
    sandbox.write("skills/broken.md", "---\nname: x\n");
    let ran = sandbox.run_with(&[], "Release it.\n").await;
    let stderr = ran.stderr.replace(&root(&sandbox), "ROOT");
    assert!(stderr.contains("| tools: read_skill, unload_model | skills: release\n"), "{stderr}");
    let skipped = "[warning: skill left out: ROOT/skills/broken.md: its front matter has no end: a line --- is missing]\n";
    assert!(stderr.contains(skipped), "{stderr}");
    assert!(stderr.ends_with("🔧 read_skill: release\n"), "{stderr}");
    let bodies = server.bodies();
    let description = bodies[0]["tools"][0]["function"]["description"].as_str().unwrap();
    assert!(description.ends_with(":\n- release: Use when asked: release?"), "{description}");
    let result = bodies[1]["messages"][3]["content"].as_str().unwrap().replace(&root(&sandbox), "ROOT");
    assert_eq!(result, "1. Tag it.\n\nFiles of this skill:\nROOT/skills/release/check.sh");
}

#[tokio::test]
async fn a_skill_beside_a_shape_is_a_clash_and_can_be_switched_off() {
    let server = ScriptedServer::start([Answer::text(&["1"])]).await.unwrap();
    let config = "bashTool: false\neditTools: false\nstructuredOutput: var X int\n";
    let sandbox = Sandbox::with_config(&server.base_url(), config);
    std::fs::create_dir(sandbox.path().join("skills")).unwrap();
    sandbox.write("skills/a.md", "text");
    let ran = sandbox.run(&["-p", "hi"]).await;
    let clash = "structuredOutput cannot be used with tools — this agent declares: read_skill (switch them off: \
                 skillsDir: \"\")]\n";
    assert!(ran.stderr.ends_with(clash) && ran.code == Some(1), "{}", ran.stderr);
    sandbox.write(
        "agent.yaml",
        format!("{config}skillsDir: ''\nprovider: llamacpp\nmodel: m\nbaseUrl: {}\n", server.base_url()),
    );
    let ran = sandbox.run(&["-p", "hi"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("1\n", Some(0)), "{}", ran.stderr);
}
