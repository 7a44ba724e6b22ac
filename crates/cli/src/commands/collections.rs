//! `ai-assist collections …`

pub(crate) mod add;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod sync;
