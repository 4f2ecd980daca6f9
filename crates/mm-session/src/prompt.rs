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
    let system = system.unwrap_or(WHO).trim_end();
    let gap = if system.is_empty() { "" } else { "\n\n" };
    format!("{system}{gap}{}", format.paragraph())
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
