use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6f64..1e6).prop_map(Value::from),
        // The writer is of YAML 1.1 and breaks lines at these two, which are letters like any in 1.2.
        "\\PC{0,12}".prop_map(|text| Value::from(text.replace(['\u{2028}', '\u{2029}'], "x"))),
        prop_oneof![
            Just("yes"),
            Just("010"),
            Just("~"),
            Just("1.10"),
            Just("0x1F"),
            Just("a: b"),
            Just("- c")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Another program's writer and this loader agree on what a text means.
    #[test]
    fn what_a_yaml_writer_writes_is_read_back(value in any_value().prop_filter("null removes", |v| !v.is_null())) {
        let mut file = serde_json::Map::new();
        file.insert("sampling".into(), serde_json::json!({ "value": value.clone() }));
        let text = serde_yaml::to_string(&file).unwrap();
        let config = config(&text);
        prop_assert_eq!(config.sampling.get("value"), Some(&value), "{}", text);
    }
}
