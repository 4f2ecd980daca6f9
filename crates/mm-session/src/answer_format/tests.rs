use std::sync::Arc;

use mm_llm::testing::{ScriptedProvider, Step};
use mm_llm::{ChatEvent, FinishReason, Message};
use mm_tools::testing::ScriptedTool;
use mm_tools::{ToolOutput, ToolSet};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::testing::{RecordingFrontend, check_valid};
use crate::{Event, Session, SessionOptions, SessionParts};

const BLOCK: &str = "type City struct {\n\tName string `json:\"name\"`\n}\nvar Cities []City";

/// A session whose answers are lists of cities, beside a tool that it must not declare.
struct Bench {
    session: Session,
    provider: Arc<ScriptedProvider>,
    ui: RecordingFrontend,
}

impl Bench {
    fn new(replies: Vec<Vec<Step>>, change: impl FnOnce(&mut AnswerFormat)) -> Self {
        let provider = Arc::new(ScriptedProvider::new(replies));
        let mut tools = ToolSet::new();
        tools.add(Arc::new(ScriptedTool::reading("look", [ToolOutput::ok("x")]))).unwrap();
        let parts = SessionParts { tools, ..SessionParts::new(provider.clone()) };
        let mut options = SessionOptions::new("m", "/w");
        options.sampling.insert("max_tokens".into(), json!(64));
        let schema = mm_schema::translate(BLOCK).unwrap();
        let mut format = AnswerFormat::new(schema.value()).unwrap().declared_as(BLOCK);
        change(&mut format);
        options.format = Some(Arc::new(format));
        Self { session: Session::new(parts, options), provider, ui: RecordingFrontend::default() }
    }

    async fn ask(&mut self) -> String {
        let result = self.session.turn("Which cities?", &self.ui, &CancellationToken::new()).await;
        let next = [Message::User("next".into())];
        assert_eq!(check_valid(&[self.session.history().messages(), &next].concat()), Ok(()));
        result.map_or_else(|error| format!("!{error}"), |answer| answer.text)
    }

    /// What stands on stdout.
    fn shown(&self) -> Vec<String> {
        let events = self.ui.events().into_iter();
        events.filter_map(|event| if let Event::Text { text } = event { Some(text) } else { None }).collect()
    }
}

fn reply(text: &str, thought: &str, finish: FinishReason) -> Vec<Step> {
    let events =
        [ChatEvent::Reasoning(thought.into()), ChatEvent::Text(text.into()), ChatEvent::Finished(finish)];
    events.into_iter().map(Step::Event).collect()
}

/// Rows of (replies as text, thinking and whether it was cut; the answer or the error; calls of the model).
#[tokio::test]
async fn an_answer_is_what_fits_or_the_turn_fails() {
    let failed = "!model failed to generate output matching expected schema: ";
    let cut = "!the answer was cut off by max_tokens before its JSON was complete (64: raise it in sampling) — \
               model failed to generate output matching expected schema: ";
    let good = "[{\"name\": \"Rome\"}]";
    let type_fault = "/0/name: 5 is not of type \"string\"";
    let padded = format!("\n{good} \n");
    let fenced = format!("Here:\n```json\n{good}\n```\nDone.");
    let rows: Vec<(Vec<(&str, &str, bool)>, String, usize)> = vec![
        (vec![(good, "", false)], good.into(), 1),
        (vec![(&padded, "hm", false)], good.into(), 1),
        (vec![(&fenced, "", false)], good.into(), 1),
        (vec![("[{\"name\": 5}]", "", false), (good, "", false)], good.into(), 2),
        (vec![("[{\"name\": 5}]", "", false); 2], format!("{failed}{type_fault}"), 2),
        (vec![("[] or []", "", false), ("[]", "", false)], "[]".into(), 2),
        (vec![("", "", false), (good, "", false)], good.into(), 2),
        (vec![("", "", false); 2], format!("{failed}the answer is empty"), 2),
        (
            vec![("", good, false)],
            format!(
                "{failed}the model only thought and answered nothing — switch thinking off for it (sampling.reasoning_format: none on llama.cpp)"
            ),
            1,
        ),
        (
            vec![("", "hm", true)],
            format!(
                "{cut}the model used all of them to think — switch thinking off for it (sampling.reasoning_format: none on llama.cpp)"
            ),
            1,
        ),
        (vec![("", "", true)], format!("{cut}the answer is empty"), 1),
        (
            vec![("[{\"name\": \"Ro", "", true)],
            format!("{cut}this is not valid JSON: EOF while parsing a string at line 1, column 13"),
            1,
        ),
        (vec![(good, "", true)], good.into(), 1),
        (
            vec![("See [] and [{\"name\": ", "", true)],
            format!("{cut}this is not valid JSON: expected value at line 1, column 1"),
            1,
        ),
    ];
    for (replies, expected, calls) in rows {
        let finish = |was_cut| if was_cut { FinishReason::Length } else { FinishReason::Stop };
        let script: Vec<Vec<Step>> =
            replies.iter().map(|(text, thought, cut)| reply(text, thought, finish(*cut))).collect();
        let mut bench = Bench::new(script, |_| {});
        assert_eq!(bench.ask().await, expected, "{replies:?}");
        let seen = bench.provider.seen();
        assert_eq!(seen.len(), calls, "{replies:?}");
        let shown = if expected.starts_with('!') { vec![] } else { vec![expected] };
        assert_eq!(bench.shown(), shown, "nothing but a checked answer is shown: {replies:?}");
        for request in &seen {
            assert_eq!(
                (request.tools.as_slice(), request.schema.as_ref().map(|s| &s["type"])),
                (&[][..], Some(&json!("array")))
            );
        }
    }
}

/// No tool is declared, so nothing that is called can be wanted.
#[tokio::test]
async fn an_answer_that_fits_counts_whatever_is_called_beside_it() {
    let mut beside = reply("[{\"name\": \"Rome\"}]", "", FinishReason::Stop);
    beside.pop();
    beside.extend(ScriptedProvider::calls(&[("a", "bash", "{}")]));
    let mut bench = Bench::new(vec![beside], |_| {});
    assert_eq!(bench.ask().await, "[{\"name\": \"Rome\"}]");
    assert_eq!(bench.provider.seen().len(), 1);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_given_back_with_its_faults() {
    let wrong = "[{\"name\": 5}, {\"nam\": \"Rome\"}]";
    let script = || [wrong, "[]"].into_iter().map(|text| reply(text, "", FinishReason::Stop)).collect();
    let mut bench = Bench::new(script(), |_| {});
    assert_eq!(bench.ask().await, "[]");
    let seen = bench.provider.seen();
    assert!(seen[1].messages.starts_with(&seen[0].messages), "the prompt only grows");
    let faults = "\n- /0/name: 5 is not of type \"string\"\
                  \n- /1: Additional properties are not allowed ('nam' was unexpected)\
                  \n- /1: \"name\" is a required property";
    let told = format!(
        "Your answer does not fit the OUTPUT FORMAT:{faults}\n\
         Answer again with the whole JSON value, these faults mended, and nothing else."
    );
    assert_eq!(seen[1].messages[2..], [Message::assistant(wrong), Message::User(told)]);
    let notices = |event| if let Event::Notice { text } = event { Some(text) } else { None };
    let notices: Vec<String> = bench.ui.events().into_iter().filter_map(notices).collect();
    assert_eq!(
        notices,
        [
            "the answer does not fit its schema, and the model is asked again: /0/name: 5 is not of type \"string\"; \
          /1: Additional properties are not allowed ('nam' was unexpected); /1: \"name\" is a required property"
        ]
    );
    // Switched off.
    let mut bench = Bench::new(script(), |format| format.retries = 0);
    assert!(
        bench.ask().await.starts_with("!model failed to generate output matching expected schema: /0/name: ")
    );
    assert_eq!(bench.provider.seen().len(), 1);
}

#[test]
fn the_model_is_told_the_shape_behind_the_system_message() {
    let schema = mm_schema::translate(BLOCK).unwrap();
    let format = AnswerFormat::new(schema.value()).unwrap();
    let shown = crate::prompt::with_format(Some("You are Bob.\n"), &format);
    let begin = "You are Bob.\n\nOUTPUT FORMAT\nAnswer with one JSON value";
    assert!(
        shown.starts_with(begin) && shown.ends_with(&format!("JSON Schema:\n\n{}", schema.value())),
        "{shown}"
    );
    let declared = format.declared_as(&format!("\n{BLOCK}\n"));
    assert!(declared.paragraph().ends_with(&format!("\n\n{BLOCK}")));
    assert!(crate::prompt::with_format(Some(""), &declared).starts_with("OUTPUT FORMAT\n"));
    let built_in = crate::prompt::with_format(None, &declared);
    assert!(built_in.starts_with("You are mm") && !built_in.contains("few sentences"), "{built_in}");
}
