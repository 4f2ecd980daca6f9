//! "Did you mean": the known name next to an unknown one.

/// Finds the candidate that is most like `name`, if any is like it at all.
///
/// ```
/// assert_eq!(mm_schema::nearest("basch", ["bash", "read_file"]), Some("bash"));
/// assert_eq!(mm_schema::nearest("zzz", ["bash", "read_file"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |candidate: &str| strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(score, _)| *score >= 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
