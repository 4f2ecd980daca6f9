//! Events as text: pure, so that every line that a person sees has a case.

mod numbers;
mod preview;
mod request;
mod sessions;
mod writer;

pub(crate) use numbers::tokens;
pub(crate) use request::{warning, whole};
pub(crate) use sessions::{list, resumed};
pub(crate) use writer::{Look, Shown, Writer};
