//! `mm config schema`: the JSON Schema of the file.

/// The schema as indented JSON.
pub(super) fn text() -> String {
    // A value of maps and texts is always JSON.
    serde_json::to_string_pretty(&mm_config::json_schema()).unwrap_or_default() + "\n"
}
