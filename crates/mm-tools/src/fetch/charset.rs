//! The charset of a text: what the header says, a byte-order mark, what the text says of itself, UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How far into a text its own word about its charset is looked for.
const DECLARED_WITHIN: usize = 1024;

/// A text, and what the model should know of how it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) note: Option<String>,
}

/// Which charset a body is in, or a label that nobody knows.
pub(super) fn charset(body: &[u8], content_type: &str) -> Result<&'static Encoding, String> {
    let known = |label: &[u8]| {
        Encoding::for_label(label).ok_or_else(|| super::address::short(&String::from_utf8_lossy(label)))
    };
    if let Some(label) = after_charset(content_type.as_bytes(), b';') {
        return known(label);
    }
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return Ok(encoding);
    }
    match declared(body.get(..DECLARED_WITHIN).unwrap_or(body)) {
        // A label that can be read byte for byte is wrong about that.
        Some(label) => known(label).map(|found| if is_utf16(found) { UTF_8 } else { found }),
        None => Ok(UTF_8),
    }
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// Whether a NUL in the bytes is half of a character.
pub(super) fn has_nul_by_nature(body: &[u8], content_type: &str) -> bool {
    charset(body, content_type).is_ok_and(is_utf16)
}

/// Reads a body as text.
pub(super) fn decode(body: &[u8], content_type: &str) -> Decoded {
    let (encoding, unknown) = match charset(body, content_type) {
        Ok(encoding) => (encoding, None),
        Err(label) => (UTF_8, Some(format!("charset {label} is not known: read as UTF-8"))),
    };
    let (text, is_odd) = encoding.decode_with_bom_removal(body);
    let odd =
        is_odd.then(|| format!("not all of it is {}: what cannot be read is \u{fffd}", encoding.name()));
    Decoded { text: text.into_owned(), note: unknown.or(odd) }
}

/// The label in `<meta charset=…>`, `<meta http-equiv content="…; charset=…">` or `<?xml encoding=…?>`.
fn declared(start: &[u8]) -> Option<&[u8]> {
    if start.starts_with(b"<?xml") {
        let end = memchr::memchr(b'>', start)?;
        return after(start.get(..end)?, b"encoding").and_then(|rest| value(rest, b'?'));
    }
    let mut rest = start;
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = rest.get(at + 1..)?;
        let is_meta = rest.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"));
        if !is_meta || !rest.get(4).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/') {
            continue;
        }
        let tag = rest.get(..memchr::memchr(b'>', rest)?)?;
        if let Some(label) = after_charset(tag, b';') {
            return Some(label);
        }
    }
    None
}

fn after_charset(text: &[u8], end: u8) -> Option<&[u8]> {
    after(text, b"charset").and_then(|rest| value(rest, end))
}

/// What stands behind a word, whatever its case.
fn after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = text.windows(word.len()).position(|window| window.eq_ignore_ascii_case(word))?;
    text.get(at + word.len()..)
}

/// The value in ` = "value"`, with quotes or without.
fn value(text: &[u8], end: u8) -> Option<&[u8]> {
    let text = text.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = text.split_first()?;
    let label = if matches!(quote, b'"' | b'\'') {
        rest.split(|byte| byte == quote).next()
    } else {
        text.split(|byte| byte.is_ascii_whitespace() || [end, b'"', b'\'', b'/'].contains(byte)).next()
    };
    label.map(<[u8]>::trim_ascii).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_mark_and_meta_are_believed_in_that_order() {
        let meta = b"<!doctype html><META  http-equiv=x content='text/html; Charset=koi8-r'><p>\xf0\xd2";
        let late = [b" ".repeat(1024).as_slice(), b"<meta charset=koi8-r>\xc3\xa9"].concat();
        let rows: [(&str, &[u8], &str); 15] = [
            ("text/html; charset=windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
            ("text/html;charset=\"WINDOWS-1251\"; x", b"\xcf\xf0", "Пр"),
            ("text/html; charset=Shift_JIS", b"\x93\xfa\x96\x7b\x8c\xea", "日本語"),
            ("text/plain; charset=euc-jp", b"\xc6\xfc\xcb\xdc", "日本"),
            ("text/plain; charset=gb2312", b"\xd6\xd0\xce\xc4", "中文"),
            ("text/plain; charset=iso-8859-1", b"caf\xe9 \x80", "café €"),
            ("text/plain; charset=latin1", b"\x93x\x94", "“x”"),
            ("text/plain; charset=utf-16le", b"a\0\xe9\0", "aé"),
            ("text/html", b"\xef\xbb\xbf<meta charset=koi8-r>\xc3\xa9", "<meta charset=koi8-r>é"),
            ("", b"\xff\xfea\0", "a"),
            ("text/html", b"<meta charset=\"windows-1252\"/>\xe9", "<meta charset=\"windows-1252\"/>é"),
            ("text/html", b"<meta charset=utf-16>\xc3\xa9", "<meta charset=utf-16>é"),
            (
                "text/xml",
                b"<?xml version='1.0' encoding='latin1'?>\xe9",
                "<?xml version='1.0' encoding='latin1'?>é",
            ),
            ("text/html; charset=utf-8", b"\xef\xbb\xbfa", "a"),
            ("text/plain", "é".as_bytes(), "é"),
        ];
        for (header, body, expected) in rows {
            let decoded = decode(body, header);
            assert_eq!((decoded.text.as_str(), decoded.note), (expected, None), "{header} {body:?}");
        }
        assert!(decode(meta, "text/html").text.ends_with("<p>Пр"), "{:?}", decode(meta, "text/html"));
        assert!(decode(&late, "text/html").text.ends_with('é'), "the first KB alone is looked at");
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let rows: [(&str, &[u8], &str, &str); 3] = [
            (
                "text/plain; charset=x-klingon",
                b"a\xc3\xa9",
                "aé",
                "charset x-klingon is not known: read as UTF-8",
            ),
            (
                "text/html",
                b"<meta charset='no'>a",
                "<meta charset='no'>a",
                "charset no is not known: read as UTF-8",
            ),
            (
                "text/plain",
                b"caf\xe9",
                "caf\u{fffd}",
                "not all of it is UTF-8: what cannot be read is \u{fffd}",
            ),
        ];
        for (header, body, text, note) in rows {
            assert_eq!(
                decode(body, header),
                Decoded { text: text.into(), note: Some(note.into()) },
                "{header}"
            );
        }
    }
}
