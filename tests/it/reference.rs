//! The reference of the configuration says what the code does: keys, types, defaults, bounds, variables, messages.
//!
//! `MM_UPDATE_DOCS=1 cargo test -p mm-cli --test it reference` writes the English tables anew.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::{cases, repository};

/// A row of a table of keys.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    key: String,
    kind: Kind,
    /// The words that the key takes, where it takes a few.
    choices: Vec<String>,
    default: String,
    bound: Option<(i64, Option<i64>)>,
    what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Bool,
    Whole,
    Number,
    Duration,
    List,
    Texts,
    Mapping,
    TextOrTexts,
    Word,
    Any,
}

/// The words of a language: kinds, then "at least", "above", "from … to".
struct Words {
    kinds: [(Kind, &'static str); 10],
    none: &'static str,
    least: &'static str,
    above: &'static str,
    between: [&'static str; 2],
}

const ENGLISH: Words = Words {
    kinds: [
        (Kind::Text, "text"),
        (Kind::Bool, "true or false"),
        (Kind::Whole, "whole number"),
        (Kind::Number, "number"),
        (Kind::Duration, "duration"),
        (Kind::List, "list"),
        (Kind::Texts, "list of texts"),
        (Kind::Mapping, "mapping"),
        (Kind::TextOrTexts, "text, or list of texts"),
        (Kind::Any, "value"),
    ],
    none: "none",
    least: "At least",
    above: "Above",
    between: ["From", "to"],
};

const FRENCH: Words = Words {
    kinds: [
        (Kind::Text, "texte"),
        (Kind::Bool, "true ou false"),
        (Kind::Whole, "nombre entier"),
        (Kind::Number, "nombre"),
        (Kind::Duration, "durée"),
        (Kind::List, "liste"),
        (Kind::Texts, "liste de textes"),
        (Kind::Mapping, "dictionnaire"),
        (Kind::TextOrTexts, "texte, ou liste de textes"),
        (Kind::Any, "valeur"),
    ],
    none: "aucun",
    least: "Au moins",
    above: "Plus de",
    between: ["De", "à"],
};

fn types(key: &Value) -> Vec<&str> {
    match &key["type"] {
        Value::Array(types) => {
            types.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
        }
        Value::String(kind) => vec![kind],
        _ => Vec::new(),
    }
}

fn kind(key: &Value) -> Kind {
    if !choices(key).is_empty() {
        return Kind::Word;
    }
    if let Some(forms) = key["anyOf"].as_array() {
        let is_duration = forms.iter().any(|form| form["pattern"].is_string());
        return if is_duration { Kind::Duration } else { Kind::TextOrTexts };
    }
    match types(key).first() {
        Some(&"string") => Kind::Text,
        Some(&"boolean") => Kind::Bool,
        Some(&"integer") => Kind::Whole,
        Some(&"number") => Kind::Number,
        Some(&"array") if types(&key["items"]).first() == Some(&"string") => Kind::Texts,
        Some(&"array") => Kind::List,
        Some(&"object") => Kind::Mapping,
        _ => Kind::Any,
    }
}

fn choices(key: &Value) -> Vec<String> {
    let forms = |word: &str| key[word].as_array().cloned().unwrap_or_default();
    let here = forms("enum").into_iter().chain(forms("oneOf").into_iter().map(|form| form["const"].clone()));
    let here = here.filter_map(|word| word.as_str().map(|word| format!("`{word}`")));
    here.chain(forms("anyOf").iter().flat_map(choices)).collect()
}

fn row(path: String, key: &Value, words: &Words) -> Row {
    let default = match &key["default"] {
        Value::Null if kind(key) == Kind::Mapping => String::new(),
        Value::Null => words.none.to_owned(),
        Value::String(text) if text.is_empty() => "`\"\"`".to_owned(),
        Value::String(text) => format!("`{text}`"),
        // What its keys say.
        Value::Object(_) => String::new(),
        value => format!("`{value}`"),
    };
    let whole = |word: &str| key[word].as_i64();
    let shortest = || {
        let forms = key["anyOf"].as_array().filter(|_| kind(key) == Kind::Duration)?;
        let has_zero = forms.iter().any(|form| form["const"].is_number());
        let is_signed = forms.iter().any(|form| form["pattern"].as_str().is_some_and(|p| p.contains("[+-]")));
        (!is_signed).then_some(if has_zero { 0 } else { 1 })
    };
    Row {
        key: path,
        kind: kind(key),
        default,
        choices: choices(key),
        bound: whole("minimum").or_else(shortest).map(|least| (least, whole("maximum"))),
        what: key["description"].as_str().unwrap_or_default().replace('\n', " "),
    }
}

/// The rows of the table of one section, and those of the lists and free mappings in it.
fn collect(path: &str, schema: &Value, words: &Words, rows: &mut Vec<Row>) {
    for (name, key) in schema["properties"].as_object().into_iter().flatten() {
        let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if path == "hooks" {
            // The six events have the same entries.
            rows.push(row(inner, key, words));
            if name == "postAsk" {
                collect("hooks.<event>[]", &key["items"], words, rows);
            }
            continue;
        }
        rows.push(row(inner.clone(), key, words));
        if !path.is_empty() {
            inside(&inner, key, words, rows);
        }
    }
}

fn inside(path: &str, key: &Value, words: &Words, rows: &mut Vec<Row>) {
    collect(path, key, words, rows);
    collect(&format!("{path}[]"), &key["items"], words, rows);
    let free = &key["additionalProperties"];
    let has_keys = |schema: &&Value| schema["properties"].is_object();
    let forms = free["anyOf"].as_array().filter(|_| !has_keys(&free));
    let long = forms.and_then(|forms| forms.iter().find(has_keys));
    collect(&format!("{path}.<name>"), long.unwrap_or(free), words, rows);
}

/// Each table with the name of its section; the first is the top of the file.
fn tables(words: &Words) -> Vec<(String, Vec<Row>)> {
    let schema = mm_config::json_schema();
    let mut top = Vec::new();
    collect("", &schema, words, &mut top);
    let mut tables = vec![("keys".to_owned(), top)];
    for (name, key) in schema["properties"].as_object().unwrap() {
        let mut rows = Vec::new();
        inside(name, key, words, &mut rows);
        if !rows.is_empty() {
            tables.push((name.clone(), rows));
        }
    }
    tables
}

fn limits(row: &Row, words: &Words) -> String {
    match row.bound {
        None => String::new(),
        Some((least, Some(most))) => format!(" {} {least} {} {most}.", words.between[0], words.between[1]),
        Some((1, None)) => format!(" {} 0.", words.above),
        Some((least, None)) => format!(" {} {least}.", words.least),
    }
}

fn word(row: &Row, words: &Words) -> String {
    if row.kind == Kind::Word {
        return row.choices.join(", ");
    }
    words.kinds.iter().find(|(known, _)| *known == row.kind).unwrap().1.to_owned()
}

fn table(rows: &[Row]) -> String {
    let mut text = "| key | type | default | what |\n|---|---|---|---|\n".to_owned();
    for row in rows {
        let kind = word(row, &ENGLISH);
        let what = format!("{}{}", row.what, limits(row, &ENGLISH)).replace('|', "\\|");
        text += &format!("| `{}` | {kind} | {} | {what} |\n", row.key, row.default);
    }
    text
}

/// What stands between the marks of a table.
fn marked<'t>(page: &'t str, name: &str) -> &'t str {
    let begin = format!("<!-- {name} -->\n");
    let at = page.find(&begin).unwrap_or_else(|| panic!("no table {name}")) + begin.len();
    let rest = &page[at..];
    &rest[..rest.find("<!-- end -->").unwrap()]
}

#[test]
fn the_english_tables_of_keys_are_those_of_the_code() {
    let path = repository().join("docs/reference/configuration.md");
    let mut page = std::fs::read_to_string(&path).unwrap();
    let update = std::env::var_os("MM_UPDATE_DOCS").is_some();
    for (name, rows) in tables(&ENGLISH) {
        let (old, new) = (marked(&page, &name).to_owned(), table(&rows));
        if update {
            page = page.replacen(&format!("<!-- {name} -->\n{old}"), &format!("<!-- {name} -->\n{new}"), 1);
        } else {
            assert_eq!(old, new, "{name}: MM_UPDATE_DOCS=1 writes it anew");
        }
    }
    if update {
        std::fs::write(path, page).unwrap();
    }
}

/// The cells of each row of a table.
fn cells(table: &str) -> Vec<Vec<String>> {
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let split = |line: &str| {
        let line = line.trim_matches('|').replace("\\|", "\u{1}");
        line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    };
    rows.map(split).collect()
}

#[test]
fn the_french_tables_of_keys_have_the_same_keys_types_defaults_and_bounds() {
    let page = std::fs::read_to_string(repository().join("docs/fr/configuration.md")).unwrap();
    for (name, rows) in tables(&FRENCH) {
        let cells = cells(marked(&page, &name));
        let keys: Vec<_> = cells
            .iter()
            .map(|cells| {
                cells[0].trim_matches('`').replace("<nom>", "<name>").replace("<événement>", "<event>")
            })
            .collect();
        let expected: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
        assert_eq!(keys, expected, "{name}");
        for (cells, row) in cells.iter().zip(&rows) {
            assert_eq!(cells[1], word(row, &FRENCH), "{}", row.key);
            assert_eq!(cells[2], row.default, "{}", row.key);
            let limits = limits(row, &FRENCH);
            assert!(cells[3].ends_with(limits.trim()), "{}: {} ends in {limits:?}", row.key, cells[3]);
            assert!(cells[3].chars().count() > limits.chars().count() + 8, "{} is described", row.key);
        }
    }
}

#[test]
fn both_references_have_every_message_about_the_keys() {
    let cases = cases();
    let mut expected: Vec<&str> = Vec::new();
    for case in &cases {
        if !expected.contains(&case.message.as_str()) {
            expected.push(&case.message);
        }
    }
    for page in ["docs/reference/messages.md", "docs/fr/messages.md"] {
        let text = std::fs::read_to_string(repository().join(page)).unwrap();
        let cells = cells(marked(&text, "messages"));
        let told: Vec<&str> = cells.iter().map(|cells| cells[0].trim_matches('`')).collect();
        let (told_set, expected_set): (BTreeSet<_>, BTreeSet<_>) =
            (told.iter().copied().collect(), expected.iter().copied().collect());
        let missing: Vec<_> = expected_set.difference(&told_set).collect();
        let invented: Vec<_> = told_set.difference(&expected_set).collect();
        assert_eq!((missing, invented), (vec![], vec![]), "{page}: (missing, invented)");
    }
}

#[test]
fn the_schema_knows_every_provider() {
    let schema = mm_config::json_schema();
    let listed: Vec<&str> = schema["properties"]["provider"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let known: Vec<&str> = mm_llm::PRESETS.iter().map(|preset| preset.name).collect();
    assert_eq!(listed, known);
}

/// A message of the reference covers the lines that its cases expect.
#[test]
fn every_case_is_the_message_that_it_is_filed_under() {
    for case in cases() {
        let mut parts = case.message.split('<');
        let first = parts.next().unwrap();
        let fixed: Vec<&str> =
            parts.map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)).collect();
        for line in &case.lines {
            let mut rest = line.strip_prefix(first).unwrap_or_else(|| panic!("{line} begins with {first}"));
            for part in &fixed {
                let at = rest.find(part).unwrap_or_else(|| panic!("{line} has {part:?} ({})", case.message));
                rest = &rest[at + part.len()..];
            }
        }
    }
}

#[test]
fn both_references_have_every_variable_and_every_provider() {
    for page in ["docs/reference/configuration.md", "docs/fr/configuration.md"] {
        let text = std::fs::read_to_string(repository().join(page)).unwrap();
        let variables: Vec<String> = cells(marked(&text, "variables"))
            .iter()
            .map(|cells| cells[0].trim_matches('`').to_owned())
            .collect();
        use mm_config::env;
        assert_eq!(
            variables,
            [
                env::AGENT_PROVIDER,
                env::AGENT_MODEL,
                env::AGENT_BASE_URL,
                env::AGENT_TRACE,
                env::AGENT_YOLO,
                env::AGENT_ASK_USER
            ],
            "{page}"
        );
        let none = if page.contains("/fr/") { FRENCH.none } else { ENGLISH.none };
        let quoted = |text: Option<&str>| text.map_or(none.to_owned(), |text| format!("`{text}`"));
        let expected: Vec<Vec<String>> = mm_llm::PRESETS
            .iter()
            .map(|preset| {
                vec![
                    format!("`{}`", preset.name),
                    format!("`{}`", preset.base_url),
                    quoted(preset.fallback),
                    quoted(preset.key_variable),
                ]
            })
            .collect();
        let told: Vec<Vec<String>> =
            cells(marked(&text, "providers")).into_iter().map(|cells| cells[..4].to_vec()).collect();
        assert_eq!(told, expected, "{page}");
    }
}

/// Another copy of the reference may stand in the folder of further cases: each of its messages is here.
#[test]
fn every_message_of_another_copy_is_here() {
    let Some(folder) = std::env::var_os("MM_EXTRA_CASES") else {
        eprintln!("skipped: MM_EXTRA_CASES names no folder");
        return;
    };
    let seeds = std::fs::read_dir(std::path::Path::new(&folder).join("seeds")).unwrap().flatten();
    let seed = seeds.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("/000_")).unwrap();
    let text = std::fs::read_to_string(seed).unwrap();
    let section = text.split("## Erreurs de validation").nth(1).unwrap().split("\n## ").next().unwrap();
    // What needs a later feature.
    let waiting = [
        // An engine error, tested with the program's start.
        "unknown provider",
        // The messages of another page, all of which are here.
        "hooks.<event>[N]: …",
    ];
    let known: Vec<String> = cases().into_iter().map(|case| case.message).collect();
    let mut count = 0;
    for cells in cells(section) {
        for message in cells[0].split("`, `") {
            let message =
                message.trim_matches('`').replace("<nom>", "<name>").replace("<événement>", "<event>");
            if waiting.iter().any(|wait| message.starts_with(wait)) {
                continue;
            }
            count += 1;
            let wanted = pattern(&message);
            assert!(known.iter().any(|known| fits(known, &wanted)), "no case for {message}");
        }
    }
    assert!(count >= 43, "{count}");
}

/// The fixed parts of a message of that document, in order: what it leaves open, and its examples, are not fixed.
fn pattern(message: &str) -> Vec<String> {
    let open = [
        "…",
        "\"go\"",
        "\".go\"",
        "\".ts\"",
        "\"typescript\"",
        "\"x\"",
        "\"Bob\"",
        "\"with-context-x\"",
        "\"maybe\"",
        "[N]",
        "{{p}}",
        "line N",
    ];
    let literal = ["{type, description, …}", "/ask-with-context-…"];
    let mut text = message.to_owned();
    for (index, part) in literal.iter().enumerate() {
        text = text.replace(part, &format!("\u{2}{index}\u{2}"));
    }
    for part in open {
        text = text.replace(part, "\u{1}");
    }
    while let Some((before, rest)) = text.split_once('<').filter(|(_, rest)| rest.contains('>')) {
        text = format!("{before}\u{1}{}", rest.split_once('>').unwrap().1);
    }
    for (index, part) in literal.iter().enumerate() {
        text = text.replace(&format!("\u{2}{index}\u{2}"), part);
    }
    text.split('\u{1}').map(|part| part.trim_matches('"').to_owned()).collect()
}

fn fits(known: &str, wanted: &[String]) -> bool {
    let mut rest = known;
    wanted.iter().all(|part| match rest.find(part.as_str()) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}
