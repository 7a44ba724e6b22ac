//! The list of files where there is no room for all names: folders with the number of their files, and the names that matter
//! most.
//!
//! Folders come first, from the top, the fullest opened next; a third of the room is kept for names. A folder stands for what
//! is below it and not listed by itself, so that every file is counted once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use super::fit::Size;
use crate::PackError;
use crate::categories::is_side_file;
use crate::types::{FileCategory, FileIndexEntry, FileType};

/// What a file adds to the weight of its folders: what can be read says more than tests and scripts, and these more than
/// what is left out.
const OF_SOURCE: u64 = 20;
const OF_SIDE_FILE: u64 = 4;
const OF_EXCLUDED: u64 = 1;

/// One in so many parts of the room is kept for names.
const FOR_NAMES: usize = 3;

#[derive(Default)]
struct Folder {
    parent: Option<usize>,
    path: String,
    folders: Vec<usize>,
    /// Places of the files directly in it.
    files: Vec<usize>,
    /// Places of all files in it and below.
    below: Vec<usize>,
    weight: u64,
}

pub(super) struct Listing<'a> {
    entries: &'a [FileIndexEntry],
    /// The first is the root.
    folders: Vec<Folder>,
}

impl<'a> Listing<'a> {
    /// `entries` are all files, those that matter most first.
    pub(super) fn new(entries: &'a [FileIndexEntry]) -> Self {
        let mut listing = Listing { entries, folders: vec![Folder::default()] };
        let mut known = HashMap::new();
        for (place, entry) in entries.iter().enumerate() {
            let weight = match entry.exclusion_reason {
                Some(_) => OF_EXCLUDED,
                None if is_side_file(&entry.path) => OF_SIDE_FILE,
                None => OF_SOURCE,
            };
            let mut at = 0;
            listing.folders[0].weight += weight;
            for (end, _) in entry.path.match_indices('/') {
                at = *known.entry(&entry.path[..end]).or_insert_with(|| {
                    let (parent, path, new) = (Some(at), entry.path[..end].to_owned(), listing.folders.len());
                    listing.folders.push(Folder { parent, path, ..Folder::default() });
                    listing.folders[at].folders.push(new);
                    new
                });
                listing.folders[at].weight += weight;
                listing.folders[at].below.push(place);
            }
            listing.folders[at].files.push(place);
        }
        listing
    }

    /// As much as fits into `room`, sorted by path; `cost` says what an entry takes.
    pub(super) fn within(
        &self,
        room: Size,
        cost: &dyn Fn(&FileIndexEntry) -> Result<Size, PackError>,
    ) -> Result<Vec<FileIndexEntry>, PackError> {
        let mut left = room;
        let mut listed = vec![false; self.folders.len()];
        listed[0] = true;
        let mut open = BinaryHeap::from([(self.folders[0].weight, Reverse(0))]);
        while let Some((_, Reverse(at))) = open.pop() {
            let inner = &self.folders[at].folders;
            let price = inner.iter().try_fold(Size::default(), |sum, &folder| {
                Ok::<_, PackError>(sum.plus(cost(&self.folder_entry(folder, &self.folders[folder].below))?))
            })?;
            // Below the root every folder is worth a line; what is deeper leaves a part to names.
            let kept = if at == 0 { Size::default() } else { room.part(FOR_NAMES) };
            if left.checked_sub(price.plus(kept)).is_some() {
                left = left.minus(price);
                for &folder in inner {
                    listed[folder] = true;
                    open.push((self.folders[folder].weight, Reverse(folder)));
                }
            }
        }
        let is_folder: HashSet<&str> = self.folders.iter().map(|folder| folder.path.as_str()).collect();
        let mut named = vec![false; self.entries.len()];
        // What lies in the root has no folder to stand for it.
        let (in_root, others): (Vec<usize>, Vec<usize>) =
            (0..self.entries.len()).partition(|&place| !self.entries[place].path.contains('/'));
        for place in in_root.into_iter().chain(others) {
            let entry = &self.entries[place];
            // A folder that was not entered, but for a file in it that was asked for: it counts where that file does.
            if is_folder.contains(entry.path.as_str()) {
                continue;
            }
            match left.checked_sub(cost(entry)?) {
                Some(rest) => (left, named[place]) = (rest, true),
                None => break,
            }
        }
        Ok(self.chosen(&listed, &named))
    }

    fn chosen(&self, listed: &[bool], named: &[bool]) -> Vec<FileIndexEntry> {
        let mut unnamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, folder) in self.folders.iter().enumerate() {
            let files = folder.files.iter().copied().filter(|&place| !named[place]);
            let mut outer = at;
            while let (false, Some(parent)) = (listed[outer], self.folders[outer].parent) {
                outer = parent;
            }
            unnamed.entry(outer).or_default().extend(files);
        }
        // What lies in the root and has no name here is left to the number of what is omitted.
        unnamed.remove(&0);
        let of_folders = unnamed.iter().filter(|(_, files)| !files.is_empty());
        let of_folders = of_folders.map(|(&at, files)| self.folder_entry(at, files));
        let of_files = self.entries.iter().zip(named).filter(|(_, named)| **named).map(|(entry, _)| entry.clone());
        let mut all: Vec<FileIndexEntry> = of_folders.chain(of_files).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// A folder that stands for some files.
    fn folder_entry(&self, at: usize, files: &[usize]) -> FileIndexEntry {
        let mut categories: BTreeMap<FileCategory, usize> = BTreeMap::new();
        for &place in files {
            *categories.entry(self.entries[place].category).or_default() += 1;
        }
        let most = categories.into_iter().max_by_key(|&(category, count)| (count, Reverse(category)));
        FileIndexEntry {
            path: self.folders[at].path.clone(),
            file_type: FileType::Unknown,
            category: most.map_or(FileCategory::Documentation, |(category, _)| category),
            size_bytes: files.iter().map(|&place| self.entries[place].size_bytes).sum(),
            included: false,
            exclusion_reason: None,
            files: Some(files.len()),
        }
    }
}
