//! `ai-assist categories …`

pub(crate) mod add;
pub(crate) mod change;
pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod update;
