//! The tools that bring back what compressions took out, word for word.

use async_trait::async_trait;
use mm_llm::Message;
use mm_schema::ToolSpec;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput};
use serde_json::{Value, json};

use super::Archive;

/// The most places that a search gives.
const PLACES: usize = 20;
/// Characters of a place that a search shows, around the first word that it found.
const AROUND: usize = 160;

/// The tool `recall`: gives what was archived under an id, message by message.
#[derive(Debug)]
pub struct Recall {
    definition: ToolSpec,
    archive: Archive,
}

/// The tool `recall_search`: finds archived messages by their words.
#[derive(Debug)]
pub struct RecallSearch {
    definition: ToolSpec,
    archive: Archive,
}

impl Recall {
    /// Makes the tool over the archive of a session; see [`SessionParts`](crate::SessionParts).
    pub fn new(archive: Archive) -> Self {
        let definition = ToolSpec {
            name: "recall".to_owned(),
            description: "Gives earlier messages that a summary took the place of, word for word.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "the archive's id from the summary, such as c1" },
                    "message": { "type": "integer", "description": "the first message to give, from 1" },
                },
                "required": ["id"],
            }),
        };
        Self { definition, archive }
    }
}

#[async_trait]
impl Tool for Recall {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        Preview::reading(text(args, "id"))
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let id = text(args, "id");
        let Some(block) = self.archive.get(id) else {
            let blocks = self.archive.all();
            let ids: Vec<&str> = blocks.iter().map(|block| block.id.as_str()).collect();
            return ToolOutput::error(match ids.is_empty() {
                true => "nothing is archived yet".to_owned(),
                false => format!("there is no archive {id}: there are {}", ids.join(", ")),
            });
        };
        let first = args.get("message").and_then(Value::as_u64).unwrap_or(1).max(1);
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        let count = block.messages.len();
        if first > count {
            return ToolOutput::error(format!("{id} has {count} messages: there is no message {first}"));
        }
        let mut shown = String::new();
        let mut last = first - 1;
        for message in block.messages.iter().skip(first - 1) {
            let message = told(last + 1, message);
            if last >= first && shown.len() + message.len() > cx.max_output {
                break;
            }
            shown.push_str(&message);
            last += 1;
        }
        let more = if last < count { format!(": go on with message {}", last + 1) } else { String::new() };
        ToolOutput::ok(format!("{shown}[{id}: messages {first}-{last} of {count}{more}]"))
    }
}

impl RecallSearch {
    /// Makes the tool over the archive of a session; see [`SessionParts`](crate::SessionParts).
    pub fn new(archive: Archive) -> Self {
        let definition = ToolSpec {
            name: "recall_search".to_owned(),
            description: "Finds earlier messages that a summary took the place of, by words in them."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "words": { "type": "string" } },
                "required": ["words"],
            }),
        };
        Self { definition, archive }
    }
}

#[async_trait]
impl Tool for RecallSearch {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        Preview::reading(text(args, "words"))
    }

    async fn run(&self, args: &Value, _cx: &ToolContext) -> ToolOutput {
        let words: Vec<String> = text(args, "words").split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return ToolOutput::error("words is empty: give some to look for");
        }
        let mut found: Vec<(usize, String)> = Vec::new();
        for block in self.archive.all() {
            for (at, message) in block.messages.iter().enumerate() {
                let text = content(message);
                let lower = text.to_lowercase();
                let hits = words.iter().filter(|word| lower.contains(word.as_str())).count();
                if hits > 0 {
                    let place = around(&text, &words);
                    found.push((
                        hits,
                        format!("{}, message {} ({}): {place}", block.id, at + 1, side(message)),
                    ));
                }
            }
        }
        // Those with most of the words first, in the order in which they were said.
        found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
        if found.is_empty() {
            return ToolOutput::ok("[nothing that is archived has these words]");
        }
        let more = found.len().saturating_sub(PLACES);
        let mut lines: Vec<String> = found.into_iter().take(PLACES).map(|(_, line)| line).collect();
        if more > 0 {
            lines.push(format!("[{more} more places: use more words]"));
        }
        ToolOutput::ok(lines.join("\n"))
    }
}

fn text<'a>(args: &'a Value, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default()
}

fn side(message: &Message) -> &'static str {
    match message {
        Message::System(_) => "system",
        Message::User(_) => "user",
        Message::Assistant { .. } => "assistant",
        Message::Tool { .. } => "tool",
    }
}

/// All that a message says, word for word.
fn content(message: &Message) -> String {
    match message {
        Message::System(text) | Message::User(text) | Message::Tool { text, .. } => text.clone(),
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| format!("{} {}", call.name, call.arguments));
            let parts = [text.clone()].into_iter().chain(calls).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("\n")
        }
    }
}

fn told(number: usize, message: &Message) -> String {
    format!("[{number}, {}]\n{}\n", side(message), content(message))
}

/// The line of the first word that is found, in one line, with what stands around it.
fn around(text: &str, words: &[String]) -> String {
    let has_one = |line: &&str| words.iter().any(|word| line.to_lowercase().contains(word.as_str()));
    let line = text.lines().find(has_one).or_else(|| text.lines().next()).unwrap_or_default().trim();
    let lower = line.to_lowercase();
    // Where letters change their length in lower case the place is about right.
    let at = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or_default();
    let begin = line.floor_char_boundary(at.saturating_sub(AROUND / 2).min(line.len()));
    let shown: String = line.get(begin..).unwrap_or_default().chars().take(AROUND).collect();
    let (before, after) = (begin > 0, begin + shown.len() < line.len());
    format!("{}{shown}{}", if before { "…" } else { "" }, if after { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use mm_schema::ToolCall;

    use super::*;
    use crate::store::Compression;

    fn archive() -> Archive {
        let call = ToolCall { id: "1".into(), name: "bash".into(), arguments: r#"{"command":"ls"}"#.into() };
        let messages = vec![
            Message::User("Where is the Config file?".into()),
            Message::Assistant { text: "I look.".into(), calls: vec![call] },
            Message::Tool {
                call_id: "1".into(),
                text: format!("{}config.yaml{}", "x ".repeat(200), " y".repeat(200)),
            },
            Message::assistant("In config.yaml."),
        ];
        let archive = Archive::default();
        let block = |id: &str, messages| Compression {
            id: id.into(),
            at: SystemTime::UNIX_EPOCH,
            summary: "s".into(),
            messages,
        };
        archive.add(block("c1", messages));
        archive.add(block("c2", vec![Message::User("second".into()), Message::assistant("yes")]));
        archive
    }

    #[tokio::test]
    async fn what_was_taken_out_comes_back_word_for_word_and_in_pages() {
        let tool = Recall::new(archive());
        let cx = ToolContext { max_output: 60, ..ToolContext::new("/") };
        let run = async |args: Value| tool.run(&args, &cx).await.text;
        assert_eq!(
            run(json!({"id": "c1"})).await,
            "[1, user]\nWhere is the Config file?\n[c1: messages 1-1 of 4: go on with message 2]"
        );
        assert_eq!(
            run(json!({"id": "c1", "message": 2})).await,
            "[2, assistant]\nI look.\nbash {\"command\":\"ls\"}\n[c1: messages 2-2 of 4: go on with message 3]"
        );
        let long = run(json!({"id": "c1", "message": 3})).await;
        assert!(long.contains("x config.yaml y") && long.contains("messages 3-3 of 4"), "{long}");
        assert_eq!(
            run(json!({"id": "c2"})).await,
            "[1, user]\nsecond\n[2, assistant]\nyes\n[c2: messages 1-2 of 2]"
        );
        assert_eq!(run(json!({"id": "c9"})).await, "[error: there is no archive c9: there are c1, c2]");
        let beyond = run(json!({"id": "c2", "message": 3})).await;
        assert_eq!(beyond, "[error: c2 has 2 messages: there is no message 3]");
        let none = Recall::new(Archive::default()).run(&json!({"id": "c1"}), &cx).await.text;
        assert_eq!(none, "[error: nothing is archived yet]");
    }

    #[tokio::test]
    async fn words_find_the_messages_that_have_most_of_them_first() {
        let tool = RecallSearch::new(archive());
        let cx = ToolContext::new("/");
        let run = async |words: &str| tool.run(&json!({ "words": words }), &cx).await.text;
        let found = run("CONFIG file").await;
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines[0], "c1, message 1 (user): Where is the Config file?");
        assert!(lines[1].starts_with("c1, message 3 (tool): …") && lines[1].ends_with('…'), "{}", lines[1]);
        assert!(lines[1].contains("config.yaml"), "{}", lines[1]);
        assert_eq!(lines[2], "c1, message 4 (assistant): In config.yaml.");
        assert_eq!(run("ls").await, "c1, message 2 (assistant): bash {\"command\":\"ls\"}");
        assert_eq!(run("zebra").await, "[nothing that is archived has these words]");
        assert_eq!(run(" ").await, "[error: words is empty: give some to look for]");
    }
}
