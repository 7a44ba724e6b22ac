//! What is in each folder, summed up.

use std::collections::HashMap;

use super::{PageFile, PageState};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder<'a> {
    /// The place of the folder it is in; the root is in itself.
    pub(super) parent: usize,
    pub(super) name: &'a str,
    pub(super) tokens: [usize; 5],
    /// The bytes of the files that stay out.
    pub(super) left_out: u64,
    pub(super) files: usize,
}

impl<'a> Folder<'a> {
    fn new(parent: usize, name: &'a str) -> Folder<'a> {
        Folder { parent, name, tokens: [0; 5], left_out: 0, files: 0 }
    }

    pub(super) fn sent_tokens(&self) -> usize {
        self.tokens.iter().sum()
    }
}

/// The folders, the root first and each after the one it is in, and the place of each file's folder.
pub(super) fn folders_of(files: &[PageFile]) -> (Vec<Folder<'_>>, Vec<usize>) {
    let mut folders = vec![Folder::new(0, "")];
    let mut known: HashMap<(usize, &str), usize> = HashMap::new();
    let mut places = Vec::with_capacity(files.len());
    for file in files {
        let mut place = 0;
        for name in file.path.rsplit_once('/').map_or("", |(folder, _)| folder).split('/').filter(|n| !n.is_empty()) {
            place = *known.entry((place, name)).or_insert_with(|| {
                folders.push(Folder::new(place, name));
                folders.len() - 1
            });
        }
        let folder = &mut folders[place];
        folder.tokens[file.state as usize] += file.tokens;
        folder.files += 1;
        if file.state == PageState::Excluded {
            folder.left_out = folder.left_out.saturating_add(file.bytes);
        }
        places.push(place);
    }
    for at in (1..folders.len()).rev() {
        let Folder { parent, tokens, left_out, files, .. } = folders[at];
        let above = &mut folders[parent];
        above.tokens.iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
        above.left_out = above.left_out.saturating_add(left_out);
        above.files += files;
    }
    (folders, places)
}
