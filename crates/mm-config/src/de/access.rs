//! The ways through lists and mappings.

use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, value::StrDeserializer};

use super::{DecodeError, Decoder, Unknown};
use crate::document::{Entry, Node};

/// The items of a list.
pub(super) struct Items<'a> {
    pub(super) list: Decoder<'a>,
    pub(super) items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        let path = self.list.path.index(index);
        let decoder = Decoder { node, path, findings: self.list.findings };
        decoder.settle(seed.deserialize(decoder)).map(Some)
    }
}

/// Other names of keys.
const OTHER_NAMES: [(&str, &str); 1] = [("env_file", "envFile")];

/// The entries of a mapping; those of a struct only as far as it knows their keys.
pub(super) struct Entries<'a> {
    pub(super) map: Decoder<'a>,
    pub(super) entries: std::slice::Iter<'a, Entry>,
    pub(super) known: Option<&'static [&'static str]>,
    pub(super) value: Option<&'a Entry>,
}

impl Entries<'_> {
    /// The name of a key, where it has another beside it.
    fn name<'e>(&self, entry: &'e Entry) -> &'e str {
        let other = OTHER_NAMES.iter().find(|(other, _)| self.known.is_some() && *other == &*entry.key);
        other
            .filter(|(_, name)| self.known.is_some_and(|known| known.contains(name)))
            .map_or(&entry.key, |(_, name)| name)
    }

    fn note_unknown(&self, entry: &Entry, known: &'static [&'static str]) {
        let path = self.map.path.key(&entry.key);
        let unknown =
            Unknown { path: path.to_string(), name: entry.key.to_string(), place: entry.place, known };
        self.map.findings.unknown.borrow_mut().push(unknown);
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        while let Some(entry) = self.entries.next() {
            let name = self.name(entry);
            if let Some(known) = self.known.filter(|known| !known.contains(&name)) {
                self.note_unknown(entry, known);
                continue;
            }
            if name != &*entry.key && self.map.node.get(name).is_some() {
                let path = self.map.path.key(&entry.key);
                let decoder = Decoder { node: &entry.value, path, findings: self.map.findings };
                decoder.note(&format!("is {name} by another name, and that is set too"));
                continue;
            }
            // Null keeps the default of a key that the struct has.
            if self.known.is_some() && entry.value.is_null() {
                continue;
            }
            self.value = Some(entry);
            let key: StrDeserializer<'_, DecodeError> = name.into_deserializer();
            return seed.deserialize(key).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some(entry) = self.value.take() else {
            return Err(DecodeError::Words("has no value".to_owned()));
        };
        let path = self.map.path.key(&entry.key);
        let decoder = Decoder { node: &entry.value, path, findings: self.map.findings };
        decoder.settle(seed.deserialize(decoder))
    }
}
