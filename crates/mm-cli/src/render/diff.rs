//! A unified diff under the line of the call that it belongs to.

use mm_tools::output::visible;

/// Gives a diff with the gutter of a tool's output; coloured where colours are wanted.
pub(crate) fn diff(diff: &str, colours: bool) -> String {
    let line = |line: &str| {
        let colour = match line.as_bytes().first() {
            _ if !colours => "",
            Some(b'+') => "\x1b[32m",
            Some(b'-') => "\x1b[31m",
            Some(b'@') => "\x1b[36m",
            _ => "",
        };
        let end = if colour.is_empty() { "" } else { "\x1b[0m" };
        format!("   │ {colour}{}{end}\n", visible(line))
    };
    diff.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn what_goes_and_comes_has_its_colour_where_there_are_colours() {
        let text = "@@ -1,2 +1,2 @@\n a\u{1b}[2J\n-b\n+c";
        let plain = "   │ @@ -1,2 +1,2 @@\n   │  a\\u{1b}[2J\n   │ -b\n   │ +c\n";
        assert_eq!(diff(text, false), plain);
        let coloured = "   │ \u{1b}[36m@@ -1,2 +1,2 @@\u{1b}[0m\n   │  a\\u{1b}[2J\n   │ \u{1b}[31m-b\u{1b}[0m\n   │ \u{1b}[32m+c\u{1b}[0m\n";
        assert_eq!(diff(text, true), coloured);
    }
}
