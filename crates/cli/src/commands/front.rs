//! The commands of the first page that are about everything: collections, the repository, the workspace.

pub(crate) mod add;
pub(crate) mod gc;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod status;
pub(crate) mod sync;
mod watch;

pub(crate) use add::{note_registry, say_contents};
