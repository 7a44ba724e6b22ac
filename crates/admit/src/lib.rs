//! The one door through which file content enters an index or a pack.
//!
//! What comes in: a [`Selection`], that is a folder, globs and limits. What goes out: first [`Candidate`]s, chosen by name
//! and stat alone so that an unchanged tree costs no read; then, for those a caller asks to read, [`Admitted`] text
//! with its secrets taken out; and a [`Receipt`] that accounts for every entry seen.
//!
//! Three separate questions are asked of every file, all of them in `questions.rs`: may it leave (secret names and
//! values), is it worth it (size; for a pack also whether somebody else or a tool wrote it), can it be read (binary,
//! encoding). [`explain`] asks them of one path and says which rule decided. Neither `Candidate` nor `Admitted` can be made
//! anywhere else, so a reader that takes an `Admitted` cannot be handed a file that was never asked.
//!
//! This room must not know what is done with the files: no index, no database, no pack, no terminal, no environment.

mod admitted;
mod allow;
mod attributes;
mod braces;
mod candidate;
mod decide;
mod documents;
mod error;
mod explain;
mod found;
mod freshness;
mod globs;
mod ignores;
mod links;
mod listing;
mod names;
mod order;
#[cfg(test)]
mod pack_tests;
mod path_set;
mod pick;
mod policy;
mod reason;
mod receipt;
mod root;
mod secrets;
#[cfg(test)]
mod test_tree;
mod visit;
mod walk;
mod worth;

pub use admitted::Admitted;
pub use ai_assist_base::FileStamp;
pub use candidate::{Candidate, Outcome, admit_bytes};
pub use documents::document_format;
pub use error::{AdmitError, GlobError};
pub use explain::{Explanation, IndexedView, Verdict, admit_one, explain};
pub use freshness::Freshness;
pub use globs::Globs;
pub use ignores::IGNORE_FILES;
pub use path_set::PathSet;
pub use pick::pick;
pub use reason::{Exclusion, Problem, Reason};
pub use receipt::Receipt;
pub use root::open_unlinked;
pub use secrets::{Found, Redacted, RedactedAt, Redaction, find, find_in, is_secret_rule, redact, redact_in};
pub use walk::{Convert, Limits, Selection, Walked, walk};
pub use worth::{Allowance, OnSecret, PackRules, Worth};
