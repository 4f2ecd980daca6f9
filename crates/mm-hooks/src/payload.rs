//! What a hook is told: one JSON object, and a few variables.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::{HookContext, HookEvent, TokenCounts};

/// The object for standard input, on one line with its end, so that a log of them is a file of JSON lines.
pub(crate) fn line(event: &HookEvent<'_>, cx: &HookContext<'_>, now: Timestamp) -> Vec<u8> {
    let shared = json!({
        "event": event.name(),
        "session": cx.session,
        "cwd": cx.cwd.to_string_lossy(),
        "agent": cx.agent,
        "model": cx.model,
        "time": format!("{now:.3}"),
    });
    let mut object = Map::new();
    for part in [shared, own(event)] {
        if let Value::Object(part) = part {
            object.extend(part);
        }
    }
    format!("{}\n", Value::Object(object)).into_bytes()
}

/// What only this event has.
fn own(event: &HookEvent<'_>) -> Value {
    match event {
        HookEvent::PreGeneration { prompt } => json!({ "prompt": prompt }),
        HookEvent::PreToolCall { tool, arguments, summary } => {
            json!({ "tool": tool, "arguments": arguments, "summary": summary })
        }
        HookEvent::PostToolCall { tool, arguments, summary, result, ok, duration } => json!({
            "tool": tool, "arguments": arguments, "summary": summary, "result": result, "ok": ok,
            "durationMs": millis(*duration),
        }),
        HookEvent::PostGeneration { prompt, answer, usage, tool_calls } => json!({
            "prompt": prompt, "answer": answer, "usage": counts(usage), "toolCalls": tool_calls,
        }),
        HookEvent::PreAsk { agent, question } => json!({ "agentName": agent, "question": question }),
        HookEvent::PostAsk { agent, question, answer } => {
            json!({ "agentName": agent, "question": question, "answer": answer })
        }
    }
}

fn counts(usage: &TokenCounts) -> Value {
    let TokenCounts { prompt, cached, completion, reasoning } = usage;
    json!({ "prompt": prompt, "cached": cached, "completion": completion, "reasoning": reasoning })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The variables, those to set and those that there must not be: a hook may run in a hook of another agent.
pub(crate) fn variables(
    event: &HookEvent<'_>,
    cx: &HookContext<'_>,
) -> (Vec<(String, String)>, Option<String>) {
    let tool = match event {
        HookEvent::PreToolCall { tool, .. } | HookEvent::PostToolCall { tool, .. } => Some(*tool),
        HookEvent::PreGeneration { .. }
        | HookEvent::PostGeneration { .. }
        | HookEvent::PreAsk { .. }
        | HookEvent::PostAsk { .. } => None,
    };
    let cwd = cx.cwd.to_string_lossy();
    let rows = [
        ("MM_EVENT", Some(event.name())),
        ("MM_TOOL", tool),
        ("MM_AGENT", Some(cx.agent)),
        ("MM_CWD", Some(&*cwd)),
        ("MM_SESSION", Some(cx.session)),
    ];
    // No variable can hold the character that ends one.
    let set = |(name, value): (&str, Option<&str>)| Some((name.to_owned(), value?.replace('\0', "")));
    (rows.into_iter().filter_map(set).collect(), tool.is_none().then(|| "MM_TOOL".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio_util::sync::CancellationToken;

    use super::*;

    /// Rows of (event, what it has besides the shared fields, `MM_TOOL`).
    #[test]
    fn each_event_has_its_fields() {
        let arguments = json!({"command": "a\nb"});
        let (tool, arguments, summary) = ("bash", &arguments, "a ⏎ b");
        let usage = TokenCounts { prompt: Some(7), ..TokenCounts::default() };
        let duration = Duration::from_millis(1234);
        let rows = [
            (HookEvent::PreGeneration { prompt: "q" }, json!({"prompt": "q"}), None),
            (
                HookEvent::PreToolCall { tool, arguments, summary },
                json!({"tool": "bash", "arguments": {"command": "a\nb"}, "summary": "a ⏎ b"}),
                Some("bash"),
            ),
            (
                HookEvent::PostToolCall { tool, arguments, summary, result: "r", ok: false, duration },
                json!({"tool": "bash", "arguments": {"command": "a\nb"}, "summary": "a ⏎ b", "result": "r", "ok": false, "durationMs": 1234}),
                Some("bash"),
            ),
            (
                HookEvent::PostGeneration { prompt: "q", answer: "a", usage, tool_calls: 2 },
                json!({"prompt": "q", "answer": "a", "usage": {"prompt": 7, "cached": null, "completion": null, "reasoning": null}, "toolCalls": 2}),
                None,
            ),
            (
                HookEvent::PreAsk { agent: "bob", question: "q" },
                json!({"agentName": "bob", "question": "q"}),
                None,
            ),
            (
                HookEvent::PostAsk { agent: "bob", question: "q", answer: "a" },
                json!({"agentName": "bob", "question": "q", "answer": "a"}),
                None,
            ),
        ];
        let cancel = CancellationToken::new();
        let cx =
            HookContext { session: "s1", cwd: Path::new("/w"), agent: "mm", model: "m", cancel: &cancel };
        let now: Timestamp = "2026-01-02T03:04:05.6789Z".parse().unwrap();
        for (event, own, tool) in rows {
            let line = String::from_utf8(line(&event, &cx, now)).unwrap();
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            let mut found: Map<String, Value> = serde_json::from_str(&line).unwrap();
            let shared =
                ["event", "session", "cwd", "agent", "model", "time"].map(|key| found.shift_remove(key));
            let expected = [event.name(), "s1", "/w", "mm", "m", "2026-01-02T03:04:05.678Z"];
            assert_eq!(shared, expected.map(|text| Some(json!(text))));
            assert_eq!(Value::Object(found), own);
            let (set, unset) = variables(&event, &cx);
            let named =
                |name: &str| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
            assert_eq!(named("MM_TOOL"), tool);
            assert_eq!(unset.as_deref(), tool.is_none().then_some("MM_TOOL"));
            let names = ["MM_EVENT", "MM_AGENT", "MM_CWD", "MM_SESSION"];
            assert_eq!(names.map(named), [event.name(), "mm", "/w", "s1"].map(Some));
        }
    }
}
