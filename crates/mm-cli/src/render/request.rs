//! What a permission is asked for.

use mm_tools::output::visible;
use mm_tools::{Risk, RiskLevel};
use serde_json::Value;

/// Gives every argument in full, a line each or several, unless the summary is all there is to see: what is
/// confirmed has to be what is seen.
pub(crate) fn whole(summary: &str, arguments: &Value) -> String {
    let Value::Object(arguments) = arguments else { return String::new() };
    let longest = arguments.values().filter_map(Value::as_str).max_by_key(|text| text.len());
    if longest == Some(summary) {
        return String::new();
    }
    let mut lines = String::new();
    for (name, value) in arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (n, line) in visible(&text).lines().enumerate() {
            let head = if n == 0 { format!("{name}: ") } else { String::new() };
            lines.push_str(&format!("   │ {head}{line}\n"));
        }
    }
    lines
}

/// Says what makes a call risky.
pub(crate) fn warning(risk: &Risk) -> String {
    match risk.level {
        RiskLevel::Plain => String::new(),
        RiskLevel::Risky | RiskLevel::Catastrophic => {
            format!("   risky: {}: {}\n", risk.rule, visible(&risk.why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_summary_hides_is_shown() {
        let long = "x".repeat(300);
        let rows = [
            ("ls", json!({"command": "ls", "timeout": 5}), String::new()),
            ("a ⏎ b", json!({"command": "a\nb"}), "   │ command: a\n   │ b\n".into()),
            (
                "xx…",
                json!({"command": long.clone(), "timeout": 5}),
                format!("   │ command: {long}\n   │ timeout: 5\n"),
            ),
            ("e", json!({"command": "\u{1b}[1A"}), "   │ command: \\u{1b}[1A\n".into()),
        ];
        for (summary, arguments, expected) in rows {
            assert_eq!(whole(summary, &arguments), expected, "{arguments}");
        }
    }
}
