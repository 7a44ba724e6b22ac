//! From several rankings to one.

use std::collections::HashMap;

use crate::score::Placed;

/// How flat the ranks are.
pub(crate) const K: f32 = 60.0;

/// A chunk in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) score: f32,
    /// Its place in a ranking that was fused with others, from 0.
    pub(crate) rank: Option<usize>,
    pub(crate) source: usize,
    /// Which of the groups that were scored as one it comes from.
    pub(crate) group: usize,
    /// The place of its owner among all: the first matters most.
    pub(crate) owner: usize,
    pub(crate) placed: Placed,
}

/// Fuses rankings by reciprocal rank. No chunk is in more than one of them, so that each keeps the score of its own rank; of
/// equal ranks the owner that matters most goes first, then the ranking that is named first.
pub(crate) fn fuse(rankings: Vec<Vec<Ranked>>) -> Vec<Ranked> {
    let ranked = |(number, ranking): (usize, Vec<Ranked>)| {
        ranking.into_iter().enumerate().map(move |(rank, ranked)| (rank, number, ranked))
    };
    let mut all: Vec<(usize, usize, Ranked)> = rankings.into_iter().enumerate().flat_map(ranked).collect();
    all.sort_by_key(|&(rank, number, ranked)| (rank, ranked.owner, number, ranked.placed.tie));
    let scored = |(rank, _, ranked)| Ranked { score: reciprocal(rank), rank: Some(rank), ..ranked };
    all.into_iter().map(scored).collect()
}

/// The score of a rank, which is counted from 0 here: 1 for the first.
#[expect(clippy::cast_precision_loss, reason = "beyond some millions the ranks are as good as equal")]
fn reciprocal(rank: usize) -> f32 {
    (K + 1.0) / (K + rank as f32 + 1.0)
}

/// Leaves at most so many chunks of each owner, the best.
pub(crate) fn cap(ranking: &mut Vec<Ranked>, per_owner: Option<usize>) {
    let Some(most) = per_owner else { return };
    let mut taken: HashMap<usize, usize> = HashMap::new();
    ranking.retain(|ranked| {
        let count = taken.entry(ranked.owner).or_default();
        *count += 1;
        *count <= most
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Parts;

    fn ranked(owner: usize, tie: u64) -> Ranked {
        let placed =
            Placed { index: 0, position: 0, score: 9.0, parts: Parts::default(), tie, words: 1.0, cosine: 0.0 };
        Ranked { score: 9.0, rank: None, source: 0, group: 0, owner, placed }
    }

    #[test]
    fn ranks_are_fused() {
        // The second owner matters less, and the third ranking is of the first owner again.
        let rankings =
            vec![vec![ranked(1, 1), ranked(1, 2), ranked(1, 3)], vec![ranked(0, 4)], vec![ranked(0, 0), ranked(0, 5)]];
        let fused = fuse(rankings);
        let ties: Vec<u64> = fused.iter().map(|ranked| ranked.placed.tie).collect();
        assert_eq!(ties, [4, 0, 1, 5, 2, 3]);
        let scores: Vec<f32> = fused.iter().map(|ranked| ranked.score).collect();
        let (second, third) = (61.0 / 62.0, 61.0 / 63.0);
        assert_eq!(scores, [1.0, 1.0, 1.0, second, second, third]);
    }

    #[test]
    fn no_owner_has_more_than_its_share() {
        let mut ranking = vec![ranked(0, 1), ranked(0, 2), ranked(1, 3), ranked(0, 4), ranked(1, 5)];
        cap(&mut ranking, None);
        assert_eq!(ranking.len(), 5);
        cap(&mut ranking, Some(1));
        assert_eq!(ranking.iter().map(|ranked| ranked.placed.tie).collect::<Vec<_>>(), [1, 3]);
    }
}
