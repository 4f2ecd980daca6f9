//! The command guard: `mm guard`, and what becomes of a call.

use mm_llm::testing::{Answer, ScriptedServer};
use mm_tools::guard::RULES;

use crate::config::repository;
use crate::support::{Sandbox, ended};

/// Judged as what it says, and ended before it does it.
const CATASTROPHIC: &str = "exit 7; rm -rf /";
const REFUSED: &str = "[refused by the guard: delete-root: `rm -rf /` deletes the root or a directory of the system: \
                       name what is to go inside the project]";

async fn server(command: &str) -> ScriptedServer {
    ScriptedServer::start([Answer::bash(command), Answer::text(&["ok"])]).await.unwrap()
}

#[tokio::test]
async fn a_command_gets_one_line_of_json_and_exit_code_0() {
    let sandbox = Sandbox::new();
    let plain = "{\"verdict\":\"plain\",\"rule\":null,\"why\":null}\n";
    let risky = "{\"verdict\":\"risky\",\"rule\":\"delete\",\"why\":\"`rm -rf build` deletes recursively or by force\"}\n";
    let worst = "{\"verdict\":\"catastrophic\",\"rule\":\"delete-home\",\"why\":\"`rm -rf ~` deletes the home directory or \
                 one above it: name what is to go inside the project\"}\n";
    for (command, expected) in [("ls", plain), ("rm -rf build", risky), ("a\nsh -c 'rm -rf ~'", worst)] {
        let ran = sandbox.run(&["guard", command]).await;
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
            (expected, "", Some(0)),
            "{command}"
        );
    }
    let ran = sandbox.run_with(&["guard", "-"], b"ls\n\nrm -rf build\r\n\xff\nrm -rf ~").await;
    assert_eq!((ran.stdout, ran.code), ([plain, plain, risky, plain, worst].concat(), Some(0)));
    let ran = sandbox.run(&["guard"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
}

#[tokio::test]
async fn it_judges_by_the_configuration() {
    let sandbox = Sandbox::new();
    sandbox
        .write("agent.yaml", "guard: {denyPatterns: ['\\bDROP\\b'], allowPatterns: ['^git push origin']}\n");
    sandbox.write("off.yaml", "guard: {enabled: false}\n");
    sandbox.write("wrong.yaml", "guard: {denyPatterns: ['(']}\n");
    let denied = "{\"verdict\":\"catastrophic\",\"rule\":\"denyPatterns\",\"why\":\"the pattern \\\\bDROP\\\\b of the user's \
                  configuration denies it: leave it to the user\"}\n";
    let ran = sandbox.run(&["guard", "psql -c 'DROP TABLE x'"]).await;
    assert_eq!(ran.stdout, denied);
    let ran = sandbox.run(&["guard", "git push origin main"]).await;
    assert!(ran.stdout.starts_with("{\"verdict\":\"plain\""), "{}", ran.stdout);
    let ran = sandbox.run(&["-c", "off.yaml", "guard", "rm -rf /"]).await;
    assert!(ran.stdout.starts_with("{\"verdict\":\"plain\""), "{}", ran.stdout);
    let ran = sandbox.run(&["-c", "wrong.yaml", "guard", "ls"]).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
}

/// `mm guard - | head -1` is no failure.
#[tokio::test]
async fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["guard", "-"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = tokio::io::AsyncWriteExt::write_all(&mut child.stdin.take().unwrap(), b"ls\nls\n").await;
    let ran = ended(child).await;
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
}

#[tokio::test]
async fn a_catastrophic_call_never_runs_and_the_model_is_told() {
    for yolo in ["true", "false"] {
        let server = server(CATASTROPHIC).await;
        let sandbox = Sandbox::with_config(&server.base_url(), &format!("yolo: {yolo}\n"));
        let ran = sandbox.run(&["-p", "go"]).await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("ok\n", Some(0)), "{}", ran.stderr);
        assert_eq!(server.bodies()[1]["messages"][3]["content"], REFUSED);
        assert!(ran.stderr.contains(&format!("   └ {REFUSED}\n")), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn without_its_rules_a_call_runs() {
    let server = server(CATASTROPHIC).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "guard: {enabled: false}\n");
    sandbox.run(&["-p", "go"]).await;
    assert_eq!(server.bodies()[1]["messages"][3]["content"], "[no output]\n[exit code: 7]");
}

/// Rows of (configuration, what the model reads of a risky call in `-p`).
#[tokio::test]
async fn a_risky_call_runs_under_yolo_unless_the_user_wants_to_be_asked() {
    let nobody = "[refused: nobody can confirm this call in -p mode]";
    let denied = "[refused by the guard: denyPatterns: the pattern ^mkdir of the user's configuration denies it: leave \
                  it to the user]";
    let rows = [
        ("", "[no output]"),
        ("guard: {askRisky: true}\n", nobody),
        ("guard: {askRisky: true, allowPatterns: ['^rm -rf made$']}\n", "[no output]"),
        ("guard: {denyPatterns: [^mkdir]}\n", denied),
        ("yolo: false\n", nobody),
    ];
    for (more, told) in rows {
        let server = server("mkdir made && rm -rf made").await;
        let sandbox = Sandbox::with_config(&server.base_url(), more);
        let ran = sandbox.run(&["-p", "go"]).await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(server.bodies()[1]["messages"][3]["content"], told, "{more}");
        assert!(!ran.stderr.contains("no effect yet"), "{}", ran.stderr);
    }
}

#[test]
fn the_reference_has_every_rule() {
    for (page, words) in [("docs/reference/guard.md", true), ("docs/fr/controle-des-commandes.md", false)] {
        let text = std::fs::read_to_string(repository().join(page)).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        let expected: Vec<String> = RULES.iter().map(|rule| format!("| `{}` |", rule.id)).collect();
        let found = rows.iter().filter(|row| expected.iter().any(|start| row.starts_with(start)));
        let found: Vec<&str> = found.copied().collect();
        assert_eq!(found.len(), RULES.len(), "{page}");
        for (rule, row) in RULES.iter().zip(found) {
            assert!(
                row.starts_with(&format!("| `{}` |", rule.id)),
                "{page} has the order of the rules: {row}"
            );
            assert!(!words || row.contains(rule.does), "{page}: {} {}", rule.id, rule.does);
        }
    }
}
