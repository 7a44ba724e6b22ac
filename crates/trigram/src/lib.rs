//! Which documents could match a regular expression, without reading them; and the scan that confirms it.
//!
//! What comes in: texts, each under a key of the caller's ([`Update::add`]), and a pattern ([`Pattern`]). What goes out:
//! the keys of the documents that may match ([`TrigramIndex::candidates`]), always a superset of those that do, and the
//! lines of a text that match ([`Pattern::matching_lines`]). Together they give what a plain scan of every text gives.
//!
//! The way there: every text is folded (one case, see [`Extractor`]) and cut into its runs of three bytes, its *grams*. A
//! segment is one immutable file with the list of documents per gram. From a pattern follows a [`Plan`], an and/or tree of
//! grams without which it can't match. One index serves patterns that mind case and patterns that don't.
//!
//! An index is a folder of segments and one file, `segments`, that lists them with their deleted documents and is swapped
//! by rename. An [`Update`] adds one segment for what changed, carries the others over as hard links, and merges those
//! that have become too many, so its cost follows the change. A reader keeps what it opened. Every byte read is covered by
//! a checksum: a damaged file gives an error, never a wrong answer.
//!
//! This room must not know repositories, collections, where texts are kept, or how lines are shown. It takes no lock:
//! whoever writes makes sure to be alone.

mod codec;
mod effort;
mod error;
mod evaluate;
mod fold;
mod index;
mod lines;
mod literals;
mod merge;
mod pattern;
mod plan;
mod reader;
mod segment;
mod segments;
mod sort;
mod strip;
mod update;

pub use effort::Effort;
pub use error::{Error, Result};
pub use fold::{Extractor, Grams};
pub use index::{Candidates, TrigramIndex};
pub use lines::{Limits, LineMatch};
pub use pattern::{Pattern, PatternOptions};
pub use plan::Plan;
pub use update::{Summary, Update, share};
