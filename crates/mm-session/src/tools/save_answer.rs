//! The tool that writes an answer to a file: the model gives a name, and not the text once more.

use async_trait::async_trait;
use mm_schema::ToolSpec;
use mm_tools::files::Files;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput};
use serde_json::{Value, json};

use super::Answers;

/// The tool `save_answer`: writes an answer that was given before to a new file.
#[derive(Debug)]
pub struct SaveAnswer {
    definition: ToolSpec,
    answers: Answers,
    files: Files,
}

impl SaveAnswer {
    /// Makes the tool over the answers of a session; see [`SessionParts`](crate::SessionParts).
    pub fn new(answers: Answers, files: Files) -> Self {
        let definition = ToolSpec {
            name: "save_answer".to_owned(),
            description:
                "Writes an answer you already gave to a new file, so that you need not write it again."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "which": { "type": "string", "description": "last, or how many answers back" },
                },
                "required": ["path"],
            }),
        };
        Self { definition, answers, files }
    }
}

#[async_trait]
impl Tool for SaveAnswer {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview {
        let which = text(args, "which").filter(|which| !which.is_empty()).unwrap_or("last");
        mm_tools::files::writing(text(args, "path").unwrap_or_default(), &format!("answer: {which}"), cx)
    }

    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput {
        let Some(path) = text(args, "path").filter(|path| !path.is_empty()) else {
            return ToolOutput::error("path is missing: give the name of a new file");
        };
        let which = text(args, "which").unwrap_or_default();
        let back = match which {
            "" | "last" => Some(0),
            number => number.parse().ok(),
        };
        let Some(back) = back else {
            return ToolOutput::error(format!("which is last or a number, not {which}"));
        };
        match self.answers.back(back) {
            Some(answer) => self.files.create(path, answer + "\n", cx).await,
            None if back == 0 => {
                ToolOutput::error("there is no answer yet: answer first, and save it in the next turn")
            }
            None => {
                ToolOutput::error(format!("there are not so many answers: {back} back is before the first"))
            }
        }
    }
}

fn text<'a>(args: &'a Value, key: &str) -> Option<&'a str> {
    args.get(key).and_then(Value::as_str).map(str::trim)
}

#[cfg(test)]
mod tests {
    use mm_tools::files::FileOptions;

    use super::*;

    #[tokio::test]
    async fn an_answer_goes_to_a_new_file_and_over_none() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers::default();
        let tool = SaveAnswer::new(answers.clone(), Files::new(FileOptions::default()));
        let cx = ToolContext::new(dir.path());
        let run = async |args: Value| tool.run(&args, &cx).await.text;
        let none = run(json!({"path": "a.md"})).await;
        assert_eq!(none, "[error: there is no answer yet: answer first, and save it in the next turn]");
        answers.add("first");
        answers.add("# Second\n\ntext");
        assert_eq!(run(json!({"path": "a.md"})).await, "[created a.md: 3 lines]");
        assert_eq!(std::fs::read_to_string(dir.path().join("a.md")).unwrap(), "# Second\n\ntext\n");
        assert_eq!(run(json!({"path": "new/b.md", "which": "1"})).await, "[created new/b.md: 1 line]");
        let rows = [
            (json!({"path": "a.md"}), "[error: a.md exists: give the name of a new file]"),
            (
                json!({"path": "c.md", "which": "2"}),
                "[error: there are not so many answers: 2 back is before the first]",
            ),
            (json!({"path": "c.md", "which": "first"}), "[error: which is last or a number, not first]"),
            (json!({"path": " "}), "[error: path is missing: give the name of a new file]"),
        ];
        for (args, expected) in rows {
            assert_eq!(run(args.clone()).await, expected, "{args}");
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("a.md")).unwrap(), "# Second\n\ntext\n");
        assert!(tool.preview(&json!({"path": "c.md"}), &cx).mutating);
    }
}
