//! The parts of a text that may be JSON: contents of Markdown fences, and what stands between matching brackets.

use serde::de::IgnoredAny;

/// Gives them in order; none stands in another. Takes time in proportion to the text.
pub(super) fn of(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (part, is_fenced) in parts(text) {
        let content = part.trim();
        // A scalar has no brackets; only a fence says that it is a value.
        if is_fenced && serde_json::from_str::<IgnoredAny>(content).is_ok() {
            found.push(content);
        } else {
            found.extend(bracketed(part));
        }
    }
    found
}

/// A text cut at its fences, with whether each part stood in one. A fence that is never closed goes to the end.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut open) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        let fence = match open {
            None => opening(line),
            Some(fence) => closes(line, fence).then_some(fence),
        };
        if let Some(fence) = fence {
            parts.extend(text.get(start..at).map(|part| (part, open.is_some())));
            open = if open.is_some() { None } else { Some(fence) };
            start = next;
        }
        at = next;
    }
    parts.extend(text.get(start..).map(|part| (part, open.is_some())));
    parts
}

/// The mark of a fence and how many of it there are.
type Fence = (char, usize);

fn opening(line: &str) -> Option<Fence> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let info = line.trim_start_matches(mark);
    let count = line.len() - info.len();
    let is_word = info.trim().chars().all(|c| c.is_alphanumeric() || "_+-.".contains(c));
    (count >= 3 && is_word).then_some((mark, count))
}

fn closes(line: &str, (mark, count): Fence) -> bool {
    let line = line.trim();
    line.len() >= count && line.chars().all(|c| c == mark)
}

/// The outermost parts between matching brackets. Strings are looked at within brackets alone, because elsewhere a quote
/// is a word's.
///
/// Where brackets do not match, or a string goes over a line end, there are none: what closed may be a part of an answer
/// that is broken or was cut, and not the answer.
fn bracketed(text: &str) -> Vec<&str> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut closed: Vec<(usize, usize)> = Vec::new();
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' if in_string => return Vec::new(),
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string && !open.is_empty(),
            _ if in_string => {}
            b'{' => open.push((at, b'}')),
            b'[' => open.push((at, b']')),
            b'}' | b']' => match open.pop() {
                Some((start, closing)) if closing == byte => {
                    while closed.pop_if(|(inner, _)| *inner > start).is_some() {}
                    closed.push((start, at + 1));
                }
                Some(_) => return Vec::new(),
                None => {}
            },
            _ => {}
        }
    }
    if !open.is_empty() {
        return Vec::new();
    }
    closed.into_iter().filter_map(|(start, end)| text.get(start..end)).collect()
}
