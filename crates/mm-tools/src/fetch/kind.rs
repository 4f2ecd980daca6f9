//! What a body is: its bytes first, its header second.

use super::charset::has_nul_by_nature;
use crate::files::open::not_text;

/// How much of a body is looked at.
const START: usize = 8 << 10;

/// What becomes of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Converted to Markdown.
    Html,
    /// Shown as it is: JSON, Markdown, XML, source code.
    Text,
    /// Named, never shown.
    Binary(String),
}

/// Signatures that a file on the disk is not asked for.
const MAGIC: [(&[u8], &str); 6] = [
    (b"wOFF", "font: WOFF"),
    (b"wOF2", "font: WOFF2"),
    (b"ID3", "audio: MP3"),
    (b"fLaC", "audio: FLAC"),
    (b"\x1aE\xdf\xa3", "video: Matroska"),
    (b"\0asm", "binary file: WebAssembly"),
];

/// The beginnings of HTML, behind white space and comments.
const HTML: [&str; 22] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<meta",
    "<script",
    "<style",
    "<link",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a ",
    "<p>",
    "<p ",
    "<br",
    "<b>",
    "<article",
    "<main",
    "<section",
];

/// Says what a body is.
pub(super) fn kind(body: &[u8], content_type: &str) -> Kind {
    let start = body.get(..START).unwrap_or(body);
    let media = media(content_type);
    let has_nul_by_nature = has_nul_by_nature(body, content_type);
    if !has_nul_by_nature && let Some(what) = signature(start) {
        return Kind::Binary(match media.as_str() {
            "" | "text/plain" | "text/html" | "application/octet-stream" => what,
            media if what == "binary file" => format!("binary file: {media}"),
            _ => what,
        });
    }
    // The header says that it is none, and so do the bytes: a mislabelled text can be read.
    if is_binary(&media) && (has_nul_by_nature || !is_readable(start)) {
        return Kind::Binary(format!("binary file: {media}"));
    }
    if !has_nul_by_nature && is_noise(start) {
        return Kind::Binary("binary file".to_owned());
    }
    if is_html(body, &media) { Kind::Html } else { Kind::Text }
}

/// `text/html` of `Text/HTML; charset=x`.
fn media(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn signature(start: &[u8]) -> Option<String> {
    if start.get(4..8) == Some(b"ftyp") {
        return Some("video: MP4".to_owned());
    }
    let found = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    // A text may begin with letters; these are followed by what no text has.
    let is_sure = start.iter().take(16).any(|byte| *byte == 0);
    found.filter(|_| is_sure).map(|(_, name)| (*name).to_owned()).or_else(|| not_text(start))
}

fn is_binary(media: &str) -> bool {
    let is_text = media.ends_with("+xml") || media.ends_with("+json") || media.ends_with("/xml");
    let families = ["image/", "audio/", "video/", "font/"];
    let others = ["application/pdf", "application/octet-stream", "application/zip", "application/gzip"];
    !is_text
        && (families.iter().any(|family| media.starts_with(family))
            || others.contains(&media)
            || media.starts_with("application/vnd.")
            || media.starts_with("application/x-"))
}

/// Whether bytes are UTF-8, but for a character that the end cuts, without control characters.
fn is_readable(start: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && controls(start) == 0
}

/// Whether bytes have too many control characters for a text in any charset.
fn is_noise(start: &[u8]) -> bool {
    controls(start) * 20 > start.len()
}

fn controls(start: &[u8]) -> usize {
    // ESC begins the charsets of old Japanese pages, and colours.
    start
        .iter()
        .filter(|byte| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        .count()
}

fn is_html(body: &[u8], media: &str) -> bool {
    let said = matches!(media, "text/html" | "application/xhtml+xml");
    // A source that is shown as text on purpose says so.
    let other = !said && !matches!(media, "" | "application/octet-stream" | "application/xml" | "text/xml");
    if other {
        return false;
    }
    let text = behind_comments(body);
    if said {
        let is_json = matches!(text.first(), Some(b'{' | b'['))
            && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        return !is_json && has_tags(body);
    }
    let text = behind_declaration(text);
    let starts =
        |tag: &str| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()));
    HTML.iter().any(|tag| starts(tag))
}

fn has_tags(body: &[u8]) -> bool {
    // In UTF-16 a NUL stands between.
    memchr::memchr_iter(b'<', body).any(|at| {
        let next = body.get(at + 1..).unwrap_or_default().iter().find(|byte| **byte != 0);
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'/'))
    })
}

fn behind_comments(body: &[u8]) -> &[u8] {
    let mut rest = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let Some(end) = memchr::memmem::find(comment, b"-->") else { return rest };
        rest = comment.get(end + 3..).unwrap_or_default().trim_ascii_start();
    }
    rest
}

/// XHTML begins with `<?xml …?>`.
fn behind_declaration(text: &[u8]) -> &[u8] {
    if !text.starts_with(b"<?xml") {
        return text;
    }
    let end = memchr::memchr(b'>', text).unwrap_or(0);
    behind_comments(text.get(end + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_tell_what_a_body_is_and_the_header_helps() {
        let noise: Vec<u8> = (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        let html = |media: &'static str, body: &'static [u8]| (media, body, Kind::Html);
        let text = |media: &'static str, body: &'static [u8]| (media, body, Kind::Text);
        let rows = [
            html("text/html; charset=utf-8", b"<p>x"),
            html("TEXT/HTML", b"text first <b>then</b>"),
            html("", b"\n <!-- c --><!DOCTYPE HTML><p>x"),
            html("application/octet-stream", b"<html><p>x"),
            html("application/xhtml+xml", b"<?xml version='1.0'?><html>"),
            html("text/xml", b"<?xml version='1.0'?>\n<!DOCTYPE html><html>"),
            html("text/html; charset=utf-16le", b"<\0p\0>\0x\0"),
            text("text/plain", b"<!doctype html><p>a source</p>"),
            text("text/html", b"plain words, 1 < 2"),
            text("text/html", b" {\"a\": \"<b>\"}"),
            text("application/octet-stream", b"{\"a\": 1}"),
            text("application/json", b"[1]"),
            text("application/pdf", b"no PDF, a note about one"),
            text("image/svg+xml", b"<svg></svg>"),
            text("application/rss+xml", b"<?xml version='1.0'?><rss><title>x"),
            text("", b"# Title\n\n<b>x</b>"),
            text("text/plain; charset=utf-16le", b"a\0b\0"),
            text("", b"\xff\xfea\0b\0"),
            text("text/plain", b"\x1b[31mred\x1b[0m"),
            text("text/plain", b""),
            text("text/plain; charset=shift_jis", b"\x93\xfa\x96\x7b"),
        ];
        for (media, body, expected) in rows {
            assert_eq!(kind(body, media), expected, "{media} {:?}", String::from_utf8_lossy(body));
        }
        let rows: [(&str, &[u8], &str); 9] = [
            ("text/plain", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03", "image: PNG, 2 × 3"),
            ("application/pdf", b"%PDF-1.7\nx", "binary file: PDF"),
            ("text/html", b"PK\x03\x04\0\0", "binary file: ZIP"),
            ("application/msword", b"\xd0\xcf\0\0", "binary file: application/msword"),
            ("text/plain", &[0; 100], "binary file"),
            ("application/octet-stream", &noise, "binary file: application/octet-stream"),
            ("image/x-icon", b"\xff\xfe\xfd", "binary file: image/x-icon"),
            ("text/plain", &noise, "binary file"),
            ("", b"wOF2\0\x01\0\0", "font: WOFF2"),
        ];
        for (media, body, expected) in rows {
            assert_eq!(kind(body, media), Kind::Binary(expected.to_owned()), "{media} {body:?}");
        }
    }
}
