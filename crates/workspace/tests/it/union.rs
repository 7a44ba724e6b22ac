//! The law: many repositories, and the modes of each, rank as one index over all of their documents, to the bit.

use ai_assist_repo::layout::Mode;
use ai_assist_search::{Fusion, Merge, Question, RankBy};
use proptest::prelude::*;

use crate::fake_builds::{Doc, answer, identity, of_repo, question, repo};

/// Few words, so that chunks share them, scores tie and documents repeat.
const WORDS: [&str; 13] = [
    "retry", "request", "parseHttpRequest", "timeout", "file", "read", "the", "index", "search", "rank", "user_name",
    "cache", "Cache::get",
];
/// What some texts begin with: what stands after `fn` is defined there, and what begins with `#` is a heading.
const OPENINGS: [&str; 8] =
    ["", "", "# ", "fn retry ", "fn user_name ", "fn parseHttpRequest ", "fn Cache::get ", "fn Store::get "];
/// Queries that are an identifier, speak of one, or ask for nothing but what defines it.
const NAMED: [&str; 6] =
    ["user_name", "parseHttpRequest", "Cache::get", "Store::get", "where is user_name used", "symbol:get"];
const MODES: [Mode; 2] = [Mode::Prose, Mode::Code];
const REPOS: [&str; 4] = ["a", "b", "c", "d"];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..8).prop_map(|words| words.join(" "))
}

/// A text that defines something or not.
fn chunk() -> impl Strategy<Value = String> {
    (proptest::sample::select(&OPENINGS[..]), text()).prop_map(|(opening, text)| format!("{opening}{text}"))
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![text(), proptest::sample::select(&NAMED[..]).prop_map(Into::into)]
}

/// A document of a repository under one of a few paths, which is removed again or not; and whether the next repository
/// has a copy of it, whose scores are the same and whose place among equals is by the repository's id.
type Drawn = (usize, u64, Vec<String>, bool, bool);

fn corpus() -> impl Strategy<Value = Vec<Drawn>> {
    let doc = (
        0..REPOS.len(),
        0u64..6,
        proptest::collection::vec(chunk(), 1..3),
        proptest::bool::weighted(0.25),
        any::<bool>(),
    );
    proptest::collection::vec(doc, 1..20)
}

/// By repository and path, each once.
fn documents(drawn: Vec<Drawn>) -> Vec<(usize, Doc, bool)> {
    let mut docs: std::collections::BTreeMap<(usize, u64), (usize, Doc, bool)> = Default::default();
    for (home, path, chunks, removed, copied) in drawn {
        let file = if path % 3 == 0 { format!("src/{path}.rs") } else { format!("docs/{path}.md") };
        let next = (home + 1) % REPOS.len();
        for home in [home, next].into_iter().take(1 + usize::from(copied)) {
            let owner = REPOS[home].to_owned();
            let doc = Doc { key: path, owner, path: file.clone(), chunks: chunks.clone() };
            docs.insert((home, path), (home, doc, removed));
        }
    }
    docs.into_values().collect()
}

fn variants(query: &str, phrase: &str) -> Vec<Question> {
    let phrase: Vec<&str> = phrase.split(' ').take(2).collect();
    let mut questions = Vec::new();
    for text in [query.to_owned(), format!("{query} \"{}\"", phrase.join(" ")), format!("{query} lang:markdown")] {
        for (rank_by, fusion) in [
            (RankBy::Words, Fusion::SCORES),
            (RankBy::Meaning, Fusion::SCORES),
            (RankBy::Hybrid, Fusion::SCORES),
            (RankBy::Hybrid, Fusion::RANKS),
        ] {
            questions.push(Question { rank_by, fusion, limit: 100, ..question(&text) });
        }
    }
    questions
}

proptest! {
    // Every case writes nine indexes to disk.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_repositories_rank_as_their_union(
        drawn in corpus(),
        query in query(),
        phrase in text(),
        threads in 0usize..4,
        turned in any::<bool>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let all = documents(drawn);
        let mut targets = Vec::new();
        for (home, name) in REPOS.iter().enumerate() {
            // The code is in a build of its own.
            let of_mode = |mode: Mode, folder: &str| {
                let in_mode = |doc: &Doc| doc.path.ends_with(".rs") == (mode == Mode::Code);
                let mine = || all.iter().filter(|(at, doc, _)| *at == home && in_mode(doc));
                let docs: Vec<Doc> = mine().map(|(_, doc, _)| doc.clone()).collect();
                let removed: Vec<u64> = mine().filter(|(.., removed)| *removed).map(|(_, doc, _)| doc.key).collect();
                repo(place.path(), folder, mode, &docs, &removed)
            };
            let mut target = of_mode(Mode::Prose, name);
            target.builds.extend(of_mode(Mode::Code, &format!("{name}-code")).builds);
            targets.push(target);
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
            let (whole, parts) = (answer(&union, &MODES, &asked), answer(&targets, &MODES, &asked));
            prop_assert_eq!((whole.found, whole.considered, whole.weak), (parts.found, parts.considered, parts.weak));
            let whole: Vec<_> = whole.hits.iter().map(identity).collect();
            let hits: Vec<_> = parts.hits.iter().map(identity).collect();
            prop_assert_eq!(&whole, &hits, "{:?}", asked);
            let page = Question { offset: 2, limit: 3, ..asked.clone() };
            let paged: Vec<_> = answer(&targets, &MODES, &page).hits.iter().map(identity).collect();
            prop_assert_eq!(&paged[..], &hits[hits.len().min(2)..hits.len().min(5)]);
            let first = Question { per_owner: Some(1), limit: 2, ..asked.clone() };
            let mut seen = std::collections::BTreeSet::new();
            let expected: Vec<_> = parts.hits.iter().filter(|hit| seen.insert(of_repo(hit).0)).take(2).collect();
            let firsts = answer(&targets, &MODES, &first).hits;
            prop_assert_eq!(firsts.iter().collect::<Vec<_>>(), expected);
            let own = Question { merge: Merge::Rrf, ..asked };
            prop_assert_eq!(answer(&targets, &MODES, &own).hits.len(), parts.hits.len(), "whichever way, the same is found");
        }
    }
}
