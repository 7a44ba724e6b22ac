//! The names in one folder, read in as few system calls and allocations as there can be.

use ai_assist_base::platform::{self, Errno, FileType, Handle};

/// The entries of a folder, names in one arena. Reused from folder to folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    arena: Vec<u8>,
    entries: Vec<(u32, u32, FileType)>,
    buffer: Vec<u8>,
}

impl Listing {
    /// Replaces the listing by that of an open folder.
    pub(crate) fn read(&mut self, folder: &Handle) -> Result<(), Errno> {
        self.clear();
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = platform::list(folder, &mut buffer, &mut |name, kind| self.push(name, kind));
        self.buffer = buffer;
        result
    }

    fn clear(&mut self) {
        self.arena.clear();
        self.entries.clear();
    }

    fn push(&mut self, name: &[u8], kind: FileType) {
        if name == b"." || name == b".." {
            return;
        }
        // A folder whose names add up to more than 4 GiB does not exist; if it did, its tail would be left out.
        let (Ok(start), Ok(length)) = (u32::try_from(self.arena.len()), u32::try_from(name.len())) else { return };
        self.arena.extend_from_slice(name);
        self.entries.push((start, length, kind));
    }

    /// The entries in the order the file system gave them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], FileType)> {
        self.entries
            .iter()
            .map(|&(start, length, kind)| (&self.arena[start as usize..start as usize + length as usize], kind))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readers_list_the_same() {
        let folder = tempfile::tempdir().unwrap();
        for i in 0..3000 {
            std::fs::write(folder.path().join(format!("a file with a longish name, number {i}")), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let open = || platform::open_folder(folder.path()).unwrap();
        let sorted = |listing: &Listing| {
            let mut names: Vec<_> = listing.iter().map(|(name, kind)| (name.to_vec(), kind.is_dir())).collect();
            names.sort();
            names
        };
        let (mut fast, mut portable) = (Listing::default(), Listing::default());
        fast.read(&open()).unwrap();
        platform::list_portably(&open(), &mut |name, kind| portable.push(name, kind)).unwrap();
        assert_eq!(fast.len(), 3001);
        assert_eq!(sorted(&fast), sorted(&portable));
        fast.read(&open()).unwrap();
        assert_eq!(fast.len(), 3001, "a listing is reused, not appended to");
    }
}
