//! The full pack: what fits, the most important first.
//!
//! Bytes and the number of files decide first, file by file; then `ladder` counts tokens and says what of the rest is sent
//! as an outline or by its name; `assemble` puts it together.

mod assemble;
mod by_use;
mod ladder;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::categories::default_rank;
use crate::format::Format;
use crate::key_files::KeyPick;
use crate::manifest::ManifestInput;
use crate::snapshot::Held;
use crate::survey::Survey;
use crate::tokens::TokenCounter;
use crate::truncate::truncate_to;
use crate::types::{FileMetadata, FullPack, TruncationConfig};
use crate::{PackError, Snapshot};

use assemble::Plan;
pub(crate) use assemble::{excluded_entry, index_entry, scanned};
use by_use::{Turn, Use};
use ladder::Ladder;

/// How many texts are made ready at once.
const BATCH: usize = 256;

/// A key file is rather cut short than left out, as long as this much of it fits.
const LEAST_OF_A_KEY_FILE: usize = 1024;

pub struct FullPackBuilder<'a> {
    pub truncation: TruncationConfig,
    /// No key file's text is longer, whatever `truncation` allows.
    pub max_key_file_bytes: usize,
    /// What the caller knows of the project.
    pub manifest: ManifestInput,
    /// No more files than these are sent with their text.
    pub max_files: Option<usize>,
    /// What is known of the code: the worth of files goes by it, and what does not fit is outlined with it.
    pub survey: Option<&'a Survey>,
    /// How much a file is worth where there is no survey; those with the highest go in after the key files.
    pub rank: &'a (dyn Fn(&FileMetadata) -> f64 + Sync),
    pub selection_reason: String,
    /// Leaves out what differs from one run to the next, and where the folder lies.
    pub reproducible: bool,
    pub count_tokens: bool,
    pub room: Option<Room>,
}

/// How many tokens a pack may have in a format, all of it counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
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
            max_files: None,
            survey: None,
            rank: &default_rank,
            selection_reason: String::new(),
            reproducible: false,
            count_tokens: false,
            room: None,
        }
    }
}

/// A file's text as it will be sent.
#[derive(Clone)]
struct Piece {
    index: usize,
    key: Option<KeyPick>,
    of_use: Use,
    text: String,
    truncated: bool,
}

/// Why a file that could be read is not sent.
enum Fetched {
    Piece(Piece),
    DoesNotFit,
    Changed(ai_assist_admit::Reason),
}

/// The files that can be read, those of the most use first.
pub(crate) fn by_use(snapshot: &Snapshot, survey: &Survey) -> Vec<usize> {
    by_use::order(snapshot, survey).into_iter().map(|turn| turn.index).collect()
}

impl FullPackBuilder<'_> {
    /// Makes a pack of a snapshot. However large the project is, what fits is sent: key files, then the files that are worth
    /// the most, then outlines of the others, then their names. Where tokens are limited, what the project says of itself and
    /// the outlines of what is used the most come first.
    pub fn build(&self, snapshot: &Snapshot, counter: &TokenCounter) -> Result<FullPack, PackError> {
        let order = self.order(snapshot);
        let plan = self.plan(snapshot, None, &order);
        Ladder::new(self, snapshot, counter, &order).climb(plan)
    }

    /// The same, but texts that the snapshot holds are moved into the pack, which takes half of the memory. Who asks the
    /// snapshot for them afterwards makes it read them again.
    pub fn build_taking(&self, snapshot: &mut Snapshot, counter: &TokenCounter) -> Result<FullPack, PackError> {
        let order = self.order(snapshot);
        let held = snapshot.take_held();
        let plan = self.plan(snapshot, Some(&held), &order);
        snapshot.give_back(held);
        Ladder::new(self, snapshot, counter, &order).climb(plan)
    }

    /// The files in the order in which they get room: by use where tokens are counted; otherwise key files, then by rank.
    fn order(&self, snapshot: &Snapshot) -> Vec<Turn> {
        if let (Some(_), Some(survey)) = (self.room, self.survey) {
            return by_use::order(snapshot, survey);
        }
        let turn = |index, key| Turn { index, key, of_use: Use::Program };
        let files = &snapshot.project.files;
        let keys = snapshot.key_files.iter().map(|pick| turn(pick.index, Some(*pick)));
        let rest = files.iter().enumerate().filter(|(_, file)| file.content_extractable && !file.is_key_file);
        let mut rest: Vec<(usize, f64)> = rest.map(|(index, file)| (index, self.worth(index, file))).collect();
        // The sort is stable and the files come by path, so equals stay in the order of their paths.
        rest.sort_by(|a, b| b.1.total_cmp(&a.1));
        keys.chain(rest.into_iter().map(|(index, _)| turn(index, None))).collect()
    }

    fn worth(&self, index: usize, file: &FileMetadata) -> f64 {
        self.survey.map_or_else(|| (self.rank)(file), |survey| survey.rank(index))
    }

    /// What fits into the bytes and the number of files. Depends on the order alone, not on which thread is faster.
    fn plan(&self, snapshot: &Snapshot, held: Option<&Held>, order: &[Turn]) -> Plan {
        let mut plan = Plan::default();
        let mut left = self.truncation.max_total_bytes;
        let max_files = self.max_files.unwrap_or(usize::MAX);
        for batch in order.chunks(BATCH) {
            if plan.pieces.len() >= max_files {
                plan.left_out.extend(batch.iter().map(|turn| turn.index));
                continue;
            }
            let fetch = |turn: &Turn| self.fetch(snapshot, held, *turn, left);
            let fetched: Vec<Fetched> = batch.par_iter().map(fetch).collect();
            for (fetched, &Turn { index, .. }) in fetched.into_iter().zip(batch) {
                match fetched {
                    Fetched::Changed(reason) => plan.changed.push((index, reason.into())),
                    Fetched::Piece(_) if plan.pieces.len() >= max_files => plan.left_out.push(index),
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
    fn fetch(&self, snapshot: &Snapshot, held: Option<&Held>, turn: Turn, left: usize) -> Fetched {
        let Turn { index, key, of_use } = turn;
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
        let taken = held.and_then(|held| held.take(index)).map(Cow::Owned);
        match taken.map_or_else(|| snapshot.text(index), Ok) {
            Ok(text) => {
                let (text, truncated) = match text {
                    Cow::Owned(text) if text.len() <= max => (text, false),
                    text => {
                        let cut = truncate_to(&text, max, &self.truncation);
                        (cut.text.into_owned(), cut.truncated)
                    }
                };
                Fetched::Piece(Piece { index, key, of_use, text, truncated })
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
}
