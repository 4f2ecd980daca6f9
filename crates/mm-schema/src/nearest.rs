//! "Did you mean": the known name next to an unknown one.

/// Finds the candidate that is most like `name`, if any is like it at all.
///
/// ```
/// assert_eq!(mm_schema::nearest("basch", ["bash", "read_file"]), Some("bash"));
/// assert_eq!(mm_schema::nearest("zzz", ["bash", "read_file"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (likeness(&name, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.65)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// From 0 to 1: by edits, but a beginning of three letters is enough.
fn likeness(name: &str, candidate: &str) -> f64 {
    let is_beginning = name.len() >= 3 && candidate.starts_with(name);
    if is_beginning { 0.9 } else { strsim::normalized_damerau_levenshtein(name, candidate) }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_find_their_word_and_other_words_find_none() {
        let names = ["help", "new", "exit", "quit", "read_file", "bash"];
        let rows = [
            ("nwe", Some("new")),
            ("hlep", Some("help")),
            ("exti", Some("exit")),
            ("readfile", Some("read_file")),
            ("READ", Some("read_file")),
            ("shell", None),
            ("zzz", None),
            ("", None),
        ];
        for (name, expected) in rows {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
    }
}
