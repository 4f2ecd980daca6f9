//! The tool that frees the memory of a model on the server.

use std::sync::Arc;

use async_trait::async_trait;
use mm_llm::{Provider, Unloaded};
use mm_schema::ToolSpec;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput};
use serde_json::{Value, json};

/// The tool `unload_model`: lets a server forget a model. It loads it again when it is asked, so nobody is asked before.
#[derive(Debug)]
pub struct UnloadModel {
    definition: ToolSpec,
    provider: Arc<dyn Provider>,
    model: String,
}

impl UnloadModel {
    /// Makes the tool for a server, and the model that is meant where a call names none.
    pub fn new(provider: Arc<dyn Provider>, model: impl Into<String>) -> Self {
        let definition = ToolSpec {
            name: "unload_model".to_owned(),
            description: "Frees the memory of a model on the server; without a name, yours.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "model": { "type": "string" } } }),
        };
        Self { definition, provider, model: model.into() }
    }

    fn named<'a>(&'a self, args: &'a Value) -> &'a str {
        let given = args.get("model").and_then(Value::as_str).map(str::trim);
        given.filter(|model| !model.is_empty()).unwrap_or(&self.model)
    }
}

#[async_trait]
impl Tool for UnloadModel {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        Preview { overlaps: false, ..Preview::reading(self.named(args)) }
    }

    async fn run(&self, args: &Value, _cx: &ToolContext) -> ToolOutput {
        let model = self.named(args);
        match self.provider.unload(model).await {
            Ok(Unloaded::Freed) => {
                ToolOutput::ok(format!("[{model} is unloaded; it is loaded again when it is asked]"))
            }
            Ok(Unloaded::NotLoaded) => ToolOutput::ok(format!("[{model} was not loaded]")),
            Ok(Unloaded::Unsupported) => {
                ToolOutput::error("this server cannot unload a model: only ending it frees the memory")
            }
            Err(error) => ToolOutput::error(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use mm_llm::testing::{Answer, ScriptedServer};
    use mm_llm::{OpenAi, OpenAiOptions, preset};

    use super::*;

    #[tokio::test]
    async fn a_model_is_let_go_by_its_name_or_as_the_one_in_use() {
        let route = "POST /api/generate";
        let answers = [Answer::json(200, "{}"), Answer::json(404, r#"{"error":"model 'x' not found"}"#)];
        let server = ScriptedServer::start([]).await.unwrap().with_route(route, answers);
        let options = OpenAiOptions::new(preset("ollama").unwrap());
        let options = OpenAiOptions { base_url: Some(server.base_url()), fallback: None, ..options };
        let tool = UnloadModel::new(Arc::new(OpenAi::new(options).unwrap()), "qwen3");
        let cx = ToolContext::new("/");
        let run = async |args: Value| tool.run(&args, &cx).await.text;
        assert_eq!(run(json!({})).await, "[qwen3 is unloaded; it is loaded again when it is asked]");
        let missing = "[error: the server answered HTTP 404: model 'x' not found]";
        assert_eq!(run(json!({"model": " x "})).await, missing);
        let told: Vec<String> =
            server.requests().into_iter().filter(|r| r.method == "POST").map(|r| r.body).collect();
        assert_eq!(told, [r#"{"model":"qwen3","keep_alive":0}"#, r#"{"model":"x","keep_alive":0}"#]);
        assert!(!tool.preview(&json!({}), &cx).mutating, "nobody is asked");
    }
}
