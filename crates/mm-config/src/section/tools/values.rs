//! The values of `enum` and `default`: what stands in the file, in the type of the parameter.

use serde_json::Value;

use super::ParameterType;
use crate::{
    document::{self, Node, Scalar},
    problem::quoted,
    scalar::{Meaning, float, int},
    wording,
};

/// Gives a value the parameter's type. A number or boolean is text as written where text is wanted; nothing else
/// is converted.
pub(super) fn typed(node: &Node, kind: ParameterType) -> Result<Value, String> {
    let document::Value::Scalar(scalar) = &*node.value else {
        return Err(format!("{} is not {}", wording::found(&node.value), named(kind)));
    };
    let value = match (kind, scalar.meaning) {
        (ParameterType::String, Meaning::Null) => None,
        (ParameterType::String, _) => Some(Value::from(scalar.text.as_str())),
        (ParameterType::Boolean, Meaning::Bool(value)) => Some(Value::from(value)),
        (ParameterType::Integer | ParameterType::Number, Meaning::Int) => {
            let number = int(&scalar.text).unwrap_or_default();
            let small = i64::try_from(number).ok().map(Value::from);
            small.or_else(|| u64::try_from(number).ok().map(Value::from))
        }
        (ParameterType::Number, Meaning::Float) => {
            float(&scalar.text).filter(|number| number.is_finite()).map(Value::from)
        }
        (ParameterType::Integer | ParameterType::Number | ParameterType::Boolean, _) => None,
    };
    value.ok_or_else(|| refused(scalar, node, kind))
}

fn refused(scalar: &Scalar, node: &Node, kind: ParameterType) -> String {
    let found = wording::found(&node.value);
    let advice = match kind {
        ParameterType::String => format!(": put it in quotes ({})", quoted(&scalar.text)),
        ParameterType::Boolean => wording::bool_hint(&scalar.text),
        ParameterType::Integer => wording::whole_hint(scalar),
        ParameterType::Number => String::new(),
    };
    format!("{found} is not {}{advice}", named(kind))
}

fn named(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::String => "a string",
        ParameterType::Number => "a number",
        ParameterType::Integer => "an integer",
        ParameterType::Boolean => "a boolean",
    }
}
