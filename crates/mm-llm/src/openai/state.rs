//! What a server tells besides answers: the window that it serves, which models are loaded; and the wish to unload
//! one.
//!
//! Facts: llama-server's README (`/props`, router mode), Ollama's API (`/api/ps`, `/api/generate`).

use std::time::Duration;

use serde_json::{Value, json};

use super::Inner;
use crate::endpoint::{Endpoint, authorized, shown};
use crate::http;
use crate::{ModelInfo, ProviderError, StateRoute, Unloaded};

/// How long a question about the state may take.
const ASK: Duration = Duration::from_secs(2);
/// How long a server may take to let a model go.
const UNLOAD: Duration = Duration::from_secs(30);
/// The most bytes of an answer that are read.
const LIMIT: usize = 4 << 20;

impl Inner {
    /// The window that is served for a model: as the list said, else as the server says when it is asked. Nothing
    /// is asked that would load a model.
    pub(super) async fn window(&self, model: &str) -> Option<u64> {
        let endpoint = self.choose().await.ok()?;
        let named = endpoint.models.iter().find(|listed| listed.id == model);
        // A server of a single model serves it whatever name it is asked for.
        let only = endpoint.models.first().filter(|_| endpoint.models.len() == 1);
        if let Some(window) = named.or(only).and_then(|listed| listed.window) {
            return Some(window);
        }
        match self.preset.state {
            StateRoute::Unknown => None,
            StateRoute::LlamaServer => {
                let props = self.get(&format!("{}/props", root(&endpoint.base))).await?;
                if props.get("role").is_some_and(|role| role == "router") {
                    let rows = self.get(&format!("{}/models", endpoint.base)).await?;
                    return listed_window(list(&rows, "data").find(|row| id(row) == Some(model))?);
                }
                props.pointer("/default_generation_settings/n_ctx")?.as_u64().filter(|window| *window > 0)
            }
            StateRoute::Ollama => {
                self.running(&endpoint).await?.into_iter().find(|info| same(&info.id, model))?.window
            }
        }
    }

    /// The models that are in the server's memory.
    pub(super) async fn loaded(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let endpoint = self.choose().await?;
        match self.preset.state {
            StateRoute::Ollama => Ok(self.running(&endpoint).await.unwrap_or_default()),
            StateRoute::Unknown | StateRoute::LlamaServer => {
                let rows = self.get(&format!("{}/models", endpoint.base)).await.unwrap_or_default();
                // A router says which of its models are loaded. A llama-server that is none has what it lists with
                // its `meta`; a list without either says nothing.
                let is_loaded = |row: &&Value| match row.pointer("/status/value") {
                    Some(status) => status == "loaded" || status == "sleeping",
                    None => row.get("meta").is_some_and(Value::is_object),
                };
                let info =
                    |row: &Value| Some(ModelInfo { id: id(row)?.to_owned(), window: listed_window(row) });
                Ok(list(&rows, "data").filter(is_loaded).filter_map(info).collect())
            }
        }
    }

    async fn running(&self, endpoint: &Endpoint) -> Option<Vec<ModelInfo>> {
        let answer = self.get(&format!("{}/api/ps", root(&endpoint.base))).await?;
        let info = |row: &Value| {
            let id = row.get("model").or_else(|| row.get("name"))?.as_str()?.to_owned();
            let window = row.get("context_length").and_then(Value::as_u64).filter(|window| *window > 0);
            Some(ModelInfo { id, window })
        };
        Some(list(&answer, "models").filter_map(info).collect())
    }

    /// Asks the server to let a model go.
    pub(super) async fn unload(&self, model: &str) -> Result<Unloaded, ProviderError> {
        let endpoint = self.choose().await?;
        let root = root(&endpoint.base);
        let (url, body) = match self.preset.state {
            StateRoute::Unknown => return Ok(Unloaded::Unsupported),
            // The integer 0 and no prompt: anything else would load the model.
            StateRoute::Ollama => {
                (format!("{root}/api/generate"), json!({ "model": model, "keep_alive": 0 }))
            }
            StateRoute::LlamaServer => (format!("{root}/models/unload"), json!({ "model": model })),
        };
        let request =
            self.client.post(&url).header("content-type", "application/json").body(body.to_string());
        let asked = async {
            let response = authorized(request, self.key.as_ref()).send().await.map_err(|error| {
                let why = http::why(&error);
                ProviderError::Connect { url: shown(&url), why, source: Some(Box::new(error.without_url())) }
            })?;
            let status = response.status().as_u16();
            Ok::<_, ProviderError>((status, String::from_utf8_lossy(&read(response).await).into_owned()))
        };
        let over = |_| ProviderError::Protocol {
            what: "the server did not say within 30 s whether it let the model go",
            near: String::new(),
        };
        let (status, body) = tokio::time::timeout(UNLOAD, asked).await.map_err(over)??;
        match status {
            200..=299 => Ok(Unloaded::Freed),
            400 if body.contains("not running") || body.contains("not loaded") => Ok(Unloaded::NotLoaded),
            // A llama-server that is no router has no such path, and one model that it cannot do without.
            404 if self.preset.state == StateRoute::LlamaServer => Ok(Unloaded::Unsupported),
            _ => Err(http::status_error(status, &body, None)),
        }
    }

    /// A JSON answer, if there is one in time.
    async fn get(&self, url: &str) -> Option<Value> {
        let request = authorized(self.client.get(url), self.key.as_ref());
        let asked = async {
            let response = request.send().await.ok().filter(|response| response.status().is_success())?;
            serde_json::from_slice(&read(response).await).ok()
        };
        tokio::time::timeout(ASK, asked).await.ok()?
    }
}

async fn read(mut response: reqwest::Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > LIMIT {
            break;
        }
    }
    body
}

/// The root of a server, above `/v1`.
fn root(base: &str) -> &str {
    base.strip_suffix("/v1").unwrap_or(base)
}

fn list<'v>(answer: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    answer.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn id(row: &Value) -> Option<&str> {
    row.get("id")?.as_str()
}

/// The window of a listed model: as served, else as the router will start it.
fn listed_window(row: &Value) -> Option<u64> {
    let served = row.pointer("/meta/n_ctx").and_then(Value::as_u64);
    let args = || {
        let args: Vec<&str> =
            row.pointer("/status/args")?.as_array()?.iter().filter_map(Value::as_str).collect();
        let flag = args.iter().position(|arg| matches!(*arg, "--ctx-size" | "-c"))?;
        args.get(flag + 1)?.parse().ok()
    };
    served.or_else(args).filter(|window| *window > 0)
}

/// Whether a server's name for a model is the one that was asked for: Ollama adds a tag, llmman the place that a
/// short name stands for.
fn same(theirs: &str, ours: &str) -> bool {
    let with_tag = |name: &str| if name.contains(':') { name.to_owned() } else { format!("{name}:latest") };
    let (theirs, ours) = (with_tag(theirs), with_tag(ours));
    theirs == ours || theirs.strip_suffix(&ours).is_some_and(|place| place.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::{body_json, method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use crate::{OpenAi, OpenAiOptions, Provider, preset};

    /// A server with answers to GETs.
    async fn server(routes: &[(&str, &str)]) -> MockServer {
        let server = MockServer::start().await;
        for (route, answer) in routes {
            let answer = ResponseTemplate::new(200).set_body_raw(*answer, "application/json");
            Mock::given(method("GET")).and(path(*route)).respond_with(answer).mount(&server).await;
        }
        server
    }

    fn provider(server: &MockServer, name: &str) -> OpenAi {
        let base_url = Some(format!("{}/v1", server.uri()));
        let options = OpenAiOptions { base_url, fallback: None, ..OpenAiOptions::new(preset(name).unwrap()) };
        OpenAi::new(options).unwrap()
    }

    #[tokio::test]
    async fn each_server_is_asked_for_its_window_in_its_own_way() {
        let plain = r#"{"data":[{"id":"m"}]}"#;
        let router = r#"{"data":[{"id":"a","status":{"value":"unloaded","args":["--ctx-size","8192"]}},
            {"id":"b","status":{"value":"loaded"},"meta":{"n_ctx":2048}}]}"#;
        let rows: Vec<(&str, &str, Vec<(&str, &str)>, Option<u64>)> = vec![
            (
                "llamacpp",
                "m",
                vec![("/v1/models", plain), ("/props", r#"{"default_generation_settings":{"n_ctx":4096}}"#)],
                Some(4096),
            ),
            (
                "llamacpp",
                "m",
                vec![("/v1/models", r#"{"data":[{"id":"x","meta":{"n_ctx":512}}]}"#)],
                Some(512),
            ),
            (
                "llamacpp",
                "a",
                vec![
                    ("/v1/models", router),
                    ("/props", r#"{"role":"router","default_generation_settings":{"n_ctx":0}}"#),
                ],
                Some(8192),
            ),
            ("llamacpp", "b", vec![("/v1/models", router)], Some(2048)),
            ("llamacpp", "m", vec![("/v1/models", plain)], None),
            ("llamacpp", "m", vec![("/v1/models", plain), ("/props", "not json")], None),
            (
                "ollama",
                "qwen3",
                vec![
                    ("/v1/models", plain),
                    ("/api/ps", r#"{"models":[{"model":"qwen3:latest","context_length":4096}]}"#),
                ],
                Some(4096),
            ),
            ("ollama", "qwen3", vec![("/v1/models", plain), ("/api/ps", r#"{"models":[]}"#)], None),
            (
                "llmman",
                "qwen3:Q4",
                vec![
                    ("/v1/models", plain),
                    (
                        "/api/ps",
                        r#"{"models":[{"name":"hf.co/o/qwen3:Q4","context_length":null},
                        {"name":"hf.co/p/qwen3:Q4","context_length":16384}]}"#,
                    ),
                ],
                None,
            ),
            (
                "dmr",
                "m",
                vec![("/v1/models", plain), ("/props", r#"{"default_generation_settings":{"n_ctx":1}}"#)],
                None,
            ),
        ];
        for (name, model, routes, expected) in rows {
            let server = server(&routes).await;
            assert_eq!(provider(&server, name).context_window(model).await, expected, "{name} {routes:?}");
            let asked = server.received_requests().await.unwrap();
            assert!(
                asked.iter().all(|request| request.method.as_str() == "GET" && request.url.query().is_none())
            );
        }
    }

    #[tokio::test]
    async fn loaded_models_are_those_in_memory() {
        let router =
            r#"{"data":[{"id":"a","status":{"value":"unloaded"}},{"id":"b","status":{"value":"loaded"}}]}"#;
        let names = |infos: Vec<ModelInfo>| infos.into_iter().map(|info| info.id).collect::<Vec<_>>();
        let llama = server(&[("/v1/models", router)]).await;
        assert_eq!(names(provider(&llama, "llamacpp").loaded().await.unwrap()), ["b"]);
        // A llama-server with one model has it in memory; a list that says neither says nothing.
        let bare = r#"{"data":[{"id":"a","meta":{"n_ctx":4096}},{"id":"b"},{"id":"c","meta":null}]}"#;
        let other = server(&[("/v1/models", bare)]).await;
        for name in ["llamacpp", "dmr"] {
            assert_eq!(names(provider(&other, name).loaded().await.unwrap()), ["a"], "{name}");
        }
        let ps = r#"{"models":[{"name":"x:latest","model":"x:latest","context_length":1}]}"#;
        let ollama = server(&[("/v1/models", r#"{"data":null}"#), ("/api/ps", ps)]).await;
        assert_eq!(names(provider(&ollama, "ollama").loaded().await.unwrap()), ["x:latest"]);
    }

    /// Rows of (provider, path, body, status and answer, what comes of it).
    #[tokio::test]
    async fn a_model_is_let_go_as_the_server_wants_it() {
        let freed = Ok(Unloaded::Freed);
        let rows = [
            ("ollama", "/api/generate", json!({"model": "m", "keep_alive": 0}), 200, "{}", freed.clone()),
            ("llmman", "/api/generate", json!({"model": "m", "keep_alive": 0}), 200, "{}", freed.clone()),
            ("llamacpp", "/models/unload", json!({"model": "m"}), 200, r#"{"success":true}"#, freed),
            (
                "llamacpp",
                "/models/unload",
                json!({"model": "m"}),
                400,
                r#"{"error":{"code":400,"message":"model is not running"}}"#,
                Ok(Unloaded::NotLoaded),
            ),
            (
                "llamacpp",
                "/models/unload",
                json!({"model": "m"}),
                404,
                r#"{"error":{"message":"File Not Found"}}"#,
                Ok(Unloaded::Unsupported),
            ),
            (
                "ollama",
                "/api/generate",
                json!({"model": "m", "keep_alive": 0}),
                404,
                r#"{"error":"model 'm' not found"}"#,
                Err("the server answered HTTP 404: model 'm' not found".to_owned()),
            ),
        ];
        for (name, route, body, status, answer, expected) in rows {
            let server = server(&[("/v1/models", r#"{"data":[]}"#)]).await;
            let answer = ResponseTemplate::new(status).set_body_raw(answer, "application/json");
            let mock =
                Mock::given(method("POST")).and(path(route)).and(body_json(&body)).respond_with(answer);
            mock.expect(1).mount(&server).await;
            let unloaded = provider(&server, name).unload("m").await.map_err(|error| error.to_string());
            assert_eq!(unloaded, expected, "{name} {status}");
        }
        let nobody = server(&[("/v1/models", r#"{"data":[]}"#)]).await;
        assert_eq!(provider(&nobody, "dmr").unload("m").await.unwrap(), Unloaded::Unsupported);
    }

    #[test]
    fn names_of_a_model_are_known_for_the_same() {
        let rows = [
            ("qwen3:8b", "qwen3:8b", true),
            ("qwen3:latest", "qwen3", true),
            ("huggingface.co/org/qwen3:Q4", "org/qwen3:Q4", true),
            ("qwen3:8b", "qwen3:4b", false),
            ("myqwen3:8b", "qwen3:8b", false),
            ("qwen3:8b", "qwen3", false),
        ];
        for (theirs, ours, expected) in rows {
            assert_eq!(same(theirs, ours), expected, "{theirs} {ours}");
        }
    }

    #[test]
    fn the_window_is_the_served_one() {
        let rows = [
            (r#"{"meta":{"n_ctx":4096,"n_ctx_train":131072}}"#, Some(4096)),
            (r#"{"meta":{"n_ctx_train":131072}}"#, None),
            (
                r#"{"meta":null,"status":{"value":"unloaded","args":["-m","x","--ctx-size","8192"]}}"#,
                Some(8192),
            ),
            (r#"{"status":{"args":["-c"]}}"#, None),
            (r#"{"meta":{"n_ctx":0}}"#, None),
        ];
        for (row, expected) in rows {
            assert_eq!(listed_window(&serde_json::from_str(row).unwrap()), expected, "{row}");
        }
        assert_eq!(
            (root("http://x/v1"), root("http://x/engines/v1"), root("http://x")),
            ("http://x", "http://x/engines", "http://x")
        );
    }
}
