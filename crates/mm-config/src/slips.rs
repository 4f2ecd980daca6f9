//! Unknown keys that look like a slip of a known one.

/// Finds the known key that `name` is one or two edits away from, or only written in another style
/// (`max_turns`, `baseurl`). Two edits need four letters to hide in: `app` is not meant to be `mcp`.
pub(crate) fn slip_of<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    within(name, known, 2)
}

/// Finds the known key that `name` is at most so many edits away from.
pub(crate) fn within<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    most: usize,
) -> Option<&'k str> {
    let name = plain(name);
    known
        .into_iter()
        .filter_map(|key| {
            let key_plain = plain(key);
            let allowed = (key_plain.len() / 2).min(most);
            let edits = edits(&name, &key_plain, allowed)?;
            Some((edits, key))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, key)| key)
}

/// The letters of a key without its style.
fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The number of letters to insert, delete, change or swap with their neighbour, if not above `most`.
fn edits(from: &[char], to: &[char], most: usize) -> Option<usize> {
    if from.len().abs_diff(to.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut left_of_from = None;
    for (row, a) in from.iter().enumerate() {
        let mut now = vec![row + 1];
        let mut left_of_to = None;
        for (column, b) in to.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let change = at(&last, column) + usize::from(a != b);
            let mut best = change.min(at(&last, column + 1) + 1).min(at(&now, column) + 1);
            if left_of_from == Some(b) && left_of_to == Some(a) {
                best = best.min(at(&before, column.wrapping_sub(1)) + 1);
            }
            now.push(best);
            left_of_to = Some(b);
        }
        left_of_from = Some(a);
        before = std::mem::replace(&mut last, now);
    }
    last.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_one_or_two_edits() {
        let known = ["yolo", "model", "maxTurns", "maxOutput", "bashTool", "editTools", "baseUrl", "mcp"];
        let rows = [
            ("yoloo", Some("yolo")),
            ("yol", Some("yolo")),
            ("yloo", Some("yolo")),
            ("Yolo", Some("yolo")),
            ("YOLO", Some("yolo")),
            ("y_o_l_o", Some("yolo")),
            ("yoyo", Some("yolo")),
            ("models", Some("model")),
            ("modle", Some("model")),
            ("maxTurn", Some("maxTurns")),
            ("max_turns", Some("maxTurns")),
            ("max-turns", Some("maxTurns")),
            ("maxTunrs", Some("maxTurns")),
            ("bashTools", Some("bashTool")),
            ("editTool", Some("editTools")),
            ("base_url", Some("baseUrl")),
            ("baseUri", Some("baseUrl")),
            ("mcps", Some("mcp")),
            ("app", None),
            ("name", None),
            ("description", None),
            ("planTool", None),
            ("", None),
            ("ÿøłø", None),
        ];
        for (name, expected) in rows {
            assert_eq!(slip_of(name, known), expected, "{name}");
        }
    }
}
