//! Putting what the threads found into the order of paths.
//!
//! Sorting all paths at once compares long common beginnings over and over. Here each folder's files come sorted by name, and
//! the folders are woven together: one comparison a file.

use crate::Candidate;

/// The files of one folder, or of a part of a large one, sorted by name.
#[derive(Debug)]
pub(crate) struct Block {
    /// The folder's path with a slash at the end, empty for the root.
    pub(crate) folder: Vec<u8>,
    /// At least one.
    pub(crate) candidates: Vec<Candidate>,
}

pub(crate) fn by_path(blocks: Vec<Block>, linked: Vec<Candidate>) -> Vec<Candidate> {
    let mut ordered = weave(blocks);
    ordered.extend(linked);
    // A name with an escape sorts by its text, not by its bytes, and symlinks come from anywhere: rare, and then a few
    // are out of place in long runs, which is what the standard sort is good at.
    if !ordered.is_sorted_by(|a, b| a.path() <= b.path()) {
        ordered.sort_by(|a, b| a.path().cmp(b.path()));
    }
    ordered
}

fn weave(mut blocks: Vec<Block>) -> Vec<Candidate> {
    blocks.sort_by(|a, b| a.folder.cmp(&b.folder).then_with(|| first(a).cmp(&first(b))));
    // The parts of a large folder are one again.
    blocks.dedup_by(|part, whole| {
        let same = part.folder == whole.folder;
        if same {
            whole.candidates.append(&mut part.candidates);
        }
        same
    });
    let mut ordered = Vec::with_capacity(blocks.iter().map(|block| block.candidates.len()).sum());
    // The folders above the one in hand, each with its files that are still to come.
    let mut open: Vec<(Vec<u8>, std::iter::Peekable<std::vec::IntoIter<Candidate>>)> = Vec::new();
    for block in blocks {
        while let Some((folder, files)) = open.last_mut() {
            if !block.folder.starts_with(folder) {
                ordered.extend(files);
                open.pop();
                continue;
            }
            while let Some(file) = files.next_if(|file| file.path().as_str().as_bytes() < block.folder.as_slice()) {
                ordered.push(file);
            }
            break;
        }
        open.push((block.folder, block.candidates.into_iter().peekable()));
    }
    for (_, files) in open.into_iter().rev() {
        ordered.extend(files);
    }
    ordered
}

fn first(block: &Block) -> Option<&str> {
    block.candidates.first().map(|candidate| candidate.path().as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};
    use std::sync::Arc;

    use ai_assist_identity::DocPath;
    use proptest::prelude::*;

    use super::*;
    use crate::FileStamp;
    use crate::root::Root;
    use crate::worth::Terms;

    /// Weaving must give the order a plain sort gives, for names around the slash in particular, and with large folders
    /// cut in pieces.
    #[test]
    fn weaving_gives_the_order_of_the_paths() {
        let part = "[a.0\\-]{1,2}".prop_filter("not a name", |s| s != "." && s != "..");
        let path = proptest::collection::vec(part, 1..4).prop_map(|parts| parts.join("/") + "_");
        let paths = proptest::collection::btree_set(path, 0..40);
        let root = tempfile::tempdir().unwrap();
        let root = Arc::new(Root::open(root.path()).unwrap());
        let stamp = FileStamp { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
        let law = |paths: BTreeSet<String>| {
            let mut folders = HashMap::<&str, Vec<Candidate>>::new();
            for path in &paths {
                let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
                let name = DocPath::parse(path).unwrap();
                folders.entry(folder).or_default().push(Candidate::new(
                    root.clone(),
                    name,
                    None,
                    stamp,
                    Terms::default(),
                ));
            }
            let pieces = folders.iter().flat_map(|(folder, files)| files.chunks(3).map(move |piece| (folder, piece)));
            let blocks = pieces.map(|(folder, piece)| Block { folder: (*folder).into(), candidates: piece.to_vec() });
            let ordered = weave(blocks.collect());
            let ordered: Vec<&str> = ordered.iter().map(|c| c.path().as_str()).collect();
            prop_assert_eq!(ordered, paths.iter().map(String::as_str).collect::<Vec<_>>());
            Ok(())
        };
        proptest::test_runner::TestRunner::default().run(&paths, law).unwrap();
    }
}
