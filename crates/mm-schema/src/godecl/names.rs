//! What the names in a block mean: basic types, declared ones, and faults that only names make.

use std::collections::HashMap;

use super::parser::{Block, Declared, Word};
use super::{Fault, cycles};
use crate::nearest;

/// The declared types by name, each with its place in the order of declarations.
pub(super) type Names<'a> = HashMap<&'a str, usize>;

const BASIC: [(&str, &str); 14] = [
    ("string", "string"),
    ("bool", "boolean"),
    ("int", "integer"),
    ("int8", "integer"),
    ("int16", "integer"),
    ("int32", "integer"),
    ("int64", "integer"),
    ("uint", "integer"),
    ("uint8", "integer"),
    ("uint16", "integer"),
    ("uint32", "integer"),
    ("uint64", "integer"),
    ("float32", "number"),
    ("float64", "number"),
];

/// The longest name for which a like one is looked for, in bytes.
const MAX_COMPARED: usize = 40;

/// What to write for names that Go or JSON knows and that have no schema.
const INSTEAD: [(&str, &str); 14] = [
    ("any", "write a struct, a map or a basic type"),
    ("byte", "write uint8"),
    ("rune", "write int32, or string for a character"),
    ("error", "write string"),
    ("integer", "write int"),
    ("number", "write float64"),
    ("float", "write float64"),
    ("double", "write float64"),
    ("boolean", "write bool"),
    ("text", "write string"),
    ("object", "write a struct, or map[string]T"),
    ("array", "write []T"),
    ("complex64", "write a struct of two numbers"),
    ("complex128", "write a struct of two numbers"),
];

/// The JSON type of one of Go's basic types.
pub(super) fn basic(name: &str) -> Option<&'static str> {
    BASIC.iter().find(|(known, _)| *known == name).map(|(_, json)| *json)
}

/// Finds what each declared name means, or the first fault of names.
pub(super) fn check<'a>(block: &Block<'a>) -> Result<Names<'a>, Fault> {
    let mut names = Names::new();
    let mut twice = None;
    for (index, declared) in block.types.iter().enumerate() {
        let name = declared.name;
        if names.contains_key(name.text) {
            let message = format!("{} is declared twice: rename one of them", name.text);
            twice.get_or_insert_with(|| Fault::new(name.at, message));
        } else {
            names.insert(name.text, index);
        }
    }
    let is_known = |word: &&Word<'_>| names.contains_key(word.text) || basic(word.text).is_some();
    let unknown = block.uses.iter().find(|word| !is_known(word)).map(|word| undefined(*word, &block.types));
    let key = block.map_keys.first().filter(|_| names.contains_key("string"));
    let key =
        key.map(|at| Fault::new(*at, "string is declared here: the keys of a map must be Go's own string"));
    let cycle = cycles::first(&block.types, &names).map(endless);
    let faults = [twice, unknown, key, cycle, block.noted.clone()].into_iter().flatten();
    faults.min_by_key(|fault| fault.at).map_or(Ok(names), Err)
}

fn undefined(word: Word<'_>, types: &[Declared<'_>]) -> Fault {
    let name = word.text;
    let declared = types.iter().map(|declared| declared.name.text);
    // How alike two names are takes long to tell when they are long.
    let known =
        declared.chain(BASIC.iter().map(|(name, _)| *name)).filter(|known| known.len() <= MAX_COMPARED);
    let near = if name.len() <= MAX_COMPARED { nearest(name, known) } else { None };
    let message = match INSTEAD.iter().find(|(known, _)| *known == name) {
        Some((_, instead)) => format!("{name} has no schema: {instead}"),
        None => match near {
            Some(near) => format!("there is no type {name}: did you mean {near}?"),
            None => format!("there is no type {}: declare it in this block", short(name)),
        },
    };
    Fault::new(word.at, message)
}

/// A name that a message can bear.
fn short(name: &str) -> String {
    match name.char_indices().nth(MAX_COMPARED) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
        None => name.to_owned(),
    }
}

fn endless(declared: &Declared<'_>) -> Fault {
    let name = declared.name;
    let message = format!("{} contains itself without end: put a *, a [] or a map between", name.text);
    Fault::new(name.at, message)
}
