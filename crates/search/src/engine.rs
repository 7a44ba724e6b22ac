//! Answering one question: gather, sum up, score, rank, read what is shown.
//!
//! All sources with the same rules are ranked as one: the statistics of the query's terms are summed over all of them before
//! any is scored. Rankings that can't be compared are fused by rank, and the answer says so. A source that fails, or is not
//! done in time, is left out and reported; what is left is ranked as if it had never been there. The answer depends on what
//! answered and on nothing else: not on timing, not on the number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_embed::Embedder;
use ai_assist_index::{ChunkRecord, Reader, Statistics, WordWeights};

use crate::Error;
use crate::answer::{Hit, IndexStatus, Unsearched};
use crate::explain::{Explanation, Formula, Part};
use crate::features::Feature;
use crate::fuse::Range;
use crate::merge::{K, Ranked, cap, fuse};
use crate::pool::{Clock, End, Job, Phase, WorkerPool};
use crate::question::{Merge, Question};
use crate::score::{self, Gathered, Placed, Placing, QueryVector, Scores};
use crate::source::Source;

/// What is said of a source that broke off, and of one that was late.
pub const PANICKED: &str = "its files are not what they should be, and reading them broke off; build it anew";
pub const LATE: &str = "it was not done in time";

/// An answer whose best hit has less of the words than this, and is no nearer than the other, is weak.
const WEAK_COVERAGE: f32 = 0.34;
const WEAK_COSINE: f32 = 0.45;

/// What was found.
#[derive(Debug, Default)]
pub struct Outcome {
    pub hits: Vec<Hit>,
    pub found: usize,
    pub considered: usize,
    /// The sources that failed or were late, and why.
    pub lost: BTreeMap<usize, Unsearched>,
    pub spent: BTreeMap<usize, Duration>,
    /// How many rankings were fused that can't be compared; one if all can.
    pub rankings: usize,
    /// Whether the best hit has little of what was asked.
    pub weak: bool,
}

/// Answers a question over some sources. Hits are located only by whoever shows them.
pub fn search(
    sources: &[Source],
    question: &Question,
    embedder: &dyn Embedder,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    search_until(sources, question, embedder, cancel, &Clock::start(question.timeout))
}

/// The same for a question whose clock is running already.
pub fn search_until(
    sources: &[Source],
    question: &Question,
    embedder: &dyn Embedder,
    cancel: &Cancel,
    clock: &Clock,
) -> Result<Outcome, Error> {
    let mut question = question.clone();
    if question.features.has(Feature::Opening) {
        question.query.emphasise();
    }
    let vector = score::embed(&question, embedder)?;
    let pool = WorkerPool::new(question.concurrency, cancel);
    let mut asking = Asking {
        sources,
        rankings: rankings(sources),
        question: Arc::new(question),
        vector: Arc::new(vector),
        pool,
        clock,
        gathered: BTreeMap::new(),
        lost: BTreeMap::new(),
        spent: BTreeMap::new(),
    };
    let mut outcome = asking.run()?;
    outcome.lost = asking.lost;
    outcome.spent = asking.spent;
    Ok(outcome)
}

/// Sources that can be compared, the largest group first, then in the order of their first member.
fn rankings(sources: &[Source]) -> Vec<Vec<usize>> {
    let mut rankings: Vec<Vec<usize>> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        match rankings.iter_mut().find(|ranking| sources[ranking[0]].rules == source.rules) {
            Some(ranking) => ranking.push(number),
            None => rankings.push(vec![number]),
        }
    }
    rankings.sort_by_key(|ranking| std::cmp::Reverse(ranking.len()));
    rankings
}

/// A question being answered.
struct Asking<'a> {
    sources: &'a [Source],
    rankings: Vec<Vec<usize>>,
    question: Arc<Question>,
    vector: Arc<Option<QueryVector>>,
    pool: WorkerPool<'a>,
    clock: &'a Clock,
    gathered: BTreeMap<usize, Arc<Gathered>>,
    /// The sources that failed or were late on the way.
    lost: BTreeMap<usize, Unsearched>,
    spent: BTreeMap<usize, Duration>,
}

/// Sources that are scored with the same statistics.
struct Group {
    ranking: usize,
    members: Vec<usize>,
    statistics: Arc<Statistics>,
    weights: Arc<WordWeights>,
}

/// The scores of all groups.
struct Pass {
    groups: Vec<Group>,
    scores: BTreeMap<usize, Scores>,
}

type Ends<T> = Vec<End<Result<T, Error>>>;
type Hydrated = Vec<(usize, (ChunkRecord, Option<Explanation>))>;

impl Asking<'_> {
    fn run(&mut self) -> Result<Outcome, Error> {
        self.gather()?;
        let (mut pass, late) = self.pass(Phase::Score)?;
        self.lose(late);
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

    fn lose(&mut self, late: Vec<usize>) {
        self.lost.extend(late.into_iter().map(|source| (source, Unsearched::new(IndexStatus::TimedOut, LATE))));
    }

    /// Whether a source took part in the statistics that is lost by now.
    fn is_short(&self, pass: &Pass) -> bool {
        pass.groups.iter().flat_map(|group| &group.members).any(|source| self.lost.contains_key(source))
    }

    /// Scores what is left anew, if there is time for all of it.
    fn again(&mut self) -> Result<Option<Pass>, Error> {
        if !self.clock.is_before(Phase::Again) {
            return Ok(None);
        }
        let (pass, late) = self.pass(Phase::Again)?;
        Ok(late.is_empty().then_some(pass))
    }

    /// Takes what was done, notes what failed, and gives the sources that were late.
    fn take<T>(&mut self, sources: &[usize], ends: Ends<T>) -> (Vec<(usize, T)>, Vec<usize>) {
        let (mut done, mut late) = (Vec::with_capacity(sources.len()), Vec::new());
        for (&source, end) in sources.iter().zip(ends) {
            match end {
                End::Done(value, took) => {
                    *self.spent.entry(source).or_default() += took;
                    match value {
                        Ok(value) => done.push((source, value)),
                        Err(error) => drop(self.lost.insert(source, Unsearched::failed(&error))),
                    }
                }
                End::Panicked => drop(self.lost.insert(source, Unsearched::panicked())),
                End::Late => late.push(source),
            }
        }
        (done, late)
    }

    fn gather(&mut self) -> Result<(), Error> {
        let all: Vec<usize> = (0..self.sources.len()).collect();
        let job = |source: &Source| -> Job<Result<Gathered, Error>> {
            let (index, question) = (Arc::clone(&source.index), Arc::clone(&self.question));
            Box::new(move || score::gather(index.reader(), &question.query.terms))
        };
        let ends = self.pool.run(self.sources.iter().map(job).collect(), self.clock.end_of(Phase::Gather))?;
        let (done, late) = self.take(&all, ends);
        self.gathered = done.into_iter().map(|(source, gathered)| (source, Arc::new(gathered))).collect();
        self.lose(late);
        Ok(())
    }

    /// What is scored with the same statistics: all that can be compared, or every owner for itself.
    fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for (ranking, members) in self.rankings.iter().enumerate() {
            let alive = |source: &usize| self.gathered.contains_key(source) && !self.lost.contains_key(source);
            let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for source in members.iter().copied().filter(alive) {
                let part = match self.question.merge {
                    Merge::Global => 0,
                    Merge::Rrf => self.sources[source].owner,
                };
                parts.entry(part).or_default().push(source);
            }
            groups.extend(parts.into_values().map(|members| {
                let terms = &self.question.query.terms;
                let mut statistics = Statistics::empty(terms);
                let gathered = members.iter().filter_map(|source| self.gathered.get(source));
                gathered.for_each(|gathered| statistics.add(&gathered.statistics));
                let weights = WordWeights::new(terms, &statistics, &self.question.weights);
                Group { ranking, members, statistics: Arc::new(statistics), weights: Arc::new(weights) }
            }));
        }
        groups
    }

    /// Scores everything that is left, and says what was late.
    fn pass(&mut self, phase: Phase) -> Result<(Pass, Vec<usize>), Error> {
        let groups = self.groups();
        let (mut sources, mut jobs) = (Vec::new(), Vec::new());
        for group in &groups {
            for &source in &group.members {
                let Some(gathered) = self.gathered.get(&source) else { continue };
                let (index, gathered) = (Arc::clone(&self.sources[source].index), Arc::clone(gathered));
                let (question, vector) = (Arc::clone(&self.question), Arc::clone(&self.vector));
                let (weights, filter) = (Arc::clone(&group.weights), self.sources[source].filter.clone());
                let job: Job<Result<Scores, Error>> = Box::new(move || {
                    let filter = filter.as_deref().unwrap_or(&question.query.filter);
                    score::score(index.reader(), filter, &gathered, &question, &weights, vector.as_ref().as_ref())
                });
                sources.push(source);
                jobs.push(job);
            }
        }
        let ends = self.pool.run(jobs, self.clock.end_of(phase))?;
        let (done, late) = self.take(&sources, ends);
        Ok((Pass { groups, scores: done.into_iter().collect() }, late))
    }

    /// Ranks what was scored, and reads what is shown of it.
    fn ranked(&mut self, pass: &Pass) -> Result<Outcome, Error> {
        let mut placings = Vec::with_capacity(pass.groups.len());
        let mut lists: Vec<Vec<Vec<Ranked>>> = self.rankings.iter().map(|_| Vec::new()).collect();
        for (number, group) in pass.groups.iter().enumerate() {
            let (placing, list) = self.placed(number, group, &pass.scores)?;
            placings.push(placing);
            lists[group.ranking].push(list);
        }
        let mut merged = self.merged(lists);
        cap(&mut merged, self.question.per_owner);
        let weak = match merged.first() {
            Some(first) => self.is_weak(pass, first)?,
            None => false,
        };
        let page: Vec<Ranked> = merged.into_iter().skip(self.question.offset).take(self.question.limit).collect();
        let ranges: Vec<Range> = placings.iter().map(|placing| placing.range).collect();
        let rankings: BTreeSet<usize> = pass.groups.iter().map(|group| group.ranking).collect();
        Ok(Outcome {
            rankings: rankings.len(),
            hits: self.hydrated(pass, &ranges, &page)?,
            found: placings.iter().map(|placing| placing.found).sum(),
            considered: placings.iter().map(|placing| placing.considered).sum(),
            weak,
            ..Outcome::default()
        })
    }

    /// The place of what is left in a ranking. A source that can't be read where it would stand is lost.
    fn placed(
        &mut self,
        number: usize,
        group: &Group,
        scores: &BTreeMap<usize, Scores>,
    ) -> Result<(Placing, Vec<Ranked>), Error> {
        let alive = |source: &&usize| !self.lost.contains_key(source) && scores.contains_key(source);
        let members: Vec<usize> = group.members.iter().filter(alive).copied().collect();
        let sources = self.sources;
        let owners: Vec<usize> = members.iter().map(|&source| sources[source].owner).collect();
        let indexes: Vec<(&Reader, &Scores)> =
            members.iter().filter_map(|&source| Some((sources[source].index.reader(), scores.get(&source)?))).collect();
        let placing = match score::place(&indexes, &self.question, &owners) {
            Ok(placing) => placing,
            Err(error) => {
                let known = self.lost.len();
                for (at, &source) in members.iter().enumerate() {
                    if let Err(own) = score::place(&indexes[at..=at], &self.question, &owners[at..=at]) {
                        self.lost.insert(source, Unsearched::failed(&own));
                    }
                }
                return if self.lost.len() > known { self.placed(number, group, scores) } else { Err(error) };
            }
        };
        let ranked = |&placed: &Placed| {
            let source = members[placed.index];
            let owner = sources[source].owner;
            Ranked { score: placed.score, rank: None, source, group: number, owner, placed }
        };
        let list = placing.best.iter().map(ranked).collect();
        Ok((placing, list))
    }

    /// One ranking of all: of those that can be compared first, then, if there are several, of these.
    fn merged(&self, lists: Vec<Vec<Vec<Ranked>>>) -> Vec<Ranked> {
        let of_rules = |lists: Vec<Vec<Ranked>>| match self.question.merge {
            Merge::Global => lists.into_iter().flatten().collect(),
            Merge::Rrf => fuse(lists),
        };
        // What was lost leaves no trace, so a ranking of which nothing is left is none.
        let alive = lists.into_iter().filter(|lists| !lists.is_empty());
        let mut rankings: Vec<Vec<Ranked>> = alive.map(of_rules).collect();
        match rankings.len() {
            0 | 1 => rankings.pop().unwrap_or_default(),
            _ => fuse(rankings),
        }
    }

    /// Whether the best hit has little of what was asked: neither a name, nor most of the words, nor the meaning.
    fn is_weak(&self, pass: &Pass, best: &Ranked) -> Result<bool, Error> {
        let placed = &best.placed;
        if placed.parts.definition > 0.0 || placed.cosine >= WEAK_COSINE {
            return Ok(false);
        }
        let Some(gathered) = self.gathered.get(&best.source) else { return Ok(false) };
        let reader = self.sources[best.source].index.reader();
        let statistics = &pass.groups[best.group].statistics;
        Ok(score::coverage(reader, gathered, placed.position, statistics, &self.question)? < WEAK_COVERAGE)
    }

    /// Reads the chunks of a page, source by source.
    fn hydrated(&mut self, pass: &Pass, ranges: &[Range], page: &[Ranked]) -> Result<Vec<Hit>, Error> {
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        page.iter().enumerate().for_each(|(at, ranked)| by_source.entry(ranked.source).or_default().push(at));
        let (mut sources, mut jobs) = (Vec::new(), Vec::new());
        for (source, places) in by_source {
            let Some(gathered) = self.gathered.get(&source) else { continue };
            let of_page = |at: usize| {
                let group = page[at].group;
                (at, page[at].placed, Arc::clone(&pass.groups[group].statistics), ranges[group])
            };
            let mut chunks: Vec<(usize, Placed, Arc<Statistics>, Range)> = places.into_iter().map(of_page).collect();
            // What stands together is read together.
            chunks.sort_unstable_by_key(|(_, placed, ..)| placed.position);
            let (index, gathered) = (Arc::clone(&self.sources[source].index), Arc::clone(gathered));
            let question = Arc::clone(&self.question);
            let job: Job<Result<Hydrated, Error>> = Box::new(move || {
                let mut stored = index.reader().chunks();
                let hydrate = |(at, placed, statistics, range): (usize, Placed, Arc<Statistics>, Range)| {
                    let chunk = stored.read(placed.position)?;
                    let how = score::explain(index.reader(), &gathered, &placed, &statistics, &question, &range)?;
                    Ok((at, (chunk, how)))
                };
                chunks.into_iter().map(hydrate).collect()
            });
            sources.push(source);
            jobs.push(job);
        }
        let ends = self.pool.run_little(jobs, self.clock.end_of(Phase::Hydrate))?;
        let (done, late) = self.take(&sources, ends);
        self.lose(late);
        let mut hits: Vec<(usize, Hit)> = Vec::with_capacity(page.len());
        for (source, chunks) in done {
            for (at, (chunk, explanation)) in chunks {
                hits.push((at, self.hit(source, &page[at], chunk, explanation)));
            }
        }
        hits.sort_unstable_by_key(|(at, _)| *at);
        Ok(hits.into_iter().map(|(_, hit)| hit).collect())
    }

    fn hit(&self, source: usize, ranked: &Ranked, chunk: ChunkRecord, explanation: Option<Explanation>) -> Hit {
        let explanation = explanation.map(|explanation| match ranked.rank {
            Some(rank) => Explanation {
                formula: Formula::RankOfIndex { k: K, rank: rank + 1 },
                parts: vec![Part { name: "rank".to_owned(), adds: ranked.score }],
                ..explanation
            },
            None => explanation,
        });
        let Ranked { score, placed: Placed { words, cosine, .. }, .. } = *ranked;
        Hit { score, words, cosine, ..Hit::new(source, &self.sources[source].origin, chunk, explanation) }
    }
}
