//! What differs between servers, as rows of one table.

use serde_json::{Map, Value};

/// The defaults and capabilities of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name in configuration files.
    pub name: &'static str,
    /// The end point tried first.
    pub base_url: &'static str,
    /// The end point tried when the first does not answer.
    pub fallback: Option<&'static str>,
    /// The environment variable that holds the API key; a key is never required.
    pub key_variable: Option<&'static str>,
    /// Whether the server reports on reading the prompt when asked by `return_progress`.
    pub progress: bool,
    /// How the server tells its state, beyond the list of models.
    pub state: StateRoute,
    /// How thinking is switched off where it only costs, as in a summary.
    pub thinking: ThinkingSwitch,
    /// How to start the server, told when none answers.
    pub start: &'static str,
}

/// Where a server tells which models are loaded with which window, and takes the wish to unload one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateRoute {
    /// llama-server: `/props`; as a router `/models` and `/models/unload`.
    LlamaServer,
    /// Ollama and llmman: `/api/ps` and `/api/generate`.
    Ollama,
    /// None is known.
    Unknown,
}

/// The switch that stops a model from thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingSwitch {
    /// `chat_template_kwargs: {enable_thinking: false}`.
    ChatTemplate,
    /// `reasoning_effort: none`.
    Effort,
}

/// The known providers. Adding one is a row here.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "dmr",
        base_url: "http://localhost:12434/engines/v1",
        fallback: Some("http://host.docker.internal:12434/engines/v1"),
        key_variable: None,
        progress: true,
        state: StateRoute::Unknown,
        thinking: ThinkingSwitch::ChatTemplate,
        start: "switch on Docker Model Runner with host-side TCP support (docker desktop enable model-runner --tcp 12434)",
    },
    Preset {
        name: "llamacpp",
        base_url: "http://127.0.0.1:8080/v1",
        fallback: None,
        key_variable: Some("LLAMA_API_KEY"),
        progress: true,
        state: StateRoute::LlamaServer,
        thinking: ThinkingSwitch::ChatTemplate,
        start: "start one with: llama-server -m MODEL.gguf --jinja --port 8080",
    },
    Preset {
        name: "llmman",
        base_url: "http://127.0.0.1:17434/v1",
        fallback: Some("http://host.docker.internal:17434/v1"),
        key_variable: Some("LLMMAN_API_KEY"),
        progress: true,
        state: StateRoute::Ollama,
        thinking: ThinkingSwitch::ChatTemplate,
        start: "start it with: llmman serve",
    },
    Preset {
        name: "ollama",
        base_url: "http://localhost:11434/v1",
        fallback: Some("http://host.docker.internal:11434/v1"),
        key_variable: Some("OLLAMA_API_KEY"),
        progress: false,
        state: StateRoute::Ollama,
        thinking: ThinkingSwitch::Effort,
        start: "start it with: ollama serve",
    },
];

/// Finds a provider by name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

impl ThinkingSwitch {
    /// Gives the parameters of a call that must not think: other keys of `chat_template_kwargs` stay, and an effort
    /// that was set is brought down to `low`, since some models have no "off".
    pub fn off(self, mut sampling: Map<String, Value>) -> Map<String, Value> {
        match self {
            Self::Effort => {
                sampling.insert("reasoning_effort".to_owned(), "none".into());
            }
            Self::ChatTemplate => {
                if let Some(effort) = sampling.get_mut("reasoning_effort") {
                    *effort = "low".into();
                }
                let kwargs =
                    sampling.entry("chat_template_kwargs").or_insert_with(|| Value::Object(Map::new()));
                if !kwargs.is_object() {
                    *kwargs = Value::Object(Map::new());
                }
                if let Some(kwargs) = kwargs.as_object_mut() {
                    kwargs.insert("enable_thinking".to_owned(), false.into());
                }
            }
        }
        sampling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_switched_off_as_the_server_wants_it() {
        let rows = [
            ("llamacpp", "{}", r#"{"chat_template_kwargs":{"enable_thinking":false}}"#),
            (
                "dmr",
                r#"{"top_p":1,"chat_template_kwargs":{"foo":1,"enable_thinking":true},"reasoning_effort":"high"}"#,
                r#"{"top_p":1,"chat_template_kwargs":{"foo":1,"enable_thinking":false},"reasoning_effort":"low"}"#,
            ),
            (
                "llmman",
                r#"{"chat_template_kwargs":7}"#,
                r#"{"chat_template_kwargs":{"enable_thinking":false}}"#,
            ),
            ("ollama", r#"{"reasoning_effort":"high"}"#, r#"{"reasoning_effort":"none"}"#),
        ];
        for (name, sampling, expected) in rows {
            let off = preset(name).unwrap().thinking.off(serde_json::from_str(sampling).unwrap());
            assert_eq!(Value::Object(off).to_string(), expected, "{name}");
        }
    }
}
