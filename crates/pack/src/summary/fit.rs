//! What of a summary there is room for: the list of files gives way first, then the risks, then the rest.

use rayon::prelude::*;

use ai_assist_text::TOKENIZER;

use super::{DEFAULT_MAX_BYTES, SummaryPackBuilder};
use crate::format::{Format, PackRef, line};
use crate::full::{excluded_entry, index_entry};
use crate::manifest::slim;
use crate::tokens::TokenCounter;
use crate::types::{FileIndexEntry, SummaryPack};
use crate::{PackError, Snapshot};

/// How much of each part stays.
#[derive(Debug, Clone, Copy)]
struct Diet {
    hotspots: usize,
    /// Exports, imports and the like of each key file and entry point.
    of_each: usize,
    key_files: usize,
    entry_points: usize,
    points: usize,
    paragraphs: usize,
    manifest: usize,
}

const ALL: Diet = Diet {
    hotspots: usize::MAX,
    of_each: 30,
    key_files: usize::MAX,
    entry_points: usize::MAX,
    points: usize::MAX,
    paragraphs: usize::MAX,
    manifest: usize::MAX,
};

/// From the whole to the frame.
const DIETS: &[Diet] = &[
    ALL,
    Diet { hotspots: 10, of_each: 20, ..ALL },
    Diet { hotspots: 5, of_each: 8, entry_points: 30, manifest: 40, ..ALL },
    Diet { hotspots: 3, of_each: 4, key_files: 12, entry_points: 15, manifest: 20, points: 12, ..ALL },
    Diet { hotspots: 2, of_each: 2, key_files: 6, entry_points: 6, manifest: 10, points: 6, ..ALL },
    Diet { hotspots: 0, of_each: 1, key_files: 3, entry_points: 3, manifest: 5, points: 3, paragraphs: 2 },
    Diet { hotspots: 0, of_each: 0, key_files: 0, entry_points: 2, manifest: 3, points: 2, paragraphs: 1 },
    Diet { hotspots: 0, of_each: 0, key_files: 0, entry_points: 0, manifest: 0, points: 1, paragraphs: 1 },
    Diet { hotspots: 0, of_each: 0, key_files: 0, entry_points: 0, manifest: 0, points: 0, paragraphs: 0 },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    bytes: usize,
    tokens: usize,
}

struct Fitter<'f> {
    builder: &'f SummaryPackBuilder<'f>,
    counter: &'f TokenCounter,
    format: Format,
    most: Size,
}

pub(super) fn fit(
    builder: &SummaryPackBuilder<'_>,
    pack: &SummaryPack,
    snapshot: &Snapshot,
    counter: &TokenCounter,
) -> Result<SummaryPack, PackError> {
    let fitter = Fitter {
        builder,
        counter,
        format: builder.room.map_or(Format::Json, |room| room.format),
        most: Size {
            bytes: builder.max_content_bytes.unwrap_or(DEFAULT_MAX_BYTES),
            tokens: builder.room.map_or(usize::MAX, |room| room.max_tokens),
        },
    };
    let total = pack.metadata.total_files_scanned;
    let mut size = Size { bytes: 0, tokens: 0 };
    for diet in DIETS {
        let mut slim = pack.clone();
        diet.apply(&mut slim);
        // As wide as the number can get, so that it can only shrink.
        slim.metadata.file_index_omitted = total;
        fitter.number(&mut slim)?;
        size = fitter.size(&slim)?;
        if fitter.fits(size) {
            return fitter.with_index(slim, size, &index(builder, snapshot));
        }
    }
    if size.bytes > fitter.most.bytes {
        return Err(PackError::BytesTooFew { limit: fitter.most.bytes, least: size.bytes });
    }
    Err(PackError::LimitTooSmall { limit: fitter.most.tokens, least: size.tokens })
}

impl Fitter<'_> {
    fn fits(&self, size: Size) -> bool {
        size.bytes <= self.most.bytes && size.tokens <= self.most.tokens
    }

    fn size(&self, pack: &SummaryPack) -> Result<Size, PackError> {
        let text = self.format.text(PackRef::Summary(pack))?;
        let tokens = if self.builder.room.is_some() { self.counter.count(&text) } else { 0 };
        Ok(Size { bytes: text.len(), tokens })
    }

    /// The numbers of what is said, which are those of its JSON.
    fn number(&self, pack: &mut SummaryPack) -> Result<(), PackError> {
        let keys = pack.key_files_summary.iter().map(line);
        let entries = pack.entrypoints.iter().map(line);
        let all = [line(&pack.repo_summary)].into_iter().chain(keys).chain(entries);
        let said = all.chain(pack.risk_hotspots.iter().map(line)).collect::<Result<Vec<String>, PackError>>()?;
        pack.metadata.total_content_bytes = said.iter().map(|line| line.len() as u64).sum();
        if self.builder.count_tokens || self.builder.room.is_some() {
            pack.metadata.total_content_tokens = Some(self.counter.count_all(&said).into_iter().sum());
            pack.metadata.tokenizer = Some(TOKENIZER.to_owned());
        }
        Ok(())
    }

    /// The pack with as many files listed as there is room for, the most important first, in the order of their paths.
    fn with_index(
        &self,
        mut pack: SummaryPack,
        frame: Size,
        index: &[FileIndexEntry],
    ) -> Result<SummaryPack, PackError> {
        let mut left = Size { bytes: self.most.bytes - frame.bytes, tokens: self.most.tokens - frame.tokens };
        let mut sizes = Vec::new();
        'all: for batch in index.chunks(1024) {
            let of_batch: Vec<Size> =
                batch.par_iter().map(|entry| self.entry(entry)).collect::<Result<_, PackError>>()?;
            for size in of_batch {
                if size.bytes > left.bytes || size.tokens > left.tokens {
                    break 'all;
                }
                left = Size { bytes: left.bytes - size.bytes, tokens: left.tokens - size.tokens };
                sizes.push(size);
            }
        }
        loop {
            let mut entries = index[..sizes.len()].to_vec();
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            pack.file_index = entries;
            pack.metadata.file_index_omitted = pack.metadata.total_files_scanned.saturating_sub(sizes.len());
            let size = self.size(&pack)?;
            if self.fits(size) || sizes.is_empty() {
                return Ok(pack);
            }
            // A piece of text does not end where a token does, or the list's own frame was forgotten.
            let mut over = Size {
                bytes: size.bytes.saturating_sub(self.most.bytes),
                tokens: size.tokens.saturating_sub(self.most.tokens),
            };
            while let (true, Some(size)) = (over.bytes > 0 || over.tokens > 0, sizes.pop()) {
                over.bytes = over.bytes.saturating_sub(size.bytes);
                over.tokens = over.tokens.saturating_sub(size.tokens);
            }
        }
    }

    fn entry(&self, entry: &FileIndexEntry) -> Result<Size, PackError> {
        let text = self.format.index_entry(entry)?;
        let tokens = if self.builder.room.is_some() { self.counter.count(&text) + 1 } else { 0 };
        Ok(Size { bytes: text.len() + 2, tokens })
    }
}

impl Diet {
    fn apply(&self, pack: &mut SummaryPack) {
        pack.risk_hotspots.truncate(self.hotspots);
        pack.key_files_summary.truncate(self.key_files);
        pack.entrypoints.truncate(self.entry_points);
        for key in &mut pack.key_files_summary {
            for list in [&mut key.exports, &mut key.dependencies, &mut key.notable_code] {
                shorten(list, self.of_each);
            }
        }
        for entry in &mut pack.entrypoints {
            entry.routes_or_commands.as_mut().into_iter().for_each(|list| shorten(list, self.of_each));
        }
        for risk in &mut pack.risk_hotspots {
            shorten(&mut risk.indicators, self.of_each.max(1));
        }
        let summary = &mut pack.repo_summary;
        for list in [&mut summary.key_technologies, &mut summary.notable_patterns, &mut summary.potential_concerns] {
            shorten(list, self.points);
        }
        let paragraphs: Vec<&str> = summary.description.split("\n\n").take(self.paragraphs).collect();
        summary.description = paragraphs.join("\n\n");
        pack.metadata.manifest_omitted = slim(&mut pack.manifest, self.manifest);
    }
}

/// Keeps the first, and says how many are gone.
fn shorten(list: &mut Vec<String>, most: usize) {
    if list.len() > most {
        let more = list.len() - most;
        list.truncate(most);
        list.push(format!("... {more} more"));
    }
}

/// Every file: those that can be read by their worth, then the others.
fn index(builder: &SummaryPackBuilder<'_>, snapshot: &Snapshot) -> Vec<FileIndexEntry> {
    let project = &snapshot.project;
    let mut readable: Vec<usize> =
        (0..project.files.len()).filter(|&index| project.files[index].content_extractable).collect();
    readable.sort_by(|&a, &b| {
        let (key_a, key_b) = (project.files[a].is_key_file, project.files[b].is_key_file);
        key_b.cmp(&key_a).then(builder.survey.rank(b).total_cmp(&builder.survey.rank(a))).then(a.cmp(&b))
    });
    let readable = readable.into_iter().map(|index| {
        let entry = index_entry(&project.files[index], None);
        FileIndexEntry { included: false, ..entry }
    });
    readable.chain(project.excluded_files.iter().map(excluded_entry)).collect()
}
