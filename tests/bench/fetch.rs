//! `cargo bench -p mm-tools --bench fetch`: pages of 5 MB fetched and converted, next to their tags cut alone.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod alternate;

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use mm_tools::fetch::{Fetch, Proxies};
use mm_tools::files::{FileOptions, Files};
use mm_tools::{Tool, ToolContext};
use serde_json::json;

use alternate::alternate;

/// Runs of each; the median counts.
const RUNS: usize = 7;
/// A page that is as long as one may be.
const BYTES: usize = 5_000_000;
/// The most that a page may take, transfer and all.
const MOST: Duration = Duration::from_secs(2);
/// How many times as long as the cutting of its tags an ordinary page may take.
const MOST_TIMES: f64 = 10.0;
/// What the pages are made of, over and over; the first ones are ordinary.
const PIECES: [(&str, &str); 8] = [
    (
        "paragraphs",
        "<p>A sentence with <a href='/x?a=1'>a link</a>, <b>bold</b> words and <code>code</code>. \
      Another sentence goes on for a while, as they do.</p>\n",
    ),
    (
        "a list of results",
        "<ul><li class=r><a href='/r/1'><h3>A title</h3></a><div>Some words about it.</div></li></ul>\n",
    ),
    ("tables", "<table><tr><th>Name<th>Value<tr><td>one<td>1<tr><td>two<td><a href=t>2</a></table>\n"),
    (
        "code",
        "<pre><code class='language-rust'><span class=k>fn</span> main() { <span>x</span>(); }\n</code></pre>\n",
    ),
    ("nothing but divisions", "<div>"),
    ("lists in lists", "<ul><li>"),
    ("emphasis that is never closed", "<p><b><i><font size=1>x"),
    ("links and entities", "<a href=&amp;>&lt;</a>"),
];
/// How many of them are ordinary.
const ORDINARY: usize = 4;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!(
        "{:<32} {:>9} {:>9} {:>7}   at most {} s, ordinary ones {MOST_TIMES} x their tags",
        format!("median of {RUNS} runs, in ms"),
        "tags",
        "fetched",
        "",
        MOST.as_secs()
    );
    let mut holds = true;
    for (at, (what, piece)) in PIECES.into_iter().enumerate() {
        let html = piece.repeat(BYTES / piece.len());
        let url = serve(Arc::from(html.as_bytes()));
        let (tool, cx) =
            (Fetch::new(Proxies::default(), Files::new(FileOptions::default())), ToolContext::new("/tmp"));
        let fetch = || runtime.block_on(tool.run(&json!({ "url": url }), &cx));
        let first = fetch();
        assert!(first.ok && first.text.contains("send offset: 16000") || at >= ORDINARY, "{}", first.text);
        let taken = alternate(RUNS, &mut [&mut || tags(&html), &mut || drop(black_box(fetch()))]);
        let times = taken[1].as_secs_f64() / taken[0].as_secs_f64();
        let is_fine = taken[1] <= MOST && (at >= ORDINARY || times <= MOST_TIMES);
        holds &= is_fine;
        let [tags, fetched] = [taken[0], taken[1]].map(|taken| taken.as_secs_f64() * 1e3);
        println!(
            "{what:<32} {tags:>9.1} {fetched:>9.1} {times:>5.1} x{}",
            if is_fine { "" } else { "   BROKEN" }
        );
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The least that whoever reads a page has to do.
fn tags(html: &str) {
    let mut count = 0_usize;
    let handle = |event: CallbackEvent<'_>, _: html5gum::Span<()>| -> Option<std::convert::Infallible> {
        count += usize::from(matches!(event, CallbackEvent::String { .. }));
        None
    };
    let mut emitter = CallbackEmitter::new(handle);
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).for_each(drop);
    black_box(count);
}

/// Serves a page for as long as the program runs; gives its URL.
fn serve(page: Arc<[u8]>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(|stream| answer(stream, &page)));
    url
}

fn answer(stream: TcpStream, page: &[u8]) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line)? > 2 {
        line.clear();
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        page.len()
    );
    stream.get_mut().write_all(head.as_bytes())?;
    stream.get_mut().write_all(page)
}
