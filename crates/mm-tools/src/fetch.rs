//! The tool that fetches a web page.
//!
//! Limits and checks are on what they are about: the address at the socket and not the text of the URL, each hop and not
//! the first, bytes while they come and not a string in memory, the content and not its header.

mod address;
mod body;
mod charset;
mod client;
mod error;
mod hops;
mod html;
mod kind;
mod page;
mod save;
mod url;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use reqwest::header::CONTENT_TYPE;
use reqwest::{StatusCode, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::files::{Files, counted, off_thread, writing};
use crate::{Preview, Tool, ToolContext, ToolOutput};
use address::short;
use body::{Body, End, Limits};
use client::{Clients, SystemNames};
use error::FetchError;
use kind::Kind;
use page::{LastPage, Page};

pub use client::Proxies;

/// The tool `fetch_content`: the main content of a page as Markdown, text of any other kind as it is, a word about
/// anything else; with `output` the body in a file.
///
/// GET over http and https, at most 10 redirects, 30 seconds and 5 MiB after decompression; no cookies. Loopback and
/// private addresses are reached only when the URL names them, link-local and metadata addresses never. A page is given
/// in parts of at most [`ToolContext::max_output`] characters.
#[derive(Debug)]
pub struct Fetch {
    definition: ToolSpec,
    files: Files,
    clients: Clients,
    limits: Limits,
    last: LastPage,
}

/// Each word of this is read by the model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    url: String,
    /// File to save the raw body to
    output: Option<String>,
    /// Character to go on at
    offset: Option<i64>,
}

impl Fetch {
    /// Makes the tool; nothing is connected before the first call.
    pub fn new(proxies: Proxies, files: Files) -> Self {
        let definition = ToolSpec::of::<Args>("fetch_content", "Fetches a web page as Markdown.");
        let clients = Clients::new(proxies, Arc::new(SystemNames));
        Self { definition, files, clients, limits: Limits::default(), last: LastPage::default() }
    }
}

#[async_trait]
impl Tool for Fetch {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview {
        // What cannot be read is refused by `run`; until then it counts as writing.
        let Ok(args) = Args::deserialize(args) else { return Preview::mutating("") };
        let url = short(args.url.trim());
        match (args.output(), args.offset()) {
            (Some(output), _) => writing(output, &format!("from {url}"), cx),
            (None, 0) => Preview::reading(url),
            (None, offset) => Preview::reading(format!("{url} (from character {offset})")),
        }
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let args = match Args::deserialize(args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::error(error),
        };
        let result = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => {
                return ToolOutput { text: "[interrupted by the user]".to_owned(), ok: false };
            }
            result = self.call(&args, cx) => result,
        };
        result.unwrap_or_else(ToolOutput::error)
    }
}

impl Args {
    fn output(&self) -> Option<&str> {
        self.output.as_deref().filter(|output| !output.is_empty())
    }

    /// What makes no sense is as if it were not there.
    fn offset(&self) -> usize {
        self.offset.and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0)
    }
}

/// An answer, and where it came from at last.
#[derive(Debug)]
struct Fetched {
    given: Url,
    url: Url,
    status: StatusCode,
    content_type: String,
    body: Body,
    limits: Limits,
}

impl Fetch {
    async fn call(&self, args: &Args, cx: &ToolContext) -> Result<ToolOutput, FetchError> {
        let url = url::parse(&args.url)?;
        if let Some(output) = args.output() {
            return self.save(&url, output, cx).await;
        }
        let offset = args.offset();
        if offset > 0
            && let Some(page) = self.last.get(url.as_str())
        {
            return page.part(offset, cx.max_output);
        }
        let fetched = self.get(&url).await?;
        let page = tokio::task::spawn_blocking(move || Arc::new(fetched.page())).await;
        let page = page.map_err(|fault| FetchError::Fault(fault.to_string()))?;
        if page.has_parts(cx.max_output) {
            self.last.keep(url.as_str(), page.clone());
        }
        page.part(offset, cx.max_output)
    }

    async fn get(&self, url: &Url) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + self.limits.time;
        let slow = |_| FetchError::Slow {
            host: url.host_str().unwrap_or_default().to_owned(),
            seconds: self.limits.time.as_secs(),
        };
        let response = timeout_at(deadline, hops::follow(&self.clients, url)).await.map_err(slow)??;
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Ok(Fetched {
            given: url.clone(),
            url: response.url().clone(),
            status: response.status(),
            content_type: content_type.unwrap_or_default(),
            body: body::receive(response, self.limits, deadline).await?,
            limits: self.limits,
        })
    }

    async fn save(&self, url: &Url, output: &str, cx: &ToolContext) -> Result<ToolOutput, FetchError> {
        let (files, path, asked) = (self.files.clone(), output.to_owned(), url.to_string());
        let may = off_thread(cx, move |cx, stop| save::may_write(&files, &path, &asked, cx, stop)).await;
        if !may.ok {
            return Ok(may);
        }
        let fetched = self.get(url).await?;
        if let Some(status) = fetched.bad_status() {
            return Err(FetchError::NotWhole(status));
        }
        if let Some(why) = fetched.cut() {
            return Err(FetchError::NotWhole(why));
        }
        let (files, path) = (self.files.clone(), output.to_owned());
        Ok(off_thread(cx, move |cx, stop| save::write(&files, &path, &fetched.body.bytes, cx, stop)).await)
    }
}

impl Fetched {
    fn bad_status(&self) -> Option<String> {
        let reason = self.status.canonical_reason().unwrap_or_default();
        let told = format!("the server answered HTTP {} {reason}", self.status.as_u16());
        (!self.status.is_success()).then(|| told.trim_end().to_owned())
    }

    /// Why the body is not whole, if it is not.
    fn cut(&self) -> Option<String> {
        match &self.body.end {
            End::Whole => None,
            End::TooLong => Some(format!("cut: the page has more than {}", mib(self.limits.bytes))),
            End::TooSlow => Some(format!("cut: not all of it came within {} s", self.limits.time.as_secs())),
            End::Broken(why) => Some(format!("cut: {why}")),
        }
    }

    fn page(self) -> Page {
        let (mut notes, bytes) = (Vec::new(), &self.body.bytes);
        let text = match kind::kind(bytes, &self.content_type) {
            Kind::Binary(what) => format!("[{}: {what}, {}]", short(self.url.as_str()), self.size_and_hint()),
            Kind::Text => {
                let decoded = charset::decode(bytes, &self.content_type);
                notes.extend(decoded.note);
                decoded.text
            }
            Kind::Html => {
                let decoded = charset::decode(bytes, &self.content_type);
                notes.extend(decoded.note);
                let converted = html::convert(&decoded.text, &self.url, self.limits.bytes);
                if converted.cut {
                    notes.push("cut: the page is too large to be read whole".to_owned());
                }
                converted.text
            }
        };
        if text.trim().is_empty() {
            notes.push("the page has no text; what scripts would write is not seen".to_owned());
        }
        notes.extend(self.cut());
        if without_fragment(&self.given) != without_fragment(&self.url) {
            notes.push(format!("redirected to {}", short(self.url.as_str())));
        }
        Page { head: self.bad_status(), text, notes }
    }

    fn size_and_hint(&self) -> String {
        match self.body.end {
            End::TooLong => format!("more than {}, too much to save: use a command", mib(self.limits.bytes)),
            End::Whole | End::TooSlow | End::Broken(_) => {
                format!("{}: give output to save it", counted(self.body.bytes.len(), "byte"))
            }
        }
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

fn mib(bytes: usize) -> String {
    format!("{} MiB", bytes >> 20)
}
