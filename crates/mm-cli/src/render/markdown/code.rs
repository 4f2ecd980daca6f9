//! A block of code between fences.

use super::Paint;
use super::block::{Code, Container, Fence};
#[cfg(feature = "highlight")]
use super::highlight::Highlight;
use super::style::{Span, Style};

/// The block that is open.
#[derive(Debug)]
pub(super) struct Block {
    fence: Fence,
    #[cfg(feature = "highlight")]
    highlight: Option<Highlight>,
}

impl Block {
    pub(super) fn new(fence: Fence, paint: Paint) -> Self {
        #[cfg(not(feature = "highlight"))]
        let _ = paint;
        Self {
            #[cfg(feature = "highlight")]
            highlight: match paint {
                Paint::Colours => Highlight::of(&fence.language),
                Paint::Nothing => None,
            },
            fence,
        }
    }

    /// Reads a line: its code, or nothing for the one that ends the block. `None` when the block ended before it.
    pub(super) fn line(&mut self, line: &str, around: &[Container]) -> Option<Option<Vec<Span>>> {
        Some(match self.fence.code(line, around)? {
            Code::End => None,
            Code::Line(code) => Some(self.spans(code)),
        })
    }

    #[cfg(feature = "highlight")]
    fn spans(&mut self, code: &str) -> Vec<Span> {
        match &mut self.highlight {
            Some(highlight) => highlight.line(code),
            None => vec![Span::new(code, Style::PLAIN)],
        }
    }

    #[cfg(not(feature = "highlight"))]
    fn spans(&mut self, code: &str) -> Vec<Span> {
        vec![Span::new(code, Style::PLAIN)]
    }
}
