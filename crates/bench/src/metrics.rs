//! nDCG, reciprocal rank and recall, all at 10.

use std::collections::HashMap;

const DEPTH: usize = 10;

/// The figures of one query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) ndcg: f64,
    binary_ndcg: f64,
    pub(crate) mrr: f64,
    pub(crate) recall: f64,
    /// Whether the first document is right.
    pub(crate) first: f64,
}

/// Sums over queries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Metrics {
    ndcg: f64,
    binary_ndcg: f64,
    mrr: f64,
    recall: f64,
    queries: usize,
}

impl Metrics {
    /// Adds one query: its ranking of documents, and the gain of each relevant one.
    pub(crate) fn add(&mut self, ranking: &[String], gains: &HashMap<String, f64>) {
        let Figures { ndcg, binary_ndcg, mrr, recall, .. } = figures(ranking, gains);
        self.ndcg += ndcg;
        self.binary_ndcg += binary_ndcg;
        self.mrr += mrr;
        self.recall += recall;
        self.queries += 1;
    }

    pub(crate) fn ndcg(&self) -> f64 {
        self.ndcg / self.queries.max(1) as f64
    }

    /// The same with every relevant document counting alike.
    pub(crate) fn binary_ndcg(&self) -> f64 {
        self.binary_ndcg / self.queries.max(1) as f64
    }

    pub(crate) fn mrr(&self) -> f64 {
        self.mrr / self.queries.max(1) as f64
    }

    pub(crate) fn recall(&self) -> f64 {
        self.recall / self.queries.max(1) as f64
    }
}

/// The figures of one query: its ranking of documents, and the gain of each relevant one.
pub(crate) fn figures(ranking: &[String], gains: &HashMap<String, f64>) -> Figures {
    let gain = |document: &String| gains.get(document).copied().unwrap_or(0.0);
    let top = &ranking[..ranking.len().min(DEPTH)];
    let binary = |gain: f64| if gain > 0.0 { 1.0 } else { 0.0 };
    let hits = top.iter().filter(|document| gain(document) > 0.0).count();
    Figures {
        ndcg: ndcg(top.iter().map(gain), gains.values().copied()),
        binary_ndcg: ndcg(top.iter().map(gain).map(binary), gains.values().copied().map(binary)),
        mrr: top.iter().position(|document| gain(document) > 0.0).map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        recall: hits as f64 / gains.len().max(1) as f64,
        first: top.first().map_or(0.0, |document| binary(gain(document))),
    }
}

/// The discounted gain of a ranking, as a share of the best one possible.
fn ndcg(found: impl Iterator<Item = f64>, all: impl Iterator<Item = f64>) -> f64 {
    let discounted = |(rank, gain): (usize, f64)| gain / ((rank + 2) as f64).log2();
    let mut ideal: Vec<f64> = all.collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = ideal.into_iter().take(DEPTH).enumerate().map(discounted).sum();
    let found: f64 = found.enumerate().map(discounted).sum();
    if best > 0.0 { found / best } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_definition() {
        let gains = HashMap::from([("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
        let mut metrics = Metrics::default();
        metrics.add(&["x".into(), "a".into()], &gains);
        let expected = (2.0 / 3f64.log2()) / (2.0 + 1.0 / 3f64.log2());
        assert!((metrics.ndcg() - expected).abs() < 1e-12);
        let expected = (1.0 / 3f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((metrics.binary_ndcg() - expected).abs() < 1e-12);
        assert_eq!(metrics.mrr(), 0.5);
        assert_eq!(metrics.recall(), 0.5);
        assert_eq!(figures(&["x".into(), "a".into()], &gains).first, 0.0);
        assert_eq!(figures(&["b".into(), "x".into()], &gains).first, 1.0);
    }
}
