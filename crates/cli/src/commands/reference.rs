//! `ai-assist ref …`

pub(crate) mod drop;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
