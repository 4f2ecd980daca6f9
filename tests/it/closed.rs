//! What the user may not read or write. Root may do anything, so as root the program runs as somebody else here.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::json;

use crate::support::{Sandbox, calls, ended, results};

/// The user who owns nothing, on every system.
const NOBODY: u32 = 65534;

/// Gives a directory and all in it to somebody.
fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        path.read_dir().unwrap().for_each(|entry| give(&entry.unwrap().path(), user));
    }
}

fn close(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn what_may_not_be_read_or_written_is_told_and_stays() {
    let file_calls = calls(&[
        ("read_file", json!({"path": "secret"})),
        ("write_file", json!({"path": "closed/new", "content": "x"})),
        ("edit_file", json!({"path": "closed/f", "old": "a", "new": "b"})),
        ("edit_file", json!({"path": "fixed", "old": "a", "new": "b"})),
        ("write_file", json!({"path": "closed/deep/new", "content": "x"})),
    ]);
    let server = ScriptedServer::start([file_calls, Answer::text(&["done"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    for (name, mode) in [("AGENTS.md", 0o000), ("secret", 0o000), ("fixed", 0o444)] {
        close(&sandbox.write(name, "a"), mode);
    }
    for dir in ["skills", "closed"] {
        std::fs::create_dir(sandbox.path().join(dir)).unwrap();
    }
    close(&sandbox.write("skills/tea.md", "a"), 0o000);
    sandbox.write("skills/coffee.md", "How to make coffee.");
    sandbox.write("closed/f", "a");
    close(&sandbox.path().join("closed"), 0o555);

    let mut command = sandbox.command(&["-p", "go"]);
    if std::fs::read(sandbox.path().join("secret")).is_ok() {
        give(sandbox.path(), NOBODY);
        command.uid(NOBODY).gid(NOBODY);
    }
    let child = match command.spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            println!("SKIPPED: nobody else may run the program where it was built");
            return;
        }
        child => child.unwrap(),
    };
    let ran = ended(child).await;
    let root = sandbox.path().canonicalize().unwrap().display().to_string();
    let told = ran.stderr.replace(&root, "ROOT");
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{told}");
    for (file, words) in [("AGENTS.md", " cannot be read"), ("skills/tea.md", "")] {
        let line = format!("ROOT/{file}{words}: Permission denied (os error 13)]\n");
        assert!(told.contains(&line), "{line}{told}");
    }
    let bodies = server.bodies();
    assert!(bodies[0]["tools"].to_string().contains("- coffee: How to make coffee."));
    let results: Vec<String> = results(&bodies[1]).iter().map(|text| text.replace(&root, "ROOT")).collect();
    let expected = [
        "[error: cannot read ROOT/secret: no permission]",
        "[error: cannot write ROOT/closed/new: no permission]",
        "[error: cannot write ROOT/closed/f: no permission]",
        "[error: cannot write ROOT/fixed: no permission]",
        "[error: cannot write ROOT/closed/deep/new: no permission]",
    ];
    assert_eq!(results, expected);
    let bytes = |name: &str| std::fs::read(sandbox.path().join(name)).unwrap();
    close(&sandbox.path().join("closed"), 0o755);
    assert_eq!((bytes("closed/f"), bytes("fixed")), (b"a".to_vec(), b"a".to_vec()));
    assert_eq!(sandbox.path().join("closed").read_dir().unwrap().count(), 1);
}
