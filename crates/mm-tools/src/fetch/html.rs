//! HTML into Markdown: the title, then the main content, without what surrounds it.

mod inline;
mod main_part;
mod markdown;
mod names;
mod table;
mod tree;

#[cfg(test)]
mod tests;

use reqwest::Url;

use tree::Tree;

/// What a page became.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) text: String,
    /// Whether something is missing at the end: more elements or more text than are taken.
    pub(super) cut: bool,
}

/// Converts a page; `url` is where it came from at last, `most` the bytes of text that are enough.
pub(super) fn convert(html: &str, url: &Url, most: usize) -> Converted {
    let tree = Tree::parse(html);
    let base = tree.base().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
    let mut converted = written(&tree, &base, most, main_part::choose(&tree));
    if converted.text.is_empty() {
        // A page that has text is never empty: rather its menus than nothing.
        converted = written(&tree, &base, most, main_part::everything(&tree));
    }
    Converted { cut: converted.cut || tree.is_cut(), text: with_title(&tree.title(), converted.text) }
}

fn written(tree: &Tree, base: &Url, most: usize, part: main_part::Part) -> Converted {
    let mut writer = markdown::Writer::new(tree, base, most, &part);
    writer.children(part.root);
    writer.finish()
}

/// The title first, unless the text begins with it.
fn with_title(title: &str, text: String) -> String {
    let first = text.lines().next().unwrap_or_default();
    if title.is_empty() || first.trim_start_matches('#').trim() == title && first.starts_with('#') {
        return text;
    }
    if text.is_empty() { format!("# {title}") } else { format!("# {title}\n\n{text}") }
}
