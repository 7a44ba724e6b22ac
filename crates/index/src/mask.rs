/// One bit for each position of a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    words: Vec<u64>,
    length: usize,
}

impl Mask {
    pub fn none(length: usize) -> Self {
        Mask { words: vec![0; length.div_ceil(64)], length }
    }

    pub fn all(length: usize) -> Self {
        let mut mask = Mask { words: vec![u64::MAX; length.div_ceil(64)], length };
        if let Some(last) = mask.words.last_mut()
            && !length.is_multiple_of(64)
        {
            *last = (1 << (length % 64)) - 1;
        }
        mask
    }

    /// How many positions there are, in or out.
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    pub fn contains(&self, position: usize) -> bool {
        self.words.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    #[inline]
    pub fn insert(&mut self, position: usize) {
        if let Some(word) = self.words.get_mut(position / 64) {
            *word |= 1 << (position % 64);
        }
    }

    #[inline]
    pub fn remove(&mut self, position: usize) {
        if let Some(word) = self.words.get_mut(position / 64) {
            *word &= !(1 << (position % 64));
        }
    }

    pub fn intersect(&mut self, other: &Mask) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// The positions that are in, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_mask_is_a_set(length in 0usize..200, picks in proptest::collection::btree_set(0usize..200, 0..50)) {
            let picks: Vec<usize> = picks.into_iter().filter(|&p| p < length).collect();
            let mut mask = Mask::none(length);
            picks.iter().for_each(|&p| mask.insert(p));
            proptest::prop_assert_eq!(mask.iter().collect::<Vec<_>>(), picks.clone());
            proptest::prop_assert_eq!(mask.count(), picks.len());
            let mut both = Mask::all(length);
            proptest::prop_assert_eq!(both.count(), length);
            both.intersect(&mask);
            proptest::prop_assert_eq!(both, mask);
        }
    }
}
