//! The law: splitting a corpus over N indexes, or reaching it by another history, changes neither order nor scores.

use ai_assist_search::Mode;
use proptest::prelude::*;

use crate::corpus::{Doc, commit, open, ranking};

/// Few words, so that chunks share them, scores tie and documents repeat.
const WORDS: [&str; 14] = [
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
    "score",
    "日本語",
    "user_name",
    "cache",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..12).prop_map(|words| words.join(" "))
}

fn corpus() -> impl Strategy<Value = Vec<Vec<String>>> {
    proptest::collection::vec(proptest::collection::vec(text(), 1..4), 1..14)
}

fn docs(texts: Vec<Vec<String>>) -> Vec<(u64, Doc)> {
    let path = |number: usize| format!("docs/{number}.{}", if number.is_multiple_of(3) { "rs" } else { "md" });
    texts.into_iter().enumerate().map(|(number, chunks)| (number as u64, (path(number), chunks))).collect()
}

fn chunks(docs: &[(u64, Doc)]) -> u64 {
    docs.iter().map(|(_, (_, chunks))| chunks.len() as u64).sum()
}

proptest! {
    // Every case writes up to five indexes to disk.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_split_corpus_ranks_as_the_whole(
        texts in corpus(),
        homes in proptest::collection::vec(0usize..4, 14),
        query in text(),
        phrase in text(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let all = docs(texts);
        commit(&place.path().join("whole"), &all, &[], chunks(&all));
        let whole = open(&place.path().join("whole"));
        let mut parts = Vec::new();
        for home in 0..4 {
            let part: Vec<_> = all.iter().filter(|(key, _)| homes[*key as usize] == home).cloned().collect();
            let folder = place.path().join(home.to_string());
            commit(&folder, &part, &[], chunks(&part));
            parts.push(open(&folder));
        }
        let parts: Vec<_> = parts.iter().collect();
        let phrase: Vec<&str> = phrase.split(' ').take(2).collect();
        for query in [query.clone(), format!("{query} \"{}\"", phrase.join(" ")), format!("{query} lang:markdown")] {
            for mode in [Mode::Lexical, Mode::Dense, Mode::Hybrid] {
                prop_assert_eq!(ranking(&[&whole], &query, mode), ranking(&parts, &query, mode), "{:?} {}", mode, query);
            }
        }
    }

    #[test]
    fn history_leaves_no_trace(before in corpus(), after in corpus(), query in text()) {
        let place = tempfile::tempdir().unwrap();
        let (before, after) = (docs(before), docs(after));
        let fresh = place.path().join("fresh");
        commit(&fresh, &after, &[], chunks(&after));
        let lived = place.path().join("lived");
        commit(&lived, &before, &[], chunks(&before));
        let gone: Vec<u64> = (after.len() as u64..before.len() as u64).collect();
        commit(&lived, &after, &gone, chunks(&after));
        let (fresh, lived) = (open(&fresh), open(&lived));
        lived.verify(ai_assist_embed::StaticModel::bundled()).unwrap();
        for mode in [Mode::Lexical, Mode::Dense, Mode::Hybrid] {
            prop_assert_eq!(ranking(&[&fresh], &query, mode), ranking(&[&lived], &query, mode), "{:?} {}", mode, query);
        }
    }
}
