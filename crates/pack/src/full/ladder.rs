//! What is sent when not everything fits: texts, then outlines, then names.
//!
//! Texts get all of the room as long as nothing is left out. As soon as something is, a quarter is kept for outlines of what
//! is left out, and what the outlines don't need goes back to the texts. Names come last, where the list of all files
//! would take most of the room.

use std::collections::HashMap;

use rayon::prelude::*;

use super::assemble::{self, Listing, Plan, Sketch};
use super::{BATCH, FullPackBuilder, Piece, Room};
use crate::format::{FileRef, Format, PackRef};
use crate::key_files::KeyPick;
use crate::tokens::TokenCounter;
use crate::types::{ExclusionReason, FullPack};
use crate::{PackError, Snapshot};

/// How many outlines are made at once.
const SKETCHES: usize = 64;

/// No outline is longer: one file with ten thousand functions would take the place of all others.
const LONGEST_OUTLINE: usize = 8 * 1024;

/// How far the lists of the manifest are cut, one after the other.
const MANIFEST_ENTRIES: &[usize] = &[40, 15, 5, 0];

/// With less than this left, no outline is tried.
const LEAST_OF_AN_OUTLINE: usize = 16;

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
    places: HashMap<usize, usize>,
    listing: Listing,
    left: Cost,
}

impl<'l> Ladder<'l> {
    pub(super) fn new(
        builder: &'l FullPackBuilder<'l>,
        snapshot: &'l Snapshot,
        counter: &'l TokenCounter,
        order: &[(usize, Option<KeyPick>)],
    ) -> Self {
        let places = order.iter().enumerate().map(|(place, (index, _))| (*index, place)).collect();
        let left = Cost { bytes: builder.truncation.max_total_bytes, tokens: usize::MAX };
        Ladder { builder, snapshot, counter, places, listing: Listing::All, left }
    }

    pub(super) fn climb(mut self, mut plan: Plan) -> Result<FullPack, PackError> {
        if let Some(room) = self.builder.room {
            self.frame(&mut plan, room)?;
        }
        let whole = self.left;
        let pieces = std::mem::take(&mut plan.pieces);
        let mut taken = self.afford(pieces, &mut plan)?;
        let mut sketches = Vec::new();
        if !plan.left_out.is_empty() && self.builder.survey.is_some() {
            let given_up = self.make_room(&mut taken, whole);
            plan.left_out.extend(given_up.iter().map(|(piece, _)| piece.index));
            sketches = self.sketch(&mut plan)?;
            self.take_back(given_up, &mut taken, &mut sketches, &mut plan);
        }
        let names = self.name(&mut plan, &sketches)?;
        self.settle(plan, taken, sketches, names)
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

    /// Outlines of what is left out, the most important first, as long as there is room.
    fn sketch(&mut self, plan: &mut Plan) -> Result<Vec<(Sketch, Cost)>, PackError> {
        let mut taken = Vec::new();
        plan.left_out.sort_by_key(|index| self.places.get(index));
        for batch in plan.left_out.chunks(SKETCHES) {
            if self.left.bytes < LEAST_OF_AN_OUTLINE || self.left.tokens < LEAST_OF_AN_OUTLINE {
                break;
            }
            let made: Vec<Option<(Sketch, Cost)>> =
                batch.par_iter().map(|&index| self.outline(index)).collect::<Result<_, PackError>>()?;
            let some_were_made = made.iter().any(Option::is_some);
            let before = taken.len();
            for (sketch, cost) in made.into_iter().flatten() {
                if self.left.pay(cost) {
                    taken.push((sketch, cost));
                }
            }
            if some_were_made && taken.len() == before {
                break;
            }
        }
        Ok(taken)
    }

    /// The outline of a file, if it has one that is shorter than its text.
    fn outline(&self, index: usize) -> Result<Option<(Sketch, Cost)>, PackError> {
        let Some(survey) = self.builder.survey else { return Ok(None) };
        let most = LONGEST_OUTLINE.min(self.builder.truncation.max_file_bytes);
        let outline = survey.outline(self.snapshot, index).and_then(|outline| shortened(outline, most));
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

    /// What the outlines did not need goes back to the texts that were given up for them.
    fn take_back(
        &mut self,
        given_up: Vec<(Piece, Cost)>,
        taken: &mut Vec<(Piece, Cost)>,
        sketches: &mut Vec<(Sketch, Cost)>,
        plan: &mut Plan,
    ) {
        let mut outlined: HashMap<usize, Cost> = sketches.iter().map(|(sketch, cost)| (sketch.index, *cost)).collect();
        let mut back = std::collections::HashSet::new();
        for (piece, cost) in given_up {
            let outline = outlined.remove(&piece.index).unwrap_or_default();
            self.left.give_back(outline);
            if self.left.pay(cost) {
                back.insert(piece.index);
                taken.push((piece, cost));
            } else {
                self.left.pay(outline);
            }
        }
        sketches.retain(|(sketch, _)| !back.contains(&sketch.index));
        plan.left_out.retain(|index| !back.contains(index));
    }

    /// Names of files of which nothing else is sent, as far as there is room; what each costs.
    fn name(&mut self, plan: &mut Plan, sketches: &[(Sketch, Cost)]) -> Result<Vec<Cost>, PackError> {
        let (Listing::Sent, Some(room)) = (self.listing, self.builder.room) else { return Ok(Vec::new()) };
        let outlined: std::collections::HashSet<usize> = sketches.iter().map(|(sketch, _)| sketch.index).collect();
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
