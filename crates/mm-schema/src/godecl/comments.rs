//! Which comments describe a declaration or a field, and what they say.

use super::lexer::{Kind, Lexed, Token};

/// The description of what stands between two tokens, both included: the comment above it, then the one beside it.
pub(super) fn description(lexed: &Lexed<'_>, text: &str, first: usize, last: usize) -> Option<String> {
    let mut lines = above(lexed, first);
    lines.extend(beside(lexed, text, last));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The run of comment lines that ends right above a token, if that is the first on its line.
fn above<'a>(lexed: &Lexed<'a>, first: usize) -> Vec<&'a str> {
    let Some(token) = lexed.tokens.get(first).filter(|token| token.is_first) else {
        return Vec::new();
    };
    let gap = lexed.comments.get(token.gap..token.comments).unwrap_or_default();
    let mut line = token.line;
    let run = gap.iter().rev().take_while(|comment| {
        let adjoins = !comment.follows && comment.last_line + 1 >= line;
        line = comment.line;
        adjoins
    });
    let mut run: Vec<&str> = run.filter_map(|comment| comment.text).collect();
    run.reverse();
    clean(run)
}

/// The comment that ends the line on which a token ends; a semicolon may stand between.
fn beside<'a>(lexed: &Lexed<'a>, text: &str, last: usize) -> Vec<&'a str> {
    let at = |index: usize| lexed.tokens.get(index);
    let is_semicolon = |token: &Token| {
        token.kind == Kind::LineEnd || text.get(token.start..token.end).is_some_and(|text| text == ";")
    };
    let next = if at(last + 1).is_some_and(is_semicolon) { last + 2 } else { last + 1 };
    let (Some(token), Some(next)) = (at(last), at(next).or(lexed.tokens.last())) else {
        return Vec::new();
    };
    let gap = lexed.comments.get(token.comments..next.comments).unwrap_or_default();
    let on_line = gap.iter().take_while(|comment| comment.line == token.last_line);
    clean(on_line.filter_map(|comment| comment.text).collect())
}

/// Takes away blanks around the lines, empty lines at the ends, and all but one of those that are next to each other.
fn clean(lines: Vec<&str>) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for line in lines.into_iter().map(str::trim) {
        if !line.is_empty() || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(line);
        }
    }
    kept.pop_if(|last| last.is_empty());
    kept
}
