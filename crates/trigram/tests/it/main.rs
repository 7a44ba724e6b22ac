//! The laws of this crate, checked from outside: candidates hold every match, the whole way equals a plain scan, damage is
//! seen, hostile input does no harm, and the lines are those of `rg`.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that can't go on should stop where it stands")]

mod damage;
mod hostile;
mod law;
mod rg;

use std::path::Path;

use ai_assist_trigram::{Candidates, Pattern, TrigramIndex, Update};

/// An index of texts; a text's place is its key.
fn index_of<T: AsRef<str>>(folder: &Path, texts: &[T]) -> TrigramIndex {
    let mut update = Update::create(folder).unwrap();
    for (key, text) in (0..).zip(texts) {
        update.add(key, text.as_ref()).unwrap();
    }
    update.finish().unwrap();
    TrigramIndex::open(folder).unwrap()
}

fn candidate_keys(index: &TrigramIndex, pattern: &Pattern) -> Vec<u64> {
    match index.candidates(&pattern.plan).unwrap() {
        Candidates::All => index.keys(),
        Candidates::Some(keys) => keys,
    }
}
