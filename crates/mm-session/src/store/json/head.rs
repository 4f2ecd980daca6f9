//! The beginning of a file, which is all that a list reads.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::migrate::migrate;
use super::modified;
use crate::store::{Fault, SessionHead};

/// The keys of a head, in the order of a file.
const KEYS: [&str; 9] =
    ["version", "id", "title", "created", "updated", "cwd", "config", "provider", "model"];
/// Behind the head.
const MESSAGES: &str = "messages";
/// The bytes that a head is looked for in first.
const FIRST: usize = 4 << 10;
/// The most bytes that a head is looked for in, so that no file holds up a list.
const MOST: u64 = 32_000_000;
/// The bytes that are looked at for the end of a file.
const LAST: u64 = 16;

/// The head as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "a session")]
pub(super) struct HeadTwin {
    pub(super) version: u64,
    pub(super) id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    created: String,
    #[serde(default)]
    updated: String,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    config: Option<String>,
    #[serde(default)]
    provider: String,
    #[serde(default)]
    model: String,
}

impl HeadTwin {
    pub(super) fn of(head: &SessionHead, version: u64) -> Self {
        Self {
            version,
            id: head.id.clone(),
            title: head.title.clone(),
            created: time(head.created),
            updated: time(head.updated),
            cwd: head.cwd.to_string_lossy().into_owned(),
            config: head.config.as_ref().map(|path| path.to_string_lossy().into_owned()),
            provider: head.provider.clone(),
            model: head.model.clone(),
        }
    }

    /// What is no time gives way to that of the file.
    fn told(self, changed: SystemTime) -> SessionHead {
        let at = |text: &str| text.parse::<jiff::Timestamp>().map_or(changed, SystemTime::from);
        SessionHead {
            created: at(&self.created),
            updated: at(&self.updated),
            id: self.id,
            title: self.title,
            cwd: PathBuf::from(self.cwd),
            config: self.config.map(PathBuf::from),
            provider: self.provider,
            model: self.model,
        }
    }
}

/// A time as it stands in a file.
pub(super) fn time(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).unwrap_or_default().to_string()
}

/// Reads the head of a file, and looks whether the file has an end.
pub(super) fn of_file(file: &File, metadata: &Metadata) -> Result<SessionHead, Fault> {
    let mut start = [0; FIRST];
    let read = fill(file, &mut start)?;
    let start = start.get(..read).unwrap_or_default();
    let is_whole = start.len() as u64 == metadata.len();
    let found = match find(&mut serde_json::Deserializer::from_slice(start)) {
        // A head that is longer, or a file whose keys somebody sorted.
        Err(Fault::Cut) if !is_whole => {
            let all = BufReader::with_capacity(64 << 10, start.chain(file).take(MOST));
            match find(&mut serde_json::Deserializer::from_reader(all)) {
                Err(Fault::Cut) if metadata.len() > MOST => {
                    let most = MOST / 1_000_000;
                    return Err(Fault::Foreign(format!("its first {most} MB have no head")));
                }
                found => found?,
            }
        }
        found => found?,
    };
    let head = of_map(found, modified(metadata))?;
    if has_end(file, metadata.len())? { Ok(head) } else { Err(Fault::Cut) }
}

/// Reads the head of a whole file in memory; gives the version that it was written in too.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<(Map<String, Value>, u64), Fault> {
    let found = find(&mut serde_json::Deserializer::from_slice(bytes))?;
    let version = found.get("version").and_then(Value::as_u64).unwrap_or(0);
    Ok((found, version))
}

/// Makes a head of what was found, whatever the version.
pub(super) fn of_map(mut found: Map<String, Value>, changed: SystemTime) -> Result<SessionHead, Fault> {
    migrate(&mut found)?;
    let twin: HeadTwin =
        serde_json::from_value(Value::Object(found)).map_err(|error| Fault::Foreign(error.to_string()))?;
    Ok(twin.told(changed))
}

fn fill(mut file: &File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = buffer.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// Whether the last character that is no white space closes an object.
fn has_end(file: &File, size: u64) -> std::io::Result<bool> {
    let from = size.saturating_sub(LAST);
    let mut end = vec![0; usize::try_from(size - from).unwrap_or(0)];
    file.read_exact_at(&mut end, from)?;
    Ok(end.trim_ascii_end().ends_with(b"}"))
}

/// Finds the keys of a head. What stands behind a whole head is not looked at.
fn find<'de, R: serde_json::de::Read<'de>>(
    json: &mut serde_json::Deserializer<R>,
) -> Result<Map<String, Value>, Fault> {
    let mut found = Found::default();
    let read = json.deserialize_map(&mut found);
    match read {
        _ if found.is_done => Ok(found.head),
        Ok(()) if found.has_messages => Ok(found.head),
        Ok(()) => Err(Fault::Foreign(format!("it has no {MESSAGES}"))),
        Err(error) if error.is_eof() && error.line() <= 1 && error.column() == 0 => Err(Fault::Empty),
        Err(error) if error.is_eof() => Err(Fault::Cut),
        Err(error) if error.is_io() => Err(Fault::Io(error.into())),
        Err(error) if error.is_data() => Err(Fault::Foreign(error.to_string())),
        Err(error) => Err(Fault::NotJson(error)),
    }
}

#[derive(Default)]
struct Found {
    head: Map<String, Value>,
    has_messages: bool,
    is_done: bool,
}

impl<'de> Visitor<'de> for &mut Found {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == MESSAGES {
                self.has_messages = true;
                // Somebody may have sorted the keys, and old heads are shorter: then all is looked through.
                if KEYS.iter().all(|key| self.head.contains_key(*key)) {
                    self.is_done = true;
                    return Err(A::Error::custom("the rest is left out"));
                }
            }
            if KEYS.contains(&key.as_str()) {
                let value = map.next_value()?;
                self.head.insert(key, value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
