use super::*;

/// Each key with a value of another type, and what its message ends in.
pub(super) const WRONG: &[(&str, &str, &str)] = &[
    ("provider", "[a]", "text, not a list"),
    ("model", "{a: b}", "text, not a mapping"),
    ("baseUrl", "[]", "text, not a list"),
    ("fallback", "{}", "text, not a mapping"),
    ("apiKeyEnv", "[A]", "text, not a list"),
    ("contextWindow", "many", "a whole number, not \"many\""),
    ("maxOutput", "16k", "a whole number, not \"16k\""),
    ("maxTurns", "ten", "a whole number, not \"ten\""),
    ("maxRepeatedCalls", "true", "a whole number, not true"),
    ("previewLines", "1.5", "a whole number, not 1.5"),
    ("showThinking", "yes", "true or false, not \"yes\" (which is text in YAML 1.2: write true)"),
    ("system", "[a, b]", "text, not a list"),
    ("bashTool", "off", "true or false, not \"off\" (which is text in YAML 1.2: write false)"),
    ("editTools", "1", "true or false, not 1 (write true)"),
    ("fetchContentTool", "\"true\"", "true or false, not \"true\" (write true)"),
    ("askUserTool", "maybe", "true or false, not \"maybe\""),
    ("sampling", "0.5", "a mapping, not 0.5"),
    ("watchdogTimeout", "20", "a duration with a unit, not 20: write 20s for seconds"),
    ("firstTokenTimeout", "[3m]", "text, not a list"),
    ("bashTimeout", "soon", "a duration such as 20s, 3m or 1h30m, not \"soon\""),
    ("yolo", "no", "true or false, not \"no\" (which is text in YAML 1.2: write false)"),
    ("permissions", "[ask]", "text, not a list"),
];

#[test]
fn every_wrong_type_is_told_in_one_run() {
    let lines: Vec<_> = WRONG.iter().map(|(key, value, _)| format!("{key}: {value}\n")).collect();
    let expected: Vec<_> = (1..)
        .zip(WRONG)
        .map(|(line, (key, _, words))| {
            format!("line {line}, column {}: {key} must be {words}", key.len() + 3)
        })
        .collect();
    assert_eq!(problems(&lines.concat()), expected);
    for (line, (key, _, words)) in lines.iter().zip(WRONG) {
        assert_eq!(problems(line), [format!("line 1, column {}: {key} must be {words}", key.len() + 3)]);
    }
}

#[test]
fn the_table_of_wrong_types_has_every_key() {
    let findings = Findings::default();
    let document = Document::parse("zzz: 1");
    let _ = decode(document.root.as_ref().unwrap(), &findings);
    let mut known = findings.unknown.into_inner()[0].known.to_vec();
    let mut table: Vec<_> = WRONG.iter().map(|(key, ..)| *key).collect();
    known.sort_unstable();
    table.sort_unstable();
    assert_eq!(table, known);
}

#[test]
fn null_keeps_the_default() {
    let defaults = config("");
    for (key, ..) in WRONG {
        for null in ["", "~", "null"] {
            assert_eq!(config(&format!("{key}: {null}\n")), defaults, "{key}");
        }
    }
}

#[test]
fn hints_name_the_right_form() {
    let rows = [
        ("maxTurns: \"10\"", "line 1, column 11: maxTurns must be a whole number, not \"10\" (write 10)"),
        ("maxTurns: 1_000", "line 1, column 11: maxTurns must be a whole number, not \"1_000\" (write 1000)"),
        ("maxTurns: 3.0", "line 1, column 11: maxTurns must be a whole number, not 3.0 (write 3)"),
        (
            "maxTurns: 99999999999999999999",
            "line 1, column 11: maxTurns must be a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        ("\n\n  {yolo: \"a\\nb\"}", "line 3, column 10: yolo must be true or false, not \"a\\nb\""),
        (
            "sampling: {top_p: .nan, x: [.inf]}",
            "line 1, column 19: sampling.top_p must be a finite number, not .nan\n\
             line 1, column 29: sampling.x[0] must be a finite number, not .inf",
        ),
        (
            "sampling: {seed: 99999999999999999999}",
            "line 1, column 18: sampling.seed must be a whole number from -9223372036854775808 to 18446744073709551615",
        ),
        ("- a", "line 1, column 1: the file must be a mapping, not a list"),
    ];
    for (text, expected) in rows {
        assert_eq!(problems(text).join("\n"), expected, "{text}");
    }
}
