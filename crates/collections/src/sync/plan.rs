//! What the source holds and what the store holds, laid side by side.

use std::path::Path;

use ai_assist_admit::{Candidate, Globs, Limits, Selection, Walked, walk};
use ai_assist_convert::may_be_converted;
use ai_assist_fetch::Staging;
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_store::DocumentHead;

use crate::Result;
use ai_assist_base::Cancel;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'s> {
    pub(crate) path: &'s DocPath,
    pub(crate) input: Input<'s>,
    /// What its bytes must hash to.
    pub(crate) expected: Option<Sha256>,
    /// Whether a document with that hash need not be looked at again. Not if the hash is that of a lock, and it is asked whether
    /// the source still agrees with it.
    pub(crate) settled: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'s> {
    File(&'s Candidate),
    /// A program of which only some items are offered, with what is kept beside its text to say so.
    Program(&'s Candidate, &'s str),
    Packed(&'s Staging),
    /// At this place in the list of requests.
    Fetch(usize),
}

/// A file to be read, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task<'s> {
    pub(crate) wanted: Wanted<'s>,
    /// The hash that the store has, if the document is known and may be skipped when it is the same.
    pub(crate) known: Option<Sha256>,
    /// Whether the store has a document of this path.
    pub(crate) exists: bool,
}

pub(crate) struct Sorted<'s> {
    pub(crate) tasks: Vec<Task<'s>>,
    pub(crate) removed: Vec<DocPath>,
    /// Documents whose stamp or hash says that they are as they were, or that must be kept for want of a look at them.
    pub(crate) unchanged: usize,
}

impl Sorted<'_> {
    pub(crate) fn changes_something(&self) -> bool {
        !self.tasks.is_empty() || !self.removed.is_empty()
    }
}

/// Compares two lists, both sorted by path. `hidden` says of a document that is not wanted whether it must be kept, because the
/// place where it would be could not be looked at.
pub(crate) fn sort_out<'s>(
    wanted: impl Iterator<Item = Wanted<'s>>,
    heads: &[DocumentHead],
    force: bool,
    hidden: &dyn Fn(&DocPath) -> bool,
) -> Sorted<'s> {
    let mut sorted = Sorted { tasks: Vec::new(), removed: Vec::new(), unchanged: 0 };
    let mut heads = heads.iter().peekable();
    let gone = |head: &DocumentHead, sorted: &mut Sorted<'s>| {
        if hidden(&head.path) {
            sorted.unchanged += 1;
        } else {
            sorted.removed.push(head.path.clone());
        }
    };
    for wanted in wanted {
        while let Some(head) = heads.next_if(|head| head.path < *wanted.path) {
            gone(head, &mut sorted);
        }
        match heads.next_if(|head| head.path == *wanted.path) {
            None => sorted.tasks.push(Task { wanted, known: None, exists: false }),
            Some(head) if !force && is_current(&wanted, head) && is_same(&wanted, head) => sorted.unchanged += 1,
            Some(head) => {
                let known = (!force && is_current(&wanted, head)).then_some(head.hash);
                sorted.tasks.push(Task { wanted, known, exists: true });
            }
        }
    }
    heads.for_each(|head| gone(head, &mut sorted));
    sorted
}

/// Whether the text of a document is what would be made of its file now.
fn is_current(wanted: &Wanted<'_>, head: &DocumentHead) -> bool {
    let converter = head.converter.as_deref();
    if let Input::Program(_, note) = wanted.input {
        return converter == Some(note);
    }
    !may_be_converted(head.path.as_str()) || converter.is_some_and(ai_assist_convert::is_current)
}

/// Whether a document need not be looked at.
fn is_same(wanted: &Wanted<'_>, head: &DocumentHead) -> bool {
    match (wanted.expected.filter(|_| wanted.settled), wanted.input) {
        (Some(expected), _) => expected == head.hash,
        (None, Input::File(candidate) | Input::Program(candidate, _)) => head.stamp == Some(candidate.stamp()),
        (None, Input::Packed(_) | Input::Fetch(_)) => false,
    }
}

/// What a walk found, as files to be wanted.
pub(crate) fn wanted(walked: &Walked) -> impl Iterator<Item = Wanted<'_>> {
    walked.candidates.iter().map(|candidate| Wanted {
        path: candidate.path(),
        input: Input::File(candidate),
        expected: None,
        settled: false,
    })
}

pub(crate) fn walk_source(folder: &Path, globs: Globs, limits: Limits, cancel: &Cancel) -> Result<Walked> {
    Ok(walk(&Selection::new(folder, globs, limits), cancel, &|_| {})?)
}

/// Whether a candidate's text differs from what a head remembers, read if its stamp does not settle it.
pub(crate) fn differs(candidate: &Candidate, head: &DocumentHead, limits: &Limits) -> bool {
    if head.stamp == Some(candidate.stamp()) {
        return false;
    }
    match candidate.read(limits) {
        ai_assist_admit::Outcome::Admitted(admitted) => admitted.hash() != head.hash,
        _ => true,
    }
}
