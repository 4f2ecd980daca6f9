//! Tables of data as Markdown; tables that only lay a page out as what they hold.

use super::markdown::Writer;
use super::names::is_heading;
use super::tree::{Id, Tree};

/// The most columns that the first row is filled up to.
const MOST_COLUMNS: usize = 64;

pub(super) fn write(writer: &mut Writer<'_>, id: Id) {
    let rows = rows(writer.tree, id);
    let cells: Vec<Vec<Id>> = rows.iter().map(|row| cells(writer.tree, *row)).collect();
    let columns = cells.iter().map(|cells| width(writer.tree, cells)).max().unwrap_or(0).min(MOST_COLUMNS);
    around(writer, id);
    if columns < 2 || is_layout(writer.tree, id) {
        return cells.iter().for_each(|cells| lay_out(writer, cells));
    }
    let mut lines: Vec<String> = Vec::new();
    let mut bytes = 0;
    for cells in &cells {
        if !writer.has_room(bytes) {
            break;
        }
        let texts = texts(writer, cells);
        if texts.iter().any(|text| !text.is_empty()) {
            lines.push(line(&texts, if lines.is_empty() { columns } else { 0 }));
            bytes += lines.last().map_or(0, String::len);
        }
    }
    if !lines.is_empty() {
        lines.insert(1, format!("|{}", " --- |".repeat(columns)));
        writer.paragraph(&lines.join("\n"));
    }
}

/// The rows of a table itself, not of one within.
fn rows(tree: &Tree, id: Id) -> Vec<Id> {
    let mut rows = Vec::new();
    for child in tree.children(id) {
        match tree.name(child) {
            "tr" => rows.push(child),
            "thead" | "tbody" | "tfoot" => {
                rows.extend(tree.children(child).filter(|row| tree.name(*row) == "tr"));
            }
            _ => {}
        }
    }
    rows
}

fn cells(tree: &Tree, row: Id) -> Vec<Id> {
    tree.children(row).filter(|cell| matches!(tree.name(*cell), "td" | "th")).collect()
}

fn span(tree: &Tree, cell: Id) -> usize {
    let span = tree.attribute(cell, "colspan").and_then(|span| span.parse().ok()).unwrap_or(1);
    span.clamp(1, MOST_COLUMNS)
}

fn width(tree: &Tree, cells: &[Id]) -> usize {
    cells.iter().take(MOST_COLUMNS).map(|cell| span(tree, *cell)).sum()
}

/// What stands in a table beside its rows: a caption, and what has lost its cell.
fn around(writer: &mut Writer<'_>, id: Id) {
    for child in writer.tree.children(id) {
        let name = writer.tree.name(child);
        if matches!(name, "thead" | "tbody" | "tfoot") {
            around(writer, child);
        } else if name == "tr" {
            let lost =
                writer.tree.children(child).filter(|cell| !matches!(writer.tree.name(*cell), "td" | "th"));
            lost.for_each(|lost| writer.node(lost));
        } else if name != "colgroup" {
            writer.node(child);
        }
    }
    writer.flush();
}

/// Whether a table holds what no cell of Markdown can.
fn is_layout(tree: &Tree, id: Id) -> bool {
    if matches!(tree.attribute(id, "role"), Some("presentation" | "none")) {
        return true;
    }
    let mut left: Vec<Id> = tree.children(id).collect();
    while let Some(id) = left.pop() {
        let name = tree.name(id);
        if matches!(name, "table" | "pre" | "blockquote") || is_heading(name) {
            return true;
        }
        if tree.has_block(id) {
            left.extend(tree.children(id));
        }
    }
    false
}

/// A row whose cells go on one line as far as they hold no lines of their own.
fn lay_out(writer: &mut Writer<'_>, cells: &[Id]) {
    for cell in cells.iter().filter(|cell| !writer.is_left_out(**cell)).copied().collect::<Vec<_>>() {
        if writer.tree.has_block(cell) {
            writer.flush();
            writer.children(cell);
            writer.flush();
        } else {
            writer.space();
            writer.children(cell);
        }
    }
    writer.flush();
}

fn texts(writer: &mut Writer<'_>, cells: &[Id]) -> Vec<String> {
    let mut texts = Vec::new();
    for cell in cells.iter().copied() {
        let text = if writer.is_left_out(cell) { String::new() } else { writer.inline_of(cell) };
        texts.push(text.replace('|', "\\|"));
        if texts.len() < MOST_COLUMNS {
            texts.extend((1..span(writer.tree, cell)).map(|_| String::new()));
        }
    }
    texts
}

fn line(texts: &[String], columns: usize) -> String {
    let empty = String::new();
    let missing = std::iter::repeat_n(&empty, columns.saturating_sub(texts.len()));
    let cells: Vec<&str> = texts.iter().chain(missing).map(String::as_str).collect();
    format!("| {} |", cells.join(" | "))
}
