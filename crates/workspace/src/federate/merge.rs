//! From several rankings to one.

use std::collections::HashMap;

use ai_assist_search::phases::Placed;

/// How flat the ranks are.
const K: f32 = 60.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranked {
    pub(super) score: f32,
    /// Which index it is in.
    pub(super) slot: usize,
    /// Which of the groups that were ranked as one it comes from.
    pub(super) group: usize,
    /// The place of its repository among all: the first matters most.
    pub(super) target: usize,
    /// The place of its mode among those that were asked for.
    pub(super) mode: usize,
    pub(super) placed: Placed,
}

/// Fuses rankings by reciprocal rank. No chunk is in more than one of them, so that each keeps the score of its own rank; of
/// equal ranks the mode that was asked for first goes first, then the repository that matters most, then the ranking that is
/// named first.
pub(super) fn fuse(rankings: Vec<Vec<Ranked>>) -> Vec<Ranked> {
    let ranked = |(number, ranking): (usize, Vec<Ranked>)| {
        ranking.into_iter().enumerate().map(move |(rank, ranked)| (rank, number, ranked))
    };
    let mut all: Vec<(usize, usize, Ranked)> = rankings.into_iter().enumerate().flat_map(ranked).collect();
    all.sort_by_key(|&(rank, number, ranked)| (rank, ranked.mode, ranked.target, number, ranked.placed.tie));
    let scored = |(rank, _, ranked): (usize, usize, Ranked)| Ranked { score: reciprocal(rank), ..ranked };
    all.into_iter().map(scored).collect()
}

/// The score of a rank, which is counted from 0 here.
#[expect(clippy::cast_precision_loss, reason = "beyond some millions the ranks are as good as equal")]
fn reciprocal(rank: usize) -> f32 {
    1.0 / (K + rank as f32 + 1.0)
}

/// Leaves at most so many chunks of each repository, the best.
pub(super) fn cap(ranking: &mut Vec<Ranked>, top_per_repo: Option<usize>) {
    let Some(most) = top_per_repo else { return };
    let mut taken: HashMap<usize, usize> = HashMap::new();
    ranking.retain(|ranked| {
        let count = taken.entry(ranked.target).or_default();
        *count += 1;
        *count <= most
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(target: usize, tie: u64) -> Ranked {
        let placed = Placed { index: 0, position: 0, score: 9.0, tie, words: 1.0, cosine: 0.0 };
        Ranked { score: 9.0, slot: 0, group: 0, target, mode: 0, placed }
    }

    #[test]
    fn ranks_are_fused() {
        // The second repository matters less, and the third ranking is of the first repository again.
        let rankings =
            vec![vec![ranked(1, 1), ranked(1, 2), ranked(1, 3)], vec![ranked(0, 4)], vec![ranked(0, 0), ranked(0, 5)]];
        let mut modes = rankings.clone();
        modes[1..].iter_mut().flatten().for_each(|ranked| ranked.mode = 1);
        let fused = fuse(modes);
        assert_eq!(fused.iter().map(|ranked| ranked.placed.tie).collect::<Vec<_>>(), [1, 4, 0, 2, 5, 3]);
        let fused = fuse(rankings);
        let ties: Vec<u64> = fused.iter().map(|ranked| ranked.placed.tie).collect();
        assert_eq!(ties, [4, 0, 1, 5, 2, 3]);
        let scores: Vec<f32> = fused.iter().map(|ranked| ranked.score).collect();
        let (first, second, third) = (1.0 / 61.0, 1.0 / 62.0, 1.0 / 63.0);
        assert_eq!(scores, [first, first, first, second, second, third]);
    }

    #[test]
    fn no_repository_has_more_than_its_share() {
        let mut ranking = vec![ranked(0, 1), ranked(0, 2), ranked(1, 3), ranked(0, 4), ranked(1, 5)];
        cap(&mut ranking, None);
        assert_eq!(ranking.len(), 5);
        cap(&mut ranking, Some(1));
        assert_eq!(ranking.iter().map(|ranked| ranked.placed.tie).collect::<Vec<_>>(), [1, 3]);
    }
}
