//! The elements and attributes that mean something here.

/// An element's name; one that is not known is empty.
pub(super) fn element(name: &[u8]) -> &'static str {
    known(&ELEMENTS, name)
}

/// The place of an element's name in the table.
pub(super) fn place_of(name: &str) -> u8 {
    ELEMENTS.binary_search(&name).ok().and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// The name at a place.
pub(super) fn name_at(place: u8) -> &'static str {
    ELEMENTS.get(usize::from(place)).copied().unwrap_or_default()
}

/// An attribute's name; one that is not known is empty.
pub(super) fn attribute(name: &[u8]) -> &'static str {
    known(&ATTRIBUTES, name)
}

fn known(names: &[&'static str], name: &[u8]) -> &'static str {
    names
        .binary_search_by(|known| known.as_bytes().cmp(name))
        .ok()
        .and_then(|at| names.get(at).copied())
        .unwrap_or_default()
}

/// In the order of the alphabet.
const ELEMENTS: [&str; 113] = [
    "a",
    "abbr",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "blockquote",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "datalist",
    "dd",
    "del",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "mark",
    "math",
    "menu",
    "meta",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "picture",
    "pre",
    "progress",
    "q",
    "rp",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// In the order of the alphabet.
const ATTRIBUTES: [&str; 15] = [
    "alt",
    "alttext",
    "aria-hidden",
    "aria-label",
    "class",
    "colspan",
    "data-lang",
    "data-language",
    "hidden",
    "href",
    "id",
    "role",
    "src",
    "start",
    "style",
];

/// Elements that have no content and no end tag.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements whose content is no text of the page, whatever stands in it.
pub(super) fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "script" | "style" | "noscript" | "template" | "svg" | "iframe" | "noembed" | "noframes" | "textarea"
    )
}

/// Elements that are for a hand or an eye: what they hold is not written.
pub(super) fn is_control(name: &str) -> bool {
    matches!(name, "audio" | "button" | "canvas" | "datalist" | "progress" | "rp" | "select" | "video")
}

/// Elements that begin a line of their own, and end a paragraph that is open.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    ) || is_heading(name)
}

/// `h1` to `h6`.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Elements that an end tag closes through paragraphs and divisions that were left open.
pub(super) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "code" | "em" | "font" | "i" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

/// What an end tag of something else does not reach through.
pub(super) fn is_barrier(name: &str) -> bool {
    matches!(name, "td" | "th" | "caption" | "table")
}

/// The parts of a table.
pub(super) fn is_table_part(name: &str) -> bool {
    matches!(name, "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "caption")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_halves() {
        assert!(ELEMENTS.is_sorted() && ATTRIBUTES.is_sorted() && ELEMENTS.len() < 255);
        assert!(
            ELEMENTS.iter().all(|name| name_at(place_of(name)) == *name) && name_at(place_of("")).is_empty()
        );
        assert_eq!(
            (element(b"blockquote"), element(b"my-own"), attribute(b"href")),
            ("blockquote", "", "href")
        );
    }
}
