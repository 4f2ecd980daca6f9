//! A server of raw bytes, for bodies that pause, break off, or are no HTTP at all.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// A scripted answer to a POST.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Pause before the head.
    pub wait: Duration,
    /// The status, or `None` to send the pieces without any head.
    pub status: Option<u16>,
    /// Header lines, such as `Content-Type: text/event-stream`.
    pub headers: Vec<String>,
    /// The body.
    pub pieces: Vec<Piece>,
    /// What happens behind the body.
    pub end: End,
}

/// Bytes sent in one write.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Pause before them.
    pub wait: Duration,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The body is chunked and ends rightly; the connection stays open.
    KeepAlive,
    /// The connection is closed, which ends the body.
    Close,
    /// The connection is reset.
    Reset,
    /// Nothing more comes, and the connection stays open.
    Hold,
}

/// A request that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Such as `POST`.
    pub method: String,
    /// Such as `/v1/chat/completions`.
    pub path: String,
    /// Header lines as sent.
    pub headers: Vec<String>,
    /// The body as text.
    pub body: String,
}

impl Piece {
    /// The same bytes in writes of at most so many, the pause before the first.
    pub fn split(self, every: usize) -> Vec<Self> {
        let pieces = self.bytes.chunks(every.max(1)).map(<[u8]>::to_vec);
        let waits = std::iter::once(self.wait).chain(std::iter::repeat(Duration::ZERO));
        waits.zip(pieces).map(|(wait, bytes)| Self { wait, bytes }).collect()
    }
}

impl Answer {
    /// An event stream with status 200, ended rightly.
    pub fn events(text: &str) -> Self {
        let piece = Piece { wait: Duration::ZERO, bytes: text.as_bytes().to_vec() };
        Self {
            wait: Duration::ZERO,
            status: Some(200),
            headers: vec!["Content-Type: text/event-stream".into()],
            pieces: vec![piece],
            end: End::KeepAlive,
        }
    }

    /// An event stream of one answer in the pieces given, with `[DONE]`.
    pub fn text(pieces: &[&str]) -> Self {
        let chunk = |delta: serde_json::Value, finish: Option<&str>| {
            let choice = serde_json::json!({"index": 0, "delta": delta, "finish_reason": finish});
            format!("data: {}\n\n", serde_json::json!({"choices": [choice]}))
        };
        let mut text = String::new();
        for piece in pieces {
            text.push_str(&chunk(serde_json::json!({"content": piece}), None));
        }
        text.push_str(&chunk(serde_json::json!({}), Some("stop")));
        text.push_str("data: [DONE]\n\n");
        Self::events(&text)
    }

    /// An event stream of one call of `bash`.
    pub fn bash(command: &str) -> Self {
        Self::call("bash", &serde_json::json!({"command": command}).to_string())
    }

    /// An event stream of one call, with its arguments as the model writes them.
    pub fn call(name: &str, arguments: &str) -> Self {
        let call = serde_json::json!({"index": 0, "id": "c1", "type": "function",
            "function": {"name": name, "arguments": arguments}});
        let first = serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}}]});
        let last = serde_json::json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
        Self::events(&format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
    }

    /// A JSON body.
    pub fn json(status: u16, body: &str) -> Self {
        let headers = vec!["Content-Type: application/json".into()];
        Self { status: Some(status), headers, ..Self::events(body) }
    }

    /// Changes the end.
    pub fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }
}

/// Answers `GET …/models` with one model, each `POST …/chat/completions` with the next answer of a script,
/// and anything else with 404, but for routes that are scripted too.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    // Tests read what connections write; held only for a push or a copy.
    script: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<Request>>,
    models: Mutex<Answer>,
    routes: Mutex<BTreeMap<String, VecDeque<Answer>>>,
    connections: watch::Sender<usize>,
    closed: watch::Sender<usize>,
}

impl ScriptedServer {
    /// Starts on a free loopback port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::default(),
            models: Mutex::new(Answer::json(200, r#"{"object":"list","data":[{"id":"m"}]}"#)),
            routes: Mutex::default(),
            connections: watch::Sender::new(0),
            closed: watch::Sender::new(0),
        });
        let task = tokio::spawn(accept(listener, shared.clone()));
        Ok(Self { address, shared, task })
    }

    /// Answers `GET …/models` otherwise.
    pub fn with_models(self, answer: Answer) -> Self {
        *self.shared.models.lock().unwrap_or_else(PoisonError::into_inner) = answer;
        self
    }

    /// Answers a method and a path, such as `GET /props`, with these in order; the last one stays.
    pub fn with_route(self, route: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = answers.into_iter().collect();
        self.shared.routes.lock().unwrap_or_else(PoisonError::into_inner).insert(route.to_owned(), answers);
        self
    }

    /// The base URL, ending in `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The bodies of the POSTs so far.
    pub fn bodies(&self) -> Vec<serde_json::Value> {
        let posts = self.requests().into_iter().filter(|request| request.method == "POST");
        posts.map(|request| serde_json::from_str(&request.body).unwrap_or_default()).collect()
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        *self.shared.connections.borrow()
    }

    /// Waits until clients have closed `n` connections while an answer was held open.
    pub async fn closed(&self, n: usize) {
        let _ = self.shared.closed.subscribe().wait_for(|closed| *closed >= n).await;
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn answer(&self, request: &Request) -> Answer {
        let route = format!("{} {}", request.method, request.path);
        if let Some(answers) = self.routes.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&route) {
            let last = if answers.len() == 1 { answers.front().cloned() } else { answers.pop_front() };
            return last.unwrap_or_else(not_found);
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", path) if path.ends_with("/chat/completions") => {
                let next = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                next.unwrap_or_else(|| Answer::json(500, r#"{"error":"the script has no further answer"}"#))
            }
            ("GET", path) if path.ends_with("/models") => {
                self.models.lock().unwrap_or_else(PoisonError::into_inner).clone()
            }
            _ => not_found(),
        }
    }
}

fn not_found() -> Answer {
    Answer::json(404, r#"{"error":{"message":"File Not Found","type":"not_found_error","code":404}}"#)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new(); // they end with the server
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.send_modify(|n| *n += 1);
        let shared = shared.clone();
        connections.spawn(async move { serve(stream, &shared).await });
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await? {
        let answer = shared.answer(&request);
        shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        if !send(&mut stream, answer, shared).await? {
            break;
        }
    }
    Ok(())
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let first = lines.first().cloned().unwrap_or_default();
    let mut words = first.split(' ').map(str::to_owned);
    let length = lines.iter().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    Ok(Some(Request {
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        headers: lines.into_iter().skip(1).collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    }))
}

/// Sends an answer; true when another request may come.
async fn send(stream: &mut BufReader<TcpStream>, answer: Answer, shared: &Shared) -> io::Result<bool> {
    tokio::time::sleep(answer.wait).await;
    let chunked = answer.end == End::KeepAlive && answer.status.is_some();
    if let Some(status) = answer.status {
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        for line in &answer.headers {
            head.push_str(&format!("{line}\r\n"));
        }
        head.push_str(if chunked {
            "Transfer-Encoding: chunked\r\n\r\n"
        } else {
            "Connection: close\r\n\r\n"
        });
        stream.write_all(head.as_bytes()).await?;
    }
    for piece in &answer.pieces {
        tokio::time::sleep(piece.wait).await;
        let framed = match piece.bytes.len() {
            0 => continue,
            n if chunked => [format!("{n:x}\r\n").as_bytes(), &piece.bytes, b"\r\n"].concat(),
            _ => piece.bytes.clone(),
        };
        if let Err(error) = stream.write_all(&framed).await {
            shared.closed.send_modify(|n| *n += 1);
            return Err(error);
        }
    }
    match answer.end {
        End::KeepAlive if chunked => stream.write_all(b"0\r\n\r\n").await?,
        End::KeepAlive | End::Close => stream.shutdown().await?,
        End::Reset => stream.get_ref().set_zero_linger()?,
        End::Hold => {
            // The client closes by and by; whatever it still sends is read and dropped.
            let mut rest = [0; 1024];
            while stream.read(&mut rest).await.is_ok_and(|n| n > 0) {}
            shared.closed.send_modify(|n| *n += 1);
        }
    }
    Ok(chunked)
}
