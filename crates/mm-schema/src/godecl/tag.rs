//! The tag of a struct field, read as Go's `reflect.StructTag` and `strconv.Unquote` do.

/// What a `json` tag says of its field.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tag {
    /// The key, where it is not the field's name.
    pub(super) key: Option<String>,
    /// Whether the key is left out of JSON.
    pub(super) skips: bool,
    /// Whether the value may be missing.
    pub(super) omits_empty: bool,
}

/// Reads the literal of a tag, quotes included; none when an escape in it is wrong.
pub(super) fn read(literal: &str) -> Option<Tag> {
    let text = match literal.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        Some(raw) => raw.replace('\r', ""),
        None => unquote(literal)?,
    };
    Some(json(&text).map_or_else(Tag::default, |value| of_value(&value)))
}

fn of_value(value: &str) -> Tag {
    let (name, options) = value.split_once(',').unwrap_or((value, ""));
    Tag {
        key: (!name.is_empty()).then(|| name.to_owned()),
        skips: value == "-",
        omits_empty: options.split(',').any(|option| option == "omitempty"),
    }
}

/// The value of the first `json` pair; from a malformed pair on nothing is read.
fn json(tag: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(' ');
        let end = rest.find(|c: char| c <= ' ' || c == ':' || c == '"' || c == '\x7f')?;
        let (name, behind) = rest.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
        let quoted = behind.strip_prefix(':').filter(|quoted| quoted.starts_with('"'))?;
        let (value, behind) = quoted.split_at_checked(closing(quoted)? + 1)?;
        if name == "json" {
            return unquote(value);
        }
        rest = behind;
    }
}

/// Where the string that a text begins with is closed.
fn closing(quoted: &str) -> Option<usize> {
    let mut escaped = false;
    let is_closing = |(_, c): &(usize, char)| {
        let closes = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    };
    quoted.char_indices().skip(1).find(is_closing).map(|(at, _)| at)
}

/// The text of a quoted string; bytes that are no UTF-8 become U+FFFD.
fn unquote(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '"' => return None,
            '\\' => escape(&mut chars, &mut bytes)?,
            _ => push(c, &mut bytes),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn escape(chars: &mut std::str::Chars<'_>, bytes: &mut Vec<u8>) -> Option<()> {
    let c = chars.next()?;
    let simple = match c {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '"' => b'"',
        'x' => u8::try_from(digits(chars, 2, 16, 0)?).ok()?,
        'u' | 'U' => {
            let count = if c == 'u' { 4 } else { 8 };
            push(char::from_u32(digits(chars, count, 16, 0)?)?, bytes);
            return Some(());
        }
        '0'..='7' => u8::try_from(digits(chars, 2, 8, c.to_digit(8)?)?).ok()?,
        _ => return None,
    };
    bytes.push(simple);
    Some(())
}

fn digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32, first: u32) -> Option<u32> {
    (0..count)
        .try_fold(first, |value, _| value.checked_mul(radix)?.checked_add(chars.next()?.to_digit(radix)?))
}

fn push(c: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_as_go_reads_it() {
        let rows = [
            (r#"`json:"n"`"#, Some("n"), false, false),
            (r#"`json:"n,omitempty"`"#, Some("n"), false, true),
            (r#"`json:"n, omitempty"`"#, Some("n"), false, false),
            (r#"`json:",string,omitempty"`"#, None, false, true),
            (r#"`json:"-"`"#, Some("-"), true, false),
            (r#"`json:"-,"`"#, Some("-"), false, false),
            (r#"`json:"-,omitempty"`"#, Some("-"), false, true),
            (r#"`xml:"x" json:"n" json:"m"`"#, Some("n"), false, false),
            (r#"`xml:"a\"b"json:"n"`"#, Some("n"), false, false),
            (r#"`json: "n"`"#, None, false, false),
            (r#"`json:n`"#, None, false, false),
            (r#"`oops json:"x"`"#, None, false, false),
            (r#"`json:"open`"#, None, false, false),
            (r#"`json:"\q"`"#, None, false, false),
            (r#"`json:"\u00e9\x41\101\t"`"#, Some("éAA\t"), false, false),
            (r#"`json:"\xff"`"#, Some("\u{fffd}"), false, false),
            ("`json:\"a\nb\"`", None, false, false),
            ("`json:\"a\rb\"`", Some("ab"), false, false),
            ("\"json:\\\"n\\\"\"", Some("n"), false, false),
            ("``", None, false, false),
        ];
        for (literal, key, skips, omits_empty) in rows {
            let expected = Tag { key: key.map(str::to_owned), skips, omits_empty };
            assert_eq!(read(literal), Some(expected), "{literal}");
        }
        for literal in [r#""\q""#, r#""\'""#, r#""\777""#, r#""\ud800""#, r#""\x4""#, r#""\"#] {
            assert_eq!(read(literal), None, "{literal}");
        }
    }
}
