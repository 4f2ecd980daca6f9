//! Which of two end points answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

use crate::http::{self, ApiKey};
use crate::{ModelInfo, ProviderError};

/// How long an end point has to answer `/models`.
const PROBE: Duration = Duration::from_secs(2);
/// How long it has for its list where that is all that is asked.
const LIST: Duration = Duration::from_secs(10);
/// The most bytes of a model list that are read.
const LIST_LIMIT: usize = 4 << 20;

/// The end points of a provider, in the order they are tried.
#[derive(Debug)]
pub(crate) struct Endpoints {
    /// Each with the variable of the proxy that it may be reached through.
    urls: Vec<(String, Option<&'static str>)>,
    hint: String,
    // Shared with running streams, which choose and forget; held only to copy the pointer.
    chosen: Mutex<Option<Arc<Endpoint>>>,
}

/// A way to start a server on this machine, with the port that it is looked for on.
fn on_port_of(url: &str, hint: &str) -> String {
    let parsed = reqwest::Url::parse(url).ok();
    let is_local = |url: &reqwest::Url| matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    match parsed.filter(is_local).and_then(|url| url.port()) {
        Some(port) => hint.replace("--port 8080", &format!("--port {port}")),
        None => hint.to_owned(),
    }
}

/// An end point that answered.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// The base URL without a slash at its end.
    pub(crate) base: String,
    /// What it listed when it was asked.
    pub(crate) models: Vec<ModelInfo>,
}

impl Endpoints {
    pub(crate) fn new(urls: Vec<(String, Option<&'static str>)>, hint: &'static str) -> Self {
        let hint = urls.first().map_or_else(|| hint.to_owned(), |(url, _)| on_port_of(url, hint));
        Self { urls, hint, chosen: Mutex::new(None) }
    }

    /// Gives the end point in use; asks them in order when there is none yet.
    pub(crate) async fn choose(
        &self,
        client: &Client,
        key: Option<&ApiKey>,
    ) -> Result<Arc<Endpoint>, ProviderError> {
        if let Some(endpoint) = self.lock().clone() {
            return Ok(endpoint);
        }
        let mut tried = Vec::new();
        for (url, proxy) in &self.urls {
            match probe(client, url, key).await {
                Ok(models) => {
                    let endpoint = Arc::new(Endpoint { base: url.clone(), models });
                    *self.lock() = Some(endpoint.clone());
                    return Ok(endpoint);
                }
                Err(why) => {
                    let through =
                        proxy.map(|name| format!(", through the proxy of {name}")).unwrap_or_default();
                    tried.push((shown(url), why + &through));
                }
            }
        }
        let hint = format!(" — {}", self.hint);
        Err(ProviderError::NoServer { tried, hint })
    }

    pub(crate) fn first(&self) -> Option<&str> {
        self.urls.first().map(|(url, _)| url.as_str())
    }

    /// Forgets the choice: what was chosen does not answer any more.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Endpoint>>> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A URL as people may see it: without its password.
pub(crate) fn shown(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() => {
            let _ = parsed.set_password(Some("***"));
            parsed.to_string()
        }
        Ok(parsed) if parsed.has_host() => url.to_owned(),
        // What is no URL may hold a password all the same.
        Ok(_) | Err(_) => {
            let start = url.find("://").map_or(0, |at| at + 3);
            let (scheme, rest) = url.split_at(start);
            let authority = rest.split('/').next().unwrap_or_default();
            match authority.rsplit_once('@').and_then(|(user, _)| Some((user, user.split_once(':')?.0))) {
                Some((user, name)) => {
                    format!("{scheme}{name}:***{}", rest.get(user.len()..).unwrap_or_default())
                }
                None => url.to_owned(),
            }
        }
    }
}

pub(crate) fn authorized(request: RequestBuilder, key: Option<&ApiKey>) -> RequestBuilder {
    match key {
        Some(key) => request.bearer_auth(key.expose()),
        None => request,
    }
}

/// Any HTTP answer counts, whatever its status: a server that is loading answers 503.
async fn probe(client: &Client, url: &str, key: Option<&ApiKey>) -> Result<Vec<ModelInfo>, String> {
    let request = authorized(client.get(format!("{url}/models")), key);
    let asked = async {
        let response = request.send().await?;
        Ok::<_, reqwest::Error>(list(response).await.unwrap_or_default())
    };
    match tokio::time::timeout(PROBE, asked).await {
        Ok(Ok(models)) => Ok(models),
        Ok(Err(error)) => Err(http::why(&error)),
        Err(_) => Err("no answer within 2 s".to_owned()),
    }
}

/// Asks an end point for its models.
pub(crate) async fn models(
    client: &Client,
    url: &str,
    key: Option<&ApiKey>,
) -> Result<Vec<ModelInfo>, ProviderError> {
    let url = format!("{url}/models");
    let asked = async {
        let response = authorized(client.get(&url), key).send().await.map_err(|error| {
            let why = http::why(&error);
            ProviderError::Connect { url: shown(&url), why, source: Some(Box::new(error.without_url())) }
        })?;
        list(response).await
    };
    let over = |_| ProviderError::Protocol {
        what: "the server did not list its models within 10 s",
        near: String::new(),
    };
    tokio::time::timeout(LIST, asked).await.map_err(over)?
}

async fn list(mut response: Response) -> Result<Vec<ModelInfo>, ProviderError> {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > LIST_LIMIT {
            let what = "the server's list of models has more than 4 MiB";
            return Err(ProviderError::Protocol { what, near: String::new() });
        }
    }
    let text = String::from_utf8_lossy(&body);
    if !(200..300).contains(&status) {
        return Err(http::status_error(status, &text, None));
    }
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(rows) = list.get("data").and_then(Value::as_array) else {
        let what = "the server's answer to /models is no list of models";
        return Err(ProviderError::Protocol { what, near: http::one_line(&text) });
    };
    Ok(rows.iter().filter_map(model).collect())
}

fn model(row: &Value) -> Option<ModelInfo> {
    let id = row.get("id")?.as_str()?.to_owned();
    // llama-server tells the window that it serves here, and the trained one as `n_ctx_train`.
    let window = row.pointer("/meta/n_ctx").and_then(Value::as_u64).filter(|n| *n > 0);
    Some(ModelInfo { id, window })
}
