//! Commands about repositories.

pub(crate) mod build;
pub(crate) mod gc;
pub(crate) mod map;
pub(crate) mod pattern;
pub(crate) mod repo;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod symbols;
pub(crate) mod watch;
