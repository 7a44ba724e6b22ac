//! From a plan and a segment to the documents.

use crate::Result;
use crate::plan::Node;
use crate::reader::{Postings, SegmentReader};

/// A list this many times longer than what is left is not looked at: reading it would take longer than scanning the few
/// documents it might rule out.
const TOO_LONG: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    All,
    Some(Vec<u32>),
}

/// The documents of a segment that have what a plan asks for, or more.
pub(crate) fn evaluate(node: &Node, reader: &SegmentReader) -> Result<Found> {
    Ok(match node {
        Node::All => Found::All,
        Node::Nothing => Found::Some(Vec::new()),
        Node::Both { grams, subs } => {
            let mut found = with_all(grams, reader)?;
            for sub in subs {
                if found == Found::Some(Vec::new()) {
                    break;
                }
                found = both(found, evaluate(sub, reader)?);
            }
            found
        }
        Node::Either(subs) => with_any(subs, reader)?,
    })
}

/// The documents that have all these grams: the rarest first, so that the rest has little to rule out.
fn with_all(grams: &[u32], reader: &SegmentReader) -> Result<Found> {
    let mut lists: Vec<Postings> = Vec::with_capacity(grams.len());
    for &gram in grams {
        match reader.postings(gram)? {
            Some(postings) => lists.push(postings),
            None => return Ok(Found::Some(Vec::new())),
        }
    }
    lists.sort_by_key(|list| list.count);
    let mut lists = lists.iter();
    let Some(rarest) = lists.next() else { return Ok(Found::All) };
    let mut found = Vec::new();
    reader.decode(rarest, &mut found)?;
    let mut docs = Vec::new();
    for list in lists {
        if found.is_empty() || list.count as usize / TOO_LONG > found.len() {
            break;
        }
        reader.decode(list, &mut docs)?;
        retain_common(&mut found, &docs);
    }
    Ok(Found::Some(found))
}

fn with_any(subs: &[Node], reader: &SegmentReader) -> Result<Found> {
    let mut marks = vec![0u64; reader.docs().div_ceil(64) as usize];
    for sub in subs {
        match evaluate(sub, reader)? {
            Found::All => return Ok(Found::All),
            Found::Some(docs) => docs.iter().for_each(|&doc| marks[doc as usize / 64] |= 1 << (doc % 64)),
        }
    }
    let marked = |&doc: &u32| marks[doc as usize / 64] & (1 << (doc % 64)) != 0;
    Ok(Found::Some((0..reader.docs()).filter(marked).collect()))
}

fn both(a: Found, b: Found) -> Found {
    match (a, b) {
        (Found::All, other) | (other, Found::All) => other,
        (Found::Some(mut a), Found::Some(b)) => {
            retain_common(&mut a, &b);
            Found::Some(a)
        }
    }
}

/// Keeps of one rising list what is in the other too.
fn retain_common(kept: &mut Vec<u32>, other: &[u32]) {
    let mut other = other.iter().copied().peekable();
    kept.retain(|&doc| {
        while other.next_if(|&next| next < doc).is_some() {}
        other.peek() == Some(&doc)
    });
}
