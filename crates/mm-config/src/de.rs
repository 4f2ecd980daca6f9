//! Decoding of a document by serde, in which nothing wrong ends the work.
//!
//! A wrong type is written down, with its place and key, where it is met; serde then gets an empty value of the
//! type that it wanted, and the next key is decoded all the same. Whoever reads the result looks at the
//! findings first: with a fault among them it is no configuration.

mod access;
mod findings;
mod path;

use serde::{
    Deserializer,
    de::{IntoDeserializer, Visitor},
};

use crate::{
    document::{Entry, Node, Scalar, Value},
    duration::{self, GoDuration},
    problem::Place,
    rules::{self, Bound},
    scalar::{Meaning, float, int},
    wording,
};
use access::{Entries, Items};

pub(crate) use findings::{DecodeError, Findings, Note, Unknown};
pub(crate) use path::{Path, Step};

/// The name of a type that is text or a list of texts.
pub(crate) const TEXT_OR_LIST: &str = "text or a list of texts";
/// The structs that a text can stand for, with the key that it then sets.
const SHORT_FORMS: &[(&str, &str)] = &[("MmConfig", "path")];

/// Decodes one value.
#[derive(Clone, Copy)]
pub(crate) struct Decoder<'a> {
    node: &'a Node,
    path: Path<'a>,
    findings: &'a Findings<'a>,
}

impl<'a> Decoder<'a> {
    /// A decoder of a whole document.
    pub(crate) fn new(root: &'a Node, findings: &'a Findings<'a>) -> Self {
        Self { node: root, path: Path::Top, findings }
    }

    /// Writes down that the value is not what was wanted.
    fn mismatch(&self, wanted: &str) {
        let hint = wording::hint(wanted, &self.node.value, &self.path);
        let found = format!(", not {}{hint}", wording::found(&self.node.value));
        self.findings.mistyped(self.node, &self.path, &format!("must be {wanted}"), &found);
    }

    fn note(&self, words: &str) {
        self.findings.mistyped(self.node, &self.path, words, "");
    }

    /// Gives what a visitor made of the value; its objection is written down here, where the place is known.
    fn settle<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|error| {
            if let DecodeError::Words(words) = error {
                self.note(&words);
                self.findings.stopped.set(true);
            }
            DecodeError::Noted
        })
    }

    fn scalar(&self) -> Option<&'a Scalar> {
        match &*self.node.value {
            Value::Scalar(scalar) => Some(scalar),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// The text of a value as written; null is no text.
    fn text(&self, wanted: &str) -> Option<&'a str> {
        let text = self.scalar().filter(|scalar| scalar.meaning != Meaning::Null).map(|s| s.text.as_str());
        if text.is_none() {
            self.mismatch(wanted);
        }
        text
    }

    fn whole<T: TryFrom<i128> + Default>(&self, least: i128, most: i128) -> T {
        let Some(number) = self.scalar().filter(|s| s.meaning == Meaning::Int).and_then(|s| int(&s.text))
        else {
            self.mismatch(wording::WHOLE);
            return T::default();
        };
        if self.breaks_bound(number) {
            return T::default();
        }
        T::try_from(number).unwrap_or_else(|_| {
            let words = if number > most { format!("most {most}") } else { format!("least {least}") };
            self.note(&format!("must be at {words}"));
            T::default()
        })
    }

    fn breaks_bound(&self, number: i128) -> bool {
        let words = Bound::of(&self.path).and_then(|bound| bound.broken(number));
        if let Some(words) = &words {
            self.findings.broken(&self.path, &format!(" {words}"));
        }
        words.is_some()
    }

    /// The text of a duration that is one and within its bounds.
    fn duration(&self) -> &'a str {
        let Some(text) = self.text(wording::DURATION) else {
            return "0";
        };
        match text.parse::<GoDuration>() {
            Ok(duration) if self.breaks_bound(duration.as_nanos().into()) => "0",
            Ok(_) => text,
            Err(error) => {
                self.note(&error.to_string());
                "0"
            }
        }
    }

    fn items(&self) -> &'a [Node] {
        match &*self.node.value {
            Value::Sequence(items) => items,
            Value::Scalar(_) | Value::Mapping(_) => {
                self.mismatch(wording::LIST);
                &[]
            }
        }
    }

    /// The entries of a mapping; a null in its place has none.
    fn mapping(&self) -> &'a [Entry] {
        match &*self.node.value {
            Value::Mapping(entries) => entries,
            Value::Scalar(_) if self.node.is_null() => &[],
            Value::Scalar(_) | Value::Sequence(_) => {
                match (rules::no_mapping(&self.path), self.node.place()) {
                    (Some(words), Some(place)) => {
                        self.findings.plain(&self.path, format!("line {}: {words}", place.line));
                    }
                    _ => self.mismatch("a mapping"),
                }
                &[]
            }
        }
    }

    /// A negative number, one in another base, or one that is too large.
    fn visit_other_number<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, DecodeError> {
        let number = self.scalar().and_then(|scalar| int(&scalar.text));
        if let Some(number) = number.and_then(|number| u64::try_from(number).ok()) {
            return self.settle(visitor.visit_u64(number));
        }
        self.settle(visitor.visit_i64(self.whole(i64::MIN.into(), u64::MAX.into())))
    }

    fn entries(self, entries: &'a [Entry], known: Option<&'static [&'static str]>) -> Entries<'a> {
        Entries { map: self, entries: entries.iter(), known, value: None }
    }
}

/// The whole numbers differ in their ends alone.
macro_rules! whole_numbers {
    ($($method:ident $visit:ident $number:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let number: $number = self.whole(<$number>::MIN.into(), <$number>::MAX.into());
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
            Meaning::Int => match scalar.text.parse() {
                Ok(number) => self.settle(visitor.visit_u64(number)),
                Err(_) => self.visit_other_number(visitor),
            },
            Meaning::Float => match float(&scalar.text).filter(|number| number.is_finite()) {
                Some(number) => self.settle(visitor.visit_f64(number)),
                None => {
                    self.mismatch("a finite number");
                    self.settle(visitor.visit_unit())
                }
            },
            Meaning::Text => self.settle(visitor.visit_str(&scalar.text)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let value = match self.scalar().map(|scalar| scalar.meaning) {
            Some(Meaning::Bool(value)) => value,
            _ => {
                self.mismatch(wording::BOOL);
                false
            }
        };
        self.settle(visitor.visit_bool(value))
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
        let number = self.scalar().and_then(|scalar| match scalar.meaning {
            Meaning::Int => int(&scalar.text).map(|number| number as f64),
            Meaning::Float => float(&scalar.text),
            Meaning::Null | Meaning::Bool(_) | Meaning::Text => None,
        });
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.mismatch("a number");
        }
        self.settle(visitor.visit_f64(number.unwrap_or_default()))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.settle(visitor.visit_str(self.text(wording::TEXT).unwrap_or_default()))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.node.is_null() { visitor.visit_none() } else { self.settle(visitor.visit_some(self)) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let items = self.items();
        self.settle(visitor.visit_seq(Items { list: self, items: items.iter().enumerate() }))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let entries = self.mapping();
        self.settle(visitor.visit_map(self.entries(entries, None)))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let short = SHORT_FORMS.iter().find(|(of, _)| *of == name);
        if let Some((_, key)) = short.filter(|_| self.scalar().is_some() && !self.node.is_null()) {
            let short = [Entry { key: (*key).into(), place: Place::START, value: self.node.clone() }];
            return visitor.visit_map(Entries { map: self, entries: short.iter(), known: None, value: None });
        }
        let entries = self.mapping();
        self.settle(visitor.visit_map(self.entries(entries, Some(fields))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let first = variants.first().copied().unwrap_or_default();
        let text = match self.scalar().filter(|scalar| scalar.meaning != Meaning::Null) {
            Some(scalar) if variants.contains(&scalar.text.as_str()) => &scalar.text,
            Some(scalar) => {
                self.findings.broken(&self.path, &wording::no_choice(name, variants, &scalar.text));
                first
            }
            None => {
                self.mismatch(&wording::choice(variants));
                first
            }
        };
        self.settle(visitor.visit_enum(text.into_deserializer()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match name {
            duration::NAME => self.settle(visitor.visit_str(self.duration())),
            TEXT_OR_LIST if self.scalar().is_some() && !self.node.is_null() => self.deserialize_str(visitor),
            TEXT_OR_LIST => {
                let items: &[Node] = match &*self.node.value {
                    Value::Sequence(items) => items,
                    Value::Scalar(_) | Value::Mapping(_) => {
                        self.mismatch(wording::TEXT_OR_LIST);
                        &[]
                    }
                };
                self.settle(visitor.visit_seq(Items { list: self, items: items.iter().enumerate() }))
            }
            _ => self.settle(visitor.visit_newtype_struct(self)),
        }
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
