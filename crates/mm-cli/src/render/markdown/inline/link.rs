//! Links: `[text](target "title")`.

use super::code_body;
use crate::render::markdown::Paint;
use crate::render::markdown::style::{Span, Style};

/// What stands at an opening bracket.
pub(super) enum Read<'a> {
    /// A link of so many bytes.
    Link { text: &'a str, target: &'a str, length: usize },
    /// What comes next decides.
    Unfinished,
    /// No link.
    None,
}

/// Reads a text that begins with an opening bracket.
pub(super) fn read(text: &str) -> Read<'_> {
    let Some(close) = closing_bracket(text) else { return Read::Unfinished };
    let inner = text.get(1..close).unwrap_or_default();
    let rest = text.get(close + 1..).unwrap_or_default();
    match rest.chars().next() {
        None => Read::Unfinished,
        Some('(') => match target(rest) {
            Some(Ok((target, length))) => Read::Link { text: inner, target, length: close + 1 + length },
            Some(Err(())) => Read::None,
            None => Read::Unfinished,
        },
        Some(_) => Read::None,
    }
}

/// The text of a link and, unless it is the same, where it leads.
pub(super) fn spans(text: &str, target: &str, paint: Paint) -> Vec<Span> {
    let target = target.trim_matches(['<', '>']);
    let mut spans = super::spans(text, Style::UNDERLINED, paint);
    let address = target.strip_prefix("mailto:").unwrap_or(target);
    if text.trim().is_empty() {
        spans = vec![Span::new(target, Style::UNDERLINED)];
    } else if text != address && !target.is_empty() {
        spans.push(Span::new(" ", Style::PLAIN));
        spans.push(Span::new(format!("({target})"), Style::DIM));
    }
    spans
}

fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        match c {
            '\\' => at += rest.chars().nth(1).map_or(0, char::len_utf8),
            '`' => {
                let run = rest.len() - rest.trim_start_matches('`').len();
                at += code_body(rest, run).map_or(run, |(_, end)| end) - 1;
            }
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// Reads what stands in parentheses: `None` when it has not ended, an error when it is no target.
fn target(text: &str) -> Option<Result<(&str, usize), ()>> {
    let mut depth = 0_usize;
    let mut end = None;
    let mut quote = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return Some(Err(())),
            '"' => quote = !quote,
            ' ' => end = end.or((at > 1).then_some(at)),
            '(' if !quote => depth += 1,
            ')' if !quote => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(finish(text, end, at));
                }
            }
            // Behind the target comes its title, and nothing else.
            _ if end.is_some() && !quote => return Some(Err(())),
            _ => {}
        }
    }
    None
}

fn finish(text: &str, end: Option<usize>, close: usize) -> Result<(&str, usize), ()> {
    text.get(1..end.unwrap_or(close)).map(|target| (target.trim(), close + 1)).ok_or(())
}
