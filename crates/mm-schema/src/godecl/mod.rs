//! From Go declarations to the JSON Schema of an answer.

mod comments;
mod cycles;
mod letters;
mod lexer;
mod lower;
mod names;
mod parser;
mod tag;

use serde_json::Value;

/// The schema of an answer, from Go declarations or from a Rust type.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    root: String,
    value: Value,
}

impl Schema {
    /// The schema of a Rust type, as [`schemars`] derives it.
    ///
    /// ```
    /// #[derive(schemars::JsonSchema)]
    /// struct City {
    ///     /// In English.
    ///     name: String,
    /// }
    ///
    /// let schema = mm_schema::Schema::of::<City>();
    /// assert_eq!(schema.root(), "City");
    /// assert_eq!(schema.value()["properties"]["name"]["description"], "In English.");
    /// ```
    pub fn of<T: schemars::JsonSchema>() -> Self {
        let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
        for key in ["$schema", "title"] {
            schema.remove(key);
        }
        let (root, mut value) = (T::schema_name().into_owned(), schema.to_value());
        name_the_root(&mut value, &root);
        Self { root, value }
    }

    /// The name of the block's `var`, or of the Rust type.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The JSON Schema (2020-12), its keys in the order of the declarations.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The JSON Schema alone.
    pub fn into_value(self) -> Value {
        self.value
    }
}

/// Puts a root that contains itself into `$defs` as well: servers know no reference to the whole, `#`.
fn name_the_root(schema: &mut Value, root: &str) {
    let reference = format!("#/$defs/{root}");
    let mut is_used = false;
    let mut left = vec![&mut *schema];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(object) => {
                if object.get("$ref").is_some_and(|reference| reference == "#") {
                    object.insert("$ref".to_owned(), reference.clone().into());
                    is_used = true;
                }
                left.extend(object.values_mut());
            }
            Value::Array(items) => left.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    if let (true, Value::Object(schema)) = (is_used, schema) {
        let mut definition = schema.clone();
        definition.shift_remove("$defs");
        let definitions = schema.entry("$defs").or_insert_with(|| Value::Object(Default::default()));
        if let Value::Object(definitions) = definitions {
            definitions.insert(root.to_owned(), Value::Object(definition));
        }
    }
}

/// Why a block of declarations is no schema. `Display` gives the line that a user reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Something in the block cannot be read or has no JSON Schema; it is the first such thing.
    #[error("structuredOutput:{line}:{column}: {message}")]
    Declaration {
        /// Line of the block, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What is wrong and what to write instead.
        message: String,
    },
    /// Nothing names the root.
    #[error(
        "structuredOutput: no var declaration: name the root of the answer, as in var Answer = []string{{}}"
    )]
    NoVar,
}

impl SchemaError {
    /// The line of the block, from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Declaration { line, .. } => Some(*line),
            Self::NoVar => None,
        }
    }

    /// The column in bytes, from 1.
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Declaration { column, .. } => Some(*column),
            Self::NoVar => None,
        }
    }
}

/// Translates a block of `type` declarations and one `var` into a JSON Schema.
///
/// Structs become objects with every key required and no other allowed, comments become descriptions, and `$defs`
/// holds the types that the root reaches. The time it takes grows with the length of the block and no faster.
///
/// ```
/// let schema = mm_schema::translate(
///     "type City struct {
///          Name    string  `json:\"name\"`
///          Twinned *string `json:\"twinned\"` // null when unknown
///      }
///      var Answer City",
/// )?;
/// assert_eq!(schema.root(), "Answer");
/// assert_eq!(
///     schema.value(),
///     &serde_json::json!({
///         "type": "object",
///         "properties": {
///             "name": {"type": "string"},
///             "twinned": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "null when unknown"}
///         },
///         "required": ["name", "twinned"],
///         "additionalProperties": false
///     })
/// );
///
/// let error = mm_schema::translate("var Answer map[int]string").unwrap_err();
/// assert_eq!((error.line(), error.column()), (Some(1), Some(16)));
/// # Ok::<(), mm_schema::SchemaError>(())
/// ```
///
/// # Errors
/// The first thing that is wrong, with its place: first what cannot be read, then what names do not mean, then a
/// missing `var`.
pub fn translate(block: &str) -> Result<Schema, SchemaError> {
    let parsed = parser::parse(block).map_err(|fault| fault.placed(block))?;
    let names = names::check(&parsed).map_err(|fault| fault.placed(block))?;
    let root = parsed.root.as_ref().ok_or(SchemaError::NoVar)?;
    let value = lower::schema(&parsed.types, root, &names);
    Ok(Schema { root: root.name.to_owned(), value })
}

/// A fault that knows its place as an offset in bytes.
#[derive(Clone, Debug)]
struct Fault {
    at: usize,
    message: String,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    fn placed(self, block: &str) -> SchemaError {
        let before = block.as_bytes().get(..self.at).unwrap_or(block.as_bytes());
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        SchemaError::Declaration { line, column, message: self.message }
    }
}

#[cfg(test)]
mod tests;
