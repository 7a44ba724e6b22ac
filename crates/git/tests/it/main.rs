//! Git as it is, in repositories as they are and as somebody means them to be.

#![allow(clippy::unwrap_used, reason = "the functions that tests share are test code too, which the lints don't see")]

mod answers;
mod hostile;
mod origin;
mod places;
mod support;
