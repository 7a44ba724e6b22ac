//! Changing an index: one new segment for what was added, marks for what was removed, a merge now and then.

use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use crate::fold::{Extractor, Grams};
use crate::merge::{Input, merge};
use crate::reader::SegmentReader;
use crate::segment::SegmentWriter;
use crate::segments::{LIST, Segment, clear_away, next_number, open_all, segment_path, write_list};
use crate::sort::by_gram;
use crate::{Error, Result};

/// Pairs of gram and document held in memory before they are written out as a run: 8 MiB, and as much again while they
/// are sorted.
const PAIRS_IN_MEMORY: usize = 1 << 20;

/// Runs that are merged at once; each has a file open.
const RUNS_AT_ONCE: usize = 64;

/// Segments an index may have; each costs a few reads per query and an open file.
const MOST_SEGMENTS: usize = 8;

/// The most documents, so that every number has a successor.
const MOST_DOCUMENTS: u32 = u32::MAX - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    pub documents: u64,
    pub segments: usize,
    pub bytes: u64,
}

/// A change to an index, in the making. Nothing is seen by readers before [`Update::finish`]; dropped before that, it
/// leaves the index as it was.
///
/// The caller makes sure that no other update of the same folder is under way.
#[derive(Debug)]
pub struct Update {
    folder: PathBuf,
    /// The number of the next segment: one that no file in the folder has, since readers may have those.
    next_number: u32,
    segments: Vec<Segment>,
    /// Whether a list has to be written even if nothing is in it.
    replaces: bool,
    /// Keys whose documents in `segments` are no more.
    gone: HashSet<u64>,
    added: Added,
    extractor: Extractor,
    pairs_in_memory: usize,
}

/// Documents added by an update, numbered from 0 in the order of their coming.
#[derive(Debug, Default)]
struct Added {
    runs: Vec<Run>,
    /// The keys and the pairs of gram and document since the last run; numbers count from there.
    keys: Vec<u64>,
    pairs: Vec<u64>,
    /// Documents in `runs`.
    in_runs: u32,
    places: HashMap<u64, u32>,
    /// Added, and then removed or replaced by this same update.
    deleted: Vec<u32>,
    runs_written: usize,
}

#[derive(Debug)]
struct Run {
    first: u32,
    reader: SegmentReader,
}

impl Update {
    /// A new index in a folder. One that was there, sound or not, is replaced when the update is finished.
    pub fn create(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        Update::new(folder, Vec::new(), true)
    }

    pub fn open(folder: &Path) -> Result<Self> {
        let segments = open_all(folder)?;
        clear_away(folder, &segments)?;
        Update::new(folder, segments, false)
    }

    fn new(folder: &Path, segments: Vec<Segment>, replaces: bool) -> Result<Self> {
        Ok(Update {
            folder: folder.to_owned(),
            next_number: next_number(folder)?,
            segments,
            replaces,
            gone: HashSet::new(),
            added: Added::default(),
            extractor: Extractor::new(),
            pairs_in_memory: PAIRS_IN_MEMORY,
        })
    }

    /// A change to the index in `old` that leaves it alone: what it holds is carried over to `folder`, by hard links
    /// where the file system has them.
    pub fn derive(old: &Path, folder: &Path) -> Result<Self> {
        let mut segments = open_all(old)?;
        fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        for segment in &mut segments {
            let path = segment_path(folder, segment.number);
            link_or_copy(&segment.reader.path, &path)?;
            segment.reader = SegmentReader::open(&path)?;
        }
        write_list(folder, &segments)?;
        Update::open(folder)
    }

    /// Adds a document, in place of any with the same key.
    pub fn add(&mut self, key: u64, text: &str) -> Result<()> {
        let grams = self.extractor.grams(text);
        self.add_grams(key, &grams)
    }

    /// Adds a document whose grams another thread has taken with an [`Extractor`], in place of any with the same key.
    pub fn add_grams(&mut self, key: u64, grams: &Grams) -> Result<()> {
        self.remove(key);
        if self.added.pairs.len() + grams.0.len() > self.pairs_in_memory {
            self.added.write_run(&self.folder)?;
        }
        self.added
            .push(key, grams)
            .ok_or_else(|| Error::TooManyDocuments { path: self.folder.clone(), limit: MOST_DOCUMENTS })
    }

    /// Removes the document with this key, if there is one.
    pub fn remove(&mut self, key: u64) {
        if let Some(doc) = self.added.places.remove(&key) {
            self.added.deleted.push(doc);
        }
        if !self.segments.is_empty() {
            self.gone.insert(key);
        }
    }

    /// Makes the change, all at once, and durable.
    pub fn finish(mut self) -> Result<Summary> {
        self.added.write_run(&self.folder)?;
        self.added.deleted.sort_unstable();
        let mut changed = self.replaces || !self.added.runs.is_empty();
        for segment in &mut self.segments {
            changed |= mark_deleted(segment, &self.gone);
        }
        let merged = self.take_to_merge();
        if changed || !merged.is_empty() {
            self.write_segment(&merged)?;
            write_list(&self.folder, &self.segments)?;
        }
        // The runs' files go with the rest; a reader that still has one open keeps it.
        clear_away(&self.folder, &self.segments)?;
        Ok(Summary {
            documents: self.segments.iter().map(Segment::live).sum(),
            segments: self.segments.len(),
            bytes: self.segments.iter().map(|segment| segment.reader.length).sum(),
        })
    }

    /// Takes those segments out of the list that are to become one with what was added.
    fn take_to_merge(&mut self) -> Vec<Segment> {
        let added = self.added.runs.iter().map(|run| run.reader.length).sum();
        let shapes: Vec<_> = self.segments.iter().map(shape).collect();
        let chosen = choose_to_merge(&shapes, added);
        let (merge, keep) = std::mem::take(&mut self.segments)
            .into_iter()
            .enumerate()
            .partition::<Vec<_>, _>(|(at, _)| chosen.contains(at));
        self.segments = keep.into_iter().map(|(_, segment)| segment).collect();
        merge.into_iter().map(|(_, segment)| segment).collect()
    }

    /// Writes one segment of what was added and of those to be merged with it.
    fn write_segment(&mut self, merged: &[Segment]) -> Result<()> {
        let runs = self.added.runs.iter().map(|run| (&run.reader, self.added.deleted_in(run)));
        let segments = merged.iter().map(|segment| (&segment.reader, segment.deleted.clone()));
        let inputs: Vec<_> = segments.chain(runs).collect();
        let number = self.next_number;
        let path = segment_path(&self.folder, number);
        let (reader, deleted) = match &inputs[..] {
            [] => return Ok(()),
            [(run, deleted)] if merged.is_empty() => {
                fs::rename(&run.path, &path).map_err(Error::io("renaming", &run.path))?;
                (SegmentReader::open(&path)?, deleted.clone())
            }
            many => {
                let inputs: Vec<_> = many.iter().map(|(reader, deleted)| Input { reader, deleted }).collect();
                merge(&inputs, &path)?;
                (SegmentReader::open(&path)?, Vec::new())
            }
        };
        let segment = Segment { number, reader, deleted };
        if segment.live() > 0 {
            make_durable(&path)?;
            self.segments.push(segment);
        }
        Ok(())
    }
}

impl Added {
    fn push(&mut self, key: u64, grams: &Grams) -> Option<()> {
        let doc = u32::try_from(self.keys.len()).ok()?;
        let number = self.in_runs.checked_add(doc).filter(|&number| number < MOST_DOCUMENTS)?;
        self.keys.push(key);
        self.pairs.extend(grams.0.iter().map(|&gram| u64::from(gram) << 32 | u64::from(doc)));
        self.places.insert(key, number);
        Some(())
    }

    /// Writes what is in memory as a segment of its own, to be merged at the end.
    fn write_run(&mut self, folder: &Path) -> Result<()> {
        if self.keys.is_empty() {
            return Ok(());
        }
        by_gram(&mut self.pairs);
        let path = self.next_run(folder);
        let mut writer = SegmentWriter::create(&path)?;
        let mut docs = Vec::new();
        for pairs in self.pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
            docs.clear();
            docs.extend(pairs.iter().map(|&pair| pair as u32));
            writer.push((pairs[0] >> 32) as u32, &docs)?;
        }
        writer.finish(&self.keys)?;
        self.runs.push(Run { first: self.in_runs, reader: SegmentReader::open(&path)? });
        self.in_runs += self.keys.len() as u32;
        self.keys.clear();
        self.pairs.clear();
        if self.runs.len() >= RUNS_AT_ONCE { self.join_runs(folder) } else { Ok(()) }
    }

    fn next_run(&mut self, folder: &Path) -> PathBuf {
        self.runs_written += 1;
        folder.join(format!("{:08}.run", self.runs_written))
    }

    /// Makes one run of all. Nothing is left out, so documents keep their numbers.
    fn join_runs(&mut self, folder: &Path) -> Result<()> {
        let path = self.next_run(folder);
        let inputs: Vec<_> = self.runs.iter().map(|run| Input { reader: &run.reader, deleted: &[] }).collect();
        merge(&inputs, &path)?;
        for run in self.runs.drain(..) {
            fs::remove_file(&run.reader.path).map_err(Error::io("removing", &run.reader.path))?;
        }
        self.runs.push(Run { first: 0, reader: SegmentReader::open(&path)? });
        Ok(())
    }

    /// The deleted documents of a run, by their numbers in it. Needs `deleted` sorted.
    fn deleted_in(&self, run: &Run) -> Vec<u32> {
        let from = self.deleted.partition_point(|&doc| doc < run.first);
        let to = self.deleted.partition_point(|&doc| doc < run.first + run.reader.docs());
        self.deleted[from..to].iter().map(|&doc| doc - run.first).collect()
    }
}

/// Marks the documents with these keys as deleted. Whether there were any.
fn mark_deleted(segment: &mut Segment, gone: &HashSet<u64>) -> bool {
    if gone.is_empty() {
        return false;
    }
    let before = segment.deleted.len();
    let hit = (0..).zip(&segment.reader.keys).filter(|(_, key)| gone.contains(key)).map(|(doc, _)| doc);
    segment.deleted.extend(hit.collect::<Vec<u32>>());
    segment.deleted.sort_unstable();
    segment.deleted.dedup();
    segment.deleted.len() > before
}

/// What a segment weighs (the bytes of its live documents, about), and whether more than half of it is deleted.
fn shape(segment: &Segment) -> (u64, bool) {
    let (docs, live) = (u64::from(segment.reader.docs()).max(1), segment.live());
    let weight = u128::from(segment.reader.length) * u128::from(live) / u128::from(docs);
    (weight as u64, live * 2 < docs)
}

/// Which segments to merge with a new one of the weight `added`.
///
/// Those that are mostly deleted; then, from the lightest up, those at most twice as heavy as all that is merged so far.
/// So a document is written anew about as often as its index doubles, and there are about as many segments as doublings.
fn choose_to_merge(segments: &[(u64, bool)], added: u64) -> Vec<usize> {
    let (mut chosen, mut rest): (Vec<usize>, Vec<usize>) = (0..segments.len()).partition(|&at| segments[at].1);
    rest.sort_by_key(|&at| segments[at].0);
    let mut weight = added + chosen.iter().map(|&at| segments[at].0).sum::<u64>();
    let new = usize::from(weight > 0);
    for (nth, &at) in rest.iter().enumerate() {
        let left = rest.len() - nth;
        if weight == 0 || (segments[at].0 > weight * 2 && left + new <= MOST_SEGMENTS) {
            break;
        }
        weight += segments[at].0;
        chosen.push(at);
    }
    chosen
}

fn make_durable(path: &Path) -> Result<()> {
    let file = OpenOptions::new().write(true).open(path).map_err(Error::io("opening", path))?;
    file.sync_data().map_err(Error::io("writing", path))
}

/// Makes the index in `old` also that of `folder`, by hard links where the file system has them. Nobody may be changing
/// it; afterwards each can be changed without the other.
///
/// The names in `folder` are not made durable.
pub fn share(old: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
    for segment in open_all(old)? {
        let path = &segment.reader.path;
        link_or_copy(path, &folder.join(path.file_name().unwrap_or_default()))?;
    }
    link_or_copy(&old.join(LIST), &folder.join(LIST))
}

fn link_or_copy(from: &Path, to: &Path) -> Result<()> {
    // Left by an update that was killed.
    match fs::remove_file(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io("removing", to)(error)),
        _ => {}
    }
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).map_err(Error::io("copying", from))?;
        make_durable(to)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;
