//! Folders made for a test.

use std::fs;
use std::path::Path;

use ai_assist_admit::PackRules;
use ai_assist_base::Cancel;
use ai_assist_identity::Sha256;
use ai_assist_pack::types::FullPack;
use ai_assist_pack::{FullPackBuilder, ScanOptions, Snapshot, TokenCounter, Written, scan, whole_tree};

pub(crate) fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, content).unwrap();
}

pub(crate) fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

pub(crate) fn scanned_with(root: &Path, options: &ScanOptions) -> Snapshot {
    scan(&whole_tree(root, PackRules::default()).unwrap(), options, &Cancel::default(), &|_| {}).unwrap()
}

pub(crate) fn scanned(root: &Path) -> Snapshot {
    scanned_with(root, &ScanOptions::default())
}

pub(crate) fn packed(snapshot: &Snapshot, builder: &FullPackBuilder<'_>) -> FullPack {
    builder.build(snapshot, &TokenCounter::new()).unwrap()
}

/// Every file in the pack with its text, sorted by path.
pub(crate) fn texts(pack: &FullPack) -> Vec<(&str, &str)> {
    let keys = pack.key_files.iter().map(|file| (&*file.path, &*file.content));
    let mut all: Vec<_> = keys.chain(pack.contents.iter().map(|file| (&*file.path, &*file.content))).collect();
    all.sort_unstable();
    all
}

pub(crate) fn written(bytes: &[u8]) -> Written {
    Written { hash: Sha256::of(bytes), bytes: bytes.len() as u64, tokens: None }
}
