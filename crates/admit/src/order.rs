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

/// All candidates in the order of their paths.
pub(crate) fn by_path(mut blocks: Vec<Block>, linked: Vec<Candidate>) -> Vec<Candidate> {
    blocks.sort_by(|a, b| a.folder.cmp(&b.folder).then_with(|| first(a).cmp(&first(b))));
    let mut ordered =
        Vec::with_capacity(blocks.iter().map(|block| block.candidates.len()).sum::<usize>() + linked.len());
    // The folders above the one in hand, each with its files that are still to come.
    let mut open: Vec<(Vec<u8>, std::iter::Peekable<std::vec::IntoIter<Candidate>>)> = Vec::new();
    for block in blocks {
        while let Some((folder, files)) = open.last_mut() {
            if *folder == block.folder || !block.folder.starts_with(folder) {
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
    ordered.extend(linked);
    // A name with an escape sorts by its text, not by its bytes, and symlinks come from anywhere: rare, and then a few
    // are out of place in long runs, which is what the standard sort is good at.
    if !ordered.is_sorted_by(|a, b| a.path() <= b.path()) {
        ordered.sort_by(|a, b| a.path().cmp(b.path()));
    }
    ordered
}

fn first(block: &Block) -> Option<&str> {
    block.candidates.first().map(|candidate| candidate.path().as_str())
}
