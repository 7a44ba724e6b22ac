//! The phases of a ranking: [`gather`] for each index; the sum of what they say, and weights from that; [`score`] for each
//! index; [`place`] once, which reads only what is looked at a second time; [`explain`] for each chunk that is shown.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use ai_assist_embed::{Embedder, quantise};
use ai_assist_index::{Filter, Fits, FoundTerms, Mask, Position, Reader, Statistics, Terms, TextField, WordWeights};
use ai_assist_text::Role;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::documents::{self, Said};
use crate::explain::{Explanation, Formula, Part};
use crate::features::Feature;
use crate::fuse::{Fusion, Range, RankBy};
use crate::look;
use crate::question::Question;
use crate::topk::{Scored, TopK};

/// A chunk without any of the query's words must be at least this near to it to count as found.
const MIN_COSINE: f32 = 0.2;

/// How deep each of two rankings is looked at when they are fused by rank.
const RANK_DEPTH: usize = 1000;

/// What one index says about the terms of a query.
#[derive(Debug)]
pub struct Gathered {
    /// Its statistics, to be added to those of the others.
    pub statistics: Statistics,
    found: FoundTerms,
    phrases: Vec<Mask>,
}

impl Gathered {
    /// Whether a chunk may have a term; those that the query does not look for are not known.
    fn may_have(&self, terms: &Terms, term: &str) -> bool {
        let word = terms.words.iter().position(|word| word == term);
        word.is_none_or(|word| self.statistics.words[word].iter().any(|&chunks| chunks > 0))
    }

    /// Whether the path of any document has one of the query's words.
    fn is_in_paths(&self) -> bool {
        self.statistics.words.iter().any(|by_field| by_field[TextField::Path.position()] > 0)
    }
}

/// Asks one index about the terms of a query.
pub fn gather(reader: &Reader, terms: &Terms) -> Result<Gathered, Error> {
    let (found, phrases) = (reader.find(terms)?, reader.phrases(terms)?);
    Ok(Gathered { statistics: reader.statistics(terms, &found, &phrases)?, found, phrases })
}

#[derive(Debug, Clone, PartialEq)]
pub struct QueryVector {
    values: Vec<i8>,
    scale: f32,
}

/// Embeds a query, if it is ranked by meaning.
pub fn embed(question: &Question, embedder: &dyn Embedder) -> Result<Option<QueryVector>, Error> {
    if question.rank_by == RankBy::Words {
        return Ok(None);
    }
    let opening = question.query.opening().filter(|_| question.features.has(Feature::Opening));
    let texts: Vec<&str> = std::iter::once(question.query.text.as_str()).chain(opening.map(|(text, _)| text)).collect();
    let mut vectors = embedder.embed(&texts)?.into_iter();
    let Some(mut vector) = vectors.next() else { return Ok(None) };
    if let (Some((_, weight)), Some(of_opening)) = (opening, vectors.next()) {
        vector.iter_mut().zip(&of_opening).for_each(|(value, more)| *value += weight * more);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length.max(f32::MIN_POSITIVE));
    }
    let (values, scale) = quantise(&vector);
    Ok(Some(QueryVector { values, scale }))
}

/// The scores of every chunk of one index.
#[derive(Debug)]
pub struct Scores {
    mask: Mask,
    /// By words and by meaning; each is empty if the question is not ranked by it.
    words: Vec<f32>,
    cosines: Vec<f32>,
    /// How well a chunk answers the names of the query, sorted by position; most chunks do not.
    named: Vec<(Position, f32)>,
    /// Which chunks are of the kind that the question is about.
    fits: Fits,
    /// Whether the name of a document may be among the words; reading names takes longer than all the rest of placing.
    in_paths: bool,
    range: Range,
}

impl Scores {
    fn word(&self, position: Position) -> f32 {
        self.words.get(position).copied().unwrap_or(0.0)
    }

    fn cosine(&self, position: Position) -> f32 {
        self.cosines.get(position).copied().unwrap_or(0.0)
    }

    /// The scores of a block of chunks by words and by meaning.
    fn block(&self, block: &std::ops::Range<usize>) -> (&[f32], &[f32]) {
        let zeros = &[0.0; BLOCK][..block.len()];
        (self.words.get(block.clone()).unwrap_or(zeros), self.cosines.get(block.clone()).unwrap_or(zeros))
    }

    fn named(&self, position: Position) -> f32 {
        let at = self.named.binary_search_by_key(&position, |(position, _)| *position);
        at.map_or(0.0, |at| self.named[at].1)
    }
}

/// Scores every chunk of one index, with weights from the statistics of all that are ranked together.
pub fn score(
    reader: &Reader,
    filter: &Filter,
    gathered: &Gathered,
    question: &Question,
    weights: &WordWeights,
    vector: Option<&QueryVector>,
) -> Result<Scores, Error> {
    let terms = &question.query.terms;
    let mask = reader.select(filter)?;
    let words = match question.rank_by {
        RankBy::Meaning => Vec::new(),
        RankBy::Hybrid | RankBy::Words => reader.word_scores(&gathered.found, &gathered.phrases, weights)?,
    };
    let cosines = match vector {
        Some(QueryVector { values, scale }) => reader.cosines(values, *scale)?,
        None => Vec::new(),
    };
    let mut named = match question.features.has(Feature::Definition) {
        true => reader.named(&question.query.names, |term| gathered.may_have(terms, term))?,
        false => Vec::new(),
    };
    named.retain(|(position, _)| mask.contains(*position));
    let mut range = Range::EMPTY;
    for run in mask.runs() {
        range.include(words.get(run.clone()).unwrap_or(&[0.0]), cosines.get(run).unwrap_or(&[0.0]));
    }
    named.iter().for_each(|&(_, value)| range.include_named(value));
    let fits = match question.query.about.fits().filter(|_| question.features.has(Feature::Kind)) {
        Some(fits) => reader.in_languages(fits)?,
        None => Fits::None,
    };
    let (fit, unfit) = match &fits {
        Fits::All => (mask.count() > 0, false),
        Fits::None => (false, mask.count() > 0),
        Fits::Some(..) => (mask.iter().any(|at| fits.contains(at)), mask.iter().any(|at| !fits.contains(at))),
    };
    range.include_fit(fit, unfit);
    // Read here, so that placing finds them in memory.
    reader.ties()?;
    reader.roles()?;
    Ok(Scores { mask, words, cosines, named, fits, in_paths: gathered.is_in_paths(), range })
}

/// What a score is the sum of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    pub words: f32,
    pub meaning: f32,
    pub kind: f32,
    pub definition: f32,
    /// What is lost for what the document is; never above 0.
    pub role: f32,
    /// What counts for a document whose name the question says.
    pub name: f32,
    /// What further chunks of the document add to its best.
    pub evidence: f32,
    /// What a second look adds.
    pub look: f32,
}

impl Parts {
    /// Always summed in this order, so that equal parts give equal scores.
    pub fn sum(&self) -> f32 {
        let Parts { words, meaning, kind, definition, role, name, evidence, look } = self;
        words + meaning + kind + definition + role + name + evidence + look
    }

    /// The same with as much lost as a document of some role does not keep. What defines a name that is asked for counts by where it
    /// stands already.
    fn kept(self, share: f32) -> Self {
        let lost = if self.definition > 0.0 { 0.0 } else { share - 1.0 };
        Parts { role: lost * (self.words + self.meaning + self.kind), ..self }
    }

    pub(crate) fn scaled(self, by: f32) -> Self {
        let Parts { words, meaning, kind, definition, role, name, evidence, look } = self;
        Parts {
            words: words * by,
            meaning: meaning * by,
            kind: kind * by,
            definition: definition * by,
            role: role * by,
            name: name * by,
            evidence: evidence * by,
            look: look * by,
        }
    }
}

/// A chunk with its place among all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Which of the indexes it is in.
    pub index: usize,
    pub position: Position,
    pub score: f32,
    pub parts: Parts,
    pub tie: u64,
    /// Its score by words, as it is.
    pub words: f32,
    pub cosine: f32,
}

impl Placed {
    /// Best first; then by what the chunk is, never by where it was found first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let key = |placed: &Placed| (placed.tie, placed.index, placed.position);
        other.score.total_cmp(&self.score).then_with(|| key(self).cmp(&key(other)))
    }
}

/// What documents keep of their scores, by the numbers of their roles.
type Kept = [f32; Role::ALL.len()];

fn of_role(kept: &Kept, roles: &[u8], position: Position) -> f32 {
    roles.get(position).and_then(|&role| kept.get(usize::from(role))).copied().unwrap_or(1.0)
}

/// The best chunks of all indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct Placing {
    pub best: Vec<Placed>,
    /// How many chunks count as found in all.
    pub found: usize,
    pub considered: usize,
    pub range: Range,
}

/// Ranks the chunks of several indexes that were scored with the same statistics, at most as many of each owner as the
/// question allows. `owners` are those of the indexes.
pub fn place(indexes: &[(&Reader, &Scores)], question: &Question, owners: &[usize]) -> Result<Placing, Error> {
    let most = question.per_owner.map(|most| (most, owners));
    let mut range = Range::for_definitions(question.query.definition);
    indexes.iter().for_each(|(_, scores)| range.merge(&scores.range));
    let (share, of_kind) = (range.share(), range.kind_share());
    let kept = question.kept();
    // Evidence is counted over the same chunks however many are wanted.
    let wanted = question.wanted().max(documents::DEPTH);
    let by_scores = |by_words: f32, by_meaning: f32| {
        let rest = (1.0 - share) * (1.0 - of_kind);
        let (by_words, by_meaning) = (rest * by_words, rest * by_meaning);
        move |words: f32, cosine: f32, named: f32, fits: bool| Parts {
            words: by_words * range.words(words),
            meaning: by_meaning * range.cosine(cosine),
            kind: if fits { (1.0 - share) * of_kind } else { 0.0 },
            definition: share * named,
            ..Parts::default()
        }
    };
    let (mut best, found) = match (question.rank_by, question.fusion) {
        (RankBy::Hybrid, Fusion::Ranks { k }) => by_ranks(indexes, k, &range, wanted, most, &kept)?,
        (RankBy::Hybrid, Fusion::Scores { a }) => {
            let a = question.meaning(a);
            best(indexes, wanted, most, &kept, by_scores(1.0 - a, a))?
        }
        (RankBy::Words, _) => best(indexes, wanted, most, &kept, by_scores(1.0, 0.0))?,
        (RankBy::Meaning, _) => best(indexes, wanted, most, &kept, by_scores(0.0, 1.0))?,
    };
    if question.reader.is_some() {
        for placed in &mut best {
            let reader = indexes[placed.index].0;
            if reader.roles()?.get(placed.position) == Some(&Role::Translation.number()) {
                placed.parts = placed.parts.kept(question.kept_of_translation(&reader.path(placed.position)?));
                placed.score = placed.parts.sum();
            }
        }
        best.sort_unstable_by(Placed::order);
    }
    let document = |placed: &Placed| Ok(indexes[placed.index].0.document(placed.position)?);
    range.scale = documents::add(&mut best, question.features, document, |placed| {
        let (reader, scores) = indexes[placed.index];
        let name = scores.in_paths && documents::is_said(&reader.path(placed.position)?, &question.query.terms.words);
        Ok(Said { name, kept: of_role(&kept, reader.roles()?, placed.position) })
    })?;
    if let Some(look) = question.second_look() {
        range.scale *= look
            .again(&mut best, question, |placed| Ok(look::text_of(&indexes[placed.index].0.chunk(placed.position)?)))?;
    }
    if let Some((most, owners)) = most {
        cap(&mut best, most, owners);
    }
    best.truncate(question.wanted());
    let considered = indexes.iter().map(|(_, scores)| scores.mask.count()).sum();
    Ok(Placing { best, found, considered, range })
}

/// Leaves at most so many chunks of each owner, the best.
fn cap(ranking: &mut Vec<Placed>, most: usize, owners: &[usize]) {
    let mut taken: HashMap<Option<usize>, usize> = HashMap::new();
    ranking.retain(|placed| {
        let count = taken.entry(owners.get(placed.index).copied()).or_default();
        *count += 1;
        *count <= most
    });
}

/// Whether a chunk counts as found: it has one of the words, or its meaning is near. What defines a name that is asked for
/// counts anyway.
fn is_found(words: f32, cosine: f32) -> bool {
    (words > 0.0) | (cosine >= MIN_COSINE)
}

/// How many chunks are scored at a time.
const BLOCK: usize = 256;

/// Cuts a range into blocks.
fn blocks(run: std::ops::Range<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
    run.clone().step_by(BLOCK).map(move |start| start..run.end.min(start + BLOCK))
}

fn best(
    indexes: &[(&Reader, &Scores)],
    wanted: usize,
    most: Option<(usize, &[usize])>,
    kept: &Kept,
    parts: impl Fn(f32, f32, f32, bool) -> Parts,
) -> Result<(Vec<Placed>, usize), Error> {
    let mut top = TopK::new(wanted);
    let mut by_owner: BTreeMap<Option<usize>, TopK> = BTreeMap::new();
    let mut found = 0;
    for (number, (reader, scores)) in indexes.iter().enumerate() {
        let (ties, roles) = (reader.ties()?, reader.roles()?);
        let own = most.map(|(_, owners)| (owners.get(number), TopK::new(wanted)));
        let sink = match own {
            Some((owner, new)) => by_owner.entry(owner.copied()).or_insert(new),
            None => &mut top,
        };
        let exact = |position: Position, of_name: f32| {
            let (words, cosine) = (scores.word(position), scores.cosine(position));
            let parts = parts(words, cosine, of_name, scores.fits.contains(position));
            let score = parts.kept(of_role(kept, roles, position)).sum();
            Scored { score, tie: ties[position], index: number, position }
        };
        for &(position, of_name) in &scores.named {
            found += usize::from(!is_found(scores.word(position), scores.cosine(position)));
            sink.push(exact(position, of_name));
        }
        // Most chunks are out by far: a bound for many at a time is found without a branch, and only what reaches the best
        // so far is looked at by itself.
        let may_fit = !matches!(scores.fits, Fits::None);
        let mut bounds = [0.0; BLOCK];
        for block in scores.mask.runs().flat_map(blocks) {
            let (words, cosines) = scores.block(&block);
            for ((bound, &words), &cosine) in bounds.iter_mut().zip(words).zip(cosines) {
                let is_found = is_found(words, cosine);
                found += usize::from(is_found);
                let score = parts(words, cosine, 0.0, may_fit).sum();
                *bound = if is_found { score } else { f32::NEG_INFINITY };
            }
            for (position, &bound) in block.zip(&bounds) {
                if bound >= sink.floor() && bound > f32::NEG_INFINITY && scores.named(position) == 0.0 {
                    sink.push(exact(position, 0.0));
                }
            }
        }
    }
    let mut all = top.finish();
    all.extend(by_owner.into_values().flat_map(TopK::finish));
    if most.is_some() {
        all.sort_unstable_by(Scored::order);
    }
    let placed = |Scored { score, tie, index, position }| {
        let (reader, scores) = indexes[index];
        let (words, cosine) = (scores.word(position), scores.cosine(position));
        let parts = parts(words, cosine, scores.named(position), scores.fits.contains(position));
        let parts = parts.kept(of_role(kept, reader.roles()?, position));
        Ok(Placed { index, position, score, parts, tie, words, cosine })
    };
    Ok((all.into_iter().map(placed).collect::<Result<_, Error>>()?, found))
}

/// Each of two rankings gives at most a half, so that ranks are on the same scale as scores.
fn by_ranks(
    indexes: &[(&Reader, &Scores)],
    k: f32,
    range: &Range,
    wanted: usize,
    most: Option<(usize, &[usize])>,
    kept: &Kept,
) -> Result<(Vec<Placed>, usize), Error> {
    let depth = wanted.max(RANK_DEPTH);
    let all = &[1.0; Role::ALL.len()];
    let (share, of_kind) = (range.share(), range.kind_share());
    let none = Parts::default();
    let (by_words, _) = best(indexes, depth, None, all, |words, _, _, _| Parts { words, ..none })?;
    let (by_cosine, found) = best(indexes, depth, None, all, |_, cosine, _, _| Parts { meaning: cosine, ..none })?;
    let (by_name, _) = best(indexes, depth, None, all, |_, _, named, _| Parts { definition: named, ..none })?;
    let rest = (1.0 - share) * (1.0 - of_kind);
    let part = |rank: usize| rest * 0.5 * (k + 1.0) / (k + rank as f32 + 1.0);
    let mut sums: HashMap<(usize, usize), Placed> = HashMap::new();
    let mut add = |placed: Placed, add: &dyn Fn(&mut Parts)| {
        let sum = sums.entry((placed.index, placed.position));
        add(&mut sum.or_insert(Placed { parts: Parts::default(), ..placed }).parts);
    };
    let with_words = by_words.into_iter().take_while(|placed| placed.words > 0.0);
    with_words.enumerate().for_each(|(rank, placed)| add(placed, &|parts| parts.words = part(rank)));
    by_cosine.into_iter().enumerate().for_each(|(rank, placed)| add(placed, &|parts| parts.meaning = part(rank)));
    let with_names = by_name.into_iter().take_while(|placed| placed.parts.definition > 0.0);
    with_names.for_each(|placed| add(placed, &|parts| parts.definition = share * placed.parts.definition));
    let scored = |mut placed: Placed| {
        if indexes[placed.index].1.fits.contains(placed.position) {
            placed.parts.kind = (1.0 - share) * of_kind;
        }
        let parts = placed.parts.kept(of_role(kept, indexes[placed.index].0.roles()?, placed.position));
        Ok(Placed { score: parts.sum(), parts, ..placed })
    };
    let mut fused: Vec<Placed> = sums.into_values().map(scored).collect::<Result<_, Error>>()?;
    fused.sort_unstable_by(Placed::order);
    if most.is_none() {
        fused.truncate(wanted);
    }
    Ok((fused, found))
}

/// How the score of a chunk that is shown came about, if that was asked.
pub fn explain(
    reader: &Reader,
    gathered: &Gathered,
    placed: &Placed,
    statistics: &Statistics,
    question: &Question,
    range: &Range,
) -> Result<Option<Explanation>, Error> {
    if !question.explain {
        return Ok(None);
    }
    let terms =
        reader.explain(placed.position, &question.query.terms, &gathered.phrases, statistics, &question.weights)?;
    let (definition, kind, scale) = (range.share(), range.kind_share(), range.scale);
    let by_scores = |words, meaning| Formula::Scores { words, meaning, kind, definition, scale };
    let formula = match (question.rank_by, question.fusion) {
        (RankBy::Hybrid, Fusion::Scores { a }) => by_scores(1.0 - question.meaning(a), question.meaning(a)),
        (RankBy::Hybrid, Fusion::Ranks { k }) => Formula::Ranks { k, kind, definition, scale },
        (RankBy::Words, _) => by_scores(1.0, 0.0),
        (RankBy::Meaning, _) => by_scores(0.0, 1.0),
    };
    let Parts { words, meaning, kind, definition, role, name, evidence, look } = placed.parts;
    let parts = [
        ("words", words),
        ("meaning", meaning),
        ("kind", kind),
        ("definition", definition),
        ("role", role),
        ("name", name),
        ("evidence", evidence),
        ("look", look),
    ];
    let parts = parts.into_iter().filter(|(_, adds)| *adds != 0.0).map(|(name, adds)| Part { name: name.into(), adds });
    Ok(Some(Explanation { formula, parts: parts.collect(), terms }))
}

/// How much of what is asked a chunk has, from 0 to 1: the rarity of the words it has, against that of all of them.
pub fn coverage(
    reader: &Reader,
    gathered: &Gathered,
    position: Position,
    statistics: &Statistics,
    question: &Question,
) -> Result<f32, Error> {
    let terms = &question.query.terms;
    let found = reader.explain(position, terms, &gathered.phrases, statistics, &question.weights)?;
    let (mut has, mut all) = (0.0, 0.0);
    for (word, text) in terms.words.iter().enumerate() {
        let rarity = statistics.idf(word);
        all += rarity;
        if found.iter().any(|score| score.term == *text) {
            has += rarity;
        }
    }
    Ok(if all > 0.0 { (has / all) as f32 } else { 0.0 })
}
