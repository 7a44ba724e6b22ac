//! Answering one question: gather, sum up, score, rank, read what is shown.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::chain;
use ai_assist_identity::RepoId;
use ai_assist_index::{Reader, Statistics, WordWeights};
use ai_assist_search::phases::{self, Gathered, Placed, Placing, QueryVector, Scores};
use ai_assist_search::{Hit, Range};

use super::answer::{Found, IndexStatus};
use super::error::FederateError;
use super::merge::{Ranked, cap, fuse};
use super::open::{Federation, LATE, PANICKED, Slot};
use super::plan::Unsearched;
use super::pool::{Clock, End, Phase, Work, WorkerPool};
use super::{Merge, Question, Target};
use ai_assist_repo::repo_index::RepoIndex;

/// A question being answered.
pub(super) struct Asking<'a> {
    federation: &'a Federation,
    rankings: Vec<Vec<usize>>,
    question: Arc<Question>,
    vector: Arc<Option<QueryVector>>,
    pool: WorkerPool<'a>,
    clock: &'a Clock,
    gathered: BTreeMap<usize, Arc<Gathered>>,
    /// The slots that failed or were late on the way.
    pub(super) lost: BTreeMap<usize, Unsearched>,
    pub(super) spent: BTreeMap<RepoId, Duration>,
}

/// Indexes that are scored with the same statistics.
struct Group {
    ranking: usize,
    slots: Vec<usize>,
    statistics: Arc<Statistics>,
    weights: Arc<WordWeights>,
}

/// The scores of all groups.
struct Pass {
    groups: Vec<Group>,
    scores: BTreeMap<usize, Scores>,
}

/// What was found.
pub(super) struct Outcome {
    pub(super) hits: Vec<Found>,
    pub(super) found: usize,
    pub(super) considered: usize,
}

type Ends<T> = Vec<End<Result<T, ai_assist_search::Error>>>;

impl<'a> Asking<'a> {
    pub(super) fn new(
        federation: &'a Federation,
        question: &Question,
        rankings: Vec<Vec<usize>>,
        vector: Option<QueryVector>,
        pool: WorkerPool<'a>,
        clock: &'a Clock,
    ) -> Self {
        Asking {
            federation,
            rankings,
            question: Arc::new(question.clone()),
            vector: Arc::new(vector),
            pool,
            clock,
            gathered: BTreeMap::new(),
            lost: BTreeMap::new(),
            spent: BTreeMap::new(),
        }
    }

    pub(super) fn run(&mut self) -> Result<Outcome, FederateError> {
        self.gather()?;
        let (mut pass, late) = self.pass(Phase::Score)?;
        self.lost.extend(late.into_iter().map(|slot| (slot, Unsearched::new(IndexStatus::TimedOut, LATE))));
        loop {
            if self.is_short(&pass)
                && let Some(better) = self.again()?
            {
                pass = better;
                continue;
            }
            let known = self.lost.len();
            let outcome = self.ranked(&pass)?;
            if self.lost.len() > known
                && let Some(better) = self.again()?
            {
                pass = better;
                continue;
            }
            return Ok(outcome);
        }
    }

    /// Whether an index took part in the statistics that is lost by now.
    fn is_short(&self, pass: &Pass) -> bool {
        pass.groups.iter().flat_map(|group| &group.slots).any(|slot| self.lost.contains_key(slot))
    }

    /// Scores what is left anew, if there is time for all of it.
    fn again(&mut self) -> Result<Option<Pass>, FederateError> {
        if !self.clock.is_before(Phase::Again) {
            return Ok(None);
        }
        let (pass, late) = self.pass(Phase::Again)?;
        Ok(late.is_empty().then_some(pass))
    }

    fn slot(&self, slot: usize) -> &Slot {
        &self.federation.slots[slot]
    }

    /// The index of a slot, unless it is lost.
    fn index(&self, slot: usize) -> Option<&Arc<RepoIndex>> {
        self.slot(slot).index.as_ref().ok().filter(|_| !self.lost.contains_key(&slot))
    }

    /// Takes what was done, notes what failed, and gives the slots that were late.
    fn take<T>(&mut self, slots: &[usize], ends: Ends<T>) -> (Vec<(usize, T)>, Vec<usize>) {
        let (mut done, mut late) = (Vec::with_capacity(slots.len()), Vec::new());
        for (&slot, end) in slots.iter().zip(ends) {
            let failed = |reason: String| Unsearched::new(IndexStatus::Failed, reason);
            let repo = &self.federation.targets[self.federation.slots[slot].target].repo_id;
            let spent = self.spent.entry(repo.clone()).or_default();
            match end {
                End::Done(value, took) => {
                    *spent += took;
                    match value {
                        Ok(value) => done.push((slot, value)),
                        Err(error) => drop(self.lost.insert(slot, failed(chain(&error)))),
                    }
                }
                End::Panicked => drop(self.lost.insert(slot, failed(PANICKED.to_owned()))),
                End::Late => late.push(slot),
            }
        }
        (done, late)
    }

    fn gather(&mut self) -> Result<(), FederateError> {
        let slots: Vec<usize> = self.rankings.iter().flatten().copied().collect();
        let slots: Vec<usize> = slots.into_iter().filter(|&slot| self.index(slot).is_some()).collect();
        let work = |index: &Arc<RepoIndex>| -> Work<Result<Gathered, ai_assist_search::Error>> {
            let (index, question) = (Arc::clone(index), Arc::clone(&self.question));
            Box::new(move || phases::gather(&index.reader, &question.query.terms))
        };
        let works = slots.iter().filter_map(|&slot| self.index(slot)).map(work).collect();
        let ends = self.pool.run(works, self.clock.end_of(Phase::Gather))?;
        let (done, late) = self.take(&slots, ends);
        self.gathered = done.into_iter().map(|(slot, gathered)| (slot, Arc::new(gathered))).collect();
        self.lost.extend(late.into_iter().map(|slot| (slot, Unsearched::new(IndexStatus::TimedOut, LATE))));
        Ok(())
    }

    /// What is scored with the same statistics: a cohort as a whole, or every repository for itself.
    fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for (ranking, slots) in self.rankings.iter().enumerate() {
            let alive = |slot: &usize| self.gathered.contains_key(slot) && !self.lost.contains_key(slot);
            let alive: Vec<usize> = slots.iter().copied().filter(alive).collect();
            let parts: Vec<Vec<usize>> = match self.question.merge {
                Merge::Global => Some(alive).filter(|slots| !slots.is_empty()).into_iter().collect(),
                Merge::Rrf => alive.into_iter().map(|slot| vec![slot]).collect(),
            };
            groups.extend(parts.into_iter().map(|slots| {
                let mut statistics = Statistics::empty(&self.question.query.terms);
                let gathered = slots.iter().filter_map(|slot| self.gathered.get(slot));
                gathered.for_each(|gathered| statistics.add(&gathered.statistics));
                let weights =
                    WordWeights::new(&self.question.query.terms, &statistics, &self.question.request().weights);
                Group { ranking, slots, statistics: Arc::new(statistics), weights: Arc::new(weights) }
            }));
        }
        groups
    }

    /// Scores everything that is left, and says what was late.
    fn pass(&mut self, phase: Phase) -> Result<(Pass, Vec<usize>), FederateError> {
        let groups = self.groups();
        let (mut slots, mut works) = (Vec::new(), Vec::new());
        for group in &groups {
            for &slot in &group.slots {
                let (Some(index), Some(gathered)) = (self.index(slot), self.gathered.get(&slot)) else { continue };
                slots.push(slot);
                works.push(self.scoring(Arc::clone(index), Arc::clone(gathered), Arc::clone(&group.weights)));
            }
        }
        let ends = self.pool.run(works, self.clock.end_of(phase))?;
        let (done, late) = self.take(&slots, ends);
        Ok((Pass { groups, scores: done.into_iter().collect() }, late))
    }

    fn scoring(
        &self,
        index: Arc<RepoIndex>,
        gathered: Arc<Gathered>,
        weights: Arc<WordWeights>,
    ) -> Work<Result<Scores, ai_assist_search::Error>> {
        let (question, vector) = (Arc::clone(&self.question), Arc::clone(&self.vector));
        Box::new(move || {
            phases::score(&index.reader, &gathered, &question.request(), &weights, vector.as_ref().as_ref())
        })
    }

    /// Ranks what was scored, and reads what is shown of it.
    fn ranked(&mut self, pass: &Pass) -> Result<Outcome, FederateError> {
        let mut placings = Vec::with_capacity(pass.groups.len());
        let mut lists: Vec<Vec<Vec<Ranked>>> = self.rankings.iter().map(|_| Vec::new()).collect();
        for (number, group) in pass.groups.iter().enumerate() {
            let (placing, list) = self.placed(number, group, &pass.scores)?;
            placings.push(placing);
            lists[group.ranking].push(list);
        }
        let mut merged = self.merged(lists);
        cap(&mut merged, self.question.top_per_repo);
        let page: Vec<Ranked> = merged.into_iter().skip(self.question.offset).take(self.question.limit).collect();
        Ok(Outcome {
            hits: self.dressed(pass, &placings, &page)?,
            found: placings.iter().map(|placing| placing.found).sum(),
            considered: placings.iter().map(|placing| placing.considered).sum(),
        })
    }

    fn placed(
        &self,
        number: usize,
        group: &Group,
        scores: &BTreeMap<usize, Scores>,
    ) -> Result<(Placing, Vec<Ranked>), FederateError> {
        let scored = |&slot: &usize| Some((slot, &self.index(slot)?.reader, scores.get(&slot)?));
        let scored: Vec<(usize, &Reader, &Scores)> = group.slots.iter().filter_map(scored).collect();
        let indexes: Vec<(&Reader, &Scores)> = scored.iter().map(|&(_, reader, scores)| (reader, scores)).collect();
        let placing = phases::place(&indexes, &self.question.request(), self.question.top_per_repo)?;
        let asked = self.question.modes();
        let ranked = |&placed: &Placed| {
            let slot = scored[placed.index].0;
            let Slot { target, mode, .. } = self.slot(slot);
            let mode = asked.iter().position(|asked| asked == mode).unwrap_or(asked.len());
            Ranked { score: placed.score, slot, group: number, target: *target, mode, placed }
        };
        let list = placing.best.iter().map(ranked).collect();
        Ok((placing, list))
    }

    /// One ranking of all: each cohort's first, then, if there are several, that of the cohorts.
    fn merged(&self, lists: Vec<Vec<Vec<Ranked>>>) -> Vec<Ranked> {
        let of_cohort = |lists: Vec<Vec<Ranked>>| match self.question.merge {
            Merge::Global => lists.into_iter().flatten().collect(),
            Merge::Rrf => fuse(lists),
        };
        let mut rankings: Vec<Vec<Ranked>> = lists.into_iter().map(of_cohort).collect();
        match rankings.len() {
            0 | 1 => rankings.pop().unwrap_or_default(),
            _ => fuse(rankings),
        }
    }

    /// Reads the chunks of a page, index by index.
    fn dressed(&mut self, pass: &Pass, placings: &[Placing], page: &[Ranked]) -> Result<Vec<Found>, FederateError> {
        let mut by_slot: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        page.iter().enumerate().for_each(|(at, ranked)| by_slot.entry(ranked.slot).or_default().push(at));
        let (mut slots, mut works) = (Vec::new(), Vec::new());
        for (slot, places) in by_slot {
            let Some(&first) = places.first() else { continue };
            let (Some(index), Some(gathered)) = (self.index(slot), self.gathered.get(&slot)) else { continue };
            let group = page[first].group;
            let (statistics, range) = (Arc::clone(&pass.groups[group].statistics), placings[group].range);
            let chunks: Vec<(usize, Placed)> = places.iter().map(|&at| (at, page[at].placed)).collect();
            let (index, gathered) = (Arc::clone(index), Arc::clone(gathered));
            slots.push(slot);
            works.push(self.dressing(index, gathered, statistics, range, chunks));
        }
        let ends = self.pool.run_little(works, self.clock.end_of(Phase::Dress))?;
        let (done, late) = self.take(&slots, ends);
        self.lost.extend(late.into_iter().map(|slot| (slot, Unsearched::new(IndexStatus::TimedOut, LATE))));
        let mut hits: Vec<(usize, Found)> = Vec::with_capacity(page.len());
        for (slot, chunks) in done {
            let target = &self.federation.targets[self.slot(slot).target];
            let Some(index) = self.index(slot) else { continue };
            let found = |(at, hit): (usize, Hit)| (at, found(hit, page[at].score, target, index));
            hits.extend(chunks.into_iter().map(found));
        }
        hits.sort_unstable_by_key(|(at, _)| *at);
        Ok(hits.into_iter().map(|(_, found)| found).collect())
    }

    fn dressing(
        &self,
        index: Arc<RepoIndex>,
        gathered: Arc<Gathered>,
        statistics: Arc<Statistics>,
        range: Range,
        chunks: Vec<(usize, Placed)>,
    ) -> Work<Result<Vec<(usize, Hit)>, ai_assist_search::Error>> {
        let question = Arc::clone(&self.question);
        Box::new(move || {
            let request = question.request();
            let hydrate = |(at, placed): (usize, Placed)| {
                Ok((at, phases::hydrate(&index.reader, &gathered, &placed, &range, &statistics, &request)?))
            };
            chunks.into_iter().map(hydrate).collect()
        })
    }
}

fn found(hit: Hit, score: f32, target: &Target, index: &RepoIndex) -> Found {
    let Hit { words, cosine, chunk, explanation, .. } = hit;
    // By way of its text, in which numbers are as short as they can be: so it comes out of a cache as it went in.
    let explained = |explanation| serde_json::from_str(&serde_json::to_string(&explanation).ok()?).ok();
    Found {
        repo_id: target.repo_id.clone(),
        repo: target.name.clone(),
        commit: index.state.commit.clone(),
        build_id: index.state.build_id.clone(),
        mode: index.state.mode,
        document: chunk.document,
        lines: chunk.lines,
        path: chunk.path,
        title: chunk.title,
        kind: chunk.kind,
        language: chunk.language,
        hash: chunk.hash,
        score,
        words,
        cosine,
        text: chunk.text,
        cut: false,
        explanation: explanation.and_then(explained),
    }
}
