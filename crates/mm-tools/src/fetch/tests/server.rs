//! A server that answers each path with bytes as they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The bytes of an answer, head and all.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    bytes: Vec<u8>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Close,
    /// Nothing more comes.
    Hold,
    /// The last kilobyte for ever.
    Repeat,
}

impl Reply {
    pub(super) fn raw(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), end: End::Close }
    }

    pub(super) fn page(media: &str, body: &[u8]) -> Self {
        Self::with_head(
            &format!("Content-Type: {media}\r\nContent-Length: {}\r\n", body.len()),
            body,
            End::Close,
        )
    }

    pub(super) fn packed(media: &str, coding: &str, body: &[u8]) -> Self {
        let head = format!(
            "Content-Type: {media}\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n",
            body.len()
        );
        Self::with_head(&head, body, End::Close)
    }

    pub(super) fn held(media: &str, body: &[u8]) -> Self {
        Self::with_head(&format!("Content-Type: {media}\r\nContent-Length: 1000\r\n"), body, End::Hold)
    }

    /// No answer at all, on a connection that stays open.
    pub(super) fn silent() -> Self {
        Self { bytes: Vec::new(), end: End::Hold }
    }

    fn with_head(head: &str, body: &[u8], end: End) -> Self {
        Self { bytes: [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n", body].concat(), end }
    }

    /// An answer as the fixtures have it: `status`, `headers`, and a body as `text`, `latin1` (one byte a character), with
    /// `times` the body that often, `gzip` packed, `end` one of `hold` and `repeat`.
    pub(super) fn of(answer: &Value) -> Self {
        let mut body = match answer["latin1"].as_str() {
            Some(text) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
            None => answer["text"].as_str().unwrap_or_default().as_bytes().to_vec(),
        };
        body = body.repeat(usize::try_from(answer["times"].as_u64().unwrap_or(1)).unwrap());
        let mut head = format!("HTTP/1.1 {}\r\n", answer["status"].as_str().unwrap_or("200 OK"));
        if answer["gzip"] == true {
            body = super::pack::gzip(&body);
            head.push_str("Content-Encoding: gzip\r\n");
        }
        for (name, value) in answer["headers"].as_object().into_iter().flatten() {
            head.push_str(&format!("{name}: {}\r\n", value.as_str().unwrap()));
        }
        let end = match answer["end"].as_str() {
            None => End::Close,
            Some("hold") => End::Hold,
            Some("repeat") => End::Repeat,
            Some(other) => panic!("there is no end {other}"),
        };
        Self { bytes: [head.as_bytes(), b"Connection: close\r\n\r\n", &body].concat(), end }
    }
}

/// A request that came.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) head: String,
}

impl Asked {
    pub(super) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

#[derive(Debug)]
pub(super) struct Server {
    port: u16,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
    holding: Arc<watch::Sender<usize>>,
    let_go: Arc<watch::Sender<usize>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(super) async fn start(replies: impl IntoIterator<Item = (String, Reply)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<HashMap<_, _>>()));
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (holding, let_go) = (Arc::new(watch::Sender::new(0)), Arc::new(watch::Sender::new(0)));
        let server = (replies.clone(), Arc::clone(&asked), Arc::clone(&holding), Arc::clone(&let_go));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (replies, asked, holding, let_go) = server.clone();
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let request = head(&mut stream).await;
                    let reply = replies.lock().unwrap().get(request.path()).cloned();
                    asked.lock().unwrap().push(request);
                    let missing = || Reply::raw("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
                    send(&mut stream, reply.unwrap_or_else(missing), &holding).await;
                    let_go.send_modify(|n| *n += 1);
                });
            }
        });
        Self { port, replies, asked, holding, let_go, task }
    }

    /// Puts its own address into its answers.
    pub(super) fn fill_in(&mut self) {
        for reply in self.replies.lock().unwrap().values_mut() {
            if let Ok(text) = String::from_utf8(reply.bytes.clone()) {
                reply.bytes = text.replace("SERVER", &format!("127.0.0.1:{}", self.port)).into_bytes();
            }
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until an answer is held open.
    pub(super) async fn is_holding(&self) {
        self.holding.subscribe().wait_for(|n| *n > 0).await.unwrap();
    }

    /// Waits until a client has closed.
    pub(super) async fn is_let_go(&self) {
        self.let_go.subscribe().wait_for(|n| *n > 0).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn head(stream: &mut BufReader<TcpStream>) -> Asked {
    let mut head = String::new();
    while stream.read_line(&mut head).await.unwrap_or(0) > 0 && !head.ends_with("\r\n\r\n") {}
    Asked { head }
}

async fn send(stream: &mut BufReader<TcpStream>, reply: Reply, holding: &watch::Sender<usize>) {
    let mut is_open = stream.write_all(&reply.bytes).await.is_ok() && stream.flush().await.is_ok();
    match reply.end {
        End::Close => drop(stream.shutdown().await),
        End::Hold => {
            holding.send_modify(|n| *n += 1);
            while stream.read_u8().await.is_ok() {}
        }
        End::Repeat => {
            let piece = &reply.bytes[reply.bytes.len().saturating_sub(1024)..];
            while is_open {
                is_open = stream.write_all(piece).await.is_ok();
            }
        }
    }
}
