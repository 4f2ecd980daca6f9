//! Which of two end points answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

use crate::http::{self, ApiKey};
use crate::{ModelInfo, ProviderError};

/// How long an end point has to answer `/models`.
const PROBE: Duration = Duration::from_secs(2);
/// The most bytes of a model list that are read.
const LIST_LIMIT: usize = 4 << 20;

/// The end points of a provider, in the order they are tried.
#[derive(Debug)]
pub(crate) struct Endpoints {
    urls: Vec<String>,
    hint: &'static str,
    // Shared with running streams, which choose and forget; held only to copy the pointer.
    chosen: Mutex<Option<Arc<Endpoint>>>,
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
    pub(crate) fn new(urls: Vec<String>, hint: &'static str) -> Self {
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
        for url in &self.urls {
            match probe(client, url, key).await {
                Ok(models) => {
                    let endpoint = Arc::new(Endpoint { base: url.clone(), models });
                    *self.lock() = Some(endpoint.clone());
                    return Ok(endpoint);
                }
                Err(why) => tried.push((shown(url), why)),
            }
        }
        let hint = format!(" — {}", self.hint);
        Err(ProviderError::NoServer { tried, hint })
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
        _ => url.to_owned(),
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
        Ok::<_, reqwest::Error>(models(response).await)
    };
    match tokio::time::timeout(PROBE, asked).await {
        Ok(Ok(models)) => Ok(models),
        Ok(Err(error)) => Err(http::why(&error)),
        Err(_) => Err("no answer within 2 s".to_owned()),
    }
}

async fn models(mut response: Response) -> Vec<ModelInfo> {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > LIST_LIMIT {
            return Vec::new();
        }
    }
    let list: Value = serde_json::from_slice(&body).unwrap_or_default();
    let rows = list.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
    rows.iter().filter_map(model).collect()
}

fn model(row: &Value) -> Option<ModelInfo> {
    let id = row.get("id")?.as_str()?.to_owned();
    // llama-server tells the window that it serves here, and the trained one as `n_ctx_train`.
    let window = row.pointer("/meta/n_ctx").and_then(Value::as_u64).filter(|n| *n > 0);
    Some(ModelInfo { id, window })
}
