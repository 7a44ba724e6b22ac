//! One file for each view.

pub(crate) mod collections;
pub(crate) mod document;
pub(crate) mod home;
pub(crate) mod pack;
pub(crate) mod receipts;
pub(crate) mod repo;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod status;
pub(crate) mod symbols;
pub(crate) mod work;
pub(crate) mod workspace;
