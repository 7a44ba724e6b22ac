//! `ai-assist collections …`

pub(crate) mod add;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod manifest;
pub(crate) mod outdated;
pub(crate) mod pack;
pub(crate) mod publish;
pub(crate) mod search_registry;
pub(crate) mod suggest;
pub(crate) mod sync;
pub(crate) mod upgrade;
pub(crate) mod vendor;
pub(crate) mod verify;
