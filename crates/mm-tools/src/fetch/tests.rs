//! The tool against servers of raw bytes.

pub(in crate::fetch) mod pack;
mod server;

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::files::{self, FileOptions};
use crate::testing::check_contract;
use pack::{brotli, gzip, zstd};
use server::{Reply, Server};

fn tool() -> Fetch {
    Fetch::new(Proxies::default(), Files::new(FileOptions::default()))
}

async fn run(tool: &Fetch, args: Value) -> ToolOutput {
    tool.run(&args, &ToolContext::new(std::env::temp_dir())).await
}

/// A text with the server's own address in it.
fn at(server: &Server, text: &str) -> String {
    text.replace("SERVER", &server.address()).replace("PORT", &server.port().to_string())
}

/// The cases of the fixtures: a server's answers, calls, and what is in what the model reads of each, or is not.
#[tokio::test]
async fn every_case_holds() {
    let cases: Value =
        serde_json::from_str(include_str!("../../../../tests/fixtures/fetch/cases.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let answers = case["server"].as_object().unwrap().iter();
        let mut server = Server::start(answers.map(|(path, answer)| (path.clone(), Reply::of(answer)))).await;
        server.fill_in();
        let mut tool = tool();
        if let Some(seconds) = case["seconds"].as_u64() {
            tool.limits.time = Duration::from_secs(seconds);
        }
        for call in case["calls"].as_array().unwrap() {
            let args = serde_json::from_str(&at(&server, &call["args"].to_string())).unwrap();
            let output = run(&tool, args).await;
            let told = format!("{name}: {}", output.text.chars().take(2000).collect::<String>());
            assert_eq!(output.ok, call["ok"].as_bool().unwrap_or(true), "{told}");
            if let Some(text) = call["text"].as_str() {
                assert_eq!(output.text, at(&server, text), "{name}");
            }
            for part in call["has"].as_array().into_iter().flatten() {
                assert!(
                    output.text.contains(&at(&server, part.as_str().unwrap())),
                    "{part} is missing in {told}"
                );
            }
            for part in call["has_not"].as_array().into_iter().flatten() {
                assert!(!output.text.contains(part.as_str().unwrap()), "{part} is in {told}");
            }
        }
    }
}

#[tokio::test]
async fn every_coding_that_is_asked_for_is_read() {
    let page = "<title>Packed</title><p>".to_owned() + &"many words and ".repeat(300) + "an end";
    let bytes = page.as_bytes();
    let rows = [
        ("gzip", gzip(bytes)),
        ("X-GZIP", gzip(bytes)),
        ("br", brotli(bytes)),
        ("zstd", zstd(bytes)),
        ("identity", bytes.to_vec()),
    ];
    for (coding, packed) in rows {
        let server = Server::start([("/".into(), Reply::packed("text/html", coding, &packed))]).await;
        let text = run(&tool(), json!({"url": server.url("/")})).await.text;
        assert!(
            text.starts_with("# Packed\n\nmany words") && text.ends_with("and an end"),
            "{coding}: {text}"
        );
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let silent = Server::start([("/".into(), Reply::silent())]).await;
    let mut tool = tool();
    tool.limits.time = Duration::from_secs(1);
    let text = run(&tool, json!({"url": silent.url("/")})).await.text;
    assert_eq!(text, "[error: no answer from 127.0.0.1 within 1 s]");
    silent.is_let_go().await;
}

#[tokio::test]
async fn the_contract_of_tools_holds() {
    let page = Reply::page("text/html", "<p>words</p>".repeat(1_000).as_bytes());
    let server = Server::start([("/".into(), page)]).await;
    let dir = tempfile::tempdir().unwrap();
    let cx = ToolContext { max_output: 2_000, ..ToolContext::new(dir.path()) };
    let examples = [
        json!({"url": server.url("/")}),
        json!({"url": server.url("/a\nb"), "offset": 3}),
        json!({"url": server.url("/"), "output": "d.html"}),
    ];
    check_contract(&tool(), &cx, &examples).await.unwrap();
}

#[test]
fn the_definition_is_short() {
    let tool = tool();
    let spec = tool.definition();
    let function = json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters});
    let sent = json!({"type": "function", "function": function}).to_string();
    assert!(sent.len() <= 4 * 90, "{} bytes: {sent}", sent.len());
}

#[test]
fn only_a_call_that_saves_is_asked_about() {
    let (tool, cx) = (tool(), ToolContext::new("/tmp"));
    let rows = [
        (json!({"url": "http://x.example/a"}), false, "http://x.example/a"),
        (json!({"url": "x", "output": ""}), false, "x"),
        (json!({"url": "x", "offset": 5}), false, "x (from character 5)"),
        (json!({"url": "http://x.example/a", "output": "a.html"}), true, "a.html (from http://x.example/a)"),
        (json!({"url": 1}), true, ""),
    ];
    for (args, mutating, summary) in rows {
        let preview = tool.preview(&args, &cx);
        assert_eq!((preview.mutating, preview.summary.as_str()), (mutating, summary), "{args}");
        assert_eq!(preview.overlaps, !mutating);
    }
}

#[tokio::test]
async fn nothing_but_a_plain_get_is_sent() {
    let again = "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    let server =
        Server::start([("/a".into(), Reply::raw(again)), ("/b".into(), Reply::page("text/plain", b"x"))])
            .await;
    let output = run(&tool(), json!({"url": server.url("/a#part")})).await;
    assert_eq!(output.text, format!("x\n[redirected to {}]", server.url("/b")));
    for request in server.asked() {
        let head = request.head.to_ascii_lowercase();
        assert!(head.starts_with("get /"), "{head}");
        assert!(
            head.contains("accept-encoding: gzip, br, zstd\r\n") && head.contains("user-agent: mm/"),
            "{head}"
        );
        assert!(!["cookie:", "referer:", "authorization:"].iter().any(|name| head.contains(name)), "{head}");
    }
}

#[tokio::test]
async fn the_next_part_costs_no_second_request() {
    let server = Server::start([("/".into(), Reply::page("text/plain", "ab".repeat(50).as_bytes()))]).await;
    let (tool, url) = (tool(), server.url("/"));
    let cx = ToolContext { max_output: 60, ..ToolContext::new("/tmp") };
    let first = tool.run(&json!({"url": url}), &cx).await;
    assert_eq!(
        first.text,
        format!("{}\n[page 100 characters long: send offset: 60 for more]", "ab".repeat(30))
    );
    let second = tool.run(&json!({"url": url, "offset": 60}), &cx).await;
    assert_eq!(second.text, "ab".repeat(20));
    assert_eq!(server.asked().len(), 1);
    let beyond = tool.run(&json!({"url": url, "offset": 100}), &cx).await;
    assert_eq!(beyond.text, "[error: the page is 100 characters long: there is nothing at offset 100]");
    // Without an offset the page is asked for anew.
    tool.run(&json!({"url": url}), &cx).await;
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_download_is_byte_for_byte_what_was_sent() {
    let bytes: Vec<u8> = (0..2048_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let packed = Reply::packed("image/png", "gzip", &gzip(&bytes));
    let long = Reply::page("text/plain", &vec![b'x'; (5 << 20) + 1]);
    let missing = Reply::raw("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
    let half = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    let answers = [("/x.png", packed), ("/long", long), ("/missing", missing), ("/half", half)];
    let server = Server::start(answers.map(|(path, reply)| (path.to_owned(), reply))).await;
    let (tool, dir) = (tool(), tempfile::tempdir().unwrap());
    let cx = ToolContext::new(dir.path());
    let call = async |path: &str, output: &str| {
        tool.run(&json!({"url": server.url(path), "output": output}), &cx).await.text
    };
    assert_eq!(call("/x.png", "new/x.png").await, "[created new/x.png: 2048 bytes]");
    assert_eq!(std::fs::read(dir.path().join("new/x.png")).unwrap(), bytes);
    // Its own download may be replaced, what it has not seen only when the model insists.
    assert_eq!(call("/x.png", "new/x.png").await, "[replaced new/x.png: 2048 bytes]");
    std::fs::write(dir.path().join("mine"), "precious").unwrap();
    let asked = server.asked().len();
    assert_eq!(call("/x.png", "mine").await, "[error: mine exists: send this call again to replace it]");
    assert_eq!(server.asked().len(), asked, "nothing is fetched in vain");
    assert_eq!(call("/x.png", "mine").await, "[replaced mine: 2048 bytes]");
    let refused = [
        ("/long", "[error: cut: the page has more than 5 MiB: nothing was written]"),
        ("/missing", "[error: the server answered HTTP 404 Not Found: nothing was written]"),
        ("/half", "[error: cut: the connection was closed: nothing was written]"),
    ];
    for (path, expected) in refused {
        assert_eq!(call(path, "no/file").await, expected);
    }
    assert!(!dir.path().join("no").exists());
    tool.files.undo(files::Mark::default()).await;
    assert_eq!(std::fs::read(dir.path().join("mine")).unwrap(), b"precious");
    assert!(!dir.path().join("new/x.png").exists());
    let closed = Fetch::new(Proxies::default(), Files::new(FileOptions { read_only_outside_cwd: true }));
    let output = closed.run(&json!({"url": server.url("/x.png"), "output": "../x.png"}), &cx).await;
    assert!(output.text.contains("is outside the working directory"), "{}", output.text);
}

#[tokio::test]
async fn an_interrupted_call_ends_the_transfer() {
    let server = Server::start([("/".into(), Reply::held("text/plain", b"a first part"))]).await;
    let cx = ToolContext::new("/tmp");
    let (tool, args) = (tool(), json!({"url": server.url("/")}));
    let cancel = async {
        server.is_holding().await;
        cx.cancel.cancel();
    };
    let (output, ()) = tokio::join!(tool.run(&args, &cx), cancel);
    assert_eq!(output, ToolOutput { text: "[interrupted by the user]".into(), ok: false });
    server.is_let_go().await;
}

/// A proxy stands for a site of the public network.
#[tokio::test]
async fn a_public_page_leads_to_no_server_of_the_users() {
    let own = Server::start([("/".into(), Reply::page("text/plain", b"secret"))]).await;
    let to = |place: &str| {
        Reply::raw(&format!(
            "HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
            at(&own, place)
        ))
    };
    let places = [
        "http://SERVER/",
        "http://localhost:PORT/",
        "http://localhost.:PORT/",
        "http://2130706433:PORT/",
        "http://0x7f.1:PORT/",
        "http://0177.1:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://0.0.0.0:PORT/",
        "http://169.254.169.254/latest/",
        "http://metadata.google.internal/",
        "file:///etc/hostname",
        "ftp://SERVER/",
    ];
    for place in places {
        let proxy = Server::start([("http://public.example/".into(), to(place))]).await;
        let proxies = Proxies { http: Some(format!("http://{}", proxy.address())), ..Proxies::default() };
        let tool = Fetch::new(proxies, Files::new(FileOptions::default()));
        let output = run(&tool, json!({"url": "http://public.example/"})).await;
        let rules = ["not by redirect]", "is never fetched]", "only those are fetched]"];
        assert!(rules.iter().any(|rule| output.text.ends_with(rule)), "{place}: {}", output.text);
        assert_eq!(proxy.asked().len(), 1, "{place}");
    }
    assert!(own.asked().is_empty(), "{:?}", own.asked());
}

/// A name that leads to whatever the test says.
#[derive(Debug)]
struct Names(&'static str);

#[async_trait]
impl client::Names for Names {
    async fn addresses(&self, _name: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(self.0.split(' ').map(|address| address.parse().unwrap()).collect())
    }
}

#[tokio::test]
async fn a_name_leads_to_no_server_of_the_users() {
    let own = Server::start([("/".into(), Reply::page("text/plain", b"secret"))]).await;
    for addresses in ["127.0.0.1", "::1 10.0.0.1", "169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1"] {
        let clients = Clients::new(Proxies::default(), Arc::new(Names(addresses)));
        let tool = Fetch { clients, ..tool() };
        for name in ["evil.example", "app.localhost", "localhost.evil.example"] {
            let output = run(&tool, json!({"url": format!("http://{name}:{}/", own.port())})).await;
            let address = addresses.split(' ').next().unwrap();
            let told =
                format!("[error: {name} leads to {address}, a loopback, private or link-local address: ");
            assert!(output.text.starts_with(&told), "{addresses}: {}", output.text);
        }
    }
    assert!(own.asked().is_empty(), "{:?}", own.asked());
}

#[tokio::test]
async fn a_proxy_that_cannot_be_used_is_told_without_its_password() {
    let proxies = Proxies { http: Some("http://user:secret@[bad".into()), ..Proxies::default() };
    let tool = Fetch::new(proxies, Files::new(FileOptions::default()));
    let output = run(&tool, json!({"url": "http://public.example/"})).await;
    assert!(output.text.starts_with("[error: the proxy of HTTP_PROXY cannot be used: "), "{}", output.text);
    assert!(!output.text.contains("secret"), "{}", output.text);
    // The user's own servers need none.
    let server = Server::start([("/".into(), Reply::page("text/plain", b"x"))]).await;
    assert_eq!(run(&tool, json!({"url": server.url("/")})).await.text, "x");
}

/// What servers put together that no standard has.
fn any_body() -> impl Strategy<Value = Vec<u8>> {
    const PARTS: [&str; 24] = [
        "<",
        ">",
        "</",
        "<table>",
        "<tr>",
        "<td colspan=9>",
        "</table>",
        "<ul><li>",
        "</ul>",
        "<pre>",
        "<a href='",
        "'>",
        "<svg>",
        "</svg>",
        "<main>",
        "<h1>",
        "</h2>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "&#x",
        "<title>",
        "é 日本 ",
    ];
    let part = prop_oneof![
        3 => proptest::sample::select(&PARTS[..]).prop_map(|part| part.as_bytes().to_vec()),
        1 => "[a-z &;|`*=]{0,8}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_body_becomes_a_page_and_its_parts_joined_are_its_text(
        bytes in any_body(),
        content_type in prop_oneof![
            Just("text/html".to_owned()), Just(String::new()), Just("text/plain; charset=shift_jis".to_owned()), "[ -~]{0,30}"
        ],
        max in 1usize..40,
    ) {
        let url = Url::parse("http://site.example/a/b").unwrap();
        let body = Body { bytes, end: End::Whole };
        let limits = Limits::default();
        let page = Fetched { given: url.clone(), url, status: StatusCode::OK, content_type, body, limits }.page();
        let (mut joined, mut offset) = (String::new(), 0);
        let length = page.text.chars().count();
        let bare = Page { text: page.text.clone(), ..Page::default() };
        while offset < length {
            let part = bare.part(offset, max).unwrap().text;
            let end = part.rfind("\n[page ").filter(|_| length - offset > max).unwrap_or(part.len());
            joined.push_str(&part[..end]);
            offset += max;
        }
        prop_assert_eq!(joined, page.text);
    }
}
