//! What differs between servers, as rows of one table.

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
    /// How to start the server, told when none answers.
    pub start: &'static str,
}

/// The known providers. Adding one is a row here.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "dmr",
        base_url: "http://localhost:12434/engines/v1",
        fallback: Some("http://host.docker.internal:12434/engines/v1"),
        key_variable: None,
        progress: true,
        start: "switch on Docker Model Runner with host-side TCP support (docker desktop enable model-runner --tcp 12434)",
    },
    Preset {
        name: "llamacpp",
        base_url: "http://127.0.0.1:8080/v1",
        fallback: None,
        key_variable: Some("LLAMA_API_KEY"),
        progress: true,
        start: "start one with: llama-server -m MODEL.gguf --jinja --port 8080",
    },
    Preset {
        name: "llmman",
        base_url: "http://127.0.0.1:17434/v1",
        fallback: Some("http://host.docker.internal:17434/v1"),
        key_variable: Some("LLMMAN_API_KEY"),
        progress: true,
        start: "start it with: llmman serve",
    },
    Preset {
        name: "ollama",
        base_url: "http://localhost:11434/v1",
        fallback: Some("http://host.docker.internal:11434/v1"),
        key_variable: Some("OLLAMA_API_KEY"),
        progress: false,
        start: "start it with: ollama serve",
    },
];

/// Finds a provider by name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
