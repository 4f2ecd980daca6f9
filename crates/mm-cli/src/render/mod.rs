//! Events as text: pure, so that every line that a person sees has a case.

mod diff;
mod done;
mod markdown;
mod numbers;
mod preview;
mod request;
mod writer;

pub(crate) use diff::diff;
pub(crate) use markdown::{Columns, Paint, cut_to};
pub(crate) use numbers::tokens;
pub(crate) use request::{warning, whole};
pub(crate) use writer::{Answers, Look, Shown, Writer, check_list};
