use std::ops::Range;

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

    /// The positions that are in as ranges without gaps, in order: what is done for each can be done for many at a time.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = self.first_from(next, true)?;
            let end = self.first_from(start, false).unwrap_or(self.length);
            next = end;
            Some(start..end)
        })
    }

    /// The first position from `start` on that is in, or that is out.
    fn first_from(&self, start: usize, is_in: bool) -> Option<usize> {
        let flip = if is_in { 0 } else { u64::MAX };
        let mut at = start / 64;
        let mut word = (self.words.get(at)? ^ flip) & (u64::MAX << (start % 64));
        while word == 0 {
            at += 1;
            word = self.words.get(at)? ^ flip;
        }
        let position = at * 64 + word.trailing_zeros() as usize;
        (position < self.length).then_some(position)
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
            proptest::prop_assert_eq!(mask.runs().flatten().collect::<Vec<_>>(), picks);
            proptest::prop_assert!(mask.runs().zip(mask.runs().skip(1)).all(|(a, b)| a.end < b.start));
            let mut both = Mask::all(length);
            proptest::prop_assert_eq!(both.count(), length);
            both.intersect(&mask);
            proptest::prop_assert_eq!(both, mask);
        }
    }
}
