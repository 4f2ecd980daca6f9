//! What a model reads of a page: a part of its text, and how to go on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::error::FetchError;
use crate::ToolOutput;

/// How long a page is remembered for its next part.
const REMEMBERED: Duration = Duration::from_secs(300);

/// A page that was fetched and converted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// What stands before every part, such as a status that is no good one.
    pub(super) head: Option<String>,
    pub(super) text: String,
    /// What stands behind every part.
    pub(super) notes: Vec<String>,
}

impl Page {
    /// Whether it is more than one part of at most `max` characters.
    pub(super) fn has_parts(&self, max: usize) -> bool {
        self.text.chars().nth(max).is_some()
    }

    /// The part from a character on, of at most `max` characters.
    pub(super) fn part(&self, offset: usize, max: usize) -> Result<ToolOutput, FetchError> {
        let max = max.max(1);
        let length = self.text.chars().count();
        if offset > 0 && offset >= length {
            return Err(FetchError::Beyond { length, offset });
        }
        let start = place(&self.text, offset);
        let rest = self.text.get(start..).unwrap_or_default();
        let part = rest.get(..place(rest, max)).unwrap_or_default();
        let mut lines: Vec<String> = self.head.iter().map(|head| format!("[error: {head}]")).collect();
        // A part is what it is, line ends and all: joined they are the page.
        lines.push(part.to_owned());
        lines.extend(self.notes.iter().map(|note| format!("[{note}]")));
        if part.len() < rest.len() {
            let next = offset + max;
            lines.push(format!("[page {length} characters long: send offset: {next} for more]"));
        }
        lines.retain(|line| !line.is_empty());
        Ok(ToolOutput { text: lines.join("\n"), ok: self.head.is_none() })
    }
}

fn place(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The last page that is longer than one part, so that its next one costs no second transfer. A few MiB at most.
#[derive(Debug, Default)]
pub(super) struct LastPage {
    // Calls may overlap; held for a clone of the `Arc`.
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    url: String,
    since: Instant,
    page: Arc<Page>,
}

impl LastPage {
    pub(super) fn get(&self, url: &str) -> Option<Arc<Page>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|kept| kept.since.elapsed() > REMEMBERED);
        kept.as_ref().filter(|kept| kept.url == url).map(|kept| kept.page.clone())
    }

    pub(super) fn keep(&self, url: &str, page: Arc<Page>) {
        let kept = Kept { url: url.to_owned(), since: Instant::now(), page };
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_joined_are_the_page() {
        let page = Page { text: "0123456789é\nab".to_owned(), ..Page::default() };
        let rows = [
            (0, 5, "01234\n[page 14 characters long: send offset: 5 for more]"),
            (5, 6, "56789é\n[page 14 characters long: send offset: 11 for more]"),
            (11, 5, "\nab"),
            (0, 14, "0123456789é\nab"),
            (0, 100, "0123456789é\nab"),
            (13, 1, "b"),
        ];
        for (offset, max, expected) in rows {
            assert_eq!(page.part(offset, max).unwrap().text, expected, "{offset} {max}");
        }
        let error = page.part(14, 5).unwrap_err().to_string();
        assert_eq!(error, "the page is 14 characters long: there is nothing at offset 14");
        assert_eq!(Page::default().part(0, 5).unwrap().text, "");
        let page = Page { head: Some("HTTP 404".into()), text: "no".into(), notes: vec!["note".into()] };
        assert_eq!(
            page.part(0, 9).unwrap(),
            ToolOutput { text: "[error: HTTP 404]\nno\n[note]".into(), ok: false }
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_page_is_remembered_for_five_minutes() {
        let last = LastPage::default();
        last.keep("a", Arc::default());
        assert!(last.get("a").is_some() && last.get("b").is_none());
        tokio::time::advance(REMEMBERED).await;
        assert!(last.get("a").is_some());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(last.get("a").is_none());
    }
}
