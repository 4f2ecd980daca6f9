//! Decoding of a document by serde, in which every wrong type is noted and none ends the work.
//!
//! A fault is written down, with its place and key, where it is met; serde then gets an error that says only
//! that this has happened. [`Field`](crate::raw::Field) swallows it, so the next key is decoded all the same.

mod access;
mod findings;

use serde::{
    Deserializer,
    de::{IntoDeserializer, Visitor},
};

use crate::{
    document::{Entry, Node, Scalar, Value},
    problem::Fault,
    scalar::Meaning,
    wording,
};
use access::{Entries, Items};

pub(crate) use findings::{DecodeError, Findings, Path, Unknown};

/// Decodes one value.
#[derive(Clone, Copy)]
pub(crate) struct Decoder<'a> {
    node: &'a Node,
    path: Path<'a>,
    findings: &'a Findings,
}

impl<'a> Decoder<'a> {
    /// A decoder of a whole document.
    pub(crate) fn new(root: &'a Node, findings: &'a Findings) -> Self {
        Self { node: root, path: Path::Top, findings }
    }

    /// Writes down that the value is not what was wanted.
    fn mismatch(&self, wanted: &str) -> DecodeError {
        let hint = wording::hint(wanted, &self.node.value);
        self.note(&format!("must be {wanted}, not {}{hint}", wording::found(&self.node.value)))
    }

    fn note(&self, words: &str) -> DecodeError {
        let (key, subject) = match self.path {
            Path::Top => (None, "the file".to_owned()),
            Path::Key(..) | Path::Index(..) => (Some(self.path.to_string()), self.path.to_string()),
        };
        self.findings.faults.borrow_mut().push(Fault::at(self.node.place, key, format!("{subject} {words}")));
        DecodeError::Noted
    }

    /// Gives what a visitor made of the value; its objection is written down here, where the place is known.
    fn settle<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|error| match error {
            DecodeError::Noted => DecodeError::Noted,
            DecodeError::Words(words) => self.note(&words),
        })
    }

    fn scalar(&self) -> Option<&'a Scalar> {
        match &*self.node.value {
            Value::Scalar(scalar) => Some(scalar),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// The text of a value as written; null is no text.
    fn text(&self, wanted: &str) -> Result<&'a str, DecodeError> {
        let text = self.scalar().filter(|scalar| scalar.meaning != Meaning::Null).map(|s| s.text.as_str());
        text.ok_or_else(|| self.mismatch(wanted))
    }

    fn whole<T: TryFrom<i128>>(&self, least: i128, most: i128) -> Result<T, DecodeError> {
        let Some(Meaning::Int(number)) = self.scalar().map(|scalar| scalar.meaning) else {
            return Err(self.mismatch(wording::WHOLE));
        };
        T::try_from(number).map_err(|_| self.note(&format!("must be a whole number from {least} to {most}")))
    }

    fn mapping(&self) -> Result<&'a [Entry], DecodeError> {
        match &*self.node.value {
            Value::Mapping(entries) => Ok(entries),
            Value::Scalar(_) | Value::Sequence(_) => Err(self.mismatch("a mapping")),
        }
    }

    fn visit_number<'de, V: Visitor<'de>>(&self, number: i128, visitor: V) -> Result<V::Value, DecodeError> {
        if let Ok(number) = u64::try_from(number) {
            return self.settle(visitor.visit_u64(number));
        }
        self.settle(visitor.visit_i64(self.whole(i64::MIN.into(), u64::MAX.into())?))
    }
}

/// The whole numbers differ in their ends alone.
macro_rules! whole_numbers {
    ($($method:ident $visit:ident $number:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let number = self.whole(<$number>::MIN.into(), <$number>::MAX.into())?;
            self.settle(visitor.$visit(number))
        }
    )*};
}

impl<'de> Deserializer<'de> for Decoder<'_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let scalar = match &*self.node.value {
            Value::Sequence(_) => return self.deserialize_seq(visitor),
            Value::Mapping(_) => return self.deserialize_map(visitor),
            Value::Scalar(scalar) => scalar,
        };
        match scalar.meaning {
            Meaning::Null => self.settle(visitor.visit_unit()),
            Meaning::Bool(value) => self.settle(visitor.visit_bool(value)),
            Meaning::Int(number) => self.visit_number(number, visitor),
            Meaning::Float(number) if number.is_finite() => self.settle(visitor.visit_f64(number)),
            Meaning::Float(_) => Err(self.mismatch("a finite number")),
            Meaning::Text => self.settle(visitor.visit_str(&scalar.text)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.scalar().map(|scalar| scalar.meaning) {
            Some(Meaning::Bool(value)) => self.settle(visitor.visit_bool(value)),
            _ => Err(self.mismatch(wording::BOOL)),
        }
    }

    whole_numbers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    #[allow(clippy::cast_precision_loss)]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let number = match self.scalar() {
            Some(Scalar { meaning: Meaning::Int(number), .. }) => Some(*number as f64),
            Some(Scalar { meaning: Meaning::Float(number), .. }) => Some(*number),
            _ => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => self.settle(visitor.visit_f64(number)),
            None => Err(self.mismatch("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.settle(visitor.visit_str(self.text("text")?))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.node.is_null() { visitor.visit_none() } else { self.settle(visitor.visit_some(self)) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Value::Sequence(items) = &*self.node.value else {
            return Err(self.mismatch("a list"));
        };
        self.settle(visitor.visit_seq(Items { list: self, items: items.iter().enumerate() }))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let entries = self.mapping()?;
        self.settle(visitor.visit_map(Entries {
            map: self,
            entries: entries.iter(),
            known: None,
            value: None,
        }))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let entries = self.mapping()?;
        let known = Some(fields);
        self.settle(visitor.visit_map(Entries { map: self, entries: entries.iter(), known, value: None }))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.settle(visitor.visit_enum(self.text("text")?.into_deserializer()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.settle(visitor.visit_newtype_struct(self))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.settle(visitor.visit_unit())
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

#[cfg(test)]
mod tests;
