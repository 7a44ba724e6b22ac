//! Everything that a session has seen, as a search: every version of its files since it met them, the results of its tools, what
//! was said.
//!
//! Each version is a document of the session's own index, with its number as the key. The index is brought up to date when it is
//! asked: what it lacks is what the session has seen and its keys don't have. So it may be deleted at any time.

mod feed;
mod list;
mod seen;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_embed::Embedder;
use ai_assist_index::Filter;
use ai_assist_search::{Hit, Origin, Query, Question, RankBy, Source, snippet};
use ai_assist_store::Seq;
use ai_assist_store::objects::{Moment, ObjectId};
use ai_assist_text::LineRange;

use crate::error::Result;
use crate::object::ObjectKind;
use crate::session::Session;

pub use feed::index_damage;
pub(crate) use feed::up_to_date;
pub(crate) use list::List;
pub use seen::Seen;

/// Hits are looked at beyond the limit, because several may be versions of one thing.
const DEEPER: usize = 20;
/// A version that is current stands for an earlier one that scored up to this much better.
const NEARLY: f32 = 0.9;
/// So many lines of a hit are shown.
const HEIGHT: usize = 6;

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Find<'f> {
    pub query: &'f str,
    pub limit: usize,
    /// Only what was seen from then on.
    pub since: Option<Moment>,
    /// Only what was seen before then.
    pub until: Option<Moment>,
    pub kinds: &'f [ObjectKind],
    pub rank_by: RankBy,
    /// Whole pieces instead of a few lines.
    pub full: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub id: ObjectId,
    pub kind: ObjectKind,
    /// A path, a call, or a turn of the chat.
    pub label: String,
    pub seq: Seq,
    pub at: Moment,
    /// Whether it is what there is now.
    pub current: bool,
    pub others: usize,
    pub score: f32,
    pub lines: LineRange,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The best first, each object once.
    pub found: Vec<Found>,
    pub searched: usize,
}

impl Session {
    /// Searches what the session has seen. Its index is kept in `folder`. Files are looked at before they are called current.
    pub fn search(&mut self, find: &Find<'_>, folder: &Path, embedder: &dyn Embedder) -> Result<Answer> {
        let query: Query = find.query.parse()?;
        self.refresh()?;
        let seen = self.seen_kept(folder)?;
        let searched = seen.iter().filter(|seen| find.wants(seen)).count();
        let wanted = |seen: &Seen| find.wants(seen);
        let source = self.source(&seen, &wanted, &query.filter, folder, embedder)?;
        let limit = find.limit.saturating_mul(DEEPER);
        let question = Question { rank_by: find.rank_by, limit, ..Question::new(query) };
        let outcome = ai_assist_search::search(source.as_slice(), &question, embedder, &Cancel::default())?;
        let mut found = grouped(&seen, outcome.hits, find, &question.query);
        let now: Vec<ObjectId> = found.iter().filter(|found| found.current).map(|found| found.id.clone()).collect();
        let changed = self.freshen(&now)?;
        found.iter_mut().for_each(|found| found.current &= !changed.contains(&found.id));
        Ok(Answer { found, searched })
    }

    /// What is wanted of everything that was seen, to be searched with other sources; none if that is nothing.
    pub fn source(
        &self,
        seen: &[Seen],
        wanted: &dyn Fn(&Seen) -> bool,
        filter: &Filter,
        folder: &Path,
        embedder: &dyn Embedder,
    ) -> Result<Option<Source>> {
        let keys: HashSet<u64> = seen.iter().filter(|seen| wanted(seen)).map(|seen| seen.seq.0).collect();
        if keys.is_empty() {
            return Ok(None);
        }
        let Some(fed) = up_to_date(self.objects(), seen, folder, embedder)? else { return Ok(None) };
        // Every document of the index is asked for its key, unless it has these and no others.
        let is_all = keys.len() == seen.len() && fed.is_just(seen);
        let filter = Filter { keys: (!is_all).then(|| Arc::new(keys)), ..filter.clone() };
        let origin = Origin::Session { session: self.name().to_owned() };
        Ok(Some(Source { filter: Some(Arc::new(filter)), ..Source::new(Arc::new(fed.reader), origin, None, 0) }))
    }
}

impl Find<'_> {
    fn wants(&self, seen: &Seen) -> bool {
        let in_time = self.since.is_none_or(|since| seen.at >= since) && self.until.is_none_or(|until| seen.at < until);
        in_time && (self.kinds.is_empty() || self.kinds.contains(&seen.kind))
    }
}

/// Each thing once, at its best; of versions that are equally good, the latest.
fn grouped(seen: &[Seen], mut hits: Vec<Hit>, find: &Find<'_>, query: &Query) -> Vec<Found> {
    let by_seq: HashMap<u64, &Seen> = seen.iter().map(|seen| (seen.seq.0, seen)).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.key.cmp(&a.key)));
    let mut found: Vec<Found> = Vec::new();
    let mut places = HashMap::new();
    for hit in &hits {
        let Some(seen) = by_seq.get(&hit.key.1) else { continue };
        // Turns share the object of their chat, and are things of their own.
        let turn = (seen.kind == ObjectKind::Chat).then_some(seen.seq);
        match places.get_mut(&(&seen.id, turn)) {
            Some((place, versions)) => {
                let place: &mut usize = place;
                if HashSet::insert(versions, hit.key.1) {
                    let others = found[*place].others + 1;
                    // What there is now says more than what was, if it is nearly as good.
                    if seen.current && !found[*place].current && hit.score >= NEARLY * found[*place].score {
                        found[*place] = shown(seen, hit, find, query);
                    }
                    found[*place].others = others;
                }
            }
            None => {
                places.insert((&seen.id, turn), (found.len(), HashSet::from([hit.key.1])));
                found.push(shown(seen, hit, find, query));
            }
        }
    }
    found.truncate(find.limit);
    found
}

fn shown(seen: &Seen, hit: &Hit, find: &Find<'_>, query: &Query) -> Found {
    let (text, lines) = if find.full {
        (hit.text.trim_end().to_owned(), hit.lines)
    } else {
        let snippet = snippet(&hit.text, hit.lines.start, &query.terms, HEIGHT);
        (snippet.text, snippet.lines)
    };
    Found {
        id: seen.id.clone(),
        kind: seen.kind,
        label: seen.label.clone(),
        seq: seen.seq,
        at: seen.at,
        current: seen.current,
        others: 0,
        score: hit.score,
        lines,
        text,
    }
}
