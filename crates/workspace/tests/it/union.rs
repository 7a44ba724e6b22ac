//! The law: many repositories rank as one index over all of their documents, to the bit.

use ai_assist_repo::layout::Mode;
use ai_assist_search::{Fusion, Mode as Ranking};
use ai_assist_workspace::federate::{Merge, Question};
use proptest::prelude::*;

use crate::fake_builds::{Doc, answer, identity, question, repo};

/// Few words, so that chunks share them, scores tie and documents repeat.
const WORDS: [&str; 12] = [
    "retry",
    "request",
    "parseHttpRequest",
    "timeout",
    "file",
    "read",
    "the",
    "index",
    "search",
    "rank",
    "user_name",
    "cache",
];
const REPOS: [&str; 4] = ["a", "b", "c", "d"];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..8).prop_map(|words| words.join(" "))
}

/// A document of a repository under one of a few paths, which is removed again or not; and whether the next repository
/// has a copy of it, whose scores are the same and whose place among equals is by the repository's id.
type Drawn = (usize, u64, Vec<String>, bool, bool);

fn corpus() -> impl Strategy<Value = Vec<Drawn>> {
    let doc = (
        0..REPOS.len(),
        0u64..6,
        proptest::collection::vec(text(), 1..3),
        proptest::bool::weighted(0.25),
        any::<bool>(),
    );
    proptest::collection::vec(doc, 1..20)
}

/// By repository and path, each once.
fn documents(drawn: Vec<Drawn>) -> Vec<(usize, Doc, bool)> {
    let mut docs: std::collections::BTreeMap<(usize, u64), (usize, Doc, bool)> = Default::default();
    for (home, path, chunks, removed, copied) in drawn {
        let ending = if path % 3 == 0 { "rs" } else { "md" };
        let next = (home + 1) % REPOS.len();
        for home in [home, next].into_iter().take(1 + usize::from(copied)) {
            let (owner, path_text) = (REPOS[home].to_owned(), format!("docs/{path}.{ending}"));
            let doc = Doc { key: path, owner, path: path_text, chunks: chunks.clone() };
            docs.insert((home, path), (home, doc, removed));
        }
    }
    docs.into_values().collect()
}

fn variants(query: &str, phrase: &str) -> Vec<Question> {
    let phrase: Vec<&str> = phrase.split(' ').take(2).collect();
    let mut questions = Vec::new();
    for text in [query.to_owned(), format!("{query} \"{}\"", phrase.join(" ")), format!("{query} lang:markdown")] {
        for (ranking, fusion) in [
            (Ranking::Lexical, Fusion::SCORES),
            (Ranking::Dense, Fusion::SCORES),
            (Ranking::Hybrid, Fusion::SCORES),
            (Ranking::Hybrid, Fusion::RANKS),
        ] {
            let limit = 100;
            questions.push(Question { ranking, fusion, limit, ..question(&text, &[Mode::Prose]) });
        }
    }
    questions
}

proptest! {
    // Every case writes five indexes to disk.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_repositories_rank_as_their_union(
        drawn in corpus(),
        query in text(),
        phrase in text(),
        threads in 0usize..4,
        turned in any::<bool>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let all = documents(drawn);
        let mut targets = Vec::new();
        for (home, name) in REPOS.iter().enumerate() {
            let mine = || all.iter().filter(|(at, ..)| *at == home);
            let docs: Vec<Doc> = mine().map(|(_, doc, _)| doc.clone()).collect();
            let removed: Vec<u64> = mine().filter(|(.., removed)| *removed).map(|(_, doc, _)| doc.key).collect();
            targets.push(repo(place.path(), name, Mode::Prose, &docs, &removed));
        }
        // What matters most goes first where there is a choice, and here there is none.
        if turned {
            targets.reverse();
        }
        let key = |home: usize, doc: &Doc| home as u64 * 1000 + doc.key;
        let docs: Vec<Doc> = all.iter().map(|(home, doc, _)| Doc { key: key(*home, doc), ..doc.clone() }).collect();
        let removed: Vec<u64> =
            all.iter().filter(|(.., removed)| *removed).map(|(home, doc, _)| key(*home, doc)).collect();
        let union = [repo(place.path(), "union", Mode::Prose, &docs, &removed)];
        for mut asked in variants(&query, &phrase) {
            asked.concurrency = threads;
            let (whole, parts) = (answer(&union, &asked), answer(&targets, &asked));
            prop_assert_eq!((whole.found, whole.considered), (parts.found, parts.considered));
            let whole: Vec<_> = whole.hits.iter().map(identity).collect();
            let hits: Vec<_> = parts.hits.iter().map(identity).collect();
            prop_assert_eq!(&whole, &hits, "{:?}", asked);
            let page = Question { offset: 2, limit: 3, ..asked.clone() };
            let paged: Vec<_> = answer(&targets, &page).hits.iter().map(identity).collect();
            prop_assert_eq!(&paged[..], &hits[hits.len().min(2)..hits.len().min(5)]);
            let first = Question { top_per_repo: Some(1), limit: 2, ..asked.clone() };
            let mut seen = std::collections::BTreeSet::new();
            let expected: Vec<_> = parts.hits.iter().filter(|hit| seen.insert(hit.repo_id.clone())).take(2).collect();
            let firsts = answer(&targets, &first).hits;
            prop_assert_eq!(firsts.iter().collect::<Vec<_>>(), expected);
            let own = Question { merge: Merge::Rrf, ..asked };
            prop_assert_eq!(answer(&targets, &own).hits.len(), parts.hits.len(), "whichever way, the same is found");
        }
    }
}
