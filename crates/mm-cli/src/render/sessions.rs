//! Conversations that were kept: a list of them, and where one stands.

use std::path::Path;
use std::time::{Duration, SystemTime};

use mm_llm::Message;
use mm_session::store::Listed;
use mm_session::{History, Resumed};
use mm_tools::output::visible;

/// Characters of a line.
const WIDTH: usize = 200;
/// Lines of the last answer.
const LINES: usize = 6;

/// A line a conversation, with the number that it is chosen by, for as many as are wanted.
pub(crate) fn list(rows: &[Listed], most: usize, cwd: &Path, now: SystemTime) -> String {
    let mut text = String::new();
    for (at, row) in rows.iter().take(most).enumerate() {
        let told = match &row.head {
            Ok(head) if head.cwd == cwd => head.title.clone(),
            Ok(head) => format!("{} (in {})", head.title, head.cwd.display()),
            Err(fault) => format!("[cannot be read: {fault}]"),
        };
        let (age, size) = (age(now, row.updated), bytes(row.size));
        let line = format!("{:>3}  {age:<8}  {size:>8}  {}  {told}", at + 1, row.id);
        text.push_str(&one_line(&line));
        text.push('\n');
    }
    if rows.len() > most {
        text.push_str(&format!("     … {} more: /sessions all\n", rows.len() - most));
    }
    text
}

/// What was gone on with, and its last question and answer, shortly.
pub(crate) fn resumed(resumed: &Resumed, history: &History) -> String {
    let Resumed { id, title, messages, mended: _, copy_of: _ } = resumed;
    let mut text = format!("{}\n", one_line(&format!("resumed {id}: {title} ({messages} messages)")));
    if let Some(question) = history.last_question() {
        text.push_str(&format!("> {}\n", one_line(question)));
    }
    if let Some(Message::Assistant { text: answer, .. }) = history.messages().last() {
        let mut lines = answer.trim().lines();
        for line in lines.by_ref().take(LINES) {
            text.push_str(&one_line(line));
            text.push('\n');
        }
        if lines.next().is_some() {
            text.push_str("…\n");
        }
    }
    text
}

/// What cannot take the screen over, cut where it is too long for a line.
fn one_line(text: &str) -> String {
    let text = text.trim_end();
    let mut line: String = text.chars().take(WIDTH).map(|c| if c == '\n' { ' ' } else { c }).collect();
    if text.chars().nth(WIDTH).is_some() {
        line.push('…');
    }
    visible(&line)
}

fn age(now: SystemTime, then: SystemTime) -> String {
    let seconds = now.duration_since(then).unwrap_or(Duration::ZERO).as_secs();
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{} kB", n / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", n / 1_000_000),
        _ => format!("{} GB", n / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm_session::store::{Fault, SessionRecord};

    #[test]
    fn a_list_has_a_number_an_age_and_a_title_or_a_reason() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let row = |id: &str, cwd: &str, size: u64, seconds: u64| Listed {
            id: id.into(),
            size,
            updated: now - Duration::from_secs(seconds),
            head: Ok(SessionRecord::new(id, "What is\nthis? \u{1b}[2J", "m", Path::new(cwd)).head),
        };
        let bad = Listed { head: Err(Fault::Empty), ..row("bad", "/w", 0, 200_000) };
        let late = Listed { updated: now + Duration::from_secs(9), ..row("c", "/w", 7, 0) };
        let rows = [row("a", "/w", 2_500, 59), row("b", "/other", 21_000_000, 3_700), bad, late];
        let expected = "  1  just now      2 kB  a  What is this? \\u{1b}[2J\n  \
                          2  1 h          21 MB  b  What is this? \\u{1b}[2J (in /other)\n  \
                          3  2 days         0 B  bad  [cannot be read: it is empty]\n     \
                          … 1 more: /sessions all\n";
        assert_eq!(list(&rows, 3, Path::new("/w"), now), expected);
        assert!(
            list(&rows, 4, Path::new("/w"), now)
                .ends_with("  4  just now       7 B  c  What is this? \\u{1b}[2J\n")
        );
    }

    #[test]
    fn where_a_conversation_stands_is_short() {
        let resumed_one =
            Resumed { id: "a".into(), title: "First".into(), messages: 2, mended: 0, copy_of: None };
        let answer = "1\n\n\u{7}\n4\n5\n6\n7";
        let messages = [Message::User(format!("{}\nend", "x".repeat(198))), Message::assistant(answer)];
        let (history, _) = History::restore("s", messages);
        let expected =
            format!("resumed a: First (2 messages)\n> {} e…\n1\n\n\\u{{7}}\n4\n5\n6\n…\n", "x".repeat(198));
        assert_eq!(resumed(&resumed_one, &history), expected);
        assert_eq!(resumed(&resumed_one, &History::new("s")), "resumed a: First (2 messages)\n");
    }
}
