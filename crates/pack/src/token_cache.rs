//! Counts of tokens from one run to the next: no text is counted twice on one machine.
//!
//! A file with a first line that names the tokenizer, then records of 24 bytes: the beginning of the text's hash, its count,
//! and a sum of both. It is only ever added to, by one write at the end of a run, so several processes may share it. A
//! record that is torn or damaged does not match its sum and is passed over; a file of another form is begun anew. Nothing
//! is lost with it but time.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;
use ai_assist_syntax::SyntaxCache;
use ai_assist_text::TOKENIZER;

use crate::TokenCounter;

/// How much of a hash tells one text from another.
const KEY: usize = 16;
const RECORD: usize = KEY + 8;

/// A file that has grown larger than this, some 600,000 texts, is begun anew.
const LARGEST: u64 = 16 << 20;

pub(crate) type Key = [u8; KEY];

#[derive(Debug)]
pub struct TokenCache {
    file: PathBuf,
}

impl TokenCache {
    /// The cache in a file, which need not be there.
    pub fn new(file: PathBuf) -> Self {
        TokenCache { file }
    }

    /// What is known. A cache that can't be read knows nothing.
    pub(crate) fn load(&self) -> HashMap<Key, u32> {
        let mut known = HashMap::new();
        let Ok(bytes) = std::fs::read(&self.file) else { return known };
        let Some(records) = bytes.strip_prefix(header().as_slice()) else { return known };
        for record in records.chunks_exact(RECORD) {
            let (key, rest) = record.split_at(KEY);
            let (count, sum) = rest.split_at(4);
            if let (Ok(key), Ok(count)) = (Key::try_from(key), <[u8; 4]>::try_from(count))
                && sum == sum_of(&key, count)
            {
                known.insert(key, u32::from_le_bytes(count));
            }
        }
        known
    }

    pub(crate) fn add(&self, learned: &[(Key, u32)]) -> io::Result<()> {
        if learned.is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let header = header();
        let mut bytes = Vec::with_capacity(header.len() + learned.len() * RECORD);
        if !self.is_sound(&header) {
            // Another process may do the same at this moment; then one of the two is lost, and is counted again.
            ai_assist_base::replace_file(&self.file, &header, 0o600)?;
        }
        for (key, count) in learned {
            let count = count.to_le_bytes();
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&count);
            bytes.extend_from_slice(&sum_of(key, count));
        }
        OpenOptions::new().append(true).open(&self.file)?.write_all(&bytes)
    }

    /// Whether the file can be added to: its form is ours, no record is torn, and it is not too large.
    fn is_sound(&self, header: &[u8]) -> bool {
        let Ok(metadata) = self.file.metadata() else { return false };
        let mut opening = vec![0; header.len()];
        let opened = std::fs::File::open(&self.file).and_then(|mut file| io::Read::read_exact(&mut file, &mut opening));
        let whole = metadata.len().saturating_sub(header.len() as u64) % RECORD as u64 == 0;
        opened.is_ok() && opening == header && whole && metadata.len() <= LARGEST
    }
}

/// [`Default`] knows nothing and keeps nothing.
#[derive(Debug, Default)]
pub struct Caches {
    pub tokens: TokenCounter,
    pub syntax: SyntaxCache,
}

impl Caches {
    /// Those of this machine, below the root of all caches.
    pub fn open(root: &Path) -> Self {
        Caches {
            tokens: TokenCounter::with_cache(TokenCache::new(root.join("tokens.o200k"))),
            syntax: SyntaxCache::open(root),
        }
    }

    pub fn save(&self) -> io::Result<()> {
        self.tokens.save().and(self.syntax.save())
    }
}

fn header() -> Vec<u8> {
    format!("ai-assist token counts 1 {TOKENIZER}\n").into_bytes()
}

fn sum_of(key: &Key, count: [u8; 4]) -> [u8; 4] {
    let hash = Sha256::of(&[key.as_slice(), &count].concat());
    std::array::from_fn(|at| hash.as_bytes()[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        [n; KEY]
    }

    #[test]
    fn what_was_learned_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TokenCache::new(folder.path().join("new/tokens"));
        assert!(cache.load().is_empty());
        cache.add(&[]).unwrap();
        cache.add(&[(key(1), 10), (key(2), 20)]).unwrap();
        cache.add(&[(key(3), 0)]).unwrap();
        assert_eq!(cache.load(), HashMap::from([(key(1), 10), (key(2), 20), (key(3), 0)]));
        assert_eq!(std::fs::read_dir(folder.path().join("new")).unwrap().count(), 1);
    }

    #[test]
    fn damage_is_passed_over_or_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let cache = TokenCache::new(file.clone());
        cache.add(&[(key(1), 10), (key(2), 20), (key(3), 30)]).unwrap();
        let whole = std::fs::read(&file).unwrap();
        // Every single flipped bit costs at most the record it is in, and never gives another count.
        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 4;
            std::fs::write(&file, &bent).unwrap();
            for (key, count) in cache.load() {
                assert_eq!(count, u32::from(key[0]) * 10, "byte {at}");
            }
        }
        for bent in [&whole[..whole.len() - 5], b"something else", b""] {
            std::fs::write(&file, bent).unwrap();
            cache.add(&[(key(9), 90)]).unwrap();
            assert_eq!(cache.load().get(&key(9)), Some(&90));
        }
    }
}
