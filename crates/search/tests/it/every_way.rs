//! Scores mean the same whichever way is asked: from 0 to 1, and the sum of the parts that explain them.

use ai_assist_search::{Features, Formula, Fusion, Merge, Outcome, Question, RankBy, Source};
use proptest::prelude::*;

use crate::corpus::{answer, index_of, question, source, sources};
use crate::one_ranking::{WAYS, corpus, docs, query, split};

/// Every way to ask for a text.
fn every_way(query: &str) -> Vec<Question> {
    let more = [Fusion::Scores { a: 0.0 }, Fusion::Scores { a: 1.0 }, Fusion::Ranks { k: 1.0 }];
    let ways = WAYS.into_iter().chain(more.map(|fusion| (RankBy::Hybrid, fusion)));
    let mut questions = Vec::new();
    for (rank_by, fusion) in ways {
        for merge in [Merge::Global, Merge::Rrf] {
            for per_owner in [None, Some(2)] {
                let asked = question(query);
                questions.push(Question { rank_by, fusion, merge, per_owner, limit: 50, explain: true, ..asked });
            }
        }
    }
    questions
}

/// The most that a part can add by a formula.
fn most(formula: Formula, part: &str) -> f32 {
    let (words, meaning, definition) = match formula {
        Formula::Scores { words, meaning, definition, .. } => (words, meaning, definition),
        Formula::Ranks { definition, .. } => (0.5, 0.5, definition),
        Formula::RankOfIndex { k, rank } => return if part == "rank" { (k + 1.0) / (k + rank as f32) } else { 0.0 },
    };
    match part {
        "words" => words * (1.0 - definition),
        "meaning" => meaning * (1.0 - definition),
        "kind" => 1.0 - definition,
        "definition" => definition,
        "role" => 0.0,
        "name" | "evidence" | "look" => 1.0,
        _ => 0.0,
    }
}

/// What is wrong with the scores of an answer.
fn wrong(outcome: &Outcome) -> Option<String> {
    let hits = &outcome.hits;
    for hit in hits {
        let Some(explanation) = &hit.explanation else { return Some(format!("{hit:?} is not explained")) };
        let sum: f32 = explanation.parts.iter().map(|part| part.adds).sum();
        if (sum - hit.score).abs() >= 1e-5 {
            return Some(format!("{sum} is not {}: {explanation:?}", hit.score));
        }
        if !(0.0..=1.0 + 1e-5).contains(&hit.score)
            || explanation.parts.iter().any(|part| part.adds < 0.0 && part.name != "role")
        {
            return Some(format!("{} is not from 0 to 1: {explanation:?}", hit.score));
        }
        let words: f32 = explanation.terms.iter().map(|term| term.score).sum();
        if hit.words > 0.0 && (words - hit.words).abs() >= 1e-4 {
            return Some(format!("the words make {words}, not {}: {explanation:?}", hit.words));
        }
        let formula = explanation.formula;
        if explanation.parts.iter().any(|part| part.adds > most(formula, &part.name) + 1e-6) {
            return Some(format!("more than {formula}: {explanation:?}"));
        }
    }
    let sorted = hits.is_sorted_by(|a, b| a.score >= b.score);
    (!sorted).then(|| format!("{:?} is not sorted", hits.iter().map(|hit| hit.score).collect::<Vec<_>>()))
}

/// As if the indexes with some numbers had been made by other rules.
fn by_other_rules(mut sources: Vec<Source>, others: &[usize]) -> Vec<Source> {
    others.iter().for_each(|&at| sources[at].rules = "older".to_owned());
    sources
}

proptest! {
    // Every case writes three indexes to disk, and asks several hundred questions.
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn parts_add_up_and_scores_are_from_0_to_1(
        texts in corpus(),
        homes in proptest::collection::vec(0usize..3, 14),
        plain in query(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let readers = split(place.path(), &docs(texts), &homes, 3);
        for query in [plain.as_str(), "user_name", "search the index", "how to read Cache::get"] {
            for asked in every_way(query) {
                for others in [&[][..], &[2], &[0, 1], &[0]] {
                    let sources = by_other_rules(sources(&readers), others);
                    let outcome = answer(&sources, &asked);
                    prop_assert_eq!(outcome.rankings, if others.is_empty() { 1 } else { 2 });
                    let fused = !others.is_empty() || asked.merge == Merge::Rrf;
                    let by_rank = |formula: Formula| matches!(formula, Formula::RankOfIndex { .. });
                    let formulas = outcome.hits.iter().filter_map(|hit| Some(hit.explanation.as_ref()?.formula));
                    prop_assert!(formulas.into_iter().all(|formula| by_rank(formula) == fused));
                    prop_assert_eq!(wrong(&outcome), None, "{:?} {:?}", asked, others);
                }
            }
        }
    }
}

const DOCS: [(&str, &[&str]); 3] = [
    ("guide/retry.md", &["retry a failed request with back-off", "set the timeout of a request in seconds"]),
    ("guide/files.md", &["read a file line by line", "write a file and flush it to disk"]),
    ("src/http.rs", &["fn parse_head(bytes) reads the head of a request", "fn send writes a request"]),
];

#[test]
fn the_best_by_words_has_one_and_the_rest_their_share() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[index_of(place.path(), &DOCS)]);
    let plain = |rank_by| Question { rank_by, features: Features::NONE, ..question("file request") };
    let hits = answer(&sources, &plain(RankBy::Words)).hits;
    let best = hits[0].words;
    assert!((hits[0].score - 1.0).abs() < 1e-6, "{hits:?}");
    assert_ne!(best, 1.0, "words stay as they are");
    assert!(hits.iter().all(|hit| (hit.score - hit.words / best).abs() < 1e-6), "{hits:?}");
    let hits = answer(&sources, &plain(RankBy::Meaning)).hits;
    assert_eq!((hits[0].score, hits[0].words), (1.0, 0.0));
}

#[test]
fn ranks_give_each_side_at_most_a_half() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[index_of(place.path(), &DOCS)]);
    let asked = Question { fusion: Fusion::RANKS, explain: true, ..question("how to read a file line by line") };
    let hits = answer(&sources, &asked).hits;
    assert_eq!(hits[0].document, "guide/files.md");
    assert!((hits[0].score - 1.0).abs() < 1e-5, "{} is first by words and by meaning", hits[0].score);
    for hit in &hits {
        let parts = &hit.explanation.as_ref().unwrap().parts;
        assert!(parts.iter().all(|part| part.adds <= 0.5), "{parts:?}");
    }
}

#[test]
fn indexes_of_other_rules_are_joined_by_rank() {
    let place = tempfile::tempdir().unwrap();
    let one = index_of(&place.path().join("one"), &DOCS);
    let other = index_of(&place.path().join("other"), &DOCS);
    let asked = Question { explain: true, rank_by: RankBy::Words, ..question("request timeout") };
    let alone = answer(&[source(&one, 0)], &asked);
    let both = by_other_rules(vec![source(&one, 0), source(&other, 1)], &[1]);
    let joined = answer(&both, &asked);
    assert_eq!((joined.rankings, joined.found), (2, 2 * alone.found));
    for (rank, (pair, hit)) in joined.hits.chunks(2).zip(&alone.hits).enumerate() {
        let score = 61.0 / (61.0 + rank as f32);
        assert_eq!([pair[0].score, pair[1].score], [score; 2]);
        assert_eq!([pair[0].key.0, pair[1].key.0], [0, 1], "of equal ranks the first owner goes first");
        assert_eq!((pair[0].words, pair[1].words), (hit.words, hit.words), "by its own statistics");
        let explanation = pair[0].explanation.as_ref().unwrap();
        assert_eq!(explanation.formula, Formula::RankOfIndex { k: 60.0, rank: rank + 1 });
    }
}
