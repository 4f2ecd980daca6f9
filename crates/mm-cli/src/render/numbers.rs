//! Numbers for people.

/// A count of tokens: `950`, `12.0k`, rounded.
pub(crate) fn tokens(n: u64) -> String {
    let tenths = n.saturating_add(50) / 100;
    if n < 1000 { n.to_string() } else { format!("{}.{}k", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn counts_are_short() {
        let rows = [
            (0, "0"),
            (999, "999"),
            (1000, "1.0k"),
            (12_000, "12.0k"),
            (25_349, "25.3k"),
            (1_960, "2.0k"),
            (32_768, "32.8k"),
            (131_072, "131.1k"),
        ];
        for (n, expected) in rows {
            assert_eq!(tokens(n), expected);
        }
    }
}
