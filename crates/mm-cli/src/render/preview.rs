//! The first lines of a running tool's output.

/// Where a line of output stands under its tool line.
const GUTTER: &str = "   │ ";
/// The most characters of a line that are shown.
const WIDTH: usize = 200;

/// Takes output as it comes and gives the lines to show.
#[derive(Debug)]
pub(super) struct Preview {
    limit: usize,
    shown: usize,
    /// The beginning of a line whose end has not come, at most [`WIDTH`] + 1 characters of it.
    open: String,
    open_len: usize,
    hidden: usize,
}

impl Preview {
    /// Shows `limit` lines at most.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, shown: 0, open: String::new(), open_len: 0, hidden: 0 }
    }

    /// Takes a piece; gives whole lines, each with its line end.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut lines = String::new();
        for piece in text.split_inclusive('\n') {
            let (line, ends) = piece.strip_suffix('\n').map_or((piece, false), |line| (line, true));
            let room = (WIDTH + 1).saturating_sub(self.open_len);
            let before = self.open.len();
            self.open.extend(line.chars().take(room));
            self.open_len += self.open.get(before..).map_or(0, |added| added.chars().count());
            if ends {
                self.end_line(&mut lines);
            }
        }
        lines
    }

    /// Ends the output; gives what is left and how much was not shown.
    pub(super) fn finish(&mut self) -> String {
        let mut lines = String::new();
        if !self.open.is_empty() {
            self.end_line(&mut lines);
        }
        match (self.limit, self.hidden) {
            (0, _) | (_, 0) => {}
            (_, 1) => lines.push_str(&format!("{GUTTER}… 1 more line\n")),
            (_, n) => lines.push_str(&format!("{GUTTER}… {n} more lines\n")),
        }
        lines
    }

    fn end_line(&mut self, lines: &mut String) {
        let line = std::mem::take(&mut self.open);
        let is_long = std::mem::take(&mut self.open_len) > WIDTH;
        if self.shown == self.limit {
            self.hidden += 1;
            return;
        }
        self.shown += 1;
        let (cut, mark): (String, &str) =
            if is_long { (line.chars().take(WIDTH).collect(), "…") } else { (line, "") };
        lines.push_str(&format!("{GUTTER}{cut}{mark}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(limit: usize, pieces: &[&str]) -> String {
        let mut preview = Preview::new(limit);
        let lines: String = pieces.iter().map(|piece| preview.push(piece)).collect();
        lines + &preview.finish()
    }

    #[test]
    fn the_first_lines_are_shown_and_the_rest_is_counted() {
        let rows: [(usize, &[&str], &str); 7] = [
            (2, &["a\nb\n"], "   │ a\n   │ b\n"),
            (2, &["a", "b\nc", "d"], "   │ ab\n   │ cd\n"),
            (2, &["a\nb\nc\n"], "   │ a\n   │ b\n   │ … 1 more line\n"),
            (1, &["a\nb\nc\nd"], "   │ a\n   │ … 3 more lines\n"),
            (0, &["a\nb\n"], ""),
            (2, &["\n"], "   │ \n"),
            (2, &[], ""),
        ];
        for (limit, pieces, expected) in rows {
            assert_eq!(shown(limit, pieces), expected, "{limit} {pieces:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_and_takes_no_memory() {
        let line = "é".repeat(1000);
        assert_eq!(shown(5, &[&line, &line]), format!("   │ {}…\n", "é".repeat(WIDTH)));
        let mut preview = Preview::new(5);
        preview.push(&line);
        assert!(preview.open.len() <= 2 * (WIDTH + 1));
    }
}
