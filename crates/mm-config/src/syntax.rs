//! Text that is no YAML: what is wrong with it, where, and what to do. The parser tells where it noticed, in its own
//! words.

use crate::{
    problem::{Fault, Place},
    tree::too_deep,
};

const TAB: &str = "a tab cannot stand here — indent with spaces";
const QUOTE: &str = "a value cannot begin like this — put it in quotes";
const COLUMN: &str = "the keys of a mapping stand in one column — mend the indentation";
const COLON: &str = "a key is followed by a colon and a space — write key: value";
const ESCAPE: &str = "in double quotes \\ begins an escape — use single quotes, or write \\\\";
const LIST: &str = "a list in brackets goes on — a comma or the closing ] is missing";
const MAPPING: &str = "a mapping in braces goes on — a comma or the closing } is missing";
const TAG: &str = "a value that begins with ! is a tag — put it in quotes";
const PERCENT: &str = "a line that begins with % is a directive — put the value in quotes";

/// Parts of the parser's words, the more particular ones first, and ours.
const KNOWN: [(&str, &str); 33] = [
    ("tab", TAB),
    ("quoted scalar, found unexpected end", "the quote that begins here is never closed"),
    ("quoted scalar, found unexpected document", "the quote that begins here is never closed"),
    (
        "invalid indentation in quoted scalar",
        "the quote that begins here is not closed before a line that stands too far left — close it",
    ),
    (
        "mapping values are not allowed",
        "a colon cannot stand here — put a value that holds \": \" in quotes, and write each key in the column of its \
         neighbours",
    ),
    ("simple key expect", COLON),
    ("expected ':'", COLON),
    (
        "must be followed by a valid YAML whitespace",
        "a space must follow here — write key: value, and - item",
    ),
    ("did not find expected key", COLUMN),
    ("expected '-' indicator", "the items of a list begin with - in one column — mend the indentation"),
    ("only valid inside a block", QUOTE),
    ("unexpected character", QUOTE),
    ("misplaced bracket", QUOTE),
    ("plain scalar cannot start", QUOTE),
    ("unknown anchor", "no & names what this * stands for — put a value that begins with * in quotes"),
    ("an anchor or alias", "a value that begins with * or & is an alias or an anchor — put it in quotes"),
    ("anchor", "an anchor stands where none can be — put a value that begins with & in quotes"),
    ("',' or ']'", LIST),
    ("',' or '}'", MAPPING),
    ("illegal placement of ':'", LIST),
    ("may not precede any of", MAPPING),
    (
        "in flow construct",
        "a list or mapping in brackets goes on here — a comma or the closing bracket is missing",
    ),
    ("unknown escape", ESCAPE),
    ("hexadecimal number", ESCAPE),
    ("escape code", ESCAPE),
    ("block sequence entries are not allowed", "a list cannot begin here — begin it on a line of its own"),
    ("trailing content", "something follows the closing quote — put the whole value in quotes"),
    (
        "scanning a block scalar",
        "behind | and > nothing else stands on the line — write the text below, indented",
    ),
    ("block scalar", "the text below | or > is indented by the same spaces in each line"),
    ("directive", PERCENT),
    ("tag", TAG),
    ("TAG", TAG),
    (
        "expected <document",
        "this belongs to no key — begin every key of the top in the first column, as key: value",
    ),
];

/// The fault of text that is no YAML.
pub(crate) fn fault(parser: &str, noticed: Place, text: &str) -> Fault {
    // The parser may complain of a line behind the last.
    let noticed = noticed.min(Place::after(text.trim_end().as_bytes()));
    if parser.contains("recursion limit") {
        return too_deep(noticed);
    }
    let (place, words) = match keyless(parser, noticed, text) {
        Some(place) => (place, COLON),
        None => {
            let known = KNOWN.iter().find(|(part, _)| parser.contains(part));
            let words = known.map_or("the text cannot go on like this", |(_, words)| words);
            let place = if words == TAB { tab(noticed, text) } else { noticed };
            (place, words)
        }
    };
    Fault::at(place, None, format!("this is not valid YAML: {words}"))
}

/// A line without a colon is noticed only at the next one: finds it.
fn keyless(parser: &str, noticed: Place, text: &str) -> Option<Place> {
    let is_such = ["simple key expect", "mapping values are not allowed", "expected ':'"];
    if !is_such.iter().any(|part| parser.contains(part)) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let line = noticed.line as usize;
    let has_colon = |line: &str| line.contains(": ") || line.trim_end().ends_with(':');
    // Where the complaint is about the line itself, it has no colon either.
    let own = lines.get(line.checked_sub(1)?)?;
    if parser.contains("simple key expect") && !is_empty(own) && !has_colon(own) {
        return Some(begin(own, line));
    }
    let earlier = lines.get(..line - 1)?.iter().enumerate().rev();
    let (at, before) = earlier.into_iter().find(|(_, line)| !is_empty(line))?;
    let indented = |line: &str| line.len() - line.trim_start().len();
    let is_neighbour = indented(before) == indented(own) || parser.contains("simple key expect");
    (is_neighbour && !has_colon(before) && !before.trim_start().starts_with("- "))
        .then(|| begin(before, at + 1))
}

/// The first tab that indents a line, from where the parser noticed it; it may notice at the value before.
fn tab(noticed: Place, text: &str) -> Place {
    let first = (noticed.line as usize).saturating_sub(1);
    let indents = text.lines().enumerate().skip(first).map(|(at, line)| {
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        (at, indent.chars().position(|c| c == '\t'))
    });
    let tab = indents.into_iter().find_map(|(at, column)| Some(Place::new(at + 1, column? + 1)));
    tab.unwrap_or(noticed)
}

fn is_empty(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The place of the first letter of a line.
fn begin(text: &str, line: usize) -> Place {
    Place::new(line, text.chars().take_while(|c| c.is_whitespace()).count() + 1)
}
