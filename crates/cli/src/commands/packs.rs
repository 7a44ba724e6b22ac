//! Commands about what is sent to a model.

mod chosen;
pub(crate) mod explain;
pub(crate) mod pack;
pub(crate) mod receipts;
pub(crate) mod snapshot;
pub(crate) mod unpack;
mod written;
