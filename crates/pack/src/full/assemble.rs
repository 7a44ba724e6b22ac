//! Putting a pack together from the pieces that fit, and checking that every file is accounted for.

use std::collections::{BTreeMap, HashMap, HashSet};

use ai_assist_text::TOKENIZER;

use super::{FullPackBuilder, Piece};
use crate::categories::{category_of_excluded, type_by_name};
use crate::key_files::KeyPick;
use crate::manifest::slim;
use crate::tokens::TokenCounter;
use crate::types::{
    Detail, ExcludedFile, ExclusionReason, FileContent, FileIndexEntry, FileMetadata, FileOutline, FullPack, KeyFile,
    PackMetadata, PackType,
};
use crate::{PackError, Snapshot};

/// What goes in, and what does not though it could be read.
#[derive(Default)]
pub(super) struct Plan {
    /// In the order in which they got room.
    pub(super) pieces: Vec<Piece>,
    /// Of files that did not fit, in the order in which they got room.
    pub(super) outlines: Vec<Sketch>,
    /// Files whose text did not fit, those with an outline included.
    pub(super) left_out: Vec<usize>,
    /// Files that were others when they were read again.
    pub(super) changed: Vec<(usize, ExclusionReason)>,
    /// Files that the list names though nothing else of them is sent, where it does not name all.
    pub(super) listed: Vec<usize>,
    /// How many entries each list of the manifest has at most; all if it is not said.
    pub(super) manifest_entries: Option<usize>,
}

/// A file's outline as it will be sent.
pub(super) struct Sketch {
    pub(super) index: usize,
    pub(super) language: String,
    pub(super) outline: String,
}

impl Plan {
    /// The same with all pieces left out.
    pub(super) fn bare(&self) -> Plan {
        let left_out = self.left_out.iter().copied().chain(self.pieces.iter().map(|piece| piece.index)).collect();
        let manifest_entries = self.manifest_entries;
        Plan { left_out, changed: self.changed.clone(), manifest_entries, ..Plan::default() }
    }

    /// The bytes of everything that goes in.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.pieces.iter().map(|piece| piece.text.len());
        texts.chain(self.outlines.iter().map(|sketch| sketch.outline.len())).sum()
    }

    fn detail(&self) -> Detail {
        match (self.left_out.is_empty(), self.pieces.is_empty(), self.outlines.is_empty()) {
            (true, ..) => Detail::Everything,
            (_, false, _) => Detail::SomeContents,
            (_, true, false) => Detail::Outlines,
            (_, true, true) => Detail::IndexOnly,
        }
    }

    /// Takes the texts back out of a pack that was made of this plan.
    pub(super) fn restore(&mut self, pack: FullPack, snapshot: &Snapshot) {
        let keys = pack.key_files.into_iter().map(|file| (file.path, file.content));
        let texts = keys.chain(pack.contents.into_iter().map(|file| (file.path, file.content)));
        let mut texts: HashMap<String, String> =
            texts.chain(pack.outlines.into_iter().map(|file| (file.path, file.outline))).collect();
        let files = &snapshot.project.files;
        let mut text_of = |index: usize| texts.remove(&files[index].relative_path).unwrap_or_default();
        self.pieces.iter_mut().for_each(|piece| piece.text = text_of(piece.index));
        self.outlines.iter_mut().for_each(|sketch| sketch.outline = text_of(sketch.index));
    }
}

/// Which files the list of files names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    All,
    Sent,
}

impl FullPackBuilder<'_> {
    /// The pack of a plan. The texts are moved into it: see [`Plan::restore`].
    pub(super) fn assemble(
        &self,
        snapshot: &Snapshot,
        plan: &mut Plan,
        listing: Listing,
        counter: &TokenCounter,
    ) -> Result<FullPack, PackError> {
        let files = &snapshot.project.files;
        let file_index = file_index(snapshot, plan, listing);
        let mut metadata = self.metadata(snapshot, plan)?;
        metadata.file_index_omitted = metadata.total_files_scanned.saturating_sub(file_index.len());
        if self.count_tokens || self.room.is_some() {
            let texts = plan.pieces.iter().map(|piece| piece.text.as_str());
            let texts: Vec<&str> = texts.chain(plan.outlines.iter().map(|sketch| sketch.outline.as_str())).collect();
            metadata.total_content_tokens = Some(counter.count_all(&texts).into_iter().sum());
            metadata.tokenizer = Some(TOKENIZER.to_owned());
        }
        let mut key_files = Vec::new();
        let mut contents = Vec::new();
        for piece in &mut plan.pieces {
            match piece.key {
                Some(pick) => key_files.push(key_file(&files[piece.index], pick, piece)),
                None => contents.push(content(&files[piece.index], piece)),
            }
        }
        contents.sort_by(|a, b| a.path.cmp(&b.path));
        let mut outlines: Vec<FileOutline> =
            plan.outlines.iter_mut().map(|sketch| file_outline(&files[sketch.index], sketch)).collect();
        outlines.sort_by(|a, b| a.path.cmp(&b.path));
        let mut manifest = self.manifest.fill(snapshot);
        metadata.manifest_omitted = plan.manifest_entries.map_or(0, |most| slim(&mut manifest, most));
        Ok(FullPack { manifest, file_index, key_files, contents, outlines, metadata })
    }

    fn metadata(&self, snapshot: &Snapshot, plan: &Plan) -> Result<PackMetadata, PackError> {
        let project = &snapshot.project;
        let mut exclusions_by_reason = snapshot.exclusions_by_reason.clone();
        let left_out = plan.left_out.iter().map(|_| ExclusionReason::SizeLimit);
        for reason in left_out.chain(plan.changed.iter().map(|(_, reason)| *reason)) {
            *exclusions_by_reason.entry(reason).or_default() += 1;
        }
        let (included, excluded) = (plan.pieces.len(), exclusions_by_reason.values().sum::<usize>());
        if included + excluded != project.total_files {
            let scanned = project.total_files;
            let message = format!("{scanned} files were seen, {included} are in the pack and {excluded} are not");
            return Err(PackError::NotConserved { message });
        }
        let mut sent: Vec<usize> = plan.pieces.iter().map(|piece| piece.index).collect();
        sent.sort_unstable();
        let truncated_files = plan.pieces.iter().filter(|piece| piece.truncated).count();
        Ok(PackMetadata {
            pack_type: PackType::Full,
            files_included: included,
            files_excluded: excluded,
            total_content_bytes: plan.bytes() as u64,
            truncation_applied: truncated_files > 0,
            selection_reason: self.selection_reason.clone(),
            truncated_files,
            exclusions_by_reason,
            files_left_out_for_size: plan.left_out.len(),
            files_outlined: plan.outlines.len(),
            detail: Some(plan.detail()),
            encodings: sent.iter().filter_map(|&index| snapshot.encoding_note(index)).collect(),
            ..scanned(snapshot, self.reproducible, sent.iter().copied())
        })
    }
}

/// What is said of a scan, whatever is made of it, with what was taken out of some files. Where nothing may tell one machine
/// from another, the time is left out and of the folder only its name is said.
pub(crate) fn scanned(snapshot: &Snapshot, reproducible: bool, files: impl Iterator<Item = usize>) -> PackMetadata {
    let project = &snapshot.project;
    let mut redactions: BTreeMap<String, usize> = BTreeMap::new();
    for redaction in files.flat_map(|index| snapshot.redactions(index)) {
        *redactions.entry(redaction.rule.to_owned()).or_default() += redaction.count;
    }
    PackMetadata {
        created_at: (!reproducible).then(|| project.scan_timestamp.clone()),
        source_root: if reproducible { &project.directory_tree.name } else { &project.root_path }.clone(),
        total_files_scanned: project.total_files,
        redactions,
        ..PackMetadata::default()
    }
}

fn file_index(snapshot: &Snapshot, plan: &Plan, listing: Listing) -> Vec<FileIndexEntry> {
    let project = &snapshot.project;
    let sent: HashSet<usize> = plan.pieces.iter().map(|piece| piece.index).collect();
    if listing == Listing::Sent {
        let others = plan.outlines.iter().map(|sketch| sketch.index).chain(plan.listed.iter().copied());
        let mut named: Vec<usize> = sent.iter().copied().chain(others).collect();
        named.sort_unstable();
        let size = Some(ExclusionReason::SizeLimit);
        let entry = |index| index_entry(&project.files[index], if sent.contains(&index) { None } else { size });
        return named.into_iter().map(entry).collect();
    }
    let changed: HashMap<usize, ExclusionReason> = plan.changed.iter().copied().collect();
    let readable =
        project.files.iter().enumerate().filter(|(_, file)| file.content_extractable).map(|(index, file)| {
            let size = Some(ExclusionReason::SizeLimit);
            let reason = if sent.contains(&index) { None } else { changed.get(&index).copied().or(size) };
            index_entry(file, reason)
        });
    let mut index: Vec<FileIndexEntry> = readable.chain(project.excluded_files.iter().map(excluded_entry)).collect();
    index.sort_by(|a, b| a.path.cmp(&b.path));
    index
}

pub(crate) fn index_entry(file: &FileMetadata, exclusion_reason: Option<ExclusionReason>) -> FileIndexEntry {
    FileIndexEntry {
        path: file.relative_path.clone(),
        file_type: file.file_type,
        category: file.category,
        size_bytes: file.size_bytes,
        included: exclusion_reason.is_none(),
        exclusion_reason,
        files: None,
    }
}

pub(crate) fn excluded_entry(file: &ExcludedFile) -> FileIndexEntry {
    FileIndexEntry {
        path: file.path.clone(),
        file_type: type_by_name(&file.path),
        category: category_of_excluded(&file.path, file.reason),
        size_bytes: file.size_bytes,
        included: false,
        exclusion_reason: Some(file.reason),
        files: None,
    }
}

pub(super) fn key_file(file: &FileMetadata, pick: KeyPick, piece: &mut Piece) -> KeyFile {
    KeyFile {
        path: file.relative_path.clone(),
        category: pick.category,
        importance: pick.importance,
        content: std::mem::take(&mut piece.text),
        truncated: piece.truncated,
        executable: file.executable,
    }
}

pub(super) fn content(file: &FileMetadata, piece: &mut Piece) -> FileContent {
    FileContent {
        path: file.relative_path.clone(),
        content: std::mem::take(&mut piece.text),
        truncated: piece.truncated,
        executable: file.executable,
        original_size_bytes: file.size_bytes,
    }
}

pub(super) fn file_outline(file: &FileMetadata, sketch: &mut Sketch) -> FileOutline {
    FileOutline {
        path: file.relative_path.clone(),
        language: sketch.language.clone(),
        outline: std::mem::take(&mut sketch.outline),
        original_size_bytes: file.size_bytes,
    }
}
