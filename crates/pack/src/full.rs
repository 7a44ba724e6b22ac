//! The full pack: what fits, the most important first.

mod assemble;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::format::{FileRef, Format, PackRef};
use crate::key_files::KeyPick;
use crate::manifest::ManifestInput;
use crate::order::default_rank;
use crate::tokens::TokenCounter;
use crate::truncate::truncate_to;
use crate::types::{FileMetadata, FullPack, TruncationConfig};
use crate::{PackError, Snapshot};

use assemble::{Listing, Plan};

/// How many texts are made ready at once.
const BATCH: usize = 256;

/// A key file is rather cut short than left out, as long as this much of it fits.
const LEAST_OF_A_KEY_FILE: usize = 1024;

/// Makes full packs.
pub struct FullPackBuilder<'a> {
    /// How much of the texts is sent.
    pub truncation: TruncationConfig,
    /// No key file's text is longer, whatever `truncation` allows.
    pub max_key_file_bytes: usize,
    /// What the caller knows of the project.
    pub manifest: ManifestInput,
    /// How much a file is worth; where not all fit, those with the highest go in after the key files.
    pub rank: &'a (dyn Fn(&FileMetadata) -> f64 + Sync),
    /// Why a full pack was chosen.
    pub selection_reason: String,
    /// Leaves out what differs from one run to the next, and where the folder lies.
    pub reproducible: bool,
    /// Whether tokens are counted.
    pub count_tokens: bool,
    /// How many tokens the whole pack may have.
    pub room: Option<Room>,
}

/// How many tokens a pack may have in a format, all of it counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// No more than these.
    pub max_tokens: usize,
    /// In this format. MessagePack is no text, so the tokens of its JSON are counted.
    pub format: Format,
}

impl Default for FullPackBuilder<'_> {
    fn default() -> Self {
        FullPackBuilder {
            truncation: TruncationConfig::default(),
            max_key_file_bytes: 50_000,
            manifest: ManifestInput::default(),
            rank: &default_rank,
            selection_reason: String::new(),
            reproducible: false,
            count_tokens: false,
            room: None,
        }
    }
}

/// A file's text as it will be sent.
struct Piece {
    index: usize,
    key: Option<KeyPick>,
    text: String,
    truncated: bool,
}

/// Why a file that could be read is not sent.
enum Fetched {
    Piece(Piece),
    DoesNotFit,
    Changed(ai_assist_admit::Reason),
}

impl FullPackBuilder<'_> {
    /// Makes a pack of a snapshot. However large the project is, what fits is sent and the rest is named.
    ///
    /// # Errors
    ///
    /// [`PackError::LimitTooSmall`] if the pack without any file has more tokens than allowed, and
    /// [`PackError::NotConserved`] if this program made a mistake.
    pub fn build(&self, snapshot: &Snapshot, counter: &TokenCounter) -> Result<FullPack, PackError> {
        let plan = self.plan(snapshot);
        match self.room {
            Some(room) => self.fit(snapshot, plan, room, counter),
            None => self.assemble(snapshot, &plan, Listing::All, counter),
        }
    }

    /// The files in the order in which they get room: key files, then by rank.
    fn order(&self, snapshot: &Snapshot) -> Vec<(usize, Option<KeyPick>)> {
        let files = &snapshot.project().files;
        let keys = snapshot.key_files().iter().map(|pick| (pick.index, Some(*pick)));
        let rest = files.iter().enumerate().filter(|(_, file)| file.content_extractable && !file.is_key_file);
        let mut rest: Vec<(usize, f64)> = rest.map(|(index, file)| (index, (self.rank)(file))).collect();
        // The sort is stable and the files come by path, so equals stay in the order of their paths.
        rest.sort_by(|a, b| b.1.total_cmp(&a.1));
        keys.chain(rest.into_iter().map(|(index, _)| (index, None))).collect()
    }

    /// What fits into the bytes. Depends on the order alone, not on which thread is faster.
    fn plan(&self, snapshot: &Snapshot) -> Plan {
        let mut plan = Plan::default();
        let mut left = self.truncation.max_total_bytes;
        for batch in self.order(snapshot).chunks(BATCH) {
            let fetch = |&(index, key): &(usize, Option<KeyPick>)| self.fetch(snapshot, index, key, left);
            let fetched: Vec<Fetched> = batch.par_iter().map(fetch).collect();
            for (fetched, &(index, _)) in fetched.into_iter().zip(batch) {
                match fetched {
                    Fetched::Changed(reason) => plan.changed.push((index, reason.into())),
                    Fetched::Piece(piece) => match self.take(piece, left, plan.pieces.is_empty()) {
                        Some(piece) => {
                            left -= piece.text.len();
                            plan.pieces.push(piece);
                        }
                        None => plan.left_out.push(index),
                    },
                    Fetched::DoesNotFit => plan.left_out.push(index),
                }
            }
        }
        plan
    }

    /// The text, unless it is clear without it that there is no room.
    fn fetch(&self, snapshot: &Snapshot, index: usize, key: Option<KeyPick>, left: usize) -> Fetched {
        let max = match key {
            Some(_) => self.truncation.max_file_bytes.min(self.max_key_file_bytes),
            None => self.truncation.max_file_bytes,
        };
        // A text that fits is not cut, so its length is known; one that is cut may come out much shorter than allowed.
        let bytes = snapshot.text_bytes(index).unwrap_or(0);
        let first = left == self.truncation.max_total_bytes;
        if (left == 0 && bytes > 0) || (key.is_none() && !first && bytes <= max && bytes > left) {
            return Fetched::DoesNotFit;
        }
        match snapshot.text(index) {
            Ok(text) => {
                let (text, truncated) = match text {
                    Cow::Owned(text) if text.len() <= max => (text, false),
                    text => {
                        let cut = truncate_to(&text, max, &self.truncation);
                        (cut.text.into_owned(), cut.truncated)
                    }
                };
                Fetched::Piece(Piece { index, key, text, truncated })
            }
            Err(reason) => Fetched::Changed(reason),
        }
    }

    /// The piece, cut once more where it must not be left out.
    fn take(&self, piece: Piece, left: usize, first: bool) -> Option<Piece> {
        if piece.text.len() <= left {
            return Some(piece);
        }
        let worth_cutting = (first && left > 0) || (piece.key.is_some() && left >= LEAST_OF_A_KEY_FILE);
        worth_cutting.then(|| {
            let text = truncate_to(&piece.text, left, &self.truncation).text.into_owned();
            Piece { text, truncated: true, ..piece }
        })
    }

    /// What of the plan fits into the tokens, everything in the pack counted.
    fn fit(
        &self,
        snapshot: &Snapshot,
        mut plan: Plan,
        room: Room,
        counter: &TokenCounter,
    ) -> Result<FullPack, PackError> {
        let count = |pack: &FullPack| Ok::<_, PackError>(counter.count(&room.format.text(PackRef::Full(pack))?));
        let wanted = std::mem::take(&mut plan.pieces);
        // The list of all files is of use, but not at the cost of most of the room.
        let none = plan.without(&wanted);
        let all = count(&self.assemble(snapshot, &none, Listing::All, counter)?)?;
        let listing = if all.saturating_mul(4) <= room.max_tokens { Listing::All } else { Listing::Sent };
        let frame = count(&self.assemble(snapshot, &none, listing, counter)?)?;
        let mut left = room.max_tokens.saturating_sub(frame);
        let mut costs = Vec::new();
        for batch in in_batches(wanted) {
            for (piece, cost) in self.costs(snapshot, batch, left, listing, room.format, counter)? {
                match cost.filter(|cost| *cost <= left) {
                    Some(cost) => {
                        left -= cost;
                        costs.push(cost);
                        plan.pieces.push(piece);
                    }
                    None => plan.left_out.push(piece.index),
                }
            }
        }
        loop {
            let pack = self.assemble(snapshot, &plan, listing, counter)?;
            let tokens = count(&pack)?;
            if tokens <= room.max_tokens {
                return Ok(pack);
            }
            // The numbers in the metadata have grown, or a text does not end where a token does.
            let mut over = tokens - room.max_tokens;
            if plan.pieces.is_empty() {
                return Err(PackError::LimitTooSmall { limit: room.max_tokens, least: tokens });
            }
            while let (true, Some(piece), Some(cost)) = (over > 0, plan.pieces.pop(), costs.pop()) {
                plan.left_out.push(piece.index);
                over = over.saturating_sub(cost);
            }
        }
    }

    /// What each piece costs; nothing for one that is clearly too large, whose tokens need not be counted.
    fn costs(
        &self,
        snapshot: &Snapshot,
        pieces: Vec<Piece>,
        left: usize,
        listing: Listing,
        format: Format,
        counter: &TokenCounter,
    ) -> Result<Vec<(Piece, Option<usize>)>, PackError> {
        let files = &snapshot.project().files;
        let cost = |piece: Piece| {
            let file = match piece.key {
                Some(pick) => format.file(FileRef::Key(&assemble::key_file(&files[piece.index], pick, &piece)))?,
                None => format.file(FileRef::Content(&assemble::content(&files[piece.index], &piece)))?,
            };
            let Some(mut cost) = counter.count_up_to(&file, left) else { return Ok((piece, None)) };
            if listing == Listing::Sent {
                cost += counter.count(&format.index_entry(&assemble::index_entry(&files[piece.index], None))?) + 1;
            }
            Ok((piece, Some(cost + 1)))
        };
        pieces.into_par_iter().map(cost).collect()
    }
}

fn in_batches(pieces: Vec<Piece>) -> impl Iterator<Item = Vec<Piece>> {
    let mut pieces = pieces.into_iter();
    std::iter::from_fn(move || Some(pieces.by_ref().take(BATCH).collect::<Vec<_>>()).filter(|batch| !batch.is_empty()))
}
