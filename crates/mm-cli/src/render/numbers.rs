//! Numbers for people.

/// A count of tokens: `950`, `12.0k`.
pub(crate) fn tokens(n: u64) -> String {
    if n < 1000 { n.to_string() } else { format!("{}.{}k", n / 1000, n % 1000 / 100) }
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
            (131_072, "131.0k"),
        ];
        for (n, expected) in rows {
            assert_eq!(tokens(n), expected);
        }
    }
}
