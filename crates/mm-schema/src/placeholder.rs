//! `{{name}}` in the command of a declared tool.

/// Gives the names of the placeholders in a text, in order, each as often as it stands there. What is written
/// between the braces is the name, spaces included; braces without an end are text.
///
/// ```
/// let names: Vec<&str> = mm_schema::placeholders("--from={{from}} --to={{to}}").collect();
/// assert_eq!(names, ["from", "to"]);
/// assert_eq!(mm_schema::placeholders("{{open").count(), 0);
/// ```
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once("{{")?;
        let (name, after) = behind.split_once("}}")?;
        rest = after;
        // Of `{{{{a}}` the innermost braces count.
        Some(name.rsplit_once("{{").map_or(name, |(_, name)| name))
    })
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn a_placeholder_is_what_stands_between_double_braces() {
        let rows: [(&str, &[&str]); 9] = [
            ("", &[]),
            ("plain", &[]),
            ("{{a}}", &["a"]),
            ("x{{a}}y{{b}}z", &["a", "b"]),
            ("{{ a }}", &[" a "]),
            ("{{}}", &[""]),
            ("{a}", &[]),
            ("}}{{a", &[]),
            ("{{a{{b}}c}}", &["b"]),
        ];
        for (text, names) in rows {
            assert_eq!(placeholders(text).collect::<Vec<_>>(), names, "{text}");
        }
    }
}
