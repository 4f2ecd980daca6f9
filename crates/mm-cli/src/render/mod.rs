//! Events as text: pure, so that every line that a person sees has a case.

mod diff;
mod numbers;
mod preview;
mod request;
mod sessions;
mod writer;

pub(crate) use diff::diff;
pub(crate) use numbers::tokens;
pub(crate) use request::{warning, whole};
pub(crate) use sessions::{list, resumed};
pub(crate) use writer::{Look, Shown, Writer, check_list};
