use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::FileOptions;
use super::cases::tools;
use crate::{Tool, ToolContext, ToolOutput};

/// A directory, and the tools over what they know together.
struct Sandbox {
    directory: tempfile::TempDir,
    tools: Arc<[Box<dyn Tool>; 3]>,
    cx: ToolContext,
}

impl Sandbox {
    fn new(options: FileOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cx = ToolContext::new(directory.path());
        Self { directory, tools: Arc::new(tools(options)), cx }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    async fn run(&self, name: &str, args: Value) -> ToolOutput {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).unwrap();
        tool.run(&args, &self.cx).await
    }

    async fn edit(&self, path: &str, old: &str, new: &str) -> ToolOutput {
        self.run("edit_file", json!({"path": path, "old": old, "new": new})).await
    }
}

fn sandbox() -> Sandbox {
    Sandbox::new(FileOptions::default())
}

#[tokio::test]
async fn an_edit_says_what_it_did_or_why_not() {
    let view = "fn a() {\n    one();  \n}\n\nfn b() {\n    two();\n}\n";
    let rows = [
        (
            "    two();",
            "    three();",
            "[edited f]\n@@ -4,4 +4,4 @@\n \n fn b() {\n-    two();\n+    three();\n }",
        ),
        (
            "    one();\n}",
            "    1();\n}",
            "[edited f (white space at line ends differed)]\n@@ -1,4 +1,4 @@\n fn a() {\n-    one();  \n+    1();\n }\n ",
        ),
        ("two();\n}", "2();\n}", "[edited f]\n@@ -4,4 +4,4 @@\n \n fn b() {\n-    two();\n+    2();\n }"),
        (
            "  fn b() {\n      two();\n",
            "  fn c() {\n      two();\n",
            "[edited f (the indentation differed, and new was shifted as well)]\n@@ -3,5 +3,5 @@\n }\n \n-fn b() {\n+fn c() \
             {\n     two();\n }",
        ),
        (
            "}",
            "]",
            "[error: old is in f 2 times, at lines 3, 7: give more of the text around it, or all: true]",
        ),
        ("    two()", "    two()", "[error: old and new are the same, nothing was changed]"),
        ("", "x", "[error: old is empty: give the text to replace, or use write_file]"),
        (
            "fn b() {\n    too();\n}",
            "",
            "[error: old is not in f; most like it is lines 5-7, where line 6 differs in text]\n5\tfn b() {\n6\t    two();\n7\t}",
        ),
        (
            "    Two();",
            "",
            "[error: old is not in f; most like it is line 6, which differs in upper and lower case]\n6\t    two();",
        ),
        (
            "5\tfn b() {\n6\t    two();",
            "",
            "[error: old is not in f, it has line numbers in it: leave them out; most like it is lines 5-6]\n5\tfn b() {\n6\t    \
             two();",
        ),
        ("nothing of the kind", "", "[error: old is not in f: read the file and copy the text from there]"),
    ];
    for (old, new, expected) in rows {
        let sandbox = sandbox();
        let output = sandbox.put("f", view).edit("f", old, new).await;
        assert_eq!(output.text, expected, "{old:?}");
        assert_eq!(output.ok, expected.starts_with("[edited"));
        assert!(output.ok || sandbox.bytes("f") == view.as_bytes());
    }
}

#[tokio::test]
async fn writing_outside_is_refused_wherever_links_lead() {
    let sandbox = Sandbox::new(FileOptions { read_only_outside_cwd: true });
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("f"), "a").unwrap();
    symlink(outside.path(), sandbox.path("out")).unwrap();
    symlink(outside.path().join("f"), sandbox.path("link")).unwrap();
    symlink(outside.path().join("new"), sandbox.path("dangling")).unwrap();
    let absolute = outside.path().join("x").to_str().unwrap().to_owned();
    for path in ["out/f", "link", "dangling", "out/new/f", "../f", "in/../../f", &absolute] {
        for args in [json!({"path": path, "content": "x"}), json!({"path": path, "old": "a", "new": "b"})] {
            let name = if args.get("old").is_some() { "edit_file" } else { "write_file" };
            let output = sandbox.run(name, args).await;
            let why = "is outside the working directory, where files can only be read (readOnlyOutsideCwd)]";
            assert!(output.text.ends_with(why), "{name} {path}: {}", output.text);
        }
    }
    assert_eq!(std::fs::read(outside.path().join("f")).unwrap(), b"a");
    assert_eq!(outside.path().read_dir().unwrap().count(), 1);
    assert!(sandbox.run("read_file", json!({"path": "link"})).await.ok);
    assert!(sandbox.run("write_file", json!({"path": "new/dir/../f", "content": "x"})).await.ok);
}

#[tokio::test]
async fn encodings_with_a_mark_are_kept() {
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    let sandbox = sandbox();
    sandbox.put("f", utf16("naïve\r\n😀 x\r\n"));
    let output = sandbox.run("read_file", json!({"path": "f"})).await;
    assert_eq!(output.text, "1\tnaïve\n2\t😀 x\n[encoding: UTF-16]");
    assert!(sandbox.edit("f", "naïve\n😀", "1\n2\n日本").await.ok);
    assert_eq!(sandbox.bytes("f"), utf16("1\r\n2\r\n日本 x\r\n"));
    let output = sandbox.run("write_file", json!({"path": "f", "content": "a\nb\n"})).await;
    assert!(output.text.starts_with("[replaced f: 2 lines, with its CRLF line ends]\n"), "{}", output.text);
    assert_eq!(sandbox.bytes("f"), utf16("a\r\nb\r\n"));
}

#[tokio::test]
async fn write_file_tells_what_it_did() {
    let sandbox = sandbox();
    let write = async |path: &str, content: &str| {
        sandbox.run("write_file", json!({"path": path, "content": content})).await.text
    };
    assert_eq!(write("a/b/f", "1\n2\n").await, "[created a/b/f: 2 lines]");
    assert_eq!(write("a/b/f", "1\n2\n").await, "[a/b/f has this content already]");
    assert_eq!(
        write("a/b/f", "1\n3").await,
        "[replaced a/b/f: 2 lines]\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n\\ No newline at end of file"
    );
    sandbox.put("crlf", "a\r\nb\r\n").put("mixed", "a\r\nb\n").put("empty", "").put("odd\nname", "x");
    let unread = "exists, and you have not read it: read it first, or send this call again to replace it]";
    assert_eq!(write("crlf", "a\nc\n").await, format!("[error: crlf {unread}"));
    assert_eq!(write("crlf", "other\n").await, format!("[error: crlf {unread}"));
    assert_eq!(
        write("crlf", "other\n").await,
        "[replaced crlf: 1 line, with its CRLF line ends]\n@@ -1,2 +1,1 @@\n-a\n-b\n+other"
    );
    assert_eq!(sandbox.bytes("crlf"), b"other\r\n");
    write("mixed", "c\n").await;
    write("mixed", "c\n").await;
    assert_eq!(sandbox.bytes("mixed"), b"c\n");
    assert_eq!(write("empty", "c\n").await, "[replaced empty: 1 line]\n@@ -0,0 +1,1 @@\n+c");
    assert_eq!(write("odd\nname", "c").await, format!("[error: odd\\nname {unread}"));
    assert!(write("crlf/x", "c").await.ends_with("/crlf/x: not a directory]"));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_in_a_word() {
    let sandbox = sandbox();
    sandbox
        .put("png", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03")
        .put("main.rs", "x")
        .put("long", "x".repeat(20_000));
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("s")).unwrap();
    let rows = [
        ("png", "[png: image: PNG, 2 × 3, 24 bytes]"),
        ("man.rs", "[error: there is no file man.rs: is it main.rs?]"),
        ("main.rs/x", "[error: there is no file main.rs/x, nor a directory "),
        ("s", "[error: "),
        ("", "[error: path is empty]"),
        ("a\0b", "[error: cannot read "),
    ];
    for (path, expected) in rows {
        let text = sandbox.run("read_file", json!({"path": path})).await.text;
        assert!(text.starts_with(expected), "{path:?}: {text}");
    }
    let text = sandbox.run("read_file", json!({"path": "long"})).await.text;
    assert!(text.ends_with("\n[line 1 is too long: 4002 bytes of it are left out]"), "{}", &text[15_900..]);
    for (offset, limit) in [(json!(0), json!(0)), (json!(-3), json!(-1)), (Value::Null, Value::Null)] {
        let args = json!({"path": "main.rs", "offset": offset, "limit": limit});
        assert_eq!(sandbox.run("read_file", args).await.text, "1\tx");
    }
}

#[tokio::test]
async fn permissions_hold_and_are_told() {
    if rustix::process::geteuid().is_root() {
        println!("SKIPPED: root may do anything");
        return;
    }
    let mode =
        |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("closed")).unwrap();
    sandbox.put("secret", "a").put("closed/f", "a").put("fixed", "a");
    mode(&sandbox.path("secret"), 0o000);
    mode(&sandbox.path("closed"), 0o500);
    mode(&sandbox.path("fixed"), 0o444);
    let told = |output: ToolOutput| output.text.replace(sandbox.directory.path().to_str().unwrap(), "DIR");
    let read = sandbox.run("read_file", json!({"path": "secret"})).await;
    assert_eq!(told(read), "[error: cannot read DIR/secret: no permission]");
    let made = sandbox.run("write_file", json!({"path": "closed/new", "content": ""})).await;
    assert_eq!(told(made), "[error: cannot write DIR/closed/new: no permission]");
    assert_eq!(
        told(sandbox.edit("closed/f", "a", "b").await),
        "[error: cannot write DIR/closed/f: no permission]"
    );
    assert_eq!(told(sandbox.edit("fixed", "a", "b").await), "[error: cannot write DIR/fixed: no permission]");
    mode(&sandbox.path("closed"), 0o700);
    assert_eq!((sandbox.bytes("closed/f"), sandbox.bytes("fixed")), (b"a".to_vec(), b"a".to_vec()));
}

#[tokio::test]
async fn a_cancelled_call_changes_nothing() {
    let mut sandbox = sandbox();
    sandbox.put("f", "a");
    sandbox.cx.cancel = CancellationToken::new();
    sandbox.cx.cancel.cancel();
    let output = sandbox.edit("f", "a", "b").await;
    assert_eq!((output.text.as_str(), output.ok), ("[interrupted by the user]", false));
    assert_eq!(sandbox.bytes("f"), b"a");
}

#[test]
fn a_call_says_beforehand_where_it_would_write() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("d")).unwrap();
    symlink("/etc/hosts", sandbox.path("link")).unwrap();
    symlink("/etc", sandbox.path("etc")).unwrap();
    let rows = [
        ("read_file", json!({"path": "f"}), "f", false),
        ("read_file", json!({"path": "f", "offset": 5, "limit": 10}), "f (lines 5-14)", false),
        ("write_file", json!({"path": "d/../f", "content": "a\nb"}), "d/../f (2 lines)", true),
        ("write_file", json!({"path": "link", "content": ""}), "link → /etc/hosts (0 lines)", true),
        ("write_file", json!({"path": "etc/../x", "content": ""}), "etc/../x → /x (0 lines)", true),
        (
            "edit_file",
            json!({"path": "etc/new", "old": "a", "new": ""}),
            "etc/new → /etc/new (\"a\" → \"\")",
            true,
        ),
        ("edit_file", json!({"path": "f", "old": "a\nb", "new": ""}), "f (\"a\\nb\" → \"\")", true),
        (
            "edit_file",
            json!({"path": "f", "old": "a", "new": "b", "all": true}),
            "f (\"a\" → \"b\", all)",
            true,
        ),
    ];
    for (name, args, summary, mutating) in rows {
        let tool = sandbox.tools.iter().find(|tool| tool.definition().name == name).unwrap();
        let preview = tool.preview(&args, &sandbox.cx);
        assert_eq!((preview.summary.as_str(), preview.mutating), (summary, mutating), "{args}");
        assert_eq!(preview.overlaps, !mutating);
    }
}

/// Bytes of every kind that files are made of.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<Vec<u8>>(),
        "[a-c \t]{0,6}(\n|\r\n)".prop_map(String::into_bytes),
        "[aé€😀 ]{0,5}".prop_map(String::into_bytes),
    ];
    let mark = prop_oneof![
        Just(&b""[..]),
        Just(&b"\xef\xbb\xbf"[..]),
        Just(&b"\xff\xfe"[..]),
        Just(&b"\xfe\xff"[..])
    ];
    (mark, proptest::collection::vec(piece, 0..12))
        .prop_map(|(mark, pieces)| [mark, &pieces.concat()].concat())
}

fn edited(bytes: &[u8], old: &str, new: &str) -> (bool, Vec<u8>) {
    let sandbox = sandbox();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ok = runtime.block_on(sandbox.put("f", bytes).edit("f", old, new)).ok;
    assert_eq!(Path::new(&sandbox.path("")).read_dir().unwrap().count(), 1, "nothing is left beside it");
    (ok, sandbox.bytes("f"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn outside_of_what_is_edited_no_byte_changes(bytes in content(), from in 0usize..200, length in 1usize..12, new in "[a-zé\n]{0,5}") {
        let from = from.min(bytes.len());
        let to = (from + length).min(bytes.len());
        let Ok(old) = std::str::from_utf8(&bytes[from..to]) else { return Ok(()) };
        let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let is_once = bytes.windows(old.len().max(1)).filter(|window| *window == old.as_bytes()).count() == 1;
        let (ok, after) = edited(&bytes, old, &new);
        if !ok {
            prop_assert_eq!(after, bytes);
        } else if is_once && !is_utf16 && from >= 3 {
            prop_assert!(after.starts_with(&bytes[..from]), "{:?}", after);
            prop_assert!(after.ends_with(&bytes[to..]), "{:?}", after);
            prop_assert!(after.len() <= bytes.len() - old.len() + 2 * new.len());
        }
    }

    #[test]
    fn any_file_is_shown_and_its_hints_lead_through_it(bytes in content(), limit in 1u64..5) {
        let sandbox = sandbox();
        sandbox.put("f", &bytes);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let read = |offset: u64| runtime.block_on(sandbox.run("read_file", json!({"path": "f", "offset": offset, "limit": limit})));
        let (mut offset, mut shown) = (1, 0);
        loop {
            let output = read(offset);
            prop_assert!(output.ok, "{}", output.text);
            let lines = output.text.lines();
            for line in lines.take_while(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
                shown += 1;
                let number = format!("{shown}\t");
                prop_assert!(line.starts_with(&number), "{}", output.text);
            }
            let hint = output.text.rsplit_once("go on with offset ").map(|(_, number)| number.trim_end_matches(']'));
            match hint.and_then(|number| number.parse().ok()) {
                Some(next) => offset = next,
                None => break,
            }
            prop_assert_eq!(offset, shown + 1);
        }
        prop_assert_eq!(&sandbox.bytes("f"), &bytes);
    }

    #[test]
    fn an_edit_and_its_reverse_give_the_file_back(bytes in content(), at in 0usize..200) {
        let marker = "<<here>>";
        let at = at.min(bytes.len());
        let whole = [&bytes[..at], marker.as_bytes(), &bytes[at..]].concat();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || at < 3 {
            return Ok(());
        }
        let (ok, there) = edited(&whole, marker, "<<there>>");
        prop_assert!(ok);
        prop_assert_eq!(&there, &[&bytes[..at], b"<<there>>", &bytes[at..]].concat());
        prop_assert_eq!(edited(&there, "<<there>>", marker), (true, whole));
    }
}
