//! Declared tools, from the file to the program that they run.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, calls, results};

const CONFIG: &str = "bashTool: false
editTools: false
tools:
  - name: release
    description: Prepare a release.
    parameters:
      version: { type: string, description: \"e.g. 1.4.2\" }
      channel: { type: string, enum: [stable, beta] }
      dryRun: { type: boolean, required: false, default: false }
    command: [./release.sh, \"{{version}}\", \"{{channel}}\", \"--dry-run={{dryRun}}\"]
";

/// Lets the model call the tool once; gives the run and the bodies of the requests.
async fn call(arguments: &Value, more: &str) -> (Ran, Vec<Value>) {
    use std::os::unix::fs::PermissionsExt;
    let answers = [Answer::call("release", &arguments.to_string()), Answer::text(&["done"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), &format!("{CONFIG}{more}"));
    let script = sandbox.write("release.sh", "#!/bin/sh\nprintf 'release done:'\nprintf ' <%s>' \"$@\"\n");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = sandbox.run(&["-p", "Release it."]).await;
    let bodies = server.requests().into_iter().filter(|request| request.method == "POST");
    (ran, bodies.map(|request| serde_json::from_str(&request.body).unwrap()).collect())
}

#[tokio::test]
async fn a_declared_tool_is_told_run_and_shown() {
    let (ran, requests) = call(&json!({"version": "1.4.2", "channel": "beta"}), "").await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)));
    let shown = "🧰 release: ./release.sh 1.4.2 beta --dry-run=false\n   │ release done: <1.4.2> <beta> <--dry-run=false>\n";
    assert_eq!(ran.stderr, shown);
    let told = &requests[0]["tools"][0]["function"];
    assert_eq!(told["description"], "Prepare a release.\nRequired parameters: version, channel");
    assert_eq!(told["parameters"]["required"], json!(["version", "channel"]));
    assert_eq!(requests[1]["messages"][3]["content"], "release done: <1.4.2> <beta> <--dry-run=false>");
}

#[tokio::test]
async fn a_value_that_does_not_fit_runs_nothing() {
    let (ran, requests) = call(&json!({"version": "$(touch pwned) `x`", "channel": "night"}), "").await;
    assert_eq!(ran.code, Some(0));
    let result = requests[1]["messages"][3]["content"].as_str().unwrap();
    let fault = "[error: the arguments do not fit the tool: /channel: \"night\" is not one of \"stable\" or \"beta\"]";
    assert_eq!(result, fault);
    let (ran, requests) =
        call(&json!({"version": "$(touch pwned) `x`", "channel": "beta"}), "yolo: true\n").await;
    assert!(ran.stderr.starts_with("🧰 release: ./release.sh '$(touch pwned) `x`' beta"), "{}", ran.stderr);
    let result = requests[1]["messages"][3]["content"].as_str().unwrap();
    assert_eq!(result, "release done: <$(touch pwned) `x`> <beta> <--dry-run=false>");
}

#[tokio::test]
async fn without_yolo_it_is_asked_about() {
    let (ran, requests) = call(&json!({"version": "1", "channel": "beta"}), "yolo: false\n").await;
    assert_eq!(ran.code, Some(0));
    let result = requests[1]["messages"][3]["content"].as_str().unwrap();
    assert_eq!(result, "[refused: nobody can confirm this call in -p mode]");
}

/// What other readers of YAML turn into booleans and numbers, and what a model writes of it.
#[tokio::test]
async fn words_stay_as_they_are_written() {
    let tool = "tools:
  - name: t
    description: d
    parameters:
      mode: { type: string, enum: [on, off, no, 1.0, 007, \"null\"] }
    command: [printf, \"<%s>\", \"{{mode}}\"]
";
    let words = ["on", "off", "no", "1.0", "007", "null"];
    let all: Vec<(&str, Value)> = words.iter().map(|word| ("t", json!({"mode": word}))).collect();
    // Without quotes, 1.0 is 1 to a reader of JSON.
    let bare = [calls(&all), calls(&[("t", json!({"mode": 1.0})), ("t", json!({"mode": false}))])];
    let server = ScriptedServer::start(bare.into_iter().chain([Answer::text(&["done"])])).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), tool).run(&["-p", "go"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{}", ran.stderr);
    let bodies = server.bodies();
    let tools = bodies[0]["tools"].as_array().unwrap();
    let told = tools.iter().find(|tool| tool["function"]["name"] == "t").unwrap();
    assert_eq!(told["function"]["parameters"]["properties"]["mode"]["enum"], json!(words));
    let results = results(&bodies[2]);
    assert_eq!(results[..6], words.map(|word| format!("<{word}>")));
    assert!(results[6].contains("1.0 is not of type \"string\""), "{}", results[6]);
    assert!(results[7].contains("\"false\" is not one of "), "{}", results[7]);
}

/// A limit of its own, that of `bash` otherwise.
#[tokio::test]
async fn a_call_ends_at_the_limit_of_its_entry() {
    let tools = "bashTimeout: 300ms
tools:
  - { name: own, description: d, command: [sleep, \"60\"], timeout: 200ms }
  - { name: other, description: d, command: [sleep, \"60\"] }
";
    let both = calls(&[("own", json!({})), ("other", json!({}))]);
    let server = ScriptedServer::start([both, Answer::text(&["done"])]).await.unwrap();
    let ran = Sandbox::with_config(&server.base_url(), tools).run(&["-p", "go"]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let expected = ["[error: 200ms timeout exceeded]", "[error: 300ms timeout exceeded]"];
    assert_eq!(results(&server.bodies()[1]), expected);
}

#[tokio::test]
async fn the_banner_lists_it_and_a_hook_knows_it_by_its_name() {
    let hook = "hooks: {preToolCall: [{matcher: release, command: [cat, no.json]}]}\n";
    let answers =
        [Answer::call("release", r#"{"version": "1", "channel": "beta"}"#), Answer::text(&["done"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), &format!("{CONFIG}{hook}"));
    sandbox.write("no.json", r#"{"decision": "deny", "reason": "frozen"}"#);
    let ran = sandbox.run_with(&[], "Release it.\n").await;
    assert!(ran.stderr.contains("| tools: release, "), "{}", ran.stderr);
    let results = results(&server.bodies()[1]);
    assert!(results[0].starts_with("[refused") && results[0].contains("frozen"), "{results:?}");
}
