//! Byte-pair encoding: how many tokens of a vocabulary a text has.
//!
//! The vocabulary lies in the binary as its tokens in the order of their ranks, compressed: .8 MB. Everything else is made of them in memory
//! at first use, which takes a few milliseconds. Tables made at build time, as the crate `bpe-openai` has them, are 32 MB, a third of a
//! binary, and take longer to read than these to build; that crate is the oracle of the tests.

use std::{cmp::Reverse, collections::BinaryHeap, sync::LazyLock};

use regex_automata::{Anchored, Input, meta::Regex};

/// The lengths of the tokens, one byte each, then the tokens; written from OpenAI's `o200k_base.tiktoken` (MIT licence).
const O200K: &[u8] = include_bytes!("../data/o200k_base.zst");
const TOKENS: usize = 199_998;
/// A power of two; with two and a half times as many slots as tokens most absent keys are answered by the first slot.
const SLOTS: usize = 1 << 19;
const EMPTY: u64 = u64::MAX;
/// Up to here the cheapest merge is looked for in all of the piece; beyond, in a heap, so that a long piece costs no square.
const SHORT: usize = 64;

/// Where the tokenizer cuts before it merges. The published pattern has the look-ahead `\s+(?!\S)`; here that is a pattern
/// of its own, whose last character is given back.
const CUTS: [&str; 3] = [
    concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
    ),
    r"\s+\s",
    r"\s+",
];
const GIVES_BACK: usize = 1;

pub(crate) fn o200k() -> &'static Tokenizer {
    static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(Tokenizer::new);
    &TOKENIZER
}

pub(crate) struct Tokenizer {
    cuts: Regex,
    tokens: Vec<u8>,
    starts: Vec<u32>,
    /// Open addressing: the upper half of a key's hash, then the rank of the token.
    slots: Box<[u64]>,
    longest: usize,
}

impl Tokenizer {
    #[expect(
        clippy::expect_used,
        reason = "the vocabulary and the pattern are constants, and every test of tokens reads them"
    )]
    fn new() -> Self {
        let text = zstd::decode_all(O200K).expect("the vocabulary is zstd");
        let (lengths, tokens) = text.split_at(TOKENS);
        let mut end = 0;
        let mut starts = vec![0];
        starts.extend(lengths.iter().map(|&length| {
            end += u32::from(length);
            end
        }));
        let mut tokenizer = Self {
            cuts: Regex::new_many(&CUTS).expect("the pattern is a regular expression"),
            tokens: tokens.to_vec(),
            starts,
            slots: vec![EMPTY; SLOTS].into_boxed_slice(),
            longest: lengths.iter().copied().max().map_or(0, usize::from),
        };
        for rank in 0..lengths.len() {
            let key = hash(tokenizer.token(rank));
            let mut at = slot_of(key);
            while tokenizer.slots[at] != EMPTY {
                at = (at + 1) % SLOTS;
            }
            tokenizer.slots[at] = (key & TAG) | rank as u64;
        }
        tokenizer
    }

    /// How many tokens the text has, or `None` as soon as there are more than `limit`.
    pub(crate) fn count(&self, text: &str, limit: usize) -> Option<usize> {
        let mut rest = text;
        let mut count = 0;
        while let Some(cut) = self.cuts.find(Input::new(rest).anchored(Anchored::Yes)) {
            let mut end = cut.end();
            if cut.pattern().as_usize() == GIVES_BACK {
                end -= rest[..end].chars().next_back().map_or(0, char::len_utf8);
            }
            count += self.count_piece(&rest.as_bytes()[..end]);
            if count > limit {
                return None;
            }
            rest = &rest[end..];
        }
        Some(count)
    }

    fn count_piece(&self, piece: &[u8]) -> usize {
        match piece.len() {
            0 | 1 => piece.len(),
            _ if self.rank(piece).is_some() => 1,
            2..=SHORT => self.merge_short(piece),
            _ => self.merge_long(piece),
        }
    }

    /// Joins the two neighbours that make the token of the lowest rank, the first of these, until there are none.
    fn merge_short(&self, piece: &[u8]) -> usize {
        let mut starts = [0; SHORT + 1];
        // Of the part that starts there with the one after it.
        let mut ranks = [u32::MAX; SHORT + 1];
        let mut parts = piece.len();
        for at in 0..parts {
            starts[at + 1] = at + 1;
            if at + 1 < parts {
                ranks[at] = self.rank(&piece[at..at + 2]).unwrap_or(u32::MAX);
            }
        }
        loop {
            let mut best = 0;
            for at in 1..parts {
                if ranks[at] < ranks[best] {
                    best = at;
                }
            }
            if ranks[best] == u32::MAX {
                return parts;
            }
            starts.copy_within(best + 2..=parts, best + 1);
            ranks.copy_within(best + 1..parts, best);
            parts -= 1;
            for at in [best.checked_sub(1), Some(best)].into_iter().flatten() {
                let joined = (at + 1 < parts).then(|| self.rank(&piece[starts[at]..starts[at + 2]])).flatten();
                ranks[at] = joined.unwrap_or(u32::MAX);
            }
        }
    }

    /// The same as [`Self::merge_short`], in n log n.
    fn merge_long(&self, piece: &[u8]) -> usize {
        let mut parts = piece.len();
        // The neighbours of the part that starts at an offset; offsets in the middle of a part are never looked at.
        let mut next: Vec<usize> = (1..=parts).collect();
        let mut before: Vec<usize> = (0..=parts).map(|at| at.saturating_sub(1)).collect();
        let mut alive = vec![true; parts];
        let candidate = |from: usize, to: usize| self.rank(&piece[from..to]).map(|rank| Reverse((rank, from)));
        let mut heap: BinaryHeap<_> = (0..parts - 1).filter_map(|at| candidate(at, at + 2)).collect();
        while let Some(Reverse((rank, from))) = heap.pop() {
            if !alive[from] || next[from] == piece.len() {
                continue;
            }
            let (middle, to) = (next[from], next[next[from]]);
            // One of the two has grown since.
            if to - from != self.token(rank as usize).len() {
                continue;
            }
            alive[middle] = false;
            next[from] = to;
            before[to] = from;
            parts -= 1;
            if to < piece.len() {
                heap.extend(candidate(from, next[to]));
            }
            if from > 0 {
                heap.extend(candidate(before[from], to));
            }
        }
        parts
    }

    fn token(&self, rank: usize) -> &[u8] {
        &self.tokens[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > self.longest {
            return None;
        }
        let key = hash(bytes);
        let mut at = slot_of(key);
        while self.slots[at] != EMPTY {
            let rank = self.slots[at] & !TAG;
            if self.slots[at] & TAG == key & TAG && self.token(rank as usize) == bytes {
                return u32::try_from(rank).ok();
            }
            at = (at + 1) % SLOTS;
        }
        None
    }
}

const TAG: u64 = !(u32::MAX as u64);

/// Eight bytes at a time; the keys are those of a fixed vocabulary, so nobody can make them collide.
fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64).wrapping_mul(ODD);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = word.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(ODD);
    }
    let last = words.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    hash = (hash.rotate_left(23) ^ last).wrapping_mul(ODD);
    hash ^ hash >> 29
}

/// Of the lower half, which the tag does not have.
fn slot_of(hash: u64) -> usize {
    hash as usize % SLOTS
}
