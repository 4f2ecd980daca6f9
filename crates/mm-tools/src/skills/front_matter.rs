//! What stands above the text of a skill. People write it as they please, so it is read line by line and not as YAML.

/// Gives name and description of a skill whose file is called `stem`.
pub(super) fn of(text: &str, stem: &str) -> Result<(String, String), String> {
    let Some(rest) = text.strip_prefix("---\n") else {
        return Ok((stem.to_owned(), opening(text)));
    };
    let head = end(rest).map(|end| rest.get(..end).unwrap_or_default());
    let head = head.ok_or("its front matter has no end: a line --- is missing")?;
    let name = value(head, "name").filter(|name| !name.is_empty()).unwrap_or_else(|| stem.to_owned());
    let description = value(head, "description").filter(|text| !text.is_empty());
    Ok((name, description.unwrap_or_else(|| opening(body(text)))))
}

/// The text below the front matter; all of it where there is none.
pub(super) fn body(text: &str) -> &str {
    let below = text.strip_prefix("---\n").and_then(|rest| {
        let behind = rest.get(end(rest)?..)?;
        Some(behind.trim_start_matches('-'))
    });
    below.unwrap_or(text)
}

/// Where the line that ends the front matter begins.
fn end(rest: &str) -> Option<usize> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// The value of a key: the rest of its line, and the lines below that are set in.
fn value(head: &str, key: &str) -> Option<String> {
    let mut lines = head.lines().skip_while(|line| !is_key(line, key));
    let first = lines.next()?.split_once(':')?.1.trim();
    // A sign of YAML for text on the lines below.
    let first = if first.chars().all(|c| "|>+-".contains(c)) { "" } else { first };
    let below = lines.take_while(|line| line.starts_with([' ', '\t']) || line.is_empty()).map(str::trim);
    let text =
        std::iter::once(first).chain(below).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    Some(unquoted(&text).to_owned())
}

fn is_key(line: &str, key: &str) -> bool {
    line.split_once(':').is_some_and(|(name, _)| name == key)
}

fn unquoted(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// The first heading and the first paragraph.
fn opening(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty()).peekable();
    let heading = lines.next_if(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let paragraph: Vec<&str> = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    match (heading, paragraph.join(" ")) {
        (None, paragraph) => paragraph,
        (Some(heading), paragraph) if paragraph.is_empty() => heading.to_owned(),
        (Some(heading), paragraph) => format!("{heading}: {paragraph}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_description_are_found_however_they_are_written() {
        let rows = [
            (
                "---\nname: a\ndescription: Use when asked: which one? Triggers: x\n---\nbody",
                "a",
                "Use when asked: which one? Triggers: x",
            ),
            ("---\nname: \"a b\"\ndescription: 'It''s'\n---\n", "a b", "It''s"),
            ("---\ndescription: >-\n  first\n  second\nother: x\n---\n# H\n", "stem", "first second"),
            ("---\ndescription: one\n  two\n\nname: n\n---\n", "n", "one two"),
            (
                "---\nname:\n---\n# Title\n\nWhat it does,\nin two lines.\n\nMore.",
                "stem",
                "Title: What it does, in two lines.",
            ),
            ("# Title\ntext", "stem", "Title: text"),
            ("\n\ntext alone\n", "stem", "text alone"),
            ("# Title", "stem", "Title"),
            ("", "stem", ""),
            ("---\n---\nx", "stem", "x"),
        ];
        for (text, name, description) in rows {
            assert_eq!(of(text, "stem"), Ok((name.to_owned(), description.to_owned())), "{text}");
        }
        assert_eq!(
            of("---\nname: d\nbody", "stem").unwrap_err(),
            "its front matter has no end: a line --- is missing"
        );
    }

    #[test]
    fn the_body_is_what_stands_below() {
        let rows =
            [("---\nname: a\n---\nbody\n", "\nbody\n"), ("no head", "no head"), ("---\nopen", "---\nopen")];
        for (text, expected) in rows {
            assert_eq!(body(text), expected);
        }
    }
}
