//! Which part of a page is the page, and which is what surrounds it.
//!
//! The page's own words decide (`main`, `article`, `nav`, roles), and how much text stands where: what is small beside
//! the rest is not taken for the page. Names of classes are not looked at: they drop too much from lists, references and
//! search results.

use super::names::is_control;
use super::tree::{Id, Tree};

/// So much text is a page in its own right.
const ENOUGH: usize = 200;

/// What of a page is written.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) root: Id,
    /// For each node, whether it is left out.
    pub(super) left_out: Vec<bool>,
}

/// All of a page.
pub(super) fn everything(tree: &Tree) -> Part {
    Part { root: 0, left_out: tree.ids().map(|id| is_control(tree.name(id))).collect() }
}

/// The main content of a page.
pub(super) fn choose(tree: &Tree) -> Part {
    let mut left_out = surroundings(tree);
    let whole = amounts(tree, &everything(tree).left_out);
    let kept = amounts(tree, &left_out);
    let of = |amounts: &[usize], id: Id| amounts.get(id as usize).copied().unwrap_or(0);
    let Some(root) = best(tree, &left_out, |id| of(&kept, id)) else {
        leave_out_menus(tree, &mut left_out);
        let kept = amounts(tree, &left_out);
        let is_little = is_little(of(&kept, 0), of(&whole, 0));
        return if is_little { everything(tree) } else { Part { root: 0, left_out } };
    };
    if is_little(of(&kept, root), of(&whole, 0)) { everything(tree) } else { Part { root, left_out } }
}

/// Whether a part is too small to be what a page is about.
fn is_little(part: usize, whole: usize) -> bool {
    part < ENOUGH && part * 10 < whole
}

/// The element that holds the content, if the page says which and most of its text is there.
fn best(tree: &Tree, left_out: &[bool], amount: impl Fn(Id) -> usize) -> Option<Id> {
    let visible = |id: &Id| left_out.get(*id as usize) != Some(&true);
    let all = amount(0);
    let main = tree.ids().filter(visible).filter(|id| is_main(tree, *id)).max_by_key(|id| amount(*id));
    if let Some(main) = main.filter(|main| amount(*main) >= ENOUGH || amount(*main) * 2 >= all) {
        return Some(main).filter(|main| amount(*main) > 0);
    }
    // Several articles are a list, and a list is the page.
    let mut articles = tree.ids().filter(visible).filter(|id| tree.name(*id) == "article");
    let article = articles.next()?;
    let is_only = articles.all(|other| is_within(tree, other, article));
    (is_only && amount(article) * 2 >= all && amount(article) > 0).then_some(article)
}

/// Leaves out what stands before the only `h1`, if most of it is links: pages from before `nav` begin so.
fn leave_out_menus(tree: &Tree, left_out: &mut [bool]) {
    let mut headings =
        tree.ids().filter(|id| tree.name(*id) == "h1" && left_out.get(*id as usize) == Some(&false));
    let (Some(heading), None) = (headings.next(), headings.next()) else { return };
    let mut in_link = vec![false; heading as usize];
    let (mut all, mut linked) = (0, 0);
    for id in 0..heading {
        let above = tree.parent(id).and_then(|above| in_link.get(above as usize).copied());
        let is_linked = above.unwrap_or(false) || tree.name(id) == "a";
        if let Some(flag) = in_link.get_mut(id as usize) {
            *flag = is_linked;
        }
        if left_out.get(id as usize) == Some(&false) {
            let letters = tree.text(id).map_or(0, |text| text.chars().filter(|c| !c.is_whitespace()).count());
            all += letters;
            linked += if is_linked { letters } else { 0 };
        }
    }
    if linked * 2 > all {
        let around: Vec<Id> = std::iter::successors(Some(heading), |id| tree.parent(*id)).collect();
        let before = left_out.iter_mut().zip(0..heading).filter(|(_, id)| !around.contains(id));
        before.for_each(|(flag, _)| *flag = true);
    }
}

fn is_main(tree: &Tree, id: Id) -> bool {
    tree.name(id) == "main" || tree.attribute(id, "role") == Some("main")
}

fn is_within(tree: &Tree, id: Id, above: Id) -> bool {
    std::iter::successors(Some(id), |id| tree.parent(*id)).any(|id| id == above)
}

/// Marks menus, banners, side columns and what is not shown, each with all within.
fn surroundings(tree: &Tree) -> Vec<bool> {
    let mut left_out = vec![false; tree.ids().count()];
    let mut in_content = left_out.clone();
    let mut has_heading = left_out.clone();
    for id in tree.ids().rev() {
        let is_one = tree.name(id) == "h1" || has_heading.get(id as usize) == Some(&true);
        if is_one && let Some(above) = tree.parent(id).and_then(|above| has_heading.get_mut(above as usize)) {
            *above = true;
        }
    }
    for id in tree.ids() {
        let above = tree.parent(id).map_or((false, false), |above| {
            let of = |flags: &[bool]| flags.get(above as usize).copied().unwrap_or(false);
            (of(&left_out), of(&in_content))
        });
        let heads = has_heading.get(id as usize).copied().unwrap_or(false);
        let out = above.0
            || is_control(tree.name(id))
            || is_hidden(tree, id)
            || surrounds(tree, id, above.1, heads);
        let within = above.1 || tree.name(id) == "article" || is_main(tree, id);
        if let (Some(flag), Some(content)) = (left_out.get_mut(id as usize), in_content.get_mut(id as usize))
        {
            (*flag, *content) = (out, within);
        }
    }
    left_out
}

fn surrounds(tree: &Tree, id: Id, in_content: bool, heads: bool) -> bool {
    match (tree.attribute(id, "role"), tree.name(id)) {
        (Some("navigation" | "search"), _) | (_, "nav" | "search" | "dialog") => true,
        (Some("complementary" | "contentinfo"), _) | (_, "aside" | "footer") => !in_content,
        // The banner of a page may hold its heading.
        (Some("banner"), _) | (_, "header") => !in_content && !heads,
        _ => false,
    }
}

fn is_hidden(tree: &Tree, id: Id) -> bool {
    let style = tree.attribute(id, "style").unwrap_or_default();
    let is_shown_later = tree.attribute(id, "hidden").is_some_and(|hidden| hidden != "until-found");
    let is_ornament = tree.attribute(id, "aria-hidden") == Some("true") && !tree.has_block(id);
    is_shown_later || is_ornament || style.contains("display:none") || style.contains("display: none")
}

/// How many characters of text, white space apart, are in each node.
fn amounts(tree: &Tree, left_out: &[bool]) -> Vec<usize> {
    let mut amounts = vec![0; tree.ids().count()];
    for id in tree.ids().rev() {
        if left_out.get(id as usize) == Some(&true) {
            continue;
        }
        let own = tree.text(id).map_or(0, |text| text.chars().filter(|c| !c.is_whitespace()).count());
        let amount = own + amounts.get(id as usize).copied().unwrap_or(0);
        if let Some(of_it) = amounts.get_mut(id as usize) {
            *of_it = amount;
        }
        if let Some(above) = tree.parent(id).and_then(|above| amounts.get_mut(above as usize)) {
            *above += amount;
        }
    }
    amounts
}
