//! Names by their numbers, and numbers by their names.

use std::hash::{BuildHasher, RandomState};

/// Names in the order in which they came, one text after another: a large repository defines millions, and a string of its own for each
/// takes several times what it says.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    /// Numbers of names from where their hashes point on, up to the first that is free. A power of two of them, never more than three
    /// quarters taken.
    slots: Vec<u32>,
    /// Another in each process: nobody can choose names that all point to one place.
    hasher: RandomState,
}

/// A slot without a name: there are fewer names than this.
const FREE: u32 = u32::MAX;

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
        self.slots.get(self.slot(self.hasher.hash_one(name), name)?).copied().filter(|&number| number != FREE)
    }

    /// The number of a name, which gets the next one if it has none.
    pub(super) fn intern(&mut self, name: &str) -> u32 {
        let hasher = self.hasher.clone();
        self.intern_by(|name| hasher.hash_one(name), name)
    }

    fn intern_by(&mut self, hash: impl Fn(&str) -> u64, name: &str) -> u32 {
        if (self.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow(&hash);
        }
        let Some(slot) = self.slot(hash(name), name) else { return FREE };
        if self.slots[slot] == FREE {
            self.slots[slot] = u32::try_from(self.len()).unwrap_or(FREE);
            // To double a hundred megabytes would take three hundred while it lasts.
            if self.text.capacity() - self.text.len() < name.len() {
                self.text.reserve_exact(self.text.len() / 4 + name.len());
            }
            self.text.push_str(name);
            self.ends.push(self.text.len());
        }
        self.slots[slot]
    }

    /// Where the number of a name stands, or would stand. None while there is no room for any.
    fn slot(&self, hash: u64, name: &str) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & last;
        while self.slots[slot] != FREE && self.get(self.slots[slot]) != name {
            slot = (slot + 1) & last;
        }
        Some(slot)
    }

    fn grow(&mut self, hash: impl Fn(&str) -> u64) {
        let room = (self.slots.len() * 2).max(64);
        self.slots = Vec::new();
        let mut slots = vec![FREE; room];
        for number in (0u32..).take(self.len()) {
            let mut slot = hash(self.get(number)) as usize & (room - 1);
            while slots[slot] != FREE {
                slot = (slot + 1) & (room - 1);
            }
            slots[slot] = number;
        }
        self.slots = slots;
    }
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
        assert_eq!(["a", "b", "c", "a", "c"].map(|name| names.intern_by(|_| u64::MAX, name)), [0, 1, 2, 0, 2]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn thousands_keep_their_numbers_while_room_is_made() {
        let mut names = Names::default();
        let name = |number: u32| format!("name_{}", number % 5000);
        for number in 0..12_000 {
            assert_eq!(names.intern(&name(number)), number % 5000);
        }
        assert_eq!((names.len(), names.get(4321)), (5000, "name_4321"));
        assert_eq!((names.number("name_77"), names.number("name_5000")), (Some(77), None));
    }
}
