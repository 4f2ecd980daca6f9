//! Every case of `tests/fixtures/structured-output/cases.json`, by name; `rule` and `kind` are for the reader.

use serde::Deserialize;

use super::*;

const FILE: &str = include_str!("../../../../../tests/fixtures/structured-output/cases.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    rule: String,
    input: String,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Schema { schema: Value, root: String },
    Error { error: Place },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    #[serde(rename = "kind")]
    _kind: String,
    line: Option<usize>,
    col: Option<usize>,
}

#[test]
fn every_case_gives_its_schema_or_the_place_of_its_error() {
    let cases: Vec<Case> = serde_json::from_str(FILE).unwrap();
    assert_eq!(cases.len(), 177);
    let failures: Vec<String> = cases.iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

fn failure(case: &Case) -> Option<String> {
    let told = |what: &str| format!("{} ({}): {what}", case.name, case.rule);
    match (translate(&case.input), &case.expected) {
        (Ok(given), Expected::Schema { schema, root }) => {
            // As texts, so that the order of keys counts.
            let (given, expected) = (
                (given.root().to_owned(), given.into_value().to_string()),
                (root.clone(), schema.to_string()),
            );
            (given != expected).then(|| told(&format!("\n  is        {given:?}\n  should be {expected:?}")))
        }
        (Err(given), Expected::Error { error }) => {
            let place = (given.line(), given.column());
            (place != (error.line, error.col))
                .then(|| told(&format!("{given}, not at {:?}:{:?}", error.line, error.col)))
        }
        (Ok(given), Expected::Error { error }) => {
            Some(told(&format!("no error at {:?}:{:?}: {}", error.line, error.col, given.value())))
        }
        (Err(given), Expected::Schema { .. }) => Some(told(&given.to_string())),
    }
}

/// What the cases translate.
pub(super) fn inputs() -> Vec<String> {
    let cases: Vec<Case> = serde_json::from_str(FILE).unwrap();
    cases.into_iter().map(|case| case.input).collect()
}
