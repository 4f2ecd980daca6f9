//! Events as text: pure, so that every line that a person sees has a case.

mod compacted;
mod diff;
mod numbers;
mod preview;
mod request;
mod sessions;
mod stats;
mod writer;

pub(crate) use diff::diff;
pub(crate) use numbers::tokens;
pub(crate) use request::{warning, whole};
pub(crate) use sessions::{list, resumed};
pub(crate) use stats::stats;
pub(crate) use writer::{Look, Shown, Writer, check_list};
