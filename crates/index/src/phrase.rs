//! Phrases: which chunks hold terms at given distances.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::mask::Mask;
use crate::reader::SegmentView;
use crate::schema::{Fields, TextField};

/// Takes into `mask`, from `base` on, every chunk of the segment whose body holds the phrase.
pub(crate) fn mark(
    segment: &SegmentView,
    fields: &Fields,
    phrase: &[(String, usize)],
    base: usize,
    mask: &mut Mask,
) -> tantivy::Result<()> {
    let body = fields.of(TextField::Body);
    let inverted = &segment.text(fields)?[TextField::Body.position()].inverted;
    let mut lists: Vec<(SegmentPostings, u32)> = Vec::with_capacity(phrase.len());
    for (term, distance) in phrase {
        let term = Term::from_field_text(body, term);
        let Some(postings) = inverted.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)? else {
            return Ok(());
        };
        lists.push((postings, u32::try_from(*distance).unwrap_or(u32::MAX)));
    }
    let Some((_, rest)) = lists.split_first() else { return Ok(()) };
    let rest = rest.len();
    let mut doc = lists[0].0.doc();
    let mut starts: Vec<u32> = Vec::new();
    let mut positions: Vec<u32> = Vec::new();
    'documents: while doc != TERMINATED {
        for list in 1..=rest {
            let postings = &mut lists[list].0;
            let found = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
            if found != doc {
                doc = if found == TERMINATED { TERMINATED } else { lists[0].0.seek(found) };
                continue 'documents;
            }
        }
        starts.clear();
        lists[0].0.positions(&mut starts);
        for (postings, distance) in lists.iter_mut().skip(1) {
            positions.clear();
            postings.positions(&mut positions);
            starts.retain(|start| positions.binary_search(&start.saturating_add(*distance)).is_ok());
        }
        if !starts.is_empty() {
            mask.insert(base + doc as usize);
        }
        doc = lists[0].0.advance();
    }
    Ok(())
}
