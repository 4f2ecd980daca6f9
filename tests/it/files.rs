//! The file tools, from the model's call to the disk.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::json;

use crate::support::{Ran, Sandbox, calls, results};
use crate::terminal::Terminal;

/// Runs `-p go`; gives what the model read of its calls too.
pub(crate) async fn run(sandbox: &Sandbox, config: &str, answers: Vec<Answer>) -> (Ran, Vec<String>) {
    let server = ScriptedServer::start(answers.into_iter().chain([Answer::text(&["done"])])).await.unwrap();
    let base = server.base_url();
    sandbox.write(
        "agent.yaml",
        format!("provider: llamacpp\nmodel: m\nbaseUrl: {base}\nfallback: \"\"\n{config}"),
    );
    let ran = sandbox.run(&["-p", "go"]).await;
    let last = server.bodies().pop().unwrap();
    (ran, results(&last))
}

#[tokio::test]
async fn a_model_reads_edits_and_writes() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "milk\nbread\n");
    let (ran, results) = run(
        &sandbox,
        "",
        vec![
            calls(&[("read_file", json!({"path": "notes.txt"})), ("read_file", json!({"path": "note.txt"}))]),
            // Numbers and booleans as weak models write them.
            calls(&[(
                "edit_file",
                json!({"path": "notes.txt", "old": "bread", "new": "rye", "all": "false"}),
            )]),
            calls(&[("write_file", json!({"path": "~/out/list.md", "content": "- rye\n"}))]),
            calls(&[("read_file", json!({"path": "notes.txt", "offset": "2", "limit": 1.0}))]),
        ],
    )
    .await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)));
    let expected = [
        "1\tmilk\n2\tbread",
        "[error: there is no file note.txt: is it notes.txt?]",
        "[edited notes.txt]\n@@ -1,2 +1,2 @@\n milk\n-bread\n+rye",
        "[created ~/out/list.md: 1 line]",
        "2\trye",
    ];
    assert_eq!(results, expected);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with('🔧')).collect();
    let expected = [
        "🔧 read_file: notes.txt",
        "🔧 read_file: note.txt",
        "🔧 edit_file: notes.txt (\"bread\" → \"rye\")",
        "🔧 write_file: ~/out/list.md (1 line)",
        "🔧 read_file: notes.txt (lines 2-2)",
    ];
    assert_eq!(lines, expected, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(sandbox.path().join("out/list.md")).unwrap(), "- rye\n");
}

#[tokio::test]
async fn two_edits_of_a_file_in_one_reply_both_stay() {
    let sandbox = Sandbox::new();
    let numbers = |from: u32, to: u32| (from..=to).map(|n| format!("{n}\n")).collect::<String>();
    sandbox.write("n.txt", numbers(1, 100));
    let edits = [
        ("edit_file", json!({"path": "n.txt", "old": "\n50\n", "new": "\nFIFTY\n"})),
        ("edit_file", json!({"path": "./n.txt", "old": "\n75\n", "new": "\nSEVENTY\n"})),
    ];
    let (_, results) = run(&sandbox, "", vec![calls(&edits)]).await;
    assert!(
        results[0].starts_with("[edited n.txt]") && results[1].starts_with("[edited ./n.txt]"),
        "{results:?}"
    );
    let expected = format!("{}FIFTY\n{}SEVENTY\n{}", numbers(1, 49), numbers(51, 74), numbers(76, 100));
    assert_eq!(std::fs::read_to_string(sandbox.path().join("n.txt")).unwrap(), expected);
}

#[tokio::test]
async fn outside_the_working_directory_files_can_be_kept_from_writing() {
    let (sandbox, outside) = (Sandbox::new(), Sandbox::new());
    let path = outside.write("f", "a");
    let write = || calls(&[("write_file", json!({"path": path, "content": "b"}))]);
    let read = calls(&[("read_file", json!({"path": path}))]);
    let (_, results) = run(&sandbox, "readOnlyOutsideCwd: true\n", vec![read, write()]).await;
    let refusal = "is outside the working directory, where files can only be read (readOnlyOutsideCwd)]";
    assert!(results[0] == "1\ta" && results[1].ends_with(refusal), "{results:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"a");
    let (_, results) = run(&sandbox, "", vec![write(), write()]).await;
    assert!(results[0].ends_with("read it first, or send this call again to replace it]"), "{results:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"b");
}

#[tokio::test]
async fn without_yolo_writing_is_asked_about_and_reading_is_not() {
    let answers = || {
        vec![
            calls(&[("read_file", json!({"path": "f"}))]),
            calls(&[("edit_file", json!({"path": "f", "old": "a\n", "new": "b\nc\n"}))]),
        ]
    };
    let sandbox = Sandbox::new();
    sandbox.write("f", "a\n");
    let (_, results) = run(&sandbox, "yolo: false\n", answers()).await;
    assert_eq!(results, ["1\ta", "[refused: nobody can confirm this call in -p mode]"]);

    let server = ScriptedServer::start(answers().into_iter().chain([Answer::text(&["done"])])).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    sandbox.write("f", "a\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    let asked = terminal.until("Run it? ").await;
    for part in
        ["read_file: f", "edit_file: f (\"a\\n\" → \"b\\nc\\n\")", "@@ -1,1 +1,2 @@", "-a", "+b", "+c"]
    {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    terminal.until("ne[v]er: ").await;
    terminal.type_in("y\n").await;
    terminal.until("done").await;
    assert_eq!(std::fs::read(sandbox.path().join("f")).unwrap(), b"b\nc\n");
}

/// What a model reads before the first question, in tokens of four bytes, as the reference has it.
#[tokio::test]
async fn the_tools_are_short_and_the_reference_says_how_short() {
    // Somebody who can answer brings `ask_user`; a skill brings `read_skill`.
    let all = "fetchContentTool: true\nplanTool: true\nsaveAnswerTool: true\n";
    let all = costs(all, Some("---\nname: tea\ndescription: How to make tea.\n---\nBoil.\n")).await;
    let few = costs("askUserTool: false\nunloadModels: false\n", None).await;
    let sum = |rows: &[(String, usize)]| rows.iter().map(|(_, bytes)| bytes).sum::<usize>();
    let sums = [
        ("`bash`, the file tools and their system message".to_owned(), sum(&few)),
        ("all of it".to_owned(), sum(&all)),
    ];
    let rows = all.iter().chain(&sums);
    let table: String =
        rows.map(|(name, bytes)| format!("| {name} | {bytes} | {} |\n", bytes.div_ceil(4))).collect();
    println!("{table}");
    let reference = include_str!("../../docs/reference/tools.md");
    assert!(reference.contains(&table), "docs/reference/tools.md has not the rows\n{table}");
    let french = include_str!("../../docs/fr/outils.md");
    for (_, bytes) in all.iter().chain(&sums) {
        let cells = format!(" | {bytes} | {} |\n", bytes.div_ceil(4));
        assert!(french.contains(&cells), "docs/fr/outils.md has not {cells}");
    }
    assert!(sum(&few) <= 4 * 700 && sum(&all) <= 4 * 1300, "{} and {} bytes", sum(&few), sum(&all));
}

/// The parts of a first request with their bytes.
async fn costs(config: &str, skill: Option<&str>) -> Vec<(String, usize)> {
    let server = ScriptedServer::start([Answer::text(&["ok"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), config);
    if let Some(text) = skill {
        std::fs::create_dir(sandbox.path().join("skills")).unwrap();
        sandbox.write("skills/tea.md", text);
    }
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("ok").await;
    let body = &server.bodies()[0];
    let place = sandbox.path().canonicalize().unwrap();
    let system = body["messages"][0].to_string().replace(place.to_str().unwrap(), "/home/user/project");
    let tools = body["tools"].as_array().unwrap().iter();
    let tools = tools
        .map(|tool| (format!("`{}`", tool["function"]["name"].as_str().unwrap()), tool.to_string().len()));
    [("the system message".to_owned(), system.len())].into_iter().chain(tools).collect()
}
