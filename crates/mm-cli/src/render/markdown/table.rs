//! Tables: in columns where they fit, else as a list.

use super::Paint;
use super::inline;
use super::measure::width;
use super::style::{Span, Style};
use super::wrap::lines;

/// The narrowest column that text is broken for.
const NARROWEST: usize = 8;
/// The most columns; what has more is no table to look at.
const MOST: usize = 40;
const BETWEEN: &str = " │ ";

/// A table, as far as it has come.
#[derive(Debug)]
pub(super) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

/// The side that a column keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

type Cell = Vec<(String, usize)>;

impl Table {
    /// A table of two lines, if they are the beginning of one.
    pub(super) fn begin(head: &str, under: &str) -> Option<Self> {
        let sides: Option<Vec<Side>> = cells(under).iter().map(|cell| side(cell)).collect();
        let (sides, head) = (sides?, cells(head));
        (sides.len() == head.len() && head.len() <= MOST).then(|| Self { sides, rows: vec![head] })
    }

    /// Adds a row; what it has too many of goes into its last cell.
    pub(super) fn row(&mut self, line: &str) {
        let mut row = cells(line);
        if row.len() > self.sides.len() {
            let rest = row.split_off(self.sides.len() - 1);
            row.push(rest.join(" | "));
        }
        row.resize(self.sides.len(), String::new());
        self.rows.push(row);
    }

    /// Lays it out in so many columns of the terminal; gives its lines.
    pub(super) fn lines(&self, room: usize, paint: Paint) -> Vec<String> {
        let spans = |(at, row): (usize, &Vec<String>)| -> Vec<Vec<Span>> {
            let base = if at == 0 { Style::BOLD } else { Style::PLAIN };
            row.iter().map(|cell| inline::spans(cell, base, paint)).collect()
        };
        let rows: Vec<Vec<Vec<Span>>> = self.rows.iter().enumerate().map(spans).collect();
        let natural: Vec<usize> = (0..self.sides.len())
            .map(|at| {
                rows.iter()
                    .filter_map(|row| row.get(at))
                    .map(|cell| widest(&lines(cell, paint, usize::MAX)))
                    .max()
            })
            .map(|wide| wide.unwrap_or_default().max(1))
            .collect();
        let between = width(BETWEEN) * (natural.len() - 1);
        match room.checked_sub(between).and_then(|room| share(&natural, room)) {
            Some(widths) => self.in_columns(&rows, &widths, paint),
            None => as_list(&rows, room, paint),
        }
    }

    fn in_columns(&self, rows: &[Vec<Vec<Span>>], widths: &[usize], paint: Paint) -> Vec<String> {
        let mut out = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let cells: Vec<Cell> =
                row.iter().zip(widths).map(|(cell, wide)| lines(cell, paint, *wide)).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default().max(1);
            for line in 0..height {
                let parts = cells.iter().zip(widths).zip(&self.sides).map(|((cell, wide), side)| {
                    let (text, taken) =
                        cell.get(line).map_or(("", 0), |(text, taken)| (text.as_str(), *taken));
                    side.pad(text, wide.saturating_sub(taken))
                });
                out.push(parts.collect::<Vec<String>>().join(BETWEEN).trim_end().to_owned());
            }
            if at == 0 {
                let parts: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
                out.push(parts.join("─┼─"));
            }
        }
        out
    }
}

impl Side {
    fn pad(self, text: &str, room: usize) -> String {
        let left = match self {
            Self::Left => 0,
            Self::Middle => room / 2,
            Self::Right => room,
        };
        format!("{}{text}{}", " ".repeat(left), " ".repeat(room - left))
    }
}

/// Each row as lines of `head: cell`, with an empty line between rows.
fn as_list(rows: &[Vec<Vec<Span>>], room: usize, paint: Paint) -> Vec<String> {
    let Some((head, rows)) = rows.split_first() else { return Vec::new() };
    let mut out: Vec<String> = Vec::new();
    let line =
        |spans: &[Span]| lines(spans, paint, room).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
    if rows.is_empty() {
        return head.iter().flat_map(|cell| line(cell)).collect();
    }
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            out.push(String::new());
        }
        for (name, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let colon = [Span::new(": ", Style::PLAIN)];
            let colon = if name.is_empty() { &[] } else { colon.as_slice() };
            out.extend(line(&[name, colon, cell].concat()));
        }
    }
    out
}

/// Shares so many columns out: who needs less than the others keeps that.
fn share(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    if natural.iter().sum::<usize>() <= room {
        return Some(natural.to_vec());
    }
    let mut widths = vec![0; natural.len()];
    let mut order: Vec<usize> = (0..natural.len()).collect();
    order.sort_by_key(|at| natural.get(*at).copied());
    let mut left = room;
    for (done, at) in order.iter().enumerate() {
        let fair = left / (natural.len() - done);
        let needed = natural.get(*at).copied().unwrap_or_default();
        if needed > fair && fair < NARROWEST {
            return None;
        }
        *widths.get_mut(*at)? = needed.min(fair);
        left -= needed.min(fair);
    }
    Some(widths)
}

fn widest(cell: &Cell) -> usize {
    cell.iter().map(|(_, wide)| *wide).max().unwrap_or_default()
}

/// The cells of a line, without the marks at its ends; neither an escaped mark nor one in code ends a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut in_code = false;
    let last_tick = line.rfind('`');
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '\\' if chars.next_if(|(_, next)| *next == '|').is_some() => cell.push('|'),
            '|' if !in_code => cells.push(String::new()),
            _ => {
                in_code ^= c == '`' && (in_code || last_tick > Some(at));
                cell.push(c);
            }
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

fn side(cell: &str) -> Option<Side> {
    let dashes = cell.trim_start_matches(':').trim_end_matches(':');
    if dashes.is_empty() || dashes.chars().any(|c| c != '-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        (true | false, false) => Side::Left,
    })
}
