//! Vectors by (model, text): no text is embedded twice on one machine.
//!
//! One file for each model, of equal records, only ever appended to under a lock. A record has its own checksum, so a torn
//! or damaged one is merely not found. A file that has grown past its cap starts anew: it is a cache.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ai_assist_base::platform;
use ai_assist_embed::{Embedder, ModelId, Quantised};
use ai_assist_identity::Sha256;

use crate::{Error, Result};

const KEY: usize = 16;
const CHECK: usize = 4;

#[derive(Debug)]
pub struct VectorCache {
    path: PathBuf,
    dim: usize,
    file: File,
    places: HashMap<[u8; KEY], u64>,
    fresh: Mutex<Fresh>,
    cap: u64,
}

/// Records made since opening.
#[derive(Debug, Default)]
struct Fresh {
    records: Vec<u8>,
    /// Why the ones before are not on disk either.
    failure: Option<Error>,
}

/// So many bytes of records may wait for the disk.
const WAITING: usize = 4 << 20;

impl VectorCache {
    /// How large a file may grow: about half a million vectors of 256 dimensions.
    pub const DEFAULT_CAP: u64 = 128 << 20;

    /// Opens the cache for a model in `folder`.
    pub fn open(folder: &Path, model: &ModelId, dim: usize, cap: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        let name: String =
            model.to_string().chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        let path = folder.join(format!("{name}-{dim}.vectors"));
        let mut file =
            OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(Error::io("opening", &path))?;
        let mut cache = VectorCache {
            dim,
            places: HashMap::new(),
            fresh: Mutex::default(),
            cap,
            file: file.try_clone().map_err(Error::io("opening", &path))?,
            path,
        };
        cache.load(&mut file)?;
        Ok(cache)
    }

    fn record_length(&self) -> usize {
        KEY + 4 + self.dim + CHECK
    }

    fn load(&mut self, file: &mut File) -> Result<()> {
        let mut block = vec![0; self.record_length() * 1024];
        let mut at = 0;
        loop {
            let mut filled = 0;
            while filled < block.len() {
                match file.read(&mut block[filled..]).map_err(Error::io("reading", &self.path))? {
                    0 => break,
                    read => filled += read,
                }
            }
            for record in block[..filled].chunks_exact(self.record_length()) {
                if let Some(key) = record.first_chunk::<KEY>() {
                    self.places.insert(*key, at);
                }
                at += self.record_length() as u64;
            }
            if filled < block.len() {
                return Ok(());
            }
        }
    }

    /// The vectors of some texts, from the cache where it has them and from the model otherwise.
    pub fn embed(&self, embedder: &dyn Embedder, texts: &[&str]) -> Result<Quantised> {
        let keys: Vec<[u8; KEY]> = texts.iter().map(|text| key_of(text)).collect();
        let found: Vec<Option<(Vec<i8>, f32)>> = keys.iter().map(|key| self.get(key)).collect();
        let missing: Vec<&str> =
            texts.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(text, _)| *text).collect();
        let made = embedder.embed_quantised(&missing)?;
        if missing.len() == texts.len() {
            self.remember(keys.iter(), &made);
            return Ok(made);
        }
        self.remember(keys.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(key, _)| key), &made);
        let mut values = Vec::with_capacity(texts.len() * self.dim);
        let mut scales = Vec::with_capacity(texts.len());
        let mut next = 0;
        for found in &found {
            let (row, scale) = match found {
                Some((row, scale)) => (row.as_slice(), *scale),
                None => {
                    next += 1;
                    made.row(next - 1)
                }
            };
            values.extend_from_slice(row);
            scales.push(scale);
        }
        Quantised::from_parts(self.dim, scales, values)
            .ok_or_else(|| Error::damaged(&self.path, "its vectors are of another size"))
    }

    fn get(&self, key: &[u8; KEY]) -> Option<(Vec<i8>, f32)> {
        let at = *self.places.get(key)?;
        let mut record = vec![0; self.record_length()];
        platform::read_exact_at(&self.file, &mut record, at).ok()?;
        let (body, check) = record.split_at(KEY + 4 + self.dim);
        if check != checksum(body).to_le_bytes() || !body.starts_with(key) {
            return None;
        }
        let scale = f32::from_le_bytes([body[KEY], body[KEY + 1], body[KEY + 2], body[KEY + 3]]);
        Some((body[KEY + 4..].iter().map(|&byte| byte.cast_signed()).collect(), scale))
    }

    fn remember<'k>(&self, keys: impl Iterator<Item = &'k [u8; KEY]>, made: &Quantised) {
        let mut records = Vec::with_capacity(made.len() * self.record_length());
        for (row, key) in keys.enumerate() {
            let (values, scale) = made.row(row);
            let start = records.len();
            records.extend_from_slice(key);
            records.extend_from_slice(&scale.to_le_bytes());
            records.extend(values.iter().map(|&value| value.cast_unsigned()));
            let check = checksum(&records[start..]);
            records.extend_from_slice(&check.to_le_bytes());
        }
        let mut fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        fresh.records.extend(records);
        if fresh.records.len() >= WAITING {
            let records = std::mem::take(&mut fresh.records);
            if fresh.failure.is_none() {
                fresh.failure = self.append(&records).err();
            }
        }
    }

    /// Appends what was embedded since opening.
    pub fn save(&self) -> Result<()> {
        let mut fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Fresh { records, failure } = std::mem::take(&mut *fresh);
        match failure {
            Some(error) => Err(error),
            None => self.append(&records),
        }
    }

    fn append(&self, fresh: &[u8]) -> Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let record = self.record_length() as u64;
        let append = || {
            let mut file = OpenOptions::new().write(true).read(true).open(&self.path)?;
            file.lock()?;
            let length = file.metadata()?.len();
            // A torn record at the end would shift all that follow.
            let whole = if length + fresh.len() as u64 > self.cap { 0 } else { length - length % record };
            file.set_len(whole)?;
            file.seek(SeekFrom::Start(whole))?;
            let room = usize::try_from(self.cap - whole).unwrap_or(usize::MAX).min(fresh.len());
            file.write_all(&fresh[..room - room % record as usize])
        };
        append().map_err(Error::io("writing", &self.path))
    }
}

fn key_of(text: &str) -> [u8; KEY] {
    let hash = Sha256::of(text.as_bytes());
    let mut key = [0; KEY];
    key.copy_from_slice(&hash.as_bytes()[..KEY]);
    key
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ai_assist_embed::{EmbedError, StaticModel};

    use super::*;

    /// The bundled model, counting the texts it is asked for.
    struct Counting(AtomicUsize);

    impl Embedder for Counting {
        fn model(&self) -> &ModelId {
            StaticModel::bundled().model()
        }

        fn dim(&self) -> usize {
            StaticModel::DIM
        }

        fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            StaticModel::bundled().embed(texts)
        }
    }

    fn open(folder: &Path, cap: u64) -> VectorCache {
        VectorCache::open(folder, StaticModel::bundled().model(), StaticModel::DIM, cap).unwrap()
    }

    #[test]
    fn no_text_is_embedded_twice() {
        let folder = tempfile::tempdir().unwrap();
        let model = Counting(AtomicUsize::new(0));
        let cache = open(folder.path(), VectorCache::DEFAULT_CAP);
        let first = cache.embed(&model, &["a file", "a folder"]).unwrap();
        cache.save().unwrap();
        let cache = open(folder.path(), VectorCache::DEFAULT_CAP);
        let again = cache.embed(&model, &["a folder", "something new", "a file"]).unwrap();
        assert_eq!(model.0.load(Ordering::Relaxed), 3);
        assert_eq!((again.row(0), again.row(2)), (first.row(1), first.row(0)));
        assert_eq!(again, model.embed_quantised(&["a folder", "something new", "a file"]).unwrap());
    }

    #[test]
    fn a_torn_or_damaged_file_only_costs_time() {
        let folder = tempfile::tempdir().unwrap();
        let model = Counting(AtomicUsize::new(0));
        let cache = open(folder.path(), VectorCache::DEFAULT_CAP);
        let right = cache.embed(&model, &["one", "two", "three"]).unwrap();
        let file = cache.path.clone();
        cache.save().unwrap();
        let whole = std::fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        flipped[40] ^= 1;
        for damaged in [whole[..whole.len() - 7].to_vec(), flipped, whole[..3].to_vec(), Vec::new()] {
            std::fs::write(&file, &damaged).unwrap();
            let cache = open(folder.path(), VectorCache::DEFAULT_CAP);
            assert_eq!(cache.embed(&model, &["one", "two", "three"]).unwrap(), right);
            cache.save().unwrap();
            let cache = open(folder.path(), VectorCache::DEFAULT_CAP);
            assert_eq!(cache.embed(&model, &["one", "two", "three"]).unwrap(), right);
        }
    }

    #[test]
    fn a_full_cache_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let model = Counting(AtomicUsize::new(0));
        let cap = 3 * (KEY + 4 + StaticModel::DIM + CHECK) as u64;
        for texts in [["a", "b"], ["c", "d"], ["e", "f"]] {
            let cache = open(folder.path(), cap);
            cache.embed(&model, &texts).unwrap();
            let file = cache.path.clone();
            cache.save().unwrap();
            assert!(std::fs::metadata(file).unwrap().len() <= cap);
        }
    }
}
