//! A server whose answers were made before anybody asked: threads, blocking sockets, bytes that are ready to be sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the server says to each client: after so many calls of bash, a text.
#[derive(Clone)]
pub struct Script {
    calls: usize,
    /// The body of the answer in writes.
    text: Arc<Vec<Vec<u8>>>,
}

/// What the server saw since its script was set.
#[derive(Default)]
pub struct Seen {
    pub connections: usize,
    /// Between the last byte of an answer and the last of the request behind it, in order.
    pub gaps: Vec<Duration>,
}

#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<(Script, Seen)>>,
}

impl Script {
    /// A text, each token in a write of its own.
    pub fn tokens(tokens: &[String]) -> Self {
        Self { calls: 0, text: Arc::new(answer(tokens.iter().map(|token| content(token)))) }
    }

    /// A text, as fast as the socket takes it.
    pub fn flood(tokens: &[String]) -> Self {
        let whole = answer(tokens.iter().map(|token| content(token))).concat();
        Self { calls: 0, text: Arc::new(vec![whole]) }
    }

    /// So many calls of `bash -c true`, and a word.
    pub fn rounds(calls: usize) -> Self {
        Self { calls, ..Self::tokens(&["done".to_owned()]) }
    }
}

impl Server {
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self { address, state: Arc::new(Mutex::new((script, Seen::default()))) };
        let shared = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                shared.state.lock().unwrap().1.connections += 1;
                // A client that goes away ends its connection, which is no fault.
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        server
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Gives what was seen, and begins anew.
    pub fn take(&self) -> Seen {
        std::mem::take(&mut self.state.lock().unwrap().1)
    }

    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = BufReader::with_capacity(64 << 10, stream);
        let script = self.state.lock().unwrap().0.clone();
        let calls: Vec<Vec<u8>> = (1..=script.calls).map(|round| call(round).concat()).collect();
        let mut round = 0;
        let mut answered: Option<Instant> = None;
        while let Some(path) = request(&mut stream)? {
            if let Some(answered) = answered.take() {
                self.state.lock().unwrap().1.gaps.push(answered.elapsed());
            }
            if !path.ends_with("/chat/completions") {
                stream.get_mut().write_all(json(&path).as_bytes())?;
                continue;
            }
            match calls.get(round) {
                Some(call) => {
                    stream.get_mut().write_all(call)?;
                    answered = Some(Instant::now());
                }
                None => script.text.iter().try_for_each(|piece| stream.get_mut().write_all(piece))?,
            }
            round += 1;
        }
        Ok(())
    }
}

/// Reads a request to its end; gives its path.
fn request(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<String>> {
    let (mut path, mut length) = (None, 0);
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        match (&path, text.split_once(": ")) {
            (None, _) => path = text.split(' ').nth(1).map(str::to_owned),
            (_, Some((name, value))) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().unwrap();
            }
            _ => {}
        }
    }
    std::io::copy(&mut stream.take(length), &mut std::io::sink())?;
    Ok(path)
}

fn json(path: &str) -> String {
    let body = match path {
        "/props" => r#"{"default_generation_settings":{"n_ctx":131072}}"#,
        _ => r#"{"object":"list","data":[{"id":"m","object":"model"}]}"#,
    };
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn call(round: usize) -> Vec<Vec<u8>> {
    let call = format!(
        r#"{{"tool_calls":[{{"index":0,"id":"call{round:05}","type":"function","function":{{"name":"bash","arguments":"{{\"command\":\"true\"}}"}}}}]}}"#
    );
    answer([call].into_iter())
}

fn content(token: &str) -> String {
    format!(r#"{{"content":{}}}"#, serde_json::to_string(token).unwrap())
}

/// An answer as llama-server writes it: an event with all the usual keys in a chunk of its own for each delta.
fn answer(deltas: impl Iterator<Item = String>) -> Vec<Vec<u8>> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let first = r#"{"role":"assistant","content":null}"#.to_owned();
    let mut pieces: Vec<Vec<u8>> = vec![head.into()];
    let mut is_call = false;
    for delta in std::iter::once(first).chain(deltas) {
        is_call |= delta.contains("tool_calls");
        pieces.push(event(&delta, "null"));
    }
    pieces.push(event("{}", if is_call { r#""tool_calls""# } else { r#""stop""# }));
    pieces.push(chunk("data: [DONE]\n\n"));
    pieces.push(b"0\r\n\r\n".to_vec());
    pieces
}

fn event(delta: &str, finish: &str) -> Vec<u8> {
    chunk(&format!(
        r#"data: {{"choices":[{{"finish_reason":{finish},"index":0,"delta":{delta}}}],"created":1796006272,"id":"chatcmpl-ZNNgmhffzbjZFdaVATIIeNqB8Gg8C9c7","model":"model.gguf","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}}{}"#,
        "\n\n"
    ))
}

fn chunk(data: &str) -> Vec<u8> {
    format!("{:x}\r\n{data}\r\n", data.len()).into_bytes()
}
