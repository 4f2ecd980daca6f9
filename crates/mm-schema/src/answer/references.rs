//! References to definitions, as the validator takes them: names in ASCII, and no long chains.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

const DEFS: &str = "#/$defs/";

/// Writes every reference as a URI, in which a letter that is not ASCII is its bytes.
pub(super) fn encode(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref") {
                *reference = encoded(reference);
            }
            map.values_mut().for_each(encode);
        }
        Value::Array(values) => values.iter_mut().for_each(encode),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn encoded(reference: &str) -> String {
    reference.bytes().fold(String::with_capacity(reference.len()), |mut uri, byte| {
        match byte {
            0x80.. => drop(write!(uri, "%{byte:02X}")),
            _ => uri.push(char::from(byte)),
        }
        uri
    })
}

/// Lets each definition that is only another name of one lead to the end of its chain: following it would take a stack as
/// long as the chain.
pub(super) fn shorten(schema: &mut Value) {
    let Some(Value::Object(defs)) = schema.get_mut("$defs") else { return };
    let next: HashMap<&str, &str> =
        defs.iter().filter_map(|(name, definition)| Some((name.as_str(), renames(definition)?))).collect();
    let mut ends: HashMap<String, String> = HashMap::new();
    for name in next.keys() {
        let mut path = Vec::new();
        let mut end = *name;
        // A circle has no end; it is not ours to tell.
        while let Some(further) = next.get(end).filter(|_| path.len() <= next.len()) {
            path.push(end);
            end = ends.get(*further).map_or(further, String::as_str);
        }
        let reached: Vec<_> = path.iter().map(|name| ((*name).to_owned(), end.to_owned())).collect();
        ends.extend(reached);
    }
    for (name, end) in ends {
        if let Some(definition) = defs.get_mut(&name) {
            *definition = serde_json::json!({ "$ref": format!("{DEFS}{end}") });
        }
    }
}

/// The definition that another one is a name of.
fn renames(definition: &Value) -> Option<&str> {
    let map = definition.as_object()?;
    let is_name = map.keys().all(|key| key == "$ref" || key == "description");
    map.get("$ref")?.as_str()?.strip_prefix(DEFS).filter(|_| is_name)
}
