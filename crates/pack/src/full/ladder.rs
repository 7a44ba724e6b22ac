//! What is sent when not everything fits: texts, outlines, names.
//!
//! Texts get all of the room as long as nothing is left out. As soon as something is, and bytes are what is limited, a
//! quarter is kept for outlines of what is left out, and what the outlines don't need goes back to the texts.
//!
//! Where tokens are limited, a reader is better served by all of a program in outlines than by a few whole files: what the
//! project says of itself comes first, then what its files offer, those that are used the most first, then texts in place of
//! their outlines. Names come last, where the list of all files would take most of the room.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::assemble::{self, Listing, Plan, Sketch};
use super::by_use::{Turn, Use};
use super::{BATCH, FullPackBuilder, Piece, Room};
use crate::format::{FileRef, Format, PackRef};
use crate::tokens::TokenCounter;
use crate::truncate::truncate_to;
use crate::types::{ExclusionReason, FullPack, TruncationConfig};
use crate::{PackError, Snapshot};

/// How many outlines are made at once.
const SKETCHES: usize = 64;

/// No outline is longer: one file with ten thousand functions would take the place of all others.
const LONGEST_OUTLINE: usize = 8 * 1024;

/// How far the lists of the manifest are cut, one after the other.
const MANIFEST_ENTRIES: &[usize] = &[40, 15, 5, 0];

/// With less than this left, no outline is tried.
const LEAST_OF_AN_OUTLINE: usize = 16;

/// About so many bytes of a text are a token; what is cut by it is counted afterwards.
const BYTES_OF_A_TOKEN: usize = 3;

/// What the project says of itself gets one in so many parts of the tokens, and one file's outline one in so many.
const FOR_DESCRIPTION: usize = 6;
const OF_ONE_OUTLINE: usize = 12;

/// A text that takes more than one in so many parts of the tokens waits until the smaller ones have room.
const OF_ONE_TEXT: usize = 4;

/// After so many texts that did not fit no more are tried: what comes later is small rather than of use.
const SKIPPED: usize = 6;

/// One in so many parts of the tokens is kept for texts while the program is outlined.
const FOR_TEXTS: usize = 3;

/// Documents and settings, and then tests and stubs, come in with their text if one in so many parts of the tokens is left.
const LEFT_FOR_ASIDE: usize = 10;
const LEFT_FOR_LAST: usize = 4;

/// Texts are counted until they have so many times the tokens there are: further down nothing would get room.
const PRICED: usize = 4;

/// Texts and outlines with what they cost.
type Chosen = (Vec<(Piece, Cost)>, Vec<(Sketch, Cost)>);

/// What something takes away from the room, or what is left of it. Where tokens are not limited, they have no end and cost
/// nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    bytes: usize,
    tokens: usize,
}

impl Cost {
    fn pay(&mut self, cost: Cost) -> bool {
        let enough = cost.bytes <= self.bytes && cost.tokens <= self.tokens;
        if enough {
            self.bytes -= cost.bytes;
            self.tokens -= cost.tokens;
        }
        enough
    }

    fn plus(self, other: Cost) -> Cost {
        let tokens = self.tokens.saturating_add(other.tokens);
        Cost { bytes: self.bytes.saturating_add(other.bytes), tokens }
    }

    fn minus(self, other: Cost) -> Cost {
        let tokens = self.tokens.saturating_sub(other.tokens);
        Cost { bytes: self.bytes.saturating_sub(other.bytes), tokens }
    }

    fn part(self, parts: usize) -> Cost {
        Cost { bytes: self.bytes / parts, tokens: self.tokens / parts }
    }

    fn give_back(&mut self, cost: Cost) {
        self.bytes += cost.bytes;
        self.tokens = self.tokens.saturating_add(cost.tokens);
    }
}

pub(super) struct Ladder<'l> {
    builder: &'l FullPackBuilder<'l>,
    snapshot: &'l Snapshot,
    counter: &'l TokenCounter,
    /// The place of each file in the order in which they get room.
    places: HashMap<usize, (Use, usize)>,
    listing: Listing,
    left: Cost,
}

impl<'l> Ladder<'l> {
    pub(super) fn new(
        builder: &'l FullPackBuilder<'l>,
        snapshot: &'l Snapshot,
        counter: &'l TokenCounter,
        order: &[Turn],
    ) -> Self {
        let places = order.iter().enumerate().map(|(place, turn)| (turn.index, (turn.of_use, place))).collect();
        let left = Cost { bytes: builder.truncation.max_total_bytes, tokens: usize::MAX };
        Ladder { builder, snapshot, counter, places, listing: Listing::All, left }
    }

    pub(super) fn climb(mut self, mut plan: Plan) -> Result<FullPack, PackError> {
        if let Some(room) = self.builder.room {
            self.frame(&mut plan, room)?;
        }
        let pieces = std::mem::take(&mut plan.pieces);
        let (taken, sketches) = match (self.builder.room, self.builder.survey) {
            (Some(_), Some(_)) => self.by_use(pieces, &mut plan)?,
            _ => self.texts_first(pieces, &mut plan)?,
        };
        let names = self.name(&mut plan, &sketches)?;
        self.settle(plan, taken, sketches, names)
    }

    fn texts_first(&mut self, pieces: Vec<Piece>, plan: &mut Plan) -> Result<Chosen, PackError> {
        let whole = self.left;
        let mut taken = self.afford(pieces, plan)?;
        let mut sketches = Vec::new();
        if !plan.left_out.is_empty() && self.builder.survey.is_some() {
            let given_up = self.make_room(&mut taken, whole);
            plan.left_out.extend(given_up.iter().map(|(piece, _)| piece.index));
            sketches = self.sketch(plan, Use::Last, Cost::default())?;
            self.take_back(given_up, &mut taken, &mut sketches, plan, usize::MAX);
        }
        Ok((taken, sketches))
    }

    fn by_use(&mut self, pieces: Vec<Piece>, plan: &mut Plan) -> Result<Chosen, PackError> {
        let priced = self.priced(pieces, plan)?;
        let sum = priced.iter().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
        if plan.left_out.is_empty() && self.left.pay(sum) {
            return Ok((priced, Vec::new()));
        }
        let whole = self.left;
        let (described, rest): (Vec<_>, Vec<_>) =
            priced.into_iter().partition(|(piece, _)| piece.of_use == Use::Description);
        let uncut = described.clone();
        let mut taken = self.describe(described, plan)?;
        plan.left_out.extend(rest.iter().map(|(piece, _)| piece.index));
        let mut sketches = self.sketch(plan, Use::Program, self.left.part(FOR_TEXTS))?;
        // Where a whole text does not fit, its outline says more than its first and last lines.
        let outlined: HashSet<usize> = sketches.iter().map(|(sketch, _)| sketch.index).collect();
        let whole_ones = rest.into_iter().filter(|(piece, _)| !piece.truncated || !outlined.contains(&piece.index));
        let (program, others): (Vec<_>, Vec<_>) = whole_ones.partition(|(piece, _)| piece.of_use <= Use::Program);
        let (large, small): (Vec<_>, Vec<_>) =
            program.into_iter().partition(|(_, cost)| cost.tokens > whole.tokens / OF_ONE_TEXT);
        self.take_back(small, &mut taken, &mut sketches, plan, SKIPPED);
        self.take_back(large, &mut taken, &mut sketches, plan, SKIPPED);
        // Where little is left, no test or stub is put in because it happens to fit.
        let (aside, last): (Vec<_>, Vec<_>) = others.into_iter().partition(|(piece, _)| piece.of_use == Use::Aside);
        for (pieces, parts) in [(aside, LEFT_FOR_ASIDE), (last, LEFT_FOR_LAST)] {
            if self.left.tokens >= whole.tokens / parts {
                self.take_back(pieces, &mut taken, &mut sketches, plan, SKIPPED);
            }
        }
        self.restore(uncut, &mut taken);
        let outlined: HashSet<usize> = sketches.iter().map(|(sketch, _)| sketch.index).collect();
        let mut open = Plan { left_out: plan.left_out.clone(), ..Plan::default() };
        open.left_out.retain(|index| !outlined.contains(index));
        let least = if self.left.tokens >= whole.tokens / LEFT_FOR_LAST { Use::Last } else { Use::Aside };
        sketches.extend(self.sketch(&mut open, least, Cost::default())?);
        Ok((taken, sketches))
    }

    /// What the texts cost, as far down the order as they could matter; the others are left out.
    fn priced(&self, pieces: Vec<Piece>, plan: &mut Plan) -> Result<Vec<(Piece, Cost)>, PackError> {
        let mut priced = Vec::new();
        let mut tokens = 0usize;
        for batch in in_batches(pieces) {
            if tokens / PRICED > self.left.tokens {
                plan.left_out.extend(batch.iter().map(|piece| piece.index));
                continue;
            }
            for (piece, cost) in self.costs(batch)? {
                match cost {
                    Some(cost) => {
                        tokens = tokens.saturating_add(cost.tokens);
                        priced.push((piece, cost));
                    }
                    // What the project says of itself is rather cut short than left out.
                    None if piece.of_use == Use::Description => priced.push((piece, self.left)),
                    None => plan.left_out.push(piece.index),
                }
            }
        }
        Ok(priced)
    }

    /// The texts in which the project speaks of itself, each cut at its end to its part of the room.
    fn describe(&mut self, described: Vec<(Piece, Cost)>, plan: &mut Plan) -> Result<Vec<(Piece, Cost)>, PackError> {
        let mut most = self.left.tokens / FOR_DESCRIPTION;
        let mut taken = Vec::new();
        for (mut piece, mut cost) in described {
            let truncation = self.builder.truncation.clone();
            let ends = TruncationConfig { preserve_head_lines: usize::MAX, preserve_tail_lines: 0, ..truncation };
            let mut bytes = most.saturating_mul(BYTES_OF_A_TOKEN);
            while cost.tokens > most && bytes >= LEAST_OF_AN_OUTLINE {
                piece.text = truncate_to(&piece.text, bytes, &ends).text.into_owned();
                piece.truncated = true;
                bytes = bytes / 4 * 3;
                let (cut, now) = self.costs(vec![piece])?.remove(0);
                (piece, cost) = (cut, now.unwrap_or(self.left));
            }
            if cost.tokens <= most && self.left.pay(cost) {
                taken.push((piece, cost));
            } else {
                plan.left_out.push(piece.index);
            }
            most /= 2;
        }
        Ok(taken)
    }

    /// Texts that were cut come back whole if there is room after all.
    fn restore(&mut self, uncut: Vec<(Piece, Cost)>, taken: &mut [(Piece, Cost)]) {
        for (piece, cost) in uncut {
            let cut = taken.iter_mut().find(|(cut, _)| cut.index == piece.index && cut.text.len() < piece.text.len());
            let Some(cut) = cut else { continue };
            self.left.give_back(cut.1);
            if self.left.pay(cost) {
                *cut = (piece, cost);
            } else {
                self.left.pay(cut.1);
            }
        }
    }

    /// What the pack takes without any text, and with it which files can be listed. Where not even half of the room would be
    /// left, the lists of the manifest are cut.
    fn frame(&mut self, plan: &mut Plan, room: Room) -> Result<(), PackError> {
        let frame = |plan: &Plan, listing| -> Result<usize, PackError> {
            self.count(&self.builder.assemble(self.snapshot, &mut plan.bare(), listing, self.counter)?, room)
        };
        // The list of all files is of use, but not at the cost of most of the room.
        let all = frame(plan, Listing::All)?;
        let listing = if all.saturating_mul(4) <= room.max_tokens { Listing::All } else { Listing::Sent };
        let mut tokens = frame(plan, listing)?;
        for most in MANIFEST_ENTRIES {
            if tokens.saturating_mul(2) <= room.max_tokens {
                break;
            }
            plan.manifest_entries = Some(*most);
            tokens = frame(plan, listing)?;
        }
        self.listing = listing;
        self.left.tokens = room.max_tokens.saturating_sub(tokens);
        Ok(())
    }

    fn count(&self, pack: &FullPack, room: Room) -> Result<usize, PackError> {
        Ok(self.counter.count(&room.format.text(PackRef::Full(pack))?))
    }

    /// The pieces that can be paid for, in order; the others are left out.
    fn afford(&mut self, pieces: Vec<Piece>, plan: &mut Plan) -> Result<Vec<(Piece, Cost)>, PackError> {
        let mut taken = Vec::with_capacity(pieces.len());
        for batch in in_batches(pieces) {
            for (piece, cost) in self.costs(batch)? {
                match cost.filter(|cost| self.left.pay(*cost)) {
                    Some(cost) => taken.push((piece, cost)),
                    None => plan.left_out.push(piece.index),
                }
            }
        }
        Ok(taken)
    }

    /// What each piece costs; nothing for one that is clearly too large, whose tokens need not be counted.
    fn costs(&self, pieces: Vec<Piece>) -> Result<Vec<(Piece, Option<Cost>)>, PackError> {
        let Some(room) = self.builder.room else {
            let cost = |piece: &Piece| Some(Cost { bytes: piece.text.len(), tokens: 0 });
            let costs: Vec<_> = pieces.iter().map(cost).collect();
            return Ok(pieces.into_iter().zip(costs).collect());
        };
        let files = &self.snapshot.project.files;
        let cost = |mut piece: Piece| {
            let bytes = piece.text.len();
            let file = &files[piece.index];
            let tokens = match piece.key {
                Some(pick) => {
                    let key = assemble::key_file(file, pick, &mut piece);
                    let tokens = self.tokens(FileRef::Key(&key), room.format, piece.index)?;
                    piece.text = key.content;
                    tokens
                }
                None => {
                    let content = assemble::content(file, &mut piece);
                    let tokens = self.tokens(FileRef::Content(&content), room.format, piece.index)?;
                    piece.text = content.content;
                    tokens
                }
            };
            Ok((piece, tokens.map(|tokens| Cost { bytes, tokens })))
        };
        pieces.into_par_iter().map(cost).collect()
    }

    /// The tokens of a file in the pack and in the list, or nothing if they are more than are left.
    fn tokens(&self, file: FileRef<'_>, format: Format, index: usize) -> Result<Option<usize>, PackError> {
        let Some(tokens) = self.counter.count_up_to(&format.file(file)?, self.left.tokens) else { return Ok(None) };
        let reason = matches!(file, FileRef::Outline(_)).then_some(ExclusionReason::SizeLimit);
        let entry = if self.listing == Listing::Sent { self.entry_tokens(index, reason, format)? } else { 0 };
        // One more for the comma or line break between two.
        Ok(Some(tokens + 1 + entry))
    }

    fn entry_tokens(&self, index: usize, reason: Option<ExclusionReason>, format: Format) -> Result<usize, PackError> {
        let entry = assemble::index_entry(&self.snapshot.project.files[index], reason);
        Ok(self.counter.count(&format.index_entry(&entry)?) + 1)
    }

    /// Gives up the last pieces until a quarter of the room is free, but never the first.
    fn make_room(&mut self, taken: &mut Vec<(Piece, Cost)>, whole: Cost) -> Vec<(Piece, Cost)> {
        let mut given_up = Vec::new();
        let (bytes, tokens) = (whole.bytes / 4, if whole.tokens == usize::MAX { 0 } else { whole.tokens / 4 });
        while (self.left.bytes < bytes || self.left.tokens < tokens) && taken.len() > 1 {
            let Some((piece, cost)) = taken.pop() else { break };
            self.left.give_back(cost);
            given_up.push((piece, cost));
        }
        given_up.reverse();
        given_up
    }

    /// Outlines of what is left out and of that much use, the most important first, as long as more than `kept` is left.
    fn sketch(&mut self, plan: &mut Plan, least: Use, kept: Cost) -> Result<Vec<(Sketch, Cost)>, PackError> {
        let mut taken = Vec::new();
        plan.left_out.sort_by_key(|index| self.places.get(index));
        let is_meant = |index: &&usize| self.places.get(*index).is_some_and(|(of_use, _)| *of_use <= least);
        let meant: Vec<usize> = plan.left_out.iter().filter(is_meant).copied().collect();
        let room = self.left.minus(kept);
        let mut left = room;
        for batch in meant.chunks(SKETCHES) {
            if left.bytes < LEAST_OF_AN_OUTLINE || left.tokens < LEAST_OF_AN_OUTLINE {
                break;
            }
            let made: Vec<Option<(Sketch, Cost)>> =
                batch.par_iter().map(|&index| self.outline(index)).collect::<Result<_, PackError>>()?;
            let some_were_made = made.iter().any(Option::is_some);
            let before = taken.len();
            for (sketch, cost) in made.into_iter().flatten() {
                if left.pay(cost) {
                    taken.push((sketch, cost));
                }
            }
            if some_were_made && taken.len() == before {
                break;
            }
        }
        self.left = self.left.minus(room.minus(left));
        Ok(taken)
    }

    /// The outline of a file, if it has one that is shorter than its text.
    fn outline(&self, index: usize) -> Result<Option<(Sketch, Cost)>, PackError> {
        let Some(survey) = self.builder.survey else { return Ok(None) };
        let most = LONGEST_OUTLINE.min(self.builder.truncation.max_file_bytes);
        let (most, outline) = match self.builder.room {
            None => (most, survey.outline(self.snapshot, index)),
            Some(room) => {
                let part = room.max_tokens.saturating_mul(BYTES_OF_A_TOKEN) / OF_ONE_OUTLINE;
                (most.min(part), survey.public_outline(self.snapshot, index))
            }
        };
        let outline = outline.and_then(|outline| shortened(outline, most));
        let Some(outline) = outline.filter(|outline| outline.len() < self.snapshot.text_bytes(index).unwrap_or(0))
        else {
            return Ok(None);
        };
        let file = &self.snapshot.project.files[index];
        let language = ai_assist_text::Language::of_path(&file.relative_path).map_or("text", |known| known.name());
        let mut sketch = Sketch { index, language: language.to_owned(), outline };
        let bytes = sketch.outline.len();
        let tokens = match self.builder.room {
            None => Some(0),
            Some(room) => {
                let outline = assemble::file_outline(file, &mut sketch);
                let tokens = self.tokens(FileRef::Outline(&outline), room.format, index)?;
                sketch.outline = outline.outline;
                tokens
            }
        };
        Ok(tokens.map(|tokens| (sketch, Cost { bytes, tokens })))
    }

    /// What the outlines did not need goes back to the texts that were given up for them, in order, until so many did not fit.
    fn take_back(
        &mut self,
        given_up: Vec<(Piece, Cost)>,
        taken: &mut Vec<(Piece, Cost)>,
        sketches: &mut Vec<(Sketch, Cost)>,
        plan: &mut Plan,
        most_skipped: usize,
    ) {
        let mut outlined: HashMap<usize, Cost> = sketches.iter().map(|(sketch, cost)| (sketch.index, *cost)).collect();
        let mut back = HashSet::new();
        let mut skipped = 0;
        for (piece, cost) in given_up {
            if skipped >= most_skipped {
                break;
            }
            let outline = outlined.remove(&piece.index).unwrap_or_default();
            self.left.give_back(outline);
            if self.left.pay(cost) {
                back.insert(piece.index);
                taken.push((piece, cost));
            } else {
                skipped += 1;
                self.left.pay(outline);
            }
        }
        sketches.retain(|(sketch, _)| !back.contains(&sketch.index));
        plan.left_out.retain(|index| !back.contains(index));
    }

    /// Names of files of which nothing else is sent, as far as there is room; what each costs.
    fn name(&mut self, plan: &mut Plan, sketches: &[(Sketch, Cost)]) -> Result<Vec<Cost>, PackError> {
        let (Listing::Sent, Some(room)) = (self.listing, self.builder.room) else { return Ok(Vec::new()) };
        let outlined: HashSet<usize> = sketches.iter().map(|(sketch, _)| sketch.index).collect();
        let mut costs = Vec::new();
        plan.left_out.sort_by_key(|index| self.places.get(index));
        for &index in plan.left_out.iter().filter(|index| !outlined.contains(index)) {
            let cost =
                Cost { bytes: 0, tokens: self.entry_tokens(index, Some(ExclusionReason::SizeLimit), room.format)? };
            if !self.left.pay(cost) {
                break;
            }
            plan.listed.push(index);
            costs.push(cost);
        }
        Ok(costs)
    }

    /// Puts the pack together, and takes out again what is too much: the numbers in the metadata may have grown, or a text
    /// may not end where a token does.
    fn settle(
        &self,
        mut plan: Plan,
        taken: Vec<(Piece, Cost)>,
        sketches: Vec<(Sketch, Cost)>,
        mut names: Vec<Cost>,
    ) -> Result<FullPack, PackError> {
        let mut costs;
        let mut outline_costs;
        (plan.pieces, costs) = taken.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        (plan.outlines, outline_costs) = sketches.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        loop {
            let pack = self.builder.assemble(self.snapshot, &mut plan, self.listing, self.counter)?;
            let Some(room) = self.builder.room else { return Ok(pack) };
            let tokens = self.count(&pack, room)?;
            if tokens <= room.max_tokens {
                return Ok(pack);
            }
            plan.restore(pack, self.snapshot);
            if plan.pieces.is_empty() && plan.outlines.is_empty() && plan.listed.is_empty() {
                return Err(PackError::LimitTooSmall { limit: room.max_tokens, least: tokens });
            }
            let mut over = tokens - room.max_tokens;
            while over > 0 {
                let cost = if let (Some(_), Some(cost)) = (plan.listed.pop(), names.pop()) {
                    cost
                } else if let (Some(_), Some(cost)) = (plan.outlines.pop(), outline_costs.pop()) {
                    cost
                } else if let (Some(piece), Some(cost)) = (plan.pieces.pop(), costs.pop()) {
                    plan.left_out.push(piece.index);
                    cost
                } else {
                    break;
                };
                over = over.saturating_sub(cost.tokens.max(1));
            }
        }
    }
}

/// An outline of whole lines, the last of which says how many are missing; nothing if there is no room for any.
fn shortened(outline: String, most: usize) -> Option<String> {
    if outline.is_empty() {
        return None;
    }
    if outline.len() <= most {
        return Some(outline);
    }
    let note = |more: usize| format!("... {more} more\n");
    let longest_note = note(outline.len()).len();
    let mut end = 0;
    for line in outline.split_inclusive('\n') {
        if end + line.len() + longest_note > most {
            break;
        }
        end += line.len();
    }
    let more = outline[end..].lines().count();
    (end > 0).then(|| format!("{}{}", &outline[..end], note(more)))
}

fn in_batches(pieces: Vec<Piece>) -> impl Iterator<Item = Vec<Piece>> {
    let mut pieces = pieces.into_iter();
    std::iter::from_fn(move || Some(pieces.by_ref().take(BATCH).collect::<Vec<_>>()).filter(|batch| !batch.is_empty()))
}
