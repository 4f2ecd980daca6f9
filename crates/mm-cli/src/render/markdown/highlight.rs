//! Colours for code, by the grammars that editors use.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::style::{Colour, Span, Style};

/// A longer line has no colours.
const LONGEST: usize = 1000;
/// A line that takes longer is the last one with colours: some code is made to be slow.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the parts of code look like; the first that fits counts.
const LOOKS: [(&str, Style); 21] = [
    ("comment", Style::DIM),
    ("string", Style::coloured(Colour::Green)),
    ("constant", Style::coloured(Colour::Cyan)),
    ("keyword.operator", Style::PLAIN),
    ("keyword", Style::coloured(Colour::Magenta)),
    ("storage", Style::coloured(Colour::Magenta)),
    ("entity.name.function", Style::coloured(Colour::Blue)),
    ("entity.name.tag", Style::coloured(Colour::Blue)),
    ("entity.name", Style::coloured(Colour::Cyan)),
    ("entity.other.attribute-name", Style::coloured(Colour::Cyan)),
    ("support.function", Style::coloured(Colour::Blue)),
    ("support", Style::coloured(Colour::Cyan)),
    ("variable.function", Style::coloured(Colour::Blue)),
    ("variable.language", Style::coloured(Colour::Magenta)),
    ("markup.inserted", Style::coloured(Colour::Green)),
    ("markup.deleted", Style::coloured(Colour::Red)),
    ("markup.heading", Style::BOLD),
    ("markup.bold", Style::BOLD),
    ("markup.italic", Style::ITALIC),
    ("meta.diff.header", Style::BOLD),
    ("meta.diff.range", Style::coloured(Colour::Cyan)),
];

/// The grammars, read when the first code comes.
#[derive(Debug)]
struct Grammars {
    syntaxes: SyntaxSet,
    looks: Vec<(Scope, Style)>,
}

/// The colours of a block of code.
pub(super) struct Highlight {
    grammars: &'static Grammars,
    state: ParseState,
    scopes: ScopeStack,
    is_slow: bool,
}

impl std::fmt::Debug for Highlight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlight").field("is_slow", &self.is_slow).finish_non_exhaustive()
    }
}

impl Highlight {
    /// Prepares for code in a language, if it is known.
    pub(super) fn of(language: &str) -> Option<Self> {
        static GRAMMARS: OnceLock<Grammars> = OnceLock::new();
        if language.is_empty() {
            return None;
        }
        let grammars = GRAMMARS.get_or_init(|| Grammars {
            syntaxes: two_face::syntax::extra_newlines(),
            looks: LOOKS.iter().filter_map(|(name, style)| Some((Scope::new(name).ok()?, *style))).collect(),
        });
        let syntax = grammars.syntaxes.find_syntax_by_token(language)?;
        Some(Self { grammars, state: ParseState::new(syntax), scopes: ScopeStack::new(), is_slow: false })
    }

    /// Takes the next line and gives it in colours.
    pub(super) fn line(&mut self, line: &str) -> Vec<Span> {
        let plain = || vec![Span::new(line, Style::PLAIN)];
        if self.is_slow || line.len() > LONGEST {
            return plain();
        }
        let begin = Instant::now();
        let parsed = self.state.parse_line(&format!("{line}\n"), &self.grammars.syntaxes);
        self.is_slow = parsed.is_err() || begin.elapsed() > PATIENCE;
        let Ok(changes) = parsed else { return plain() };
        let mut spans = Vec::new();
        let mut done = 0;
        for (at, change) in changes {
            let at = at.min(line.len());
            if let Some(text) = line.get(done..at).filter(|text| !text.is_empty()) {
                spans.push(Span::new(text, self.style()));
                done = at;
            }
            self.is_slow |= self.scopes.apply(&change).is_err();
        }
        spans.push(Span::new(line.get(done..).unwrap_or_default(), self.style()));
        spans
    }

    fn style(&self) -> Style {
        let style = |scope: &Scope| {
            let look = self.grammars.looks.iter().find(|(known, _)| known.is_prefix_of(*scope));
            look.map(|(_, style)| *style)
        };
        self.scopes.scopes.iter().rev().find_map(style).unwrap_or(Style::PLAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_code_have_the_colours_of_the_terminal() {
        let rows = [
            (
                "rust",
                "let a = \"b\"; // c",
                "\x1b[35mlet\x1b[0m a = \x1b[32m\"b\"\x1b[0m; \x1b[2m// c\x1b[0m",
            ),
            (
                "py",
                "def f(): return 1",
                "\x1b[35mdef\x1b[0m \x1b[34mf\x1b[0m(): \x1b[35mreturn\x1b[0m \x1b[36m1\x1b[0m",
            ),
            ("diff", "+a", "\x1b[32m+a\x1b[0m"),
            ("diff", "-a", "\x1b[31m-a\x1b[0m"),
            ("json", "{\"a\": 1}", "{\x1b[32m\"a\"\x1b[0m: \x1b[36m1\x1b[0m}"),
        ];
        for (language, line, expected) in rows {
            let mut out = String::new();
            let mut joined: Vec<Span> = Vec::new();
            for span in Highlight::of(language).unwrap().line(line) {
                match joined.last_mut() {
                    Some(last) if last.style == span.style => last.text.push_str(&span.text),
                    _ => joined.push(span),
                }
            }
            joined.iter().for_each(|span| span.style.write(&span.text, &mut out));
            assert_eq!(out, expected, "{language}: {line}");
        }
        assert!(Highlight::of("no such language").is_none());
        assert!(Highlight::of("").is_none());
    }

    #[test]
    fn what_a_line_opens_holds_for_the_next() {
        let mut highlight = Highlight::of("c").unwrap();
        highlight.line("/* a");
        assert_eq!(highlight.line("b").first().unwrap().style, Style::DIM);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(highlight.line(&long), [Span::new(long.clone(), Style::PLAIN)]);
    }
}
