//! `mm doctor`: tries what a talk needs, and says what works, what does not, and what to do.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use mm_config::Config;
use mm_llm::{ChatEvent, ChatRequest, Message, Provider, ProviderError, Reply, WaitLimits, watch};
use mm_schema::ToolSpec;
use mm_session::AnswerFormat;
use mm_tools::output::visible;
use serde_json::{Value, json};

use crate::app::print;
use crate::assemble::Engine;
use crate::error::CliError;
use crate::render::tokens;

/// What became of one trial.
enum Verdict {
    Works(String),
    /// Not needed, or not known.
    Open(String),
    Fails(String),
}

/// Tries one thing after the other; each is printed as it ends.
pub(crate) async fn run(engine: &Engine, config: &Config) -> Result<ExitCode, CliError> {
    let doctor = Doctor { engine, config };
    let server = doctor.server().await;
    let has_server = matches!(server, Verdict::Works(_));
    let mut works = tell("server", &server)?;
    if !has_server {
        return Ok(ExitCode::FAILURE);
    }
    works &= tell("model", &doctor.model().await)?;
    works &= tell("window", &doctor.window().await)?;
    let answer = doctor.answer().await;
    works &= tell("answer", &answer)?;
    if matches!(answer, Verdict::Fails(_)) {
        // The rest would fail in the same words.
        return Ok(ExitCode::FAILURE);
    }
    works &= tell("tool call", &doctor.tool_call().await)?;
    works &= tell("JSON", &doctor.json().await)?;
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(what: &str, verdict: &Verdict) -> Result<bool, CliError> {
    let (mark, words, works) = match verdict {
        Verdict::Works(words) => ("ok", words, true),
        Verdict::Open(words) => ("?", words, true),
        Verdict::Fails(words) => ("no", words, false),
    };
    print(&format!("{mark:<3} {what:<10} {}\n", visible(&words.replace('\n', " "))))?;
    Ok(works)
}

struct Doctor<'a> {
    engine: &'a Engine,
    config: &'a Config,
}

impl Doctor<'_> {
    async fn server(&self) -> Verdict {
        match self.engine.provider.endpoint().await {
            Ok(url) => {
                let own = self.engine.provider.first_endpoint();
                let instead = if url == own { String::new() } else { format!(" ({own} does not answer)") };
                Verdict::Works(format!("{url}{instead}"))
            }
            Err(error) => Verdict::Fails(error.to_string()),
        }
    }

    async fn model(&self) -> Verdict {
        let model = &self.config.model;
        let listed = match self.engine.provider.models().await {
            Ok(listed) => listed,
            // A server that lists nothing may answer all the same.
            Err(error) => return Verdict::Open(error.to_string()),
        };
        let names: Vec<&str> = listed.iter().map(|model| model.id.as_str()).collect();
        match names.as_slice() {
            [] => Verdict::Open("the server lists none".to_owned()),
            names if names.contains(&model.as_str()) => Verdict::Works(model.clone()),
            [only] => {
                Verdict::Open(format!("{model} is not listed; the server has {only} and may serve that"))
            }
            names => {
                let some: Vec<&str> = names.iter().take(8).copied().collect();
                let nearest = mm_schema::nearest(model, names.iter().copied());
                let hint = nearest.map(|name| format!(" — did you mean {name}?")).unwrap_or_default();
                Verdict::Open(format!("{model} is not listed (there are {}){hint}", some.join(", ")))
            }
        }
    }

    async fn window(&self) -> Verdict {
        let served = self.engine.provider.context_window(&self.config.model).await;
        match (self.config.context_window as u64, served) {
            (0, Some(served)) => Verdict::Works(format!("{} tokens, says the server", tokens(served))),
            (0, None) => {
                Verdict::Open("the server does not say — set contextWindow to what it serves".to_owned())
            }
            (set, Some(served)) if served < set => Verdict::Fails(format!(
                "contextWindow is {set}, and the server serves {served} — set it to that, or serve more"
            )),
            (set, _) => Verdict::Works(format!("{} tokens, as contextWindow says", tokens(set))),
        }
    }

    async fn answer(&self) -> Verdict {
        let begin = Instant::now();
        let asked = self.ask("Answer with one word: yes", &[], None).await;
        match asked {
            Err(words) => Verdict::Fails(words),
            Ok((reply, _)) if reply.text.trim().is_empty() && !reply.reasoning.is_empty() => {
                Verdict::Open(format!(
                    "only thinking came within {} tokens — raise sampling.max_tokens for answers",
                    self.max_tokens()
                ))
            }
            Ok((reply, _)) if reply.text.trim().is_empty() => {
                Verdict::Fails("the answer is empty — look at the server's chat template".to_owned())
            }
            Ok((reply, first)) => {
                let speed = reply.usage.and_then(|usage| usage.tokens_per_second);
                let speed = speed.map(|speed| format!(", {speed:.0} tokens/s")).unwrap_or_default();
                let whole = begin.elapsed();
                Verdict::Works(format!(
                    "first token after {}, whole after {}{speed}",
                    seconds(first),
                    seconds(whole)
                ))
            }
        }
    }

    /// Asks what a talk would ask, with the tools and the system prompt of one. Nothing is run.
    async fn tool_call(&self) -> Verdict {
        let tools = self.engine.session.tools().definitions();
        if tools.is_empty() {
            return Verdict::Open("this configuration declares no tool".to_owned());
        }
        match self.ask("Which files are here?", &tools, None).await {
            Err(words) => Verdict::Fails(words),
            Ok((reply, _)) => {
                let Some(call) = reply.calls.first() else {
                    let words = "the model called no tool, though it was asked for something that needs one — start \
                                 llama-server with --jinja, or take a model that calls tools";
                    return Verdict::Fails(words.to_owned());
                };
                let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
                    return Verdict::Fails(format!("the model called {:?}, which there is not", call.name));
                };
                match mm_schema::arguments::decode(&call.arguments, &tool.parameters) {
                    Ok(_) => Verdict::Works(format!("{} {}", call.name, call.arguments)),
                    Err(error) => Verdict::Fails(format!("the arguments are wrong: {error}")),
                }
            }
        }
    }

    /// Asks for an answer of the shape that the configuration has, else of a small one.
    async fn json(&self) -> Verdict {
        let (question, format) = match &self.engine.session.options().format {
            Some(format) => {
                (format!("Make up an example.\n\n{}", format.paragraph()), Ok(format.as_ref().clone()))
            }
            None => {
                ("What is the capital of France? Answer in JSON.".to_owned(), AnswerFormat::new(&capital()))
            }
        };
        let format = match format {
            Ok(format) => format,
            Err(error) => return Verdict::Fails(error.to_string()),
        };
        match self.ask(&question, &[], Some(format.schema())).await {
            Err(words) => Verdict::Fails(words),
            Ok((reply, _)) => match format.find(&reply.text, true) {
                Ok(found) => Verdict::Works(found.split_whitespace().collect::<Vec<_>>().join(" ")),
                Err(_) => Verdict::Fails(
                    "the answer does not follow response_format — the server ignores it, max_tokens is too small, or \
                     the model thinks until they are used up"
                        .to_owned(),
                ),
            },
        }
    }

    /// Asks the model once; gives the reply and when its first token came.
    async fn ask(
        &self,
        question: &str,
        tools: &[ToolSpec],
        schema: Option<&Value>,
    ) -> Result<(Reply, Duration), String> {
        let options = self.engine.session.options();
        let mut messages = vec![Message::User(question.to_owned())];
        // As a talk begins; the other trials are of the bare model.
        if !tools.is_empty() {
            messages.splice(0..0, self.engine.session.history().messages().iter().cloned());
        }
        let mut sampling = options.sampling.clone();
        // Enough for what is asked, and no examples' stop words.
        sampling.insert("max_tokens".to_owned(), self.max_tokens().into());
        sampling.shift_remove("stop");
        let request = ChatRequest { model: &options.model, messages: &messages, tools, sampling, schema };
        let waits: WaitLimits = options.waits.clone();
        let mut stream = watch(self.engine.provider.chat(&request), waits);
        let (begin, mut first, mut reply) = (Instant::now(), None, Reply::default());
        while let Some(event) = stream.next().await {
            let event: ChatEvent = event.map_err(|error| format!("{error}{}", remedy(&error)))?;
            if event.is_token() {
                first.get_or_insert_with(|| begin.elapsed());
            }
            reply.push(&event);
        }
        Ok((reply, first.unwrap_or_else(|| begin.elapsed())))
    }

    fn max_tokens(&self) -> u64 {
        let own = self.config.sampling.get("max_tokens").and_then(Value::as_u64);
        own.unwrap_or(1024).clamp(256, 1024)
    }
}

fn capital() -> Value {
    json!({
        "type": "object",
        "properties": { "capital": { "type": "string" } },
        "required": ["capital"],
        "additionalProperties": false,
    })
}

/// What to do about an error that does not say it.
fn remedy(error: &ProviderError) -> &'static str {
    match error {
        ProviderError::Timeout { .. } => {
            " — look at the server's log; where it only is slow, raise firstTokenTimeout and watchdogTimeout"
        }
        ProviderError::Protocol { .. } => {
            " — is an OpenAI-compatible server there, and is the path of baseUrl right? it mostly ends in /v1"
        }
        ProviderError::Http { status: 500.., .. } | ProviderError::Server { .. } => {
            " — look at the server's log"
        }
        _ => "",
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
