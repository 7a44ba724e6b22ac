//! nDCG, reciprocal rank and recall, all at 10.

use std::collections::HashMap;

const DEPTH: usize = 10;

/// Sums over queries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Metrics {
    ndcg: f64,
    mrr: f64,
    recall: f64,
    queries: usize,
}

impl Metrics {
    /// Adds one query: its ranking of documents, and the gain of each relevant one.
    pub(crate) fn add(&mut self, ranking: &[String], gains: &HashMap<String, f64>) {
        let gain = |document: &String| gains.get(document).copied().unwrap_or(0.0);
        let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let top = &ranking[..ranking.len().min(DEPTH)];
        let found: f64 = top.iter().enumerate().map(|(rank, document)| gain(document) * discount(rank)).sum();
        let mut ideal: Vec<f64> = gains.values().copied().collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let best: f64 = ideal.iter().take(DEPTH).enumerate().map(|(rank, gain)| gain * discount(rank)).sum();
        self.ndcg += if best > 0.0 { found / best } else { 0.0 };
        self.mrr += top.iter().position(|document| gain(document) > 0.0).map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        let hits = top.iter().filter(|document| gain(document) > 0.0).count();
        self.recall += hits as f64 / gains.len().max(1) as f64;
        self.queries += 1;
    }

    pub(crate) fn ndcg(&self) -> f64 {
        self.ndcg / self.queries.max(1) as f64
    }

    pub(crate) fn mrr(&self) -> f64 {
        self.mrr / self.queries.max(1) as f64
    }

    pub(crate) fn recall(&self) -> f64 {
        self.recall / self.queries.max(1) as f64
    }
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
        assert_eq!(metrics.mrr(), 0.5);
        assert_eq!(metrics.recall(), 0.5);
    }
}
