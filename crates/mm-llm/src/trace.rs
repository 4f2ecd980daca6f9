//! Every request and its answer in files, for whoever wants to know what really went over the wire.
//!
//! A thread of its own writes them, so that a slow disk never stops a stream.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::observer::{Observer, Sent, WatchAnswer};

/// Writes a pair of files for each request: `<stamp>-<name>-<NNNN>.request.json`, the body as sent and indented,
/// and `….response-<status>.sse`, the body as received; `….json` where that is one JSON value (indented), `….txt`
/// where it is neither, `….response-error.txt` where there was no answer. Headers are never written. Files are for their
/// owner alone, since they hold whole conversations. Where another program has taken a number, the next one is free.
///
/// The directory is made when the first request goes out. When it cannot be, or a write fails, nothing is traced any
/// more, and [`failure`](Trace::failure) says so once.
#[derive(Clone, Debug)]
pub struct Trace {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: String,
    stamp: fn() -> String,
    /// Counts requests; held only to add one.
    count: Mutex<u32>,
    jobs: Mutex<Sender<Job>>,
    /// What went wrong and has not been told; held only to put or to take it.
    failure: Arc<Mutex<Option<String>>>,
}

/// What the names of a pair begin with; known once the request is written.
type Stem = Arc<OnceLock<String>>;

#[derive(Debug)]
enum Job {
    /// A request with the beginning of its name and its number.
    Request(Stem, String, u32, Vec<u8>),
    /// A whole answer.
    Whole(Stem, String, Vec<u8>),
    /// More of an answer that grows.
    More(Stem, String, Vec<u8>),
    /// A file that grew is done.
    Done,
    Flush(Sender<()>),
}

impl Trace {
    /// Makes a trace into a directory. `name` stands in every file name; `stamp` gives the time for one, such as
    /// `20261130-081523.042`.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new(dir: PathBuf, name: &str, stamp: fn() -> String) -> io::Result<Self> {
        let (jobs, received) = channel();
        let failure = Arc::new(Mutex::new(None));
        let told = Arc::clone(&failure);
        std::thread::Builder::new().name("trace".into()).spawn(move || write_all(&dir, &received, &told))?;
        let name =
            name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
        let shared = Shared { name, stamp, count: Mutex::new(0), jobs: Mutex::new(jobs), failure };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Waits until everything so far is written.
    pub fn flush(&self) {
        let (sender, flushed) = channel();
        self.shared.send(Job::Flush(sender));
        let _ = flushed.recv();
    }

    /// Gives what went wrong, once.
    pub fn failure(&self) -> Option<String> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Shared {
    fn send(&self, job: Job) {
        let _ = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
    }
}

impl Observer for Trace {
    fn sent(&self, request: &Sent<'_>) -> Box<dyn WatchAnswer> {
        let number = {
            let mut count = self.shared.count.lock().unwrap_or_else(PoisonError::into_inner);
            *count += 1;
            *count
        };
        let begin = format!("{}-{}", (self.shared.stamp)(), self.shared.name);
        let body = indented(request.body).unwrap_or_else(|| request.body.to_vec());
        let stem = Stem::default();
        self.shared.send(Job::Request(stem.clone(), begin, number, body));
        let asked = format!("{} {}", request.method, request.url);
        Box::new(Answer { shared: self.shared.clone(), stem, asked, form: Form::None, whole: Vec::new() })
    }
}

/// The answer to one request.
#[derive(Debug)]
struct Answer {
    shared: Arc<Shared>,
    stem: Stem,
    asked: String,
    form: Form,
    whole: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    None,
    Stream(u16),
    Json(u16),
    Text(u16),
}

impl WatchAnswer for Answer {
    fn head(&mut self, status: u16, content_type: Option<&str>) {
        let has = |part: &str| content_type.is_some_and(|kind| kind.contains(part));
        self.form = match status {
            _ if has("json") => Form::Json(status),
            // Some servers stream without saying so.
            200..=299 if has("event-stream") || content_type.is_none() => Form::Stream(status),
            _ => Form::Text(status),
        };
        // An answer without a body is an answer.
        if let Form::Stream(status) = self.form {
            self.shared.send(Job::More(self.stem.clone(), format!("{status}.sse"), Vec::new()));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match self.form {
            Form::Stream(status) => {
                self.shared.send(Job::More(self.stem.clone(), format!("{status}.sse"), bytes.to_vec()));
            }
            Form::None | Form::Json(_) | Form::Text(_) => self.whole.extend_from_slice(bytes),
        }
    }

    fn end(&mut self, error: Option<&str>) {
        let whole = std::mem::take(&mut self.whole);
        match std::mem::replace(&mut self.form, Form::None) {
            Form::Json(status) => match indented(&whole) {
                Some(json) => self.whole(format!("{status}.json"), json),
                None => self.whole(format!("{status}.txt"), whole),
            },
            Form::Text(status) => self.whole(format!("{status}.txt"), whole),
            Form::Stream(_) => self.shared.send(Job::Done),
            Form::None => {
                if let Some(error) = error {
                    let text = format!("{}\n{error}\n", self.asked);
                    self.whole("error.txt".to_owned(), text.into_bytes());
                }
            }
        }
    }
}

impl Answer {
    fn whole(&self, end: String, text: Vec<u8>) {
        self.shared.send(Job::Whole(self.stem.clone(), end, text));
    }
}

impl Drop for Answer {
    /// Nobody waits any more: what has come is kept.
    fn drop(&mut self) {
        if self.form != Form::None {
            self.end(None);
        }
    }
}

/// JSON with a key a line.
fn indented(body: &[u8]) -> Option<Vec<u8>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let mut text = serde_json::to_vec_pretty(&value).ok()?;
    text.push(b'\n');
    Some(text)
}

/// Writes what comes, until nobody can send any more.
fn write_all(dir: &Path, jobs: &Receiver<Job>, told: &Mutex<Option<String>>) {
    let mut growing: Option<(PathBuf, File)> = None;
    let mut broken = false;
    for job in jobs {
        let written = match job {
            Job::Flush(sender) => {
                let _ = sender.send(());
                continue;
            }
            _ if broken => continue,
            Job::Done => {
                growing = None;
                continue;
            }
            Job::Request(stem, begin, number, bytes) => begin_pair(dir, &stem, &begin, number, &bytes),
            Job::Whole(stem, end, bytes) => {
                let file = options().create(true).truncate(true).open(answer(dir, &stem, &end));
                file.and_then(|mut file| file.write_all(&bytes))
            }
            Job::More(stem, end, bytes) => grow(&mut growing, answer(dir, &stem, &end), &bytes),
        };
        if let Err(error) = written {
            broken = true;
            let text = format!("[trace: cannot write to {}: {error} — nothing is traced]", dir.display());
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        }
    }
}

/// Writes a request under the first number that is free.
fn begin_pair(dir: &Path, stem: &Stem, begin: &str, number: u32, body: &[u8]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    for number in number.. {
        let name = format!("{begin}-{number:04}");
        match options().create_new(true).open(dir.join(format!("{name}.request.json"))) {
            Ok(mut file) => {
                let _ = stem.set(name);
                return file.write_all(body);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn answer(dir: &Path, stem: &Stem, end: &str) -> PathBuf {
    dir.join(format!("{}.response-{end}", stem.get().map_or("", String::as_str)))
}

fn grow(growing: &mut Option<(PathBuf, File)>, path: PathBuf, bytes: &[u8]) -> io::Result<()> {
    if let Some((_, file)) = growing.as_mut().filter(|(open, _)| *open == path) {
        return file.write_all(bytes);
    }
    // Two answers at the same time take turns.
    let mut file = options().append(true).create(true).open(&path)?;
    file.write_all(bytes)?;
    *growing = Some((path, file));
    Ok(())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(dir: &Path) -> Trace {
        Trace::new(dir.join("a/b"), "bob/x", || "20261130-081523.042".to_owned()).unwrap()
    }

    /// The files of a trace with their content.
    fn files(dir: &Path) -> Vec<(String, String)> {
        let mut files: Vec<_> = fs::read_dir(dir.join("a/b"))
            .unwrap()
            .flatten()
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        files.sort();
        files
    }

    fn sent(trace: &Trace) -> Box<dyn WatchAnswer> {
        trace.sent(&Sent {
            method: "POST",
            url: "http://h/v1/chat/completions",
            body: b"{\"b\":1.0,\"a\":[]}",
        })
    }

    #[test]
    fn each_answer_has_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let trace = trace(dir.path());
        let mut stream = sent(&trace);
        stream.head(200, Some("text/event-stream"));
        let mut json = sent(&trace);
        json.head(400, Some("application/json; charset=utf-8"));
        json.bytes(b"{\"error\":");
        stream.bytes(b": ping\n\nda");
        json.bytes(b"{}}");
        json.end(None);
        stream.bytes(b"ta: x\r\n\r\n");
        drop(stream);
        let mut refused = sent(&trace);
        refused.end(Some("connection refused"));
        let mut cut = sent(&trace);
        cut.head(500, Some("application/json"));
        cut.bytes(b"{\"error\": oops");
        cut.end(None);
        let mut html = sent(&trace);
        html.head(502, Some("text/html"));
        html.bytes(b"<html>");
        html.end(None);
        trace.flush();
        let stem = "20261130-081523.042-bob-x-";
        let request = "{\n  \"b\": 1.0,\n  \"a\": []\n}\n";
        let file = |end: &str, text: &str| (format!("{stem}{end}"), text.to_owned());
        assert_eq!(
            files(dir.path()),
            [
                file("0001.request.json", request),
                file("0001.response-200.sse", ": ping\n\ndata: x\r\n\r\n"),
                file("0002.request.json", request),
                file("0002.response-400.json", "{\n  \"error\": {}\n}\n"),
                file("0003.request.json", request),
                file("0003.response-error.txt", "POST http://h/v1/chat/completions\nconnection refused\n"),
                file("0004.request.json", request),
                file("0004.response-500.txt", "{\"error\": oops"),
                file("0005.request.json", request),
                file("0005.response-502.txt", "<html>"),
            ]
        );
        assert_eq!(trace.failure(), None);
    }

    /// As two programs do that begin in the same millisecond.
    #[test]
    fn two_traces_of_one_moment_do_not_share_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let traces: Vec<_> = (0..3).map(|_| trace(dir.path())).collect();
        for trace in &traces {
            let mut answer = sent(trace);
            answer.head(200, Some("text/event-stream"));
            answer.bytes(b"data: x\n\n");
            drop(answer);
            trace.flush();
        }
        let names: Vec<String> = files(dir.path()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 6, "{names:?}");
        assert!(files(dir.path()).iter().all(|(name, text)| !name.ends_with("sse") || text == "data: x\n\n"));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "a file").unwrap();
        let trace = trace(dir.path());
        for _ in 0..2 {
            sent(&trace).end(Some("x"));
        }
        trace.flush();
        let told = trace.failure().unwrap();
        assert!(
            told.starts_with("[trace: cannot write to ") && told.ends_with(" — nothing is traced]"),
            "{told}"
        );
        assert_eq!(trace.failure(), None);
    }
}
