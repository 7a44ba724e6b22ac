//! The best k of many, in a buffer of 2k.

use std::cmp::Ordering;

/// A scored chunk of one of the indexes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f32,
    pub(crate) tie: u64,
    pub(crate) index: usize,
    pub(crate) position: usize,
}

impl Scored {
    /// Best first; then by what the chunk is, never by where it was found first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(self.tie.cmp(&other.tie))
            .then(self.index.cmp(&other.index))
            .then(self.position.cmp(&other.position))
    }
}

pub(crate) struct TopK {
    k: usize,
    best: Vec<Scored>,
    /// Nothing below this can be among the best.
    floor: f32,
}

impl TopK {
    pub(crate) fn new(k: usize) -> Self {
        TopK { k, best: Vec::with_capacity(k.saturating_mul(2).min(4096)), floor: f32::NEG_INFINITY }
    }

    /// What scores less is not among the best.
    #[inline]
    pub(crate) fn floor(&self) -> f32 {
        self.floor
    }

    #[inline]
    pub(crate) fn push(&mut self, scored: Scored) {
        if scored.score < self.floor || self.k == 0 {
            return;
        }
        self.best.push(scored);
        if self.best.len() >= self.k.saturating_mul(2) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.best.len() > self.k {
            self.best.select_nth_unstable_by(self.k - 1, Scored::order);
            self.best.truncate(self.k);
            self.floor = self.best[self.k - 1].score;
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Scored> {
        if self.k > 0 {
            self.shrink();
        }
        self.best.sort_unstable_by(Scored::order);
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_may_be_wanted() {
        let scored = |tie| Scored { score: 1.0, tie, index: 0, position: 0 };
        let mut top = TopK::new(usize::MAX);
        [3, 1, 2].into_iter().for_each(|tie| top.push(scored(tie)));
        assert_eq!(top.finish(), [scored(1), scored(2), scored(3)]);
    }

    proptest::proptest! {
        #[test]
        fn equals_sorting_everything(scores in proptest::collection::vec((0u8..6, 0u64..5), 0..120), k in 0usize..20) {
            let all: Vec<Scored> = scores
                .iter()
                .enumerate()
                .map(|(position, &(score, tie))| Scored { score: f32::from(score), tie, index: 0, position })
                .collect();
            let mut top = TopK::new(k);
            all.iter().for_each(|&scored| top.push(scored));
            let mut sorted = all;
            sorted.sort_by(Scored::order);
            sorted.truncate(k);
            proptest::prop_assert_eq!(top.finish(), sorted);
        }
    }
}
