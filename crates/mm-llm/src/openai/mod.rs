//! The OpenAI chat protocol as local servers really speak it.

#[cfg(feature = "testing")]
pub(crate) mod bare;
mod body;
mod call;
mod decode;
mod sse;
mod state;
mod stream;
mod wire;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use reqwest::Client;

use crate::endpoint::{self, Endpoint, Endpoints, authorized, shown};
use crate::http::{self, ApiKey, ProxySettings};
use crate::observer::{Observer, Sent};
use crate::retry::Refusal;
use crate::{ChatRequest, ChatStream, ModelInfo, Preset, Provider, ProviderError, Unloaded};
use decode::Wanted;
pub use sse::SseDecoder;
use stream::Reading;

/// What an [`OpenAi`] provider needs to know.
#[derive(Clone, Debug)]
pub struct OpenAiOptions {
    /// The row of the table of providers.
    pub preset: &'static Preset,
    /// The end point tried first; the preset's when `None`.
    pub base_url: Option<String>,
    /// The end point tried second.
    pub fallback: Option<String>,
    /// Sent as `Authorization: Bearer`, and nowhere else.
    pub api_key: Option<ApiKey>,
    /// Proxies for hosts that are not local.
    pub proxies: ProxySettings,
    /// Sees every request and its answer.
    pub observer: Option<Arc<dyn Observer>>,
}

impl OpenAiOptions {
    /// The preset's own end points, no key, no proxy.
    pub fn new(preset: &'static Preset) -> Self {
        let fallback = preset.fallback.map(str::to_owned);
        Self {
            preset,
            base_url: None,
            fallback,
            api_key: None,
            proxies: ProxySettings::default(),
            observer: None,
        }
    }
}

/// Checks that an end point is one; an empty one is none, which is fine.
///
/// # Errors
/// When it is no http or https URL.
pub fn check_endpoint(url: &str) -> Result<(), ProviderError> {
    if url.trim().is_empty() { Ok(()) } else { checked(url).map(drop) }
}

/// A server that speaks the OpenAI chat protocol.
#[derive(Clone, Debug)]
pub struct OpenAi {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    preset: &'static Preset,
    client: Client,
    endpoints: Endpoints,
    key: Option<ApiKey>,
    ids: Arc<CallIds>,
    observer: Option<Arc<dyn Observer>>,
    // Keys that the server refused, for the rest of the process; held only to look or to add.
    refused: Mutex<Vec<&'static str>>,
}

impl OpenAi {
    /// Makes a provider. Nothing is sent yet.
    ///
    /// # Errors
    /// Refuses an end point or a proxy that is no http or https URL, and a key that no header can carry.
    pub fn new(options: OpenAiOptions) -> Result<Self, ProviderError> {
        let first = options.base_url.unwrap_or_else(|| options.preset.base_url.to_owned());
        let urls = [Some(first), options.fallback].into_iter().flatten().filter(|url| !url.trim().is_empty());
        let urls: Vec<String> = urls.map(|url| checked(&url)).collect::<Result<_, _>>()?;
        if options.api_key.as_ref().is_some_and(|key| !key.is_sendable()) {
            return Err(ProviderError::BadKey);
        }
        let proxied = urls.iter().map(|url| (url.clone(), options.proxies.serving(url))).collect();
        let inner = Inner {
            preset: options.preset,
            client: http::client(&urls, &options.proxies)?,
            endpoints: Endpoints::new(proxied, options.preset.start),
            key: options.api_key,
            ids: Arc::new(CallIds::default()),
            observer: options.observer,
            refused: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Gives the base URL that is tried first.
    pub fn first_endpoint(&self) -> String {
        self.inner.endpoints.first().map(shown).unwrap_or_default()
    }

    /// Gives the base URL in use, after asking the end points if none has answered yet.
    ///
    /// # Errors
    /// When no server answers.
    pub async fn endpoint(&self) -> Result<String, ProviderError> {
        Ok(shown(&self.inner.choose().await?.base))
    }
}

impl Inner {
    async fn choose(&self) -> Result<Arc<Endpoint>, ProviderError> {
        self.endpoints.choose(&self.client, self.key.as_ref()).await
    }

    async fn open(&self, body: &[u8], wanted: &Wanted) -> Result<Reading, Refusal> {
        let endpoint = self.choose().await?;
        let url = format!("{}/chat/completions", endpoint.base);
        let sent = Sent { method: "POST", url: &shown(&url), body };
        let mut watch = self.observer.as_ref().map(|observer| observer.sent(&sent));
        let request = self.client.post(&url).header("content-type", "application/json").body(body.to_vec());
        match authorized(request, self.key.as_ref()).send().await {
            Ok(response) => Reading::begin(response, sent.url, self.ids.clone(), wanted.clone(), watch).await,
            Err(error) => {
                self.endpoints.forget();
                let why = http::why(&error);
                if let Some(watch) = &mut watch {
                    watch.end(Some(&why));
                }
                let source: Option<Box<dyn std::error::Error + Send + Sync>> =
                    Some(Box::new(error.without_url()));
                let error = ProviderError::Connect { url: sent.url.to_owned(), why, source };
                Err(Refusal { error, retry_after: None, unheard: true })
            }
        }
    }

    /// A server may say the key that it does not like.
    fn hide_key(&self, mut error: ProviderError) -> ProviderError {
        let key = self.key.as_ref().map_or("", ApiKey::expose);
        if let ProviderError::Http { message, .. } = &mut error
            && !key.is_empty()
        {
            *message = message.replace(key, "***");
        }
        error
    }

    fn refused(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn name(&self) -> &str {
        self.inner.preset.name
    }

    fn chat(&self, request: &ChatRequest<'_>) -> ChatStream {
        call::chat(&self.inner, request)
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let base = &self.inner.choose().await?.base;
        let models = endpoint::models(&self.inner.client, base, self.inner.key.as_ref()).await;
        models.map_err(|error| self.inner.hide_key(error))
    }

    async fn loaded(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        self.inner.loaded().await
    }

    async fn context_window(&self, model: &str) -> Option<u64> {
        self.inner.window(model).await
    }

    async fn unload(&self, model: &str) -> Result<Unloaded, ProviderError> {
        self.inner.unload(model).await
    }
}

const NO_SCHEME: &str = "it must begin with http:// or https://";

fn checked(url: &str) -> Result<String, ProviderError> {
    let trimmed = url.trim().trim_end_matches('/');
    let bad = |why: &str| ProviderError::BadUrl { url: shown(url), why: why.to_owned() };
    let parsed = reqwest::Url::parse(trimmed).map_err(|e| match url.contains("://") {
        true => bad(&format!("{e} (it looks like http://127.0.0.1:8080/v1)")),
        false => bad(NO_SCHEME),
    })?;
    match parsed.scheme() {
        "http" => {}
        "https" if cfg!(feature = "tls") => {}
        "https" => return Err(bad("this build has no https: cargo build --release makes one that has")),
        _ => return Err(bad(NO_SCHEME)),
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(bad("a path is put behind it: leave out what begins with ? or #"));
    }
    if trimmed.contains(char::is_whitespace) || trimmed.contains(char::is_control) {
        return Err(bad("there is white space or a control character in it"));
    }
    Ok(trimmed.to_owned())
}

/// Makes up ids for calls that come without one: nine letters and digits, as the strictest chat templates
/// want, different in every call of a process.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    // Counts ids; shared by the streams of one provider and held only to add one.
    next: Mutex<u64>,
    seed: std::hash::RandomState,
}

impl CallIds {
    pub(crate) fn next(&self) -> String {
        use std::hash::BuildHasher;
        let mut counter = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *counter += 1;
        let mut rest = self.seed.hash_one(*counter);
        let digits = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let letter = |n: u64| digits.get((n % 36) as usize).copied().unwrap_or(b'0') as char;
        (0..9)
            .map(|_| {
                let c = letter(rest);
                rest /= 36;
                c
            })
            .collect()
    }
}

#[cfg(test)]
mod recordings;
#[cfg(test)]
mod tests;
