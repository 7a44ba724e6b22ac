//! Names by their numbers, and numbers by their names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Names in the order in which they came, one text after another: a large repository defines millions, and a string of its own for each
/// takes several times what it says.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    /// The numbers of names by their hashes; of those that share one, the later ones by the next that is free.
    by_hash: HashMap<u64, u32>,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[number]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0u32..).take(self.len()).map(|number| self.get(number))
    }

    pub(super) fn number(&self, name: &str) -> Option<u32> {
        let mut hash = hash(name);
        loop {
            let &number = self.by_hash.get(&hash)?;
            if self.get(number) == name {
                return Some(number);
            }
            hash = hash.wrapping_add(1);
        }
    }

    /// The number of a name, which gets the next one if it has none.
    pub(super) fn intern(&mut self, name: &str) -> u32 {
        self.intern_by(hash(name), name)
    }

    fn intern_by(&mut self, mut hash: u64, name: &str) -> u32 {
        let next = u32::try_from(self.len()).unwrap_or(u32::MAX);
        loop {
            match self.by_hash.entry(hash) {
                Entry::Vacant(place) => {
                    place.insert(next);
                    self.text.push_str(name);
                    self.ends.push(self.text.len());
                    return next;
                }
                Entry::Occupied(place) => {
                    let number = *place.get();
                    if self.get(number) == name {
                        return number;
                    }
                }
            }
            hash = hash.wrapping_add(1);
        }
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_and_numbers_have_names() {
        let mut names = Names::default();
        let numbers = ["open", "", "open_store", "open", "é"].map(|name| names.intern(name));
        assert_eq!(numbers, [0, 1, 2, 0, 3]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["open", "", "open_store", "é"]);
        assert_eq!((names.number("open_store"), names.number("close")), (Some(2), None));
    }

    #[test]
    fn names_that_share_a_hash_are_told_apart() {
        let mut names = Names::default();
        assert_eq!(["a", "b", "c", "a", "c"].map(|name| names.intern_by(u64::MAX, name)), [0, 1, 2, 0, 2]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
