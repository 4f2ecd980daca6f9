//! What a real server sent, as `tests/fixtures/llm/recordings/index.json` lists it, read without a socket.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use mm_schema::ToolCall;
use serde::Deserialize;

use super::decode::Wanted;
use super::stream::Reading;
use crate::{ChatEvent, FinishReason, ProviderError, Reply, Usage};

/// The bytes of one read; the last is the whole body.
const SPLITS: [usize; 4] = [1, 7, 1000, usize::MAX];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    recordings: Vec<Recording>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    file: String,
    what: String,
    status: u16,
    content_type: String,
    expect: Told,
}

/// What comes of a recording.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
struct Told {
    text: String,
    reasoning: String,
    calls: Vec<Call>,
    finish: Option<String>,
    usage: Option<Counts>,
    error: Option<String>,
    /// Reports on the prompt.
    reports: usize,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Counts {
    prompt: u64,
    cached: u64,
    completion: u64,
    tokens_per_second: f64,
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/llm/recordings")
}

fn recordings() -> Vec<Recording> {
    let index = std::fs::read_to_string(folder().join("index.json")).unwrap();
    serde_json::from_str::<Index>(&index).unwrap().recordings
}

impl Recording {
    fn body(&self) -> Vec<u8> {
        std::fs::read(folder().join(&self.file)).unwrap()
    }

    /// Reads a body as it would come in reads of so many bytes.
    async fn read(&self, body: &[u8], every: usize) -> Told {
        let mut told = Told::default();
        let mut reply = Reply::default();
        let pieces = body.chunks(every).map(|piece| Ok::<_, Infallible>(piece.to_vec()));
        let body = reqwest::Body::wrap_stream(stream::iter(pieces.collect::<Vec<_>>()));
        let answer =
            ::http::Response::builder().status(self.status).header("content-type", &self.content_type);
        let answer = answer.body(body).unwrap().into();
        let url = "http://127.0.0.1/v1/chat/completions".to_owned();
        let wanted = Wanted { tools: Arc::from([]), is_json: false };
        let error = match Reading::begin(answer, &url, Arc::default(), wanted, None).await {
            Ok(mut reading) => loop {
                match reading.next().await {
                    Some(Ok(events)) => events.iter().for_each(|event| {
                        told.reports += usize::from(matches!(event, ChatEvent::PromptProgress { .. }));
                        reply.push(event);
                    }),
                    Some(Err(error)) => break Some(error),
                    None => break None,
                }
            },
            Err(refusal) => Some(refusal.error),
        };
        told.fill(reply, error);
        told
    }
}

impl Told {
    fn fill(&mut self, reply: Reply, error: Option<ProviderError>) {
        self.text = reply.text;
        self.reasoning = reply.reasoning;
        let call = |call: ToolCall| Call { id: call.id, name: call.name, arguments: call.arguments };
        self.calls = reply.calls.into_iter().map(call).collect();
        self.finish = reply.finish.map(|finish| match finish {
            FinishReason::Stop => "stop".to_owned(),
            FinishReason::ToolCalls => "tool_calls".to_owned(),
            FinishReason::Length => "length".to_owned(),
            FinishReason::Other(word) => word,
        });
        self.usage = reply.usage.and_then(counts);
        self.error = error.map(|error| error.to_string());
    }
}

/// This server gives all counts, or none.
fn counts(usage: Usage) -> Option<Counts> {
    assert_eq!(usage.reasoning, None);
    Some(Counts {
        prompt: usage.prompt?,
        cached: usage.cached?,
        completion: usage.completion?,
        tokens_per_second: usage.tokens_per_second?,
    })
}

#[tokio::test(start_paused = true)]
async fn every_recording_is_read_the_same_however_it_is_split() {
    let mut failed = Vec::new();
    for recording in recordings() {
        let body = recording.body();
        for every in SPLITS {
            let told = recording.read(&body, every).await;
            if told != recording.expect {
                let Recording { file, what, expect, .. } = &recording;
                failed.push(format!("{file} ({what}) by {every}:\n  {told:?}\n  not\n  {expect:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_recording_is_listed_once() {
    let mut listed: Vec<String> = recordings().into_iter().map(|recording| recording.file).collect();
    listed.sort();
    let entries = std::fs::read_dir(folder()).unwrap().flatten();
    let mut there: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    there.retain(|name| name != "index.json");
    there.sort();
    assert_eq!(listed, there);
}

#[tokio::test(start_paused = true)]
async fn a_recording_cut_at_any_byte_ends_in_an_answer_or_an_error() {
    let cut = ["think_format_none.sse", "progress_stream.sse", "midstream_error_after_tool_delta.sse"];
    for recording in recordings().into_iter().filter(|recording| cut.contains(&recording.file.as_str())) {
        let (body, whole) = (recording.body(), &recording.expect);
        for at in 0..=body.len() {
            // The clock is stopped: it only goes on, at once, where nothing else can.
            let read = tokio::time::timeout(Duration::from_secs(60), recording.read(&body[..at], 1000)).await;
            let what = format!("{} cut at {at}", recording.file);
            let told = read.unwrap_or_else(|_| panic!("{what} hangs"));
            assert!(told.finish.is_some() != told.error.is_some(), "{what}: {told:?}");
            assert!(whole.text.starts_with(&told.text), "{what}: {told:?}");
            assert!(whole.reasoning.starts_with(&told.reasoning), "{what}: {told:?}");
            assert!(told.calls.is_empty() || told.calls == whole.calls, "{what}: {told:?}");
            assert!(told.finish.is_none() || told.finish == whole.finish, "{what}: {told:?}");
        }
    }
}
