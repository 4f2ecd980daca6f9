//! How far text goes without anything that a screen would interpret.

/// Every byte that needs the parser: the control characters but for tab and line feed, and 0xC2, with
/// which those between U+0080 and U+009F begin. Three at a time, since that is what `memchr` looks for at
/// the speed of memory, the frequent ones first.
const SPECIAL: [[u8; 3]; 11] = [
    [0x1b, b'\r', 0x08],
    [0x00, 0x07, 0xc2],
    [0x01, 0x02, 0x03],
    [0x04, 0x05, 0x06],
    [0x0b, 0x0c, 0x0e],
    [0x0f, 0x10, 0x11],
    [0x12, 0x13, 0x14],
    [0x15, 0x16, 0x17],
    [0x18, 0x19, 0x1a],
    [0x1c, 0x1d, 0x1e],
    [0x1f, 0x7f, 0x7f],
];

/// The bytes looked at in one go: what a search behind the first special byte may cost.
const WINDOW: usize = 4096;

/// The number of bytes before the first special one.
pub(super) fn plain_len(text: &str) -> usize {
    let mut length = 0;
    for window in text.as_bytes().chunks(WINDOW) {
        let plain = plain_part(window);
        length += plain.len();
        if plain.len() < window.len() {
            break;
        }
    }
    length
}

/// The number of bytes up to and with the first line feed.
pub(super) fn line_end(text: &str) -> usize {
    memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |at| at + 1)
}

fn plain_part(bytes: &[u8]) -> &[u8] {
    SPECIAL.iter().fold(bytes, |plain, [a, b, c]| match memchr::memchr3(*a, *b, *c, plain) {
        Some(at) => plain.get(..at).unwrap_or(plain),
        None => plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_but_tab_and_line_feed_is_special() {
        for c in (0..=0x24f).filter_map(char::from_u32) {
            let special = c.is_control() && c != '\t' && c != '\n';
            let latin = ('\u{80}'..='\u{bf}').contains(&c); // shares its first byte, and is parsed in vain
            let text = format!("{}{c}{c}", "x".repeat(5000));
            let expected = if special || latin { 5000 } else { text.len() };
            assert_eq!(plain_len(&text), expected, "{c:?}");
        }
    }
}
