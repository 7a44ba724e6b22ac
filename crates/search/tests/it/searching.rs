//! What a query finds, and what it says about it.

use std::path::Path;

use ai_assist_search::{Fusion, Hit, Question, RankBy, Source};

use crate::corpus::{answer, index_of, question, source};

const DOCS: [(&str, &[&str]); 3] = [
    ("guide/retry.md", &["Retry a failed request with back-off", "Set the timeout of a request in seconds"]),
    ("guide/files.md", &["Read a file line by line", "Write a file and flush it to disk"]),
    ("src/http.rs", &["fn parseHttpRequest(bytes) parses the head of a message", "fn send writes a message"]),
];

fn library(place: &Path) -> [Source; 1] {
    [source(&index_of(place, &DOCS), 0)]
}

fn hits(sources: &[Source], query: &str, change: impl FnOnce(&mut Question)) -> Vec<Hit> {
    let mut question = question(query);
    change(&mut question);
    answer(sources, &question).hits
}

fn first(sources: &[Source], query: &str) -> String {
    let hits = hits(sources, query, |_| {});
    hits.first().map_or("nothing".to_owned(), |hit| format!("{}:{}", hit.document, hit.lines))
}

#[test]
fn queries_find_what_they_ask_for() {
    let place = tempfile::tempdir().unwrap();
    let sources = library(place.path());
    for (query, expected) in [
        ("how do I retry requests", "guide/retry.md:1"),
        ("timeout", "guide/retry.md:2"),
        ("parse_http_request", "src/http.rs:1"),
        ("ParseHTTPRequest", "src/http.rs:1"),
        ("\"line by line\"", "guide/files.md:1"),
        ("file xyzzyplugh", "guide/files.md:1"),
        ("request lang:rust", "src/http.rs:1"),
        ("failed request path:guide", "guide/retry.md:1"),
        ("message kind:function", "src/http.rs:2"),
    ] {
        assert_eq!(first(&sources, query), expected, "{query}");
    }
    assert_eq!(first(&sources, "request path:nowhere/**"), "nothing");
    assert_eq!(first(&sources, "request lang:python"), "nothing");
}

#[test]
fn a_quoted_name_that_no_chunk_has_does_not_empty_the_answer() {
    let place = tempfile::tempdir().unwrap();
    let sources = library(place.path());
    assert_eq!(first(&sources, "read the file \"no such name\""), "guide/files.md:1");
}

#[test]
fn an_explanation_adds_up() {
    let place = tempfile::tempdir().unwrap();
    let sources = library(place.path());
    // The first is the best by words too.
    let mut best = None;
    for hit in hits(&sources, "retry a request with \"back off\"", |question| question.explain = true) {
        let explanation = hit.explanation.unwrap();
        let words: f32 = explanation.terms.iter().map(|term| term.score).sum();
        assert!((words - hit.words).abs() < 1e-4, "{words} is not {}", hit.words);
        let fused: f32 = explanation.parts.iter().map(|part| part.adds).sum();
        assert!((fused - hit.score).abs() < 1e-5, "{fused} is not {}", hit.score);
        let part = |name: &str| explanation.parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.adds);
        let (of_best, best) = *best.get_or_insert((part("words"), hit.words));
        assert!((part("words") - of_best * hit.words / best).abs() < 1e-5, "{:?}", explanation.parts);
        assert!(of_best <= 0.5 && part("meaning") <= 0.5 && part("definition") == 0.0, "{:?}", explanation.parts);
    }
}

#[test]
fn pages_make_up_the_whole() {
    let place = tempfile::tempdir().unwrap();
    let sources = library(place.path());
    for fusion in [Fusion::SCORES, Fusion::RANKS] {
        let whole = hits(&sources, "request file", |question| question.fusion = fusion);
        let paged: Vec<Hit> = (0..whole.len())
            .flat_map(|offset| {
                hits(&sources, "request file", |question| {
                    (question.fusion, question.offset, question.limit) = (fusion, offset, 1);
                })
            })
            .collect();
        assert_eq!(paged, whole);
    }
}

#[test]
fn modes_rank_by_what_they_say() {
    let place = tempfile::tempdir().unwrap();
    let sources = library(place.path());
    let words = hits(&sources, "request", |question| question.rank_by = RankBy::Words);
    assert!(words.iter().all(|hit| hit.words > 0.0) && words.is_sorted_by(|a, b| a.words >= b.words));
    let dense = hits(&sources, "try again after an error", |question| question.rank_by = RankBy::Meaning);
    assert!(dense.is_sorted_by(|a, b| a.cosine >= b.cosine));
    assert_eq!(dense[0].document, "guide/retry.md");
}

#[test]
fn nothing_is_found_in_no_index() {
    let found = answer(&[], &question("request"));
    assert!(found.hits.is_empty() && !found.weak);
    assert_eq!((found.found, found.considered, found.rankings), (0, 0, 0));
}
