//! Whether what a pack says of itself is so. A pack may come from anywhere; what it says is looked at, never trusted.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_identity::DocPath;

use crate::types::{ContextPack, FullPack, PackType};

/// More findings of one kind than this are counted, not listed.
const LISTED: usize = 20;

/// What is wrong with a pack, in full sentences; nothing if all that it says of itself is so.
pub fn check(pack: &ContextPack) -> Vec<String> {
    let mut findings = Vec::new();
    let metadata = pack.metadata();
    let said = match pack {
        ContextPack::Full(_) => PackType::Full,
        ContextPack::Summary(_) => PackType::Summary,
    };
    if metadata.pack_type != said {
        findings.push("It says that it is of another kind than it is.".to_owned());
    }
    if metadata.files_included + metadata.files_excluded != metadata.total_files_scanned {
        findings.push(format!(
            "It says that {} files were seen, of which {} are in it and {} are not.",
            metadata.total_files_scanned, metadata.files_included, metadata.files_excluded
        ));
    }
    let excluded: usize = metadata.exclusions_by_reason.values().sum();
    if !metadata.exclusions_by_reason.is_empty() && excluded != metadata.files_excluded {
        findings.push(format!(
            "It gives reasons for {excluded} files that are not in it, but says that there are {}.",
            metadata.files_excluded
        ));
    }
    let listed: usize = pack.file_index().iter().map(|entry| entry.files.unwrap_or(1)).sum();
    if listed + metadata.file_index_omitted > metadata.total_files_scanned {
        findings.push(format!(
            "Its list stands for {listed} files and leaves out {}, but says that {} were seen.",
            metadata.file_index_omitted, metadata.total_files_scanned
        ));
    }
    check_paths(pack, &mut findings);
    if let ContextPack::Full(pack) = pack {
        check_texts(pack, &mut findings);
    }
    findings
}

/// One sentence for each, up to a number.
fn each(findings: &mut Vec<String>, mut sentences: impl Iterator<Item = String>) {
    findings.extend(sentences.by_ref().take(LISTED));
    let more = sentences.count();
    if more > 0 {
        findings.push(format!("And {more} more of this kind."));
    }
}

fn check_paths(pack: &ContextPack, findings: &mut Vec<String>) {
    let mut known = BTreeSet::new();
    let mut repeated = Vec::new();
    for entry in pack.file_index() {
        if !known.insert(entry.path.as_str()) {
            repeated.push(format!("Its list of files names {:?} more than once.", entry.path));
        }
    }
    each(findings, repeated.into_iter());
    let texts = match pack {
        ContextPack::Full(pack) => sent(pack).into_keys().collect(),
        ContextPack::Summary(_) => Vec::new(),
    };
    let every: BTreeSet<&str> = known.into_iter().chain(texts).collect();
    let unfit = every.into_iter().filter(|path| DocPath::parse(path).is_err());
    each(findings, unfit.map(|path| format!("{path:?} is no path inside a project.")));
}

/// How often each file's text is there, and how long it is.
fn sent(pack: &FullPack) -> BTreeMap<&str, (usize, usize)> {
    let keys = pack.key_files.iter().map(|file| (file.path.as_str(), file.content.len()));
    let contents = pack.contents.iter().map(|file| (file.path.as_str(), file.content.len()));
    let mut sent = BTreeMap::new();
    for (path, bytes) in keys.chain(contents) {
        let entry = sent.entry(path).or_insert((0, 0));
        *entry = (entry.0 + 1, entry.1 + bytes);
    }
    sent
}

fn check_texts(pack: &FullPack, findings: &mut Vec<String>) {
    let sent = sent(pack);
    let twice = sent.iter().filter(|(_, (times, _))| *times > 1);
    each(findings, twice.map(|(path, (times, _))| format!("The text of {path:?} is in it {times} times.")));
    let listed: BTreeMap<&str, bool> = pack.file_index.iter().map(|e| (e.path.as_str(), e.included)).collect();
    let unlisted = sent.keys().filter(|path| listed.get(**path).is_none_or(|included| !included));
    let unlisted =
        unlisted.map(|path| format!("The text of {path:?} is in it, but its list of files does not say so."));
    each(findings, unlisted);
    if pack.metadata.part.is_some() {
        // The numbers of a part are those of the whole.
        return;
    }
    let missing = listed.iter().filter(|(path, included)| **included && !sent.contains_key(**path));
    let missing = missing.map(|(path, _)| format!("Its list of files says that {path:?} is in it, and it is not."));
    each(findings, missing);
    if sent.len() != pack.metadata.files_included {
        findings.push(format!("It says that it has {} files, and has {}.", pack.metadata.files_included, sent.len()));
    }
    let outlines: usize = pack.outlines.iter().map(|file| file.outline.len()).sum();
    let bytes = sent.values().map(|(_, bytes)| *bytes).sum::<usize>() + outlines;
    if bytes as u64 != pack.metadata.total_content_bytes {
        findings
            .push(format!("It says that it has {} bytes of text, and has {bytes}.", pack.metadata.total_content_bytes));
    }
}
