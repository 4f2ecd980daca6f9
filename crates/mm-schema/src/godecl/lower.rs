//! From declarations to a JSON Schema.

use serde_json::{Map, Value, json};

use super::names::{Names, basic};
use super::parser::{Declared, Field, Presence, Root, Shape};

/// Writes the schema of a root whose names are all known.
pub(super) fn schema(types: &[Declared<'_>], root: &Root<'_>, names: &Names<'_>) -> Value {
    let declared = |shape: &Shape<'_>| match shape {
        Shape::Named(name) => names.get(name).and_then(|index| types.get(*index)),
        Shape::List(_) | Shape::Map(_) | Shape::Struct(_) => None,
    };
    let inlined = declared(&root.shape).filter(|declared| matches!(declared.shape, Shape::Struct(_)));
    let shape = inlined.map_or(&root.shape, |declared| &declared.shape);
    let description =
        root.description.as_ref().or(inlined.and_then(|declared| declared.description.as_ref()));

    let writer = Writer { names };
    let mut value = writer.shape(shape, description);
    let reached = reached(types, shape, names);
    let mut defs = Map::new();
    for (declared, _) in types.iter().zip(reached).filter(|(_, reached)| *reached) {
        let definition = writer.shape(&declared.shape, declared.description.as_ref());
        defs.insert(declared.name.text.to_owned(), definition.into());
    }
    if !defs.is_empty() {
        value.insert("$defs".to_owned(), defs.into());
    }
    value.into()
}

/// Which of the declared types a type leads to.
fn reached(types: &[Declared<'_>], root: &Shape<'_>, names: &Names<'_>) -> Vec<bool> {
    let mut reached = vec![false; types.len()];
    let mut to_visit = Vec::new();
    collect(root, names, &mut to_visit);
    while let Some(index) = to_visit.pop() {
        let (Some(seen), Some(declared)) = (reached.get_mut(index), types.get(index)) else { continue };
        if !std::mem::replace(seen, true) {
            collect(&declared.shape, names, &mut to_visit);
        }
    }
    reached
}

fn collect(shape: &Shape<'_>, names: &Names<'_>, found: &mut Vec<usize>) {
    match shape {
        Shape::Named(name) => found.extend(names.get(name)),
        Shape::List(inner) | Shape::Map(inner) => collect(inner, names, found),
        Shape::Struct(fields) => kept(fields).for_each(|field| collect(&field.shape, names, found)),
    }
}

fn kept<'f, 'a>(fields: &'f [Field<'a>]) -> impl Iterator<Item = &'f Field<'a>> {
    fields.iter().filter(|field| field.presence != Presence::Never)
}

struct Writer<'n> {
    names: &'n Names<'n>,
}

impl Writer<'_> {
    fn shape(&self, shape: &Shape<'_>, description: Option<&String>) -> Map<String, Value> {
        let mut schema = Map::new();
        let (first, value) = match shape {
            Shape::Named(name) => match basic(name).filter(|_| !self.names.contains_key(name)) {
                Some(json) => ("type", json.to_owned()),
                None => ("$ref", format!("#/$defs/{name}")),
            },
            Shape::List(_) => ("type", "array".to_owned()),
            Shape::Map(_) | Shape::Struct(_) => ("type", "object".to_owned()),
        };
        schema.insert(first.to_owned(), value.into());
        describe(&mut schema, description);
        match shape {
            Shape::Named(_) => {}
            Shape::List(inner) => {
                schema.insert("items".to_owned(), self.shape(inner, None).into());
            }
            Shape::Map(inner) => {
                schema.insert("additionalProperties".to_owned(), self.shape(inner, None).into());
            }
            Shape::Struct(fields) => self.fields(fields, &mut schema),
        }
        schema
    }

    fn fields(&self, fields: &[Field<'_>], schema: &mut Map<String, Value>) {
        let mut properties = Map::new();
        for field in kept(fields) {
            for (key, _) in field.keys() {
                properties.insert(key.to_owned(), self.field(field).into());
            }
        }
        let required: Vec<Value> = properties.keys().map(|key| Value::from(key.as_str())).collect();
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), required.into());
        schema.insert("additionalProperties".to_owned(), false.into());
    }

    fn field(&self, field: &Field<'_>) -> Map<String, Value> {
        let description = field.description.as_ref();
        if field.presence != Presence::Nullable {
            return self.shape(&field.shape, description);
        }
        let mut schema = Map::new();
        let either = vec![self.shape(&field.shape, None).into(), json!({ "type": "null" })];
        schema.insert("anyOf".to_owned(), either.into());
        describe(&mut schema, description);
        schema
    }
}

fn describe(schema: &mut Map<String, Value>, description: Option<&String>) {
    if let Some(description) = description {
        schema.insert("description".to_owned(), description.as_str().into());
    }
}
