//! `fetch_content`, from the model's call to the page and back.

use mm_llm::testing::{Answer, End, ScriptedServer};
use serde_json::json;

use crate::files::run;
use crate::support::{Sandbox, calls, eventually, results};
use crate::terminal::Terminal;

/// A page of a server, as that of a developer on the same machine.
async fn pages() -> (ScriptedServer, String) {
    let html = "<!doctype html><title>Notes</title><nav><a href=/>Home</a></nav><main><h1>Notes</h1>\
                <p>Read <a href='more?a=1#b'>more</a>.<pre><code class=language-sh>ls\n</code></pre></main>";
    let page = Answer { headers: vec!["Content-Type: text/html".into()], ..Answer::events(html) };
    let raw = Answer { headers: vec!["Content-Type: image/png".into()], ..Answer::events("raw\0bytes") };
    let server = ScriptedServer::start([]).await.unwrap();
    let server = server.with_route("GET /a/notes", [page]).with_route("GET /x.png", [raw]);
    let root = server.base_url().trim_end_matches("/v1").to_owned();
    (server, root)
}

#[tokio::test]
async fn a_model_reads_a_page_and_saves_another() {
    let (server, root) = pages().await;
    let sandbox = Sandbox::new();
    let answers = vec![
        calls(&[
            ("fetch_content", json!({"url": format!("{root}/a/notes")})),
            ("fetch_content", json!({"url": format!("{root}/missing")})),
        ]),
        calls(&[("fetch_content", json!({"url": format!("{root}/x.png"), "output": "img/x.png"}))]),
        // Numbers as weak models write them.
        calls(&[("fetch_content", json!({"url": format!("{root}/a/notes"), "offset": "8"}))]),
    ];
    let (ran, results) = run(&sandbox, "fetchContentTool: true\n", answers).await;
    assert_eq!((ran.stdout.as_str(), ran.code), ("done\n", Some(0)), "{}", ran.stderr);
    let page = format!("# Notes\n\nRead [more]({root}/a/more?a=1#b).\n\n```sh\nls\n```");
    assert_eq!(results[0], page);
    assert!(
        results[1].starts_with("[error: the server answered HTTP 404 Not Found]\n{\"error\""),
        "{}",
        results[1]
    );
    assert_eq!(results[2], "[created img/x.png: 9 bytes]");
    assert_eq!(results[3], page[8..]);
    assert_eq!(std::fs::read(sandbox.path().join("img/x.png")).unwrap(), b"raw\0bytes");
    assert_eq!(server.requests().len(), 4);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with('🔧')).collect();
    let expected = [
        format!("🔧 fetch_content: {root}/a/notes"),
        format!("🔧 fetch_content: {root}/missing"),
        format!("🔧 fetch_content: img/x.png (from {root}/x.png)"),
        format!("🔧 fetch_content: {root}/a/notes (from character 8)"),
    ];
    assert_eq!(lines, expected, "{}", ran.stderr);
    assert!(!ran.stderr.contains("no effect yet"), "{}", ran.stderr);
}

#[tokio::test]
async fn without_yolo_a_page_is_read_and_not_saved() {
    let (server, root) = pages().await;
    let sandbox = Sandbox::new();
    let answers = vec![
        calls(&[("fetch_content", json!({"url": format!("{root}/a/notes")}))]),
        calls(&[("fetch_content", json!({"url": format!("{root}/x.png"), "output": "x.png"}))]),
    ];
    let (_, results) = run(&sandbox, "fetchContentTool: true\nyolo: false\n", answers).await;
    assert!(results[0].starts_with("# Notes"), "{}", results[0]);
    assert_eq!(results[1], "[refused: nobody can confirm this call in -p mode]");
    assert_eq!(server.requests().len(), 1);
    assert!(!sandbox.path().join("x.png").exists());
}

#[tokio::test]
async fn ctrl_c_stops_a_transfer_and_the_next_question_works() {
    let headers = vec!["Content-Type: text/plain".into()];
    let begun = Answer { headers, ..Answer::events("a first part") }.ending(End::Hold);
    let pages = ScriptedServer::start([]).await.unwrap().with_route("GET /slow", [begun]);
    let url = pages.base_url().replace("/v1", "/slow");
    let answers = [calls(&[("fetch_content", json!({"url": url}))]), Answer::text(&["fine"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "fetchContentTool: true\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("🔧 fetch_content: ").await;
    eventually("the page is asked for", || pages.requests().len() == 1).await;
    terminal.type_in("\x03").await;
    pages.closed(1).await;
    terminal.until("[interrupted]").await;
    terminal.until("> ").await;
    terminal.type_in("again\n").await;
    terminal.until("fine").await;
    assert_eq!(results(&server.bodies()[1]), ["[interrupted by the user]"]);
}

#[tokio::test]
async fn the_tool_is_there_where_it_is_asked_for() {
    for (config, is_there) in [("", false), ("fetchContentTool: true\n", true)] {
        let server = ScriptedServer::start([Answer::text(&["ok"])]).await.unwrap();
        Sandbox::with_config(&server.base_url(), config).run(&["-p", "go"]).await;
        let tools = server.bodies()[0]["tools"].as_array().unwrap().clone();
        let names: Vec<&str> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
        assert_eq!(names.contains(&"fetch_content"), is_there, "{names:?}");
        if is_there {
            assert_eq!(names[4], "fetch_content", "behind the file tools: {names:?}");
            let adds = format!("where it adds {} bytes", tools[4].to_string().len());
            assert!(include_str!("../../docs/reference/tools.md").contains(&adds), "{adds}");
        }
    }
}

/// The proxies of the environment are for pages too.
#[tokio::test]
async fn a_public_page_goes_through_the_proxy_of_the_environment() {
    let page = Answer { headers: vec!["Content-Type: text/plain".into()], ..Answer::events("by proxy") };
    let proxy = ScriptedServer::start([]).await.unwrap();
    let proxy = proxy.with_route("GET http://public.example/", [page]);
    let root = proxy.base_url().trim_end_matches("/v1").to_owned();
    let answers =
        [calls(&[("fetch_content", json!({"url": "http://public.example/"}))]), Answer::text(&["done"])];
    let server = ScriptedServer::start(answers).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "fetchContentTool: true\n");
    let env = [("http_proxy".to_owned(), root)].into();
    let ran = sandbox.run_in(&["-p", "go"], &env, None).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let last = server.bodies().pop().unwrap();
    let result =
        last["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert_eq!(result["content"], "by proxy");
}
