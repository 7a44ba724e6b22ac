//! What of a summary there is room for: the list of files gives way first, then the risks, then the rest.

use rayon::prelude::*;

use ai_assist_text::TOKENIZER;

use super::listing::Listing;
use super::{DEFAULT_MAX_BYTES, SummaryPackBuilder};
use crate::format::{Format, PackRef, line};
use crate::full::{by_use, excluded_entry, index_entry};
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    bytes: usize,
    tokens: usize,
}

impl Size {
    pub(super) fn plus(self, other: Size) -> Size {
        let tokens = self.tokens.saturating_add(other.tokens);
        Size { bytes: self.bytes.saturating_add(other.bytes), tokens }
    }

    /// What is left of each; nothing where the other has more.
    pub(super) fn minus(self, other: Size) -> Size {
        let tokens = self.tokens.saturating_sub(other.tokens);
        Size { bytes: self.bytes.saturating_sub(other.bytes), tokens }
    }

    pub(super) fn checked_sub(self, other: Size) -> Option<Size> {
        (other.bytes <= self.bytes && other.tokens <= self.tokens).then(|| self.minus(other))
    }

    pub(super) fn part(self, parts: usize) -> Size {
        Size { bytes: self.bytes / parts, tokens: self.tokens / parts }
    }
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
    let index = index(builder, snapshot);
    let sizes: Vec<Size> = index.par_iter().map(|entry| fitter.entry(entry)).collect::<Result<_, PackError>>()?;
    let whole = sizes.into_iter().fold(Size::default(), Size::plus);
    let quarter = fitter.most.part(4);
    let for_index = if quarter.checked_sub(whole).is_some() { whole } else { quarter };
    let mut size = Size::default();
    for (at, diet) in DIETS.iter().enumerate() {
        let mut slim = pack.clone();
        diet.apply(&mut slim);
        // As wide as the number can get, so that it can only shrink.
        slim.metadata.file_index_omitted = total;
        fitter.number(&mut slim)?;
        size = fitter.size(&slim)?;
        // Where the statements would take nearly everything, some make room for the list of files.
        let least = if at + 1 < DIETS.len() { size.plus(for_index) } else { size };
        if fitter.fits(least) {
            return fitter.with_index(slim, size, &index, whole);
        }
    }
    if size.bytes > fitter.most.bytes {
        return Err(PackError::BytesTooFew { limit: fitter.most.bytes, least: size.bytes });
    }
    Err(PackError::LimitTooSmall { limit: fitter.most.tokens, least: size.tokens })
}

impl Fitter<'_> {
    fn fits(&self, size: Size) -> bool {
        self.most.checked_sub(size).is_some()
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

    /// The pack with all files listed or, where there is no room for that, with folders for most of them.
    fn with_index(
        &self,
        mut pack: SummaryPack,
        frame: Size,
        index: &[FileIndexEntry],
        whole: Size,
    ) -> Result<SummaryPack, PackError> {
        let listing = Listing::new(index);
        let mut room = self.most.minus(frame);
        loop {
            pack.file_index = match room.checked_sub(whole) {
                Some(_) => sorted(index.to_vec()),
                None => listing.within(room, &|entry| self.entry(entry))?,
            };
            let listed: usize = pack.file_index.iter().map(|entry| entry.files.unwrap_or(1)).sum();
            pack.metadata.file_index_omitted = pack.metadata.total_files_scanned.saturating_sub(listed);
            let size = self.size(&pack)?;
            if self.fits(size) || pack.file_index.is_empty() {
                return Ok(pack);
            }
            // A piece of text does not end where a token does, or the list's own frame was forgotten.
            room = room.minus(size.minus(self.most)).minus(Size { bytes: 1, tokens: 1 });
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

/// Every file: those that can be read by their use, then the others.
fn index(builder: &SummaryPackBuilder<'_>, snapshot: &Snapshot) -> Vec<FileIndexEntry> {
    let project = &snapshot.project;
    let readable = by_use(snapshot, builder.survey).into_iter().map(|index| {
        let entry = index_entry(&project.files[index], None);
        FileIndexEntry { included: false, ..entry }
    });
    readable.chain(project.excluded_files.iter().map(excluded_entry)).collect()
}

fn sorted(mut entries: Vec<FileIndexEntry>) -> Vec<FileIndexEntry> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    entries
}
