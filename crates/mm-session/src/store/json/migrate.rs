//! Files of older versions.

use serde_json::{Map, Value};

use super::head::time;
use crate::store::Fault;

/// The version that is written.
pub(super) const VERSION: u64 = MIGRATIONS.len() as u64;

/// The steps from each version to the next, the oldest first: a new version is a row. A step gets a whole file or a
/// head alone, and so takes nothing for granted.
const MIGRATIONS: [fn(&mut Map<String, Value>); 1] = [from_0];

/// Brings a file, or its head, to the version of today.
///
/// # Errors
/// When a later one wrote it.
pub(super) fn migrate(file: &mut Map<String, Value>) -> Result<(), Fault> {
    let version = match file.get("version") {
        None => 0,
        Some(version) => version
            .as_u64()
            .ok_or_else(|| Fault::Foreign(format!("its version is {version}, which is no number of one")))?,
    };
    if version > VERSION {
        return Err(Fault::Newer { version, newest: VERSION });
    }
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    MIGRATIONS.iter().skip(done).for_each(|step| step(file));
    file.insert("version".to_owned(), VERSION.into());
    Ok(())
}

/// Before versions were written: times in seconds since 1970, and no title.
fn from_0(file: &mut Map<String, Value>) {
    for key in ["created", "updated"] {
        if let Some(seconds) = file.get(key).and_then(Value::as_u64) {
            let at = std::time::UNIX_EPOCH.checked_add(std::time::Duration::from_secs(seconds));
            file.insert(key.to_owned(), at.map(time).unwrap_or_default().into());
        }
    }
    file.entry("title").or_insert_with(|| "(untitled)".into());
}
