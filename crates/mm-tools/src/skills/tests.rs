use std::os::unix::fs::PermissionsExt;

use super::*;

fn dir(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    dir
}

#[test]
fn a_directory_is_read_leniently_and_what_is_skipped_is_named() {
    let dir = dir(&[
        ("a/SKILL.md", b"---\nname: a\ndescription: Use when asked: which one? Triggers: x\n---\nbody"),
        ("b.md", b"\xef\xbb\xbf---\r\nname: bee\r\ndescription: A mark and line ends.\r\n---\r\nbody\r\n"),
        ("c.md", b"# See\n\nNo front matter.\n"),
        ("d/SKILL.md", b"---\nname: d\nbody\n"),
        ("e.md", b"caf\xe9"),
        ("f.md", b"---\nname: a\n---\nthe second"),
        ("notes.txt", b"no skill"),
        ("g/other.md", b"no skill either"),
        (".hidden.md", b"x"),
        ("locked.md", b"x"),
    ]);
    std::fs::set_permissions(dir.path().join("locked.md"), std::fs::Permissions::from_mode(0o000)).unwrap();
    for (target, name) in [("gone", "h.md"), ("i.md", "i.md"), ("/dev/zero", "j.md")] {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
    }
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("k.md")).unwrap();
    std::fs::File::create(dir.path().join("l.md")).unwrap().set_len(LIMIT + 1).unwrap();
    std::fs::create_dir_all(dir.path().join("m/SKILL.md")).unwrap();
    std::fs::create_dir(dir.path().join("n.md")).unwrap();
    let skills = Skills::find(dir.path());
    let found: Vec<(&str, &str)> =
        skills.found.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    let may_read = std::fs::read(dir.path().join("locked.md")).is_ok();
    let mut expected = vec![
        ("a", "Use when asked: which one? Triggers: x"),
        ("bee", "A mark and line ends."),
        ("c", "See: No front matter."),
    ];
    expected.extend(may_read.then_some(("locked", "x")));
    assert_eq!(found, expected);
    let start = format!("{}/", dir.path().display());
    let mut skipped: Vec<String> = skills.skipped.iter().map(|line| line.replace(&start, "")).collect();
    skipped.retain(|line| !line.starts_with("locked.md: Permission denied"));
    assert_eq!(
        skipped,
        [
            "d/SKILL.md: its front matter has no end: a line --- is missing",
            "e.md: it is not UTF-8 text",
            "f.md: another skill is called a",
            "h.md: No such file or directory (os error 2)",
            "i.md: Too many levels of symbolic links (os error 40)",
            "j.md: it is no regular file",
            "k.md: it is no regular file",
            "l.md: it has more than 1 MiB",
            "m/SKILL.md: it is no regular file",
        ]
    );
    assert_eq!(skills.skipped.len(), if may_read { 9 } else { 10 });
    assert_eq!(Skills::find(&dir.path().join("none")), Skills::default());
}

#[tokio::test]
async fn a_skill_is_given_with_the_files_that_belong_to_it() {
    let dir = dir(&[
        ("a/SKILL.md", b"---\nname: a\ndescription: d\n---\n\n# Do it\n\nRun run.sh.\n"),
        ("a/run.sh", b"x"),
        ("a/more/deep.txt", b"x"),
        ("b.md", b"plain"),
    ]);
    let tool = ReadSkill::new(Skills::find(dir.path()).found);
    let definition = tool.definition();
    let expected =
        "Gives the text of a skill. Read the one that fits the task before you begin:\n- a: d\n- b: plain";
    assert_eq!(definition.description, expected);
    assert_eq!(definition.parameters["properties"]["name"]["enum"], json!(["a", "b"]));
    let cx = ToolContext::new("/");
    let run = async |name: &str| tool.run(&json!({"name": name}), &cx).await.text;
    let at = dir.path().display();
    let whole =
        format!("# Do it\n\nRun run.sh.\n\nFiles of this skill:\n{at}/a/more/deep.txt\n{at}/a/run.sh");
    assert_eq!(run("a").await, whole);
    assert_eq!(run("b").await, "plain");
    assert_eq!(run("../b").await, "[error: there is no skill ../b]");
    std::fs::remove_file(dir.path().join("b.md")).unwrap();
    assert_eq!(run("b").await, "[error: the skill b cannot be read: No such file or directory (os error 2)]");
}
