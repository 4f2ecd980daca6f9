//! The built-in system message.

use std::path::Path;

use mm_tools::ToolSet;

use crate::AnswerFormat;

/// Puts the built-in system message together: who the model is, a sentence for each tool that is declared
/// and has one, and where it works. It names no tool that is not there, and nothing that changes between
/// two starts in the same directory, so that a server finds it in its cache.
pub fn built_in(tools: &ToolSet, cwd: &Path) -> String {
    if tools.is_empty() {
        return format!("{WHO} {HOW}");
    }
    let mut text = format!("{WHO}\n{RULES}\n- When done: {HOW}");
    for advice in tools.iter().filter_map(|tool| tool.advice()) {
        text.push_str(&format!("\n- {advice}"));
    }
    text.push_str(&format!("\nWorking directory: {} ({})", cwd.display(), std::env::consts::OS));
    text
}

/// Puts the shape of the answers behind a system message, or behind the words that say who the model is.
pub fn with_format(system: Option<&str>, format: &AnswerFormat) -> String {
    behind(system.unwrap_or(WHO), format.paragraph())
}

/// Puts a paragraph behind a system message, an empty line between them.
pub(crate) fn behind(system: &str, paragraph: &str) -> String {
    let system = system.trim_end();
    let gap = if system.is_empty() { "" } else { "\n\n" };
    format!("{system}{gap}{paragraph}")
}

const WHO: &str = "You are mm, an agent in the user's terminal.";
const HOW: &str = "Answer in a few sentences, in the language of the question.";
const RULES: &str = "\
- Use your tools to look at the real files and the real output; never guess what they hold.
- Take one step at a time. When a step fails, read the error and try another way.
- Change only what the task needs.";

#[cfg(test)]
mod tests {
    use super::*;
    use mm_tools::testing::ScriptedTool;
    use std::sync::Arc;

    #[test]
    fn the_instructions_of_the_project_stand_behind_the_system_message() {
        let instructions =
            Some(crate::Instructions { path: "/w/AGENTS.md".into(), text: "Use tabs.".into() });
        let block = "PROJECT INSTRUCTIONS (from /w/AGENTS.md)\n\
                     The instructions of the project you work in. Follow them; when the user asks otherwise in the \
                     conversation, the user wins.\n\nUse tabs.";
        let first = |system: &str| {
            let provider = Arc::new(mm_llm::testing::ScriptedProvider::new([]));
            let mut options = crate::SessionOptions::new("m", "/w");
            (options.system, options.instructions) = (Some(system.to_owned()), instructions.clone());
            let session = crate::Session::new(crate::SessionParts::new(provider), options);
            session.history().messages().first().cloned()
        };
        let system = |text: String| Some(mm_llm::Message::System(text));
        assert_eq!(first("You are Bob.\n"), system(format!("You are Bob.\n\n{block}")));
        assert_eq!(first(""), system(block.to_owned()));
    }

    #[test]
    fn tools_and_place_are_named_only_where_there_are_tools() {
        let bare = built_in(&ToolSet::new(), Path::new("/w"));
        assert!(!bare.contains("tools") && !bare.contains("/w"), "{bare}");
        let mut tools = ToolSet::new();
        tools.add(Arc::new(ScriptedTool::reading("look", []))).unwrap();
        assert!(
            built_in(&tools, Path::new("/w"))
                .ends_with(&format!("\nWorking directory: /w ({})", std::env::consts::OS))
        );
    }
}
