//! A unified diff under the line of the call that it belongs to.

use mm_tools::output::visible;

/// The most characters of a line of a result that are shown.
const WIDTH: usize = 200;

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

/// Gives the first lines of the diff that the result of a call tells, and how many more there are.
pub(super) fn of_result(result: &str, colours: bool, limit: usize) -> String {
    let lines: Vec<&str> = result.lines().skip_while(|line| !line.starts_with("@@ ")).collect();
    if lines.is_empty() || limit == 0 {
        return String::new();
    }
    let cut = |line: &&str| match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…\n", line.get(..at).unwrap_or_default()),
        None => format!("{line}\n"),
    };
    let first: String = lines.iter().take(limit).map(cut).collect();
    let rest = match lines.len().saturating_sub(limit) {
        0 => String::new(),
        1 => "   │ … 1 more line\n".to_owned(),
        n => format!("   │ … {n} more lines\n"),
    };
    diff(&first, colours) + &rest
}

#[cfg(test)]
mod tests {
    use super::{diff, of_result};

    #[test]
    fn what_goes_and_comes_has_its_colour_where_there_are_colours() {
        let text = "@@ -1,2 +1,2 @@\n a\u{1b}[2J\n-b\n+c";
        let plain = "   │ @@ -1,2 +1,2 @@\n   │  a\\u{1b}[2J\n   │ -b\n   │ +c\n";
        assert_eq!(diff(text, false), plain);
        let coloured = "   │ \u{1b}[36m@@ -1,2 +1,2 @@\u{1b}[0m\n   │  a\\u{1b}[2J\n   │ \u{1b}[31m-b\u{1b}[0m\n   │ \u{1b}[32m+c\u{1b}[0m\n";
        assert_eq!(diff(text, true), coloured);
    }

    #[test]
    fn of_a_result_the_diff_is_shown_as_far_as_wanted() {
        let result = "[edited f]\n@@ -1 +1 @@\n-a\n+b\n";
        let rows = [
            (20, "   │ @@ -1 +1 @@\n   │ -a\n   │ +b\n"),
            (2, "   │ @@ -1 +1 @@\n   │ -a\n   │ … 1 more line\n"),
            (1, "   │ @@ -1 +1 @@\n   │ … 2 more lines\n"),
            (0, ""),
        ];
        for (limit, expected) in rows {
            assert_eq!(of_result(result, false, limit), expected, "{limit}");
        }
        assert_eq!(of_result("[created f: 2 lines]", false, 20), "");
        let long = format!("@@ -1 +1 @@\n+{}", "é".repeat(300));
        assert_eq!(of_result(&long, false, 20), format!("   │ @@ -1 +1 @@\n   │ +{}…\n", "é".repeat(199)));
    }
}
