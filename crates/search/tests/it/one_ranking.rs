//! The law: splitting a corpus over N indexes, or reaching it by another history, changes neither order nor scores.

use std::sync::Arc;

use ai_assist_index::Reader;
use ai_assist_search::{Fusion, Question, RankBy};
use proptest::prelude::*;

use crate::corpus::{Doc, answer, commit, identity, open, question, sources};

/// Few words, so that chunks share them, scores tie and documents repeat.
const WORDS: [&str; 14] = [
    "retry", "request", "parseHttpRequest", "timeout", "file", "read", "the", "index", "search", "rank", "score",
    "日本語", "user_name", "Cache::get",
];

/// What some texts begin with: what stands after `fn` and `struct` is defined there, and what begins with `#` is a heading.
const OPENINGS: [&str; 10] = [
    "",
    "",
    "",
    "# ",
    "# Cache::get\n",
    "fn retry ",
    "fn user_name ",
    "struct parseHttpRequest ",
    "fn Cache::get ",
    "fn Store::get and fn user_name ",
];

/// Queries that are an identifier, speak of one, or ask for nothing but what defines it.
const NAMED: [&str; 8] = [
    "user_name",
    "parseHttpRequest",
    "parsehttprequest",
    "Cache::get",
    "Store::get",
    "where is user_name used",
    "retry",
    "symbol:get",
];

/// The ways in which scores become one.
pub(crate) const WAYS: [(RankBy, Fusion); 4] = [
    (RankBy::Words, Fusion::SCORES),
    (RankBy::Meaning, Fusion::SCORES),
    (RankBy::Hybrid, Fusion::SCORES),
    (RankBy::Hybrid, Fusion::RANKS),
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..12).prop_map(|words| words.join(" "))
}

/// Some words, or an identifier.
pub(crate) fn query() -> impl Strategy<Value = String> {
    prop_oneof![text(), proptest::sample::select(&NAMED[..]).prop_map(Into::into)]
}

/// A text that defines something or not.
fn chunk() -> impl Strategy<Value = String> {
    (proptest::sample::select(&OPENINGS[..]), text()).prop_map(|(opening, text)| format!("{opening}{text}"))
}

pub(crate) fn corpus() -> impl Strategy<Value = Vec<Vec<String>>> {
    proptest::collection::vec(proptest::collection::vec(chunk(), 1..4), 1..14)
}

/// Of every three documents one is of code, and of the code some is of tests.
pub(crate) fn docs(texts: Vec<Vec<String>>) -> Vec<(u64, Doc)> {
    let path = |number: usize| match number % 6 {
        0 => format!("src/{number}.rs"),
        3 => format!("tests/{number}.rs"),
        _ => format!("docs/{number}.md"),
    };
    texts.into_iter().enumerate().map(|(number, chunks)| (number as u64, (path(number), chunks))).collect()
}

pub(crate) fn chunks(docs: &[(u64, Doc)]) -> u64 {
    docs.iter().map(|(_, (_, chunks))| chunks.len() as u64).sum()
}

/// The documents in as many indexes as there are homes, each in that of its home.
pub(crate) fn split(place: &std::path::Path, all: &[(u64, Doc)], homes: &[usize], count: usize) -> Vec<Arc<Reader>> {
    let part = |home: usize| {
        let part: Vec<_> = all.iter().filter(|(key, _)| homes[*key as usize] == home).cloned().collect();
        let folder = place.join(home.to_string());
        commit(&folder, &part, &[], chunks(&part));
        Arc::new(open(&folder))
    };
    (0..count).map(part).collect()
}

fn asked(query: &str, (rank_by, fusion): (RankBy, Fusion)) -> Question {
    Question { rank_by, fusion, limit: 50, ..question(query) }
}

/// Every hit, in order, to the bit; and how many there are.
type Ranked = (Vec<(String, u32, [u32; 3])>, usize, usize, bool);

fn ranking(readers: &[Arc<Reader>], question: &Question) -> Ranked {
    let outcome = answer(&sources(readers), question);
    (outcome.hits.iter().map(identity).collect(), outcome.found, outcome.considered, outcome.weak)
}

proptest! {
    // Every case writes up to five indexes to disk.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_split_corpus_ranks_as_the_whole(
        texts in corpus(),
        homes in proptest::collection::vec(0usize..4, 14),
        query in query(),
        phrase in text(),
        threads in 0usize..4,
    ) {
        let place = tempfile::tempdir().unwrap();
        let all = docs(texts);
        let folder = place.path().join("whole");
        commit(&folder, &all, &[], chunks(&all));
        let whole = [Arc::new(open(&folder))];
        let parts = split(place.path(), &all, &homes, 4);
        let phrase: Vec<&str> = phrase.split(' ').take(2).collect();
        for query in [query.clone(), format!("{query} \"{}\"", phrase.join(" ")), format!("{query} lang:markdown")] {
            for way in WAYS {
                let asked = Question { concurrency: threads, ..asked(&query, way) };
                prop_assert_eq!(ranking(&whole, &asked), ranking(&parts, &asked), "{:?} {}", way, query);
            }
        }
    }

    #[test]
    fn history_leaves_no_trace(before in corpus(), after in corpus(), query in query()) {
        let place = tempfile::tempdir().unwrap();
        let (before, after) = (docs(before), docs(after));
        let fresh = place.path().join("fresh");
        commit(&fresh, &after, &[], chunks(&after));
        let lived = place.path().join("lived");
        commit(&lived, &before, &[], chunks(&before));
        let gone: Vec<u64> = (after.len() as u64..before.len() as u64).collect();
        commit(&lived, &after, &gone, chunks(&after));
        let (fresh, lived) = ([Arc::new(open(&fresh))], [Arc::new(open(&lived))]);
        lived[0].verify(ai_assist_embed::StaticModel::bundled()).unwrap();
        for way in WAYS {
            let asked = asked(&query, way);
            prop_assert_eq!(ranking(&fresh, &asked), ranking(&lived, &asked), "{:?} {}", way, query);
        }
    }
}
