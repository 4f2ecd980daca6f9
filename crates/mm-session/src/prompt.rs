//! The built-in system message.

use std::path::Path;

use mm_tools::ToolSet;

/// Puts the built-in system message together: who the model is, a sentence for each tool that is declared
/// and has one, and where it works. It names no tool that is not there, and nothing that changes between
/// two starts in the same directory, so that a server finds it in its cache.
pub fn built_in(tools: &ToolSet, cwd: &Path) -> String {
    let mut text = String::from(
        "You are mm, an assistant in the user's terminal. Answer in the user's language, briefly and to the point.",
    );
    if tools.is_empty() {
        return text;
    }
    text.push_str(" Look things up with your tools instead of guessing, and say what you found.");
    for advice in tools.iter().filter_map(|tool| tool.advice()) {
        text.push(' ');
        text.push_str(advice);
    }
    text.push_str(&format!("\nWorking directory: {} ({})", cwd.display(), std::env::consts::OS));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm_tools::testing::ScriptedTool;
    use std::sync::Arc;

    #[test]
    fn tools_and_place_are_named_only_where_there_are_tools() {
        let bare = built_in(&ToolSet::new(), Path::new("/w"));
        assert!(!bare.contains("tool") && !bare.contains("/w"), "{bare}");
        let mut tools = ToolSet::new();
        tools.add(Arc::new(ScriptedTool::reading("look", []))).unwrap();
        assert!(
            built_in(&tools, Path::new("/w"))
                .ends_with(&format!("\nWorking directory: /w ({})", std::env::consts::OS))
        );
    }
}
