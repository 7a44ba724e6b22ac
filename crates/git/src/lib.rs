//! Everything that is asked of git. Of a folder: which files it tracks, what has changed, how often, and at which commit it stands.
//!
//! What comes in: a folder. What goes out: a [`Repo`], which answers questions by running the user's `git`, or none if
//! the folder is in no work tree.
//!
//! The repository is hostile. Its settings and attributes can name programs that git runs for the most harmless
//! question, so each of these is overridden (`program` and `filters`), only such commands are used as need no others,
//! and nothing is written, fetched or asked. What git writes is bounded, and so is its time: [`Ask`].
//!
//! Repositories at a URL are asked through a [`Remote`].
//!
//! This crate reads no file itself and knows nothing of what is done with the answers.

mod changes;
mod error;
mod filters;
mod history;
mod program;
mod remote;
mod repo;
mod since;
mod words;
mod work_tree;

pub use error::GitError;
pub use history::{Churn, Head};
pub use remote::{Answering, Remote, RemoteAsk, RemoteError, Transport};
pub use repo::{Ask, Repo};
pub use since::Commit;
pub use work_tree::{WorkTree, tracked_files};
