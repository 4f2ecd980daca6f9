//! Whatever the text: no panic, a place within it, and time in proportion to its length.

use proptest::prelude::*;

use super::cases::inputs;
use super::*;

/// Translates; an error must have its place in the block.
fn holds(block: &str) {
    match translate(block) {
        Ok(schema) => {
            assert!(!schema.root().is_empty());
            resolves(schema.value(), schema.value());
        }
        Err(SchemaError::NoVar) => {}
        Err(error) => {
            let (line, column) = (error.line().unwrap(), error.column().unwrap());
            let length = block.split('\n').nth(line - 1).map(str::len);
            assert!(column >= 1 && length.is_some_and(|length| column <= length + 1), "{block:?}\n{error}");
            assert!(!error.to_string().contains('\n'), "{block:?}\n{error}");
        }
    }
}

/// Every `$ref` of a schema leads to one of its definitions.
fn resolves(schema: &Value, root: &Value) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(Value::as_str) {
                assert!(root["$defs"].get(name.strip_prefix("#/$defs/").unwrap()).is_some(), "{name}");
            }
            map.values().for_each(|value| resolves(value, root));
        }
        Value::Array(values) => values.iter().for_each(|value| resolves(value, root)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A block in which the types are T0, T1, …, and the keys of each struct that its schema should have.
fn block() -> impl Strategy<Value = (String, Vec<Vec<String>>)> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["string", "bool", "int", "uint8", "float64", "(int64)"])
            .prop_map(str::to_owned),
        (0usize..4).prop_map(|n| format!("[]T{n}")),
    ];
    let shape = leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("[]{inner}")),
            inner.clone().prop_map(|inner| format!("map[string]{inner}")),
            prop::collection::vec(inner, 0..3).prop_map(|fields| {
                let fields =
                    fields.iter().enumerate().map(|(n, field)| format!("\nF{n} {field} // field {n}"));
                format!("struct {{{}\n}}", fields.collect::<String>())
            }),
        ]
    });
    let field = (shape, prop::sample::select(vec!["", "*"]), "[a-z é]{1,3}", any::<bool>());
    let structs = prop::collection::vec(prop::collection::vec(field, 0..4), 4);
    structs.prop_map(|structs| {
        let mut text = String::new();
        let mut keys = Vec::new();
        for (at, fields) in structs.iter().enumerate() {
            text += &format!("// type {at}\ntype T{at} struct {{\n");
            for (n, (shape, pointer, key, is_tagged)) in fields.iter().enumerate() {
                let tag = if *is_tagged { format!(" `json:\"{n}{key},omitempty\"`") } else { String::new() };
                text += &format!("\tF{n} {pointer}{shape}{tag}\n");
            }
            text += "}\n";
            let key = |(n, (_, _, key, is_tagged)): (usize, &(_, _, String, bool))| {
                if *is_tagged { format!("{n}{key}") } else { format!("F{n}") }
            };
            keys.push(fields.iter().enumerate().map(key).collect());
        }
        (text + "var Answer T0\n", keys)
    })
}

/// What happens to a block, at a place from 0 to 1.
#[derive(Clone, Debug)]
enum Change {
    Delete(usize),
    Insert(String),
    Swap,
    Cut,
}

fn change() -> impl Strategy<Value = (f64, Change)> {
    let pieces = vec![
        "{", "}", "(", ")", "[", "]", "*", ";", ",", ".", "\"", "`", "//", "/*", "*/", "\n", "\r\n", "\0",
        "\u{feff}", "=", "type", "var", "struct", "map", "func", "é", "'", "\\", "<-", "...", " ", "_", "9",
        "[3]", "[]", "*T0",
    ];
    let change = prop_oneof![
        (1usize..20).prop_map(Change::Delete),
        prop::sample::select(pieces).prop_map(|piece| Change::Insert(piece.to_owned())),
        ".{1,3}".prop_map(Change::Insert),
        Just(Change::Swap),
        Just(Change::Cut),
    ];
    (0.0..1.0, change)
}

fn changed(text: &str, changes: &[(f64, Change)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (place, change) in changes {
        let at = (chars.len() as f64 * place) as usize;
        match change {
            Change::Delete(count) => drop(chars.drain(at..(at + count).min(chars.len()))),
            Change::Insert(text) => drop(chars.splice(at..at, text.chars())),
            Change::Swap if at + 1 < chars.len() => chars.swap(at, at + 1),
            Change::Swap => {}
            Change::Cut => chars.truncate(at),
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn random_declarations_are_translated((text, keys) in block()) {
        let schema = translate(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let value = schema.into_value();
        resolves(&value, &value);
        prop_assert!(jsonschema::meta::is_valid(&value), "{}", text);
        prop_assert!(jsonschema::validator_for(&value).is_ok(), "{}", text);
        let names = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        prop_assert_eq!(names(&value), keys[0].clone());
        for (name, definition) in value["$defs"].as_object().into_iter().flatten() {
            let at: usize = name[1..].parse().unwrap();
            prop_assert_eq!(names(definition), keys[at].clone());
            prop_assert_eq!(&definition["description"], &json!(format!("type {at}")));
        }
    }

    #[test]
    fn spoiled_declarations_give_a_place_or_a_schema(
        (text, _) in block(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        holds(&changed(&text, &changes));
    }

    #[test]
    fn spoiled_cases_give_a_place_or_a_schema(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        holds(&changed(which.get::<String>(&inputs()), &changes));
    }
}

#[test]
fn a_block_may_be_cut_at_every_byte() {
    for input in inputs() {
        for at in 0..=input.len() {
            holds(&String::from_utf8_lossy(&input.as_bytes()[..at]));
            holds(&String::from_utf8_lossy(&input.as_bytes()[at..]));
        }
    }
}

/// Ten thousand levels are refused where the hundredth begins, however they are written.
#[test]
fn deep_nesting_is_an_error_with_a_place() {
    let deep = |open: &str, close: &str| format!("var X {}int{}", open.repeat(10_000), close.repeat(10_000));
    let rows = [
        deep("[]", ""),
        deep("(", ")"),
        deep("map[string]", ""),
        deep("struct { A ", "}"),
        deep("struct { A *", "}"),
        format!("var X = {}int{{}}", "[]".repeat(10_000)),
        format!("var X map[{}string{}]int", "(".repeat(10_000), ")".repeat(10_000)),
    ];
    for block in rows {
        holds(&block);
    }
    let told = told(&deep("[]", ""));
    assert_eq!(told, "1:207: types stand too deep in each other here: declare the inner ones by name");
    assert!(translate(&format!("var X {}int", "[]".repeat(99))).is_ok());
    holds(&deep("[", "]"));
    holds(&format!("var X = {}", "{".repeat(10_000)));
}

/// A chain or a circle of types is as long as the block.
#[test]
fn long_chains_of_types_need_no_stack() {
    let chain = |last: &str| {
        let types: String = (0..10_000).map(|n| format!("type T{n} struct {{ A T{} }}\n", n + 1)).collect();
        format!("{types}type T10000 {last}\nvar X T0\n")
    };
    assert_eq!(translate(&chain("int")).unwrap().value()["$defs"].as_object().unwrap().len(), 10_000);
    assert!(told(&chain("T0")).starts_with("1:6: T0 contains itself"));
    assert!(told(&chain("T9000")).starts_with("9001:6: T9000 contains itself"));
}

#[test]
fn names_that_share_a_type_do_not_multiply_without_end() {
    let doubled = format!("var X {}int{}", "struct { A, B ".repeat(60), "}".repeat(60));
    assert!(told(&doubled).contains("written out for too many names"), "{}", told(&doubled));
    let names = |n: usize| (0..n).map(|n| format!("A{n}")).collect::<Vec<_>>().join(", ");
    assert!(translate(&format!("var X struct {{ {} int }}", names(1_000))).is_ok());
    let described = format!("var X struct {{\n{} int // {}\n}}", names(1_000), "x".repeat(10_000));
    assert!(told(&described).contains("written out for too many names"));
}

#[test]
fn odd_texts_of_a_megabyte_are_read() {
    let pieces = [
        "// c\n",
        "/**/",
        "/*",
        "\0",
        "\r\n",
        "(",
        "[",
        "\"",
        "`",
        "'",
        "type A int\n",
        "var X int\n",
        "é",
        "var X = ",
    ];
    for piece in pieces {
        holds(&piece.repeat((1 << 20) / piece.len()));
    }
    let name = "a".repeat(1 << 19);
    holds(&format!("type {name} int\nvar X {name}b"));
    let comments = format!("{}var X int\n", "// c\n".repeat(1 << 18));
    assert_eq!(
        translate(&comments).unwrap().value()["description"].as_str().map(str::len),
        Some((1 << 19) - 1)
    );
}
