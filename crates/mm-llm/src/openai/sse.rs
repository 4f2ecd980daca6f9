//! Server-sent events by the rules of the WHATWG HTML standard, section 9.2.

use std::borrow::Cow;

use memchr::memchr2;

use crate::ProviderError;

/// The longest line and the longest event that are taken.
const LIMIT: usize = 16 << 20;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Decodes a byte stream, cut anywhere, into the `data` of its events.
///
/// Lines may end in LF, CRLF or CR; comments, other fields and a byte-order mark are passed over; several
/// `data` lines of an event are joined by LF. Unlike the standard, [`finish`](Self::finish) also gives a
/// last event that no blank line closed: servers that die mid-way leave one.
///
/// ```
/// let mut events = Vec::new();
/// let mut decoder = mm_llm::SseDecoder::default();
/// decoder.push(b": ping\n\ndata: on", |data| events.push(data.to_owned()))?;
/// decoder.push(b"e\r\n\r\ndata:two", |data| events.push(data.to_owned()))?;
/// decoder.finish(|data| events.push(data.to_owned()));
/// assert_eq!(events, ["one", "two"]);
/// # Ok::<(), mm_llm::ProviderError>(())
/// ```
#[derive(Debug, Default)]
pub struct SseDecoder {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The data of the event so far. It keeps its memory for the next event.
    data: String,
    /// Whether the event has a `data` line.
    has_data: bool,
    /// The last byte was a CR: an LF next belongs to it.
    after_cr: bool,
    /// The first line has been taken, so that no byte-order mark can come any more.
    begun: bool,
}

impl SseDecoder {
    /// Takes bytes and calls `emit` with the data of each event that they complete.
    ///
    /// # Errors
    /// Refuses a line or an event above 16 MiB.
    pub fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(&str)) -> Result<(), ProviderError> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(rest) = bytes.strip_prefix(b"\n")
            {
                bytes = rest;
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                return self.check_size();
            };
            let (line, rest) = bytes.split_at(end);
            if let Some((data, behind)) = self.whole_event(line, rest) {
                emit(data);
                bytes = behind;
                continue;
            }
            self.after_cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
            self.end_line(line, &mut emit);
            self.check_size()?;
        }
        Ok(())
    }

    /// Ends the stream: what is left is taken as if a blank line had closed it.
    pub fn finish(&mut self, mut emit: impl FnMut(&str)) {
        if !self.line.is_empty() {
            self.end_line(&[], &mut emit);
        }
        self.dispatch(&mut emit);
    }

    /// Gives the data of an event of one line, with its blank line right behind it, and what follows. Most are that,
    /// and need not be copied.
    fn whole_event<'b>(&self, line: &'b [u8], rest: &'b [u8]) -> Option<(&'b str, &'b [u8])> {
        let behind = rest.strip_prefix(b"\n\n")?;
        let data = line.strip_prefix(b"data: ").filter(|data| data.len() <= LIMIT)?;
        let fresh = self.begun && self.line.is_empty() && !self.has_data;
        fresh.then(|| std::str::from_utf8(data).ok()).flatten().map(|data| (data, behind))
    }

    fn end_line(&mut self, line: &[u8], emit: &mut impl FnMut(&str)) {
        if self.line.is_empty() {
            return self.take_line(line, emit);
        }
        let mut whole = std::mem::take(&mut self.line);
        whole.extend_from_slice(line);
        self.take_line(&whole, emit);
        whole.clear();
        self.line = whole; // keeps its memory for the next line that comes in pieces
    }

    fn take_line(&mut self, mut line: &[u8], emit: &mut impl FnMut(&str)) {
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(emit);
        }
        let Some(value) = line.strip_prefix(b"data") else {
            return;
        };
        let value = match value {
            [] => value,
            [b':', b' ', rest @ ..] | [b':', rest @ ..] => rest,
            _ => return,
        };
        // The check alone is much faster than the repair, which is hardly ever needed.
        let value = std::str::from_utf8(value).map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push('\n');
        }
        self.data.push_str(&value);
    }

    fn dispatch(&mut self, emit: &mut impl FnMut(&str)) {
        if std::mem::take(&mut self.has_data) {
            emit(&self.data);
            self.data.clear();
        }
    }

    fn check_size(&self) -> Result<(), ProviderError> {
        if self.line.len() > LIMIT || self.data.len() > LIMIT {
            return Err(ProviderError::Protocol {
                what: "the server sent an event of more than 16 MiB",
                near: String::new(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = Vec::new();
        let mut decoder = SseDecoder::default();
        for piece in pieces {
            decoder.push(piece, |data| events.push(data.to_owned())).unwrap();
        }
        decoder.finish(|data| events.push(data.to_owned()));
        events
    }

    #[test]
    fn events_are_read_by_the_standard() {
        let rows: [(&str, &[&str]); 14] = [
            ("data: a\n\n", &["a"]),
            ("data:a\n\n", &["a"]),
            ("data:  a\n\n", &[" a"]),
            ("data: a\r\n\r\n", &["a"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            ("data: a\ndata: b\n\n", &["a\nb"]),
            (":\n\n: ping\n\ndata: a\n\n", &["a"]),
            ("\u{feff}data: a\n\n", &["a"]),
            ("event: x\nid: 1\nretry: 5\ndata: a\n\n", &["a"]),
            ("data\n\n", &[""]),
            ("datax: a\n\n", &[]),
            ("data: a", &["a"]),
            ("\n\n\ndata: a\n\n\n\n", &["a"]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(events(&[text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut decoder = SseDecoder::default();
        let piece = vec![b'x'; 1 << 20];
        let refused = (0..64).find(|_| decoder.push(&piece, |_| {}).is_err());
        assert_eq!(refused, Some(16));
    }

    proptest! {
        #[test]
        fn a_stream_split_anywhere_gives_the_same_events(
            parts in prop::collection::vec("data: ?[aé🍋]{0,3}|: c|\n|\r\n|\r|event: x", 0..20),
            cuts in prop::collection::vec(0usize..200, 0..6),
        ) {
            let bytes = parts.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(events(&pieces), events(&[&bytes]));
        }
    }
}
