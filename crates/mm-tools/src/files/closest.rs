//! The place of a file that is most like a text which is not in it, and what differs there.

use std::collections::HashMap;

use mm_schema::nearest;

use super::encoding::decode;
use super::lenient::lines;

/// The most lines that are shown.
const SHOWN: usize = 20;
/// The longest line that is compared letter by letter, and the most of them.
const LONGEST: usize = 200;
const COMPARED: usize = 2_000;

/// The largest file that is looked through.
const LARGEST: usize = 8 << 20;

/// A place and what differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closest {
    /// Its lines with their numbers.
    pub(crate) text: String,
    /// The first line, counted from 1, and the last.
    pub(crate) lines: (usize, usize),
    /// The first line that differs, and in what.
    pub(crate) differs: Option<(usize, &'static str)>,
}

/// Finds the place where most of the lines are alike.
pub(crate) fn closest(view: &[u8], old: &str) -> Option<Closest> {
    if view.len() > LARGEST {
        return None;
    }
    let wanted: Vec<&str> = old.lines().collect();
    let shown: Vec<_> = lines(view).iter().map(|line| decode(line.text(view)).0).collect();
    let start = by_votes(&shown, &wanted).or_else(|| by_letters(&shown, &wanted))?;
    let found = shown.iter().enumerate().skip(start).take(wanted.len());
    let differs = found.clone().zip(&wanted).find(|((_, line), wanted)| line != *wanted);
    let text = found.clone().take(SHOWN).map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect();
    Some(Closest {
        text,
        lines: (start + 1, start + found.count()),
        differs: differs.map(|((at, line), wanted)| (at + 1, what_differs(line, wanted))),
    })
}

/// Each line that is there but for white space, quotes and case votes for where the text would begin.
fn by_votes<T: AsRef<str>>(shown: &[T], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        let key = key(line);
        if key.len() > 2 {
            places.entry(key).or_default().push(at);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in shown.iter().enumerate().filter(|_| !places.is_empty()) {
        let key = key(line.as_ref());
        for start in places.get(&key).into_iter().flatten().filter_map(|offset| at.checked_sub(*offset)) {
            *votes.entry(start).or_default() += key.len();
        }
    }
    votes
        .into_iter()
        .max_by_key(|(start, weight)| (*weight, std::cmp::Reverse(*start)))
        .map(|(start, _)| start)
}

/// The longest line decides where no line is there as a whole.
fn by_letters<T: AsRef<str>>(shown: &[T], wanted: &[&str]) -> Option<usize> {
    let is_short = |line: &&str| !line.trim().is_empty() && line.len() <= LONGEST;
    let (offset, line) =
        wanted.iter().enumerate().filter(|(_, line)| is_short(line)).max_by_key(|(_, line)| line.len())?;
    let candidates = shown.iter().map(|line| line.as_ref().trim()).filter(is_short).take(COMPARED);
    let near = nearest(line.trim(), candidates)?;
    let at = shown.iter().position(|line| line.as_ref().trim() == near)?;
    Some(at.saturating_sub(offset))
}

fn key(line: &str) -> String {
    plain_quotes(line).to_lowercase().split_whitespace().collect()
}

fn plain_quotes(line: &str) -> String {
    line.replace(['‘', '’', '`'], "'").replace(['“', '”'], "\"")
}

fn what_differs(line: &str, wanted: &str) -> &'static str {
    let without_space = |line: &str| line.split_whitespace().collect::<String>();
    let quotes = |line: &str| plain_quotes(line).replace('\'', "\"");
    match () {
        () if line.trim() == wanted.trim() => "indentation",
        () if without_space(line) == without_space(wanted) => "white space",
        () if quotes(line) == quotes(wanted) => "quotes",
        () if line.to_lowercase() == wanted.to_lowercase() => "upper and lower case",
        () => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_difference_are_told() {
        let view = "fn a() {\n    let x = 1;\n}\n\nfn b() {\n    let x = 'y';\n    go(x);\n}\n";
        let rows = [
            ("fn b() {\n    let x = \"y\";\n    go(x);", Some(((5, 7), Some((6, "quotes"))))),
            ("fn b() {\n  let x = 'y';\n    go(x);", Some(((5, 7), Some((6, "indentation"))))),
            ("    let x  = 1;\n", Some(((2, 2), Some((2, "white space"))))),
            ("    let X = 1;\n", Some(((2, 2), Some((2, "upper and lower case"))))),
            ("    go(xy);", Some(((7, 7), Some((7, "text"))))),
            ("fn b() {\n    let x = 'y';\n    stop(x);", Some(((5, 7), Some((7, "text"))))),
            ("nothing like it anywhere", None),
            ("\n", None),
        ];
        for (old, expected) in rows {
            let found = closest(view.as_bytes(), old).map(|found| (found.lines, found.differs));
            assert_eq!(found, expected, "{old:?}");
        }
        assert_eq!(
            closest(view.as_bytes(), "fn a() {\n\tlet x = 1;").unwrap().text,
            "1\tfn a() {\n2\t    let x = 1;\n"
        );
    }
}
