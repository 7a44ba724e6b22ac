//! A pack in parts that each fit into so many tokens, cut between files.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{FileRef, Format, PackRef};
use crate::PackError;
use crate::tokens::TokenCounter;
use crate::truncate::truncate_to;
use crate::types::{FileContent, FileIndexEntry, FileOutline, FullPack, KeyFile, Part, TruncationConfig};

/// How often a file that fits into no part is cut shorter before it is left with its beginning alone.
const ATTEMPTS: usize = 24;

/// Splits a pack into parts that have at most `max_tokens` each when written in `format`, everything counted. A file that
/// is too large for a part of its own is cut, with the lines and the marker of `truncation`, and marked as truncated.
///
/// The first part names all files if there is room for that, the others only those they hold.
pub fn split(
    pack: &FullPack,
    format: Format,
    max_tokens: usize,
    truncation: &TruncationConfig,
    counter: &TokenCounter,
) -> Result<Vec<FullPack>, PackError> {
    let keys = pack.key_files.iter().cloned().map(Unit::Key);
    let texts = keys.chain(pack.contents.iter().cloned().map(Unit::Content));
    let mut units: VecDeque<Unit> = texts.chain(pack.outlines.iter().cloned().map(Unit::Outline)).collect();
    let splitter = Splitter {
        pack,
        format,
        max_tokens,
        truncation,
        counter,
        index: pack.file_index.iter().map(|entry| (entry.path.as_str(), entry)).collect(),
        // No count of parts has more digits, and so more tokens, than this one.
        most_parts: units.len().max(1),
    };
    let mut parts = Vec::new();
    while !units.is_empty() || parts.is_empty() {
        parts.push(splitter.next(&mut units, parts.len() + 1)?);
    }
    let of = parts.len();
    for part in &mut parts {
        part.metadata.part = part.metadata.part.map(|part| Part { of, ..part });
    }
    Ok(parts)
}

#[derive(Clone)]
enum Unit {
    Key(KeyFile),
    Content(FileContent),
    Outline(FileOutline),
}

impl Unit {
    fn file(&self) -> FileRef<'_> {
        match self {
            Unit::Key(file) => FileRef::Key(file),
            Unit::Content(file) => FileRef::Content(file),
            Unit::Outline(file) => FileRef::Outline(file),
        }
    }

    fn cut(mut self, max: usize, truncation: &TruncationConfig) -> Unit {
        let mut outline_is_cut = false;
        let (content, truncated) = match &mut self {
            Unit::Key(file) => (&mut file.content, &mut file.truncated),
            Unit::Content(file) => (&mut file.content, &mut file.truncated),
            // An outline never claims to be the whole file; that it was cut is told by the marker in it.
            Unit::Outline(file) => (&mut file.outline, &mut outline_is_cut),
        };
        let cut = truncate_to(content, max, truncation);
        *truncated |= cut.truncated;
        *content = cut.text.into_owned();
        self
    }
}

struct Splitter<'a> {
    pack: &'a FullPack,
    format: Format,
    max_tokens: usize,
    truncation: &'a TruncationConfig,
    counter: &'a TokenCounter,
    index: HashMap<&'a str, &'a FileIndexEntry>,
    most_parts: usize,
}

impl Splitter<'_> {
    /// The next part: as many files as fit, at least one.
    fn next(&self, units: &mut VecDeque<Unit>, number: usize) -> Result<FullPack, PackError> {
        let frame = self.count(&self.part(&[], number, false))?;
        if frame > self.max_tokens {
            return Err(PackError::LimitTooSmall { limit: self.max_tokens, least: frame });
        }
        let whole_index = number == 1 && {
            let with_index = self.count(&self.part(&[], number, true))?;
            units.is_empty() && with_index <= self.max_tokens || with_index.saturating_mul(4) <= self.max_tokens
        };
        let mut taken = Vec::new();
        let mut left = self.max_tokens.saturating_sub(self.count(&self.part(&[], number, whole_index))?);
        while let Some(unit) = units.pop_front() {
            let cost = self.cost(&unit, whole_index)?;
            if cost > left && !taken.is_empty() {
                units.push_front(unit);
                break;
            }
            left = left.saturating_sub(cost);
            taken.push(unit);
        }
        loop {
            let part = self.part(&taken, number, whole_index);
            if self.count(&part)? <= self.max_tokens {
                return Ok(part);
            }
            match taken.pop() {
                Some(only) if taken.is_empty() => return self.cut_to_fit(only, number, whole_index),
                Some(last) => units.push_front(last),
                None => return Ok(part),
            }
        }
    }

    /// A part with one file that is too large for it.
    fn cut_to_fit(&self, unit: Unit, number: usize, whole_index: bool) -> Result<FullPack, PackError> {
        let mut max = unit.file().content().len();
        for _ in 0..ATTEMPTS {
            let part = self.part(&[unit.clone().cut(max, self.truncation)], number, whole_index);
            let tokens = self.count(&part)?;
            if tokens <= self.max_tokens {
                return Ok(part);
            }
            // In proportion, and a little less each time: tokens are not spread evenly over a text.
            max = (max as f64 * (self.max_tokens as f64 / tokens as f64) * 0.9) as usize;
        }
        let part = self.part(&[unit.cut(0, self.truncation)], number, false);
        let least = self.count(&part)?;
        if least <= self.max_tokens {
            return Ok(part);
        }
        Err(PackError::LimitTooSmall { limit: self.max_tokens, least })
    }

    fn part(&self, units: &[Unit], number: usize, whole_index: bool) -> FullPack {
        let mut key_files = Vec::new();
        let mut contents = Vec::new();
        let mut outlines = Vec::new();
        for unit in units {
            match unit {
                Unit::Key(file) => key_files.push(file.clone()),
                Unit::Content(file) => contents.push(file.clone()),
                Unit::Outline(file) => outlines.push(file.clone()),
            }
        }
        let files: Vec<FileRef<'_>> = units.iter().map(Unit::file).collect();
        let paths: HashSet<&str> = files.iter().map(FileRef::path).collect();
        let mut metadata = self.pack.metadata.clone();
        metadata.encodings.retain(|note| paths.contains(note.path.as_str()));
        metadata.part = Some(Part { number, of: self.most_parts.max(number) });
        let file_index = if whole_index {
            self.pack.file_index.clone()
        } else {
            let mut own: Vec<FileIndexEntry> =
                paths.iter().filter_map(|path| self.index.get(path)).map(|e| (*e).clone()).collect();
            own.sort_by(|a, b| a.path.cmp(&b.path));
            own
        };
        FullPack { manifest: self.pack.manifest.clone(), file_index, key_files, contents, outlines, metadata }
    }

    fn cost(&self, unit: &Unit, whole_index: bool) -> Result<usize, PackError> {
        let mut cost = self.counter.count(&self.format.file(unit.file())?) + 1;
        if let (false, Some(entry)) = (whole_index, self.index.get(unit.file().path())) {
            cost += self.counter.count(&self.format.index_entry(entry)?) + 1;
        }
        Ok(cost)
    }

    fn count(&self, pack: &FullPack) -> Result<usize, PackError> {
        Ok(self.counter.count(&self.format.text(PackRef::Full(pack))?))
    }
}
