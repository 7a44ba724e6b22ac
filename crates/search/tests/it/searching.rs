//! What a query finds, and what it says about it.

use ai_assist_embed::StaticModel;
use ai_assist_index::Reader;
use ai_assist_search::{Fusion, Hit, Mode, Query, Request, search};

use crate::corpus::{Doc, commit, open};

fn library(place: &std::path::Path) -> Reader {
    let docs: Vec<(&str, &[&str])> = vec![
        ("guide/retry.md", &["Retry a failed request with back-off", "Set the timeout of a request in seconds"]),
        ("guide/files.md", &["Read a file line by line", "Write a file and flush it to disk"]),
        ("src/http.rs", &["fn parseHttpRequest(bytes) parses the head of a message", "fn send writes a message"]),
    ];
    let docs: Vec<(u64, Doc)> = docs
        .into_iter()
        .zip(1..)
        .map(|((path, chunks), key)| (key, (path.to_owned(), chunks.iter().map(|text| (*text).to_owned()).collect())))
        .collect();
    commit(place, &docs, &[], 6);
    open(place)
}

fn hits(reader: &Reader, query: &str, change: impl FnOnce(&mut Request<'_>)) -> Vec<Hit> {
    let query: Query = query.parse().unwrap();
    let mut request = Request::new(&query);
    change(&mut request);
    search(&[reader], &request, StaticModel::bundled()).unwrap().hits
}

fn first(reader: &Reader, query: &str) -> String {
    let hits = hits(reader, query, |_| {});
    hits.first().map_or("nothing".to_owned(), |hit| format!("{}:{}", hit.chunk.document, hit.chunk.lines))
}

#[test]
fn queries_find_what_they_ask_for() {
    let place = tempfile::tempdir().unwrap();
    let reader = library(place.path());
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
        assert_eq!(first(&reader, query), expected, "{query}");
    }
    assert_eq!(first(&reader, "request path:nowhere/**"), "nothing");
    assert_eq!(first(&reader, "request lang:python"), "nothing");
}

#[test]
fn a_quoted_name_that_no_chunk_has_does_not_empty_the_answer() {
    let place = tempfile::tempdir().unwrap();
    let reader = library(place.path());
    assert_eq!(first(&reader, "read the file \"no such name\""), "guide/files.md:1");
}

#[test]
fn an_explanation_adds_up() {
    let place = tempfile::tempdir().unwrap();
    let reader = library(place.path());
    for hit in hits(&reader, "retry a request with \"back off\"", |request| request.explain = true) {
        let explanation = hit.explanation.unwrap();
        let words: f32 = explanation.terms.iter().map(|term| term.score).sum();
        assert!((words - hit.words).abs() < 1e-4, "{words} is not {}", hit.words);
        let fused = 0.5 * explanation.words_scaled + 0.5 * explanation.cosine_scaled;
        assert!((fused - hit.score).abs() < 1e-5, "{fused} is not {}", hit.score);
    }
}

#[test]
fn pages_make_up_the_whole() {
    let place = tempfile::tempdir().unwrap();
    let reader = library(place.path());
    for fusion in [Fusion::SCORES, Fusion::RANKS] {
        let whole = hits(&reader, "request file", |request| request.fusion = fusion);
        let paged: Vec<Hit> = (0..whole.len())
            .flat_map(|offset| {
                hits(&reader, "request file", |request| {
                    (request.fusion, request.offset, request.limit) = (fusion, offset, 1);
                })
            })
            .collect();
        assert_eq!(paged, whole);
    }
}

#[test]
fn modes_rank_by_what_they_say() {
    let place = tempfile::tempdir().unwrap();
    let reader = library(place.path());
    let words = hits(&reader, "request", |request| request.mode = Mode::Lexical);
    assert!(words.iter().all(|hit| hit.words > 0.0) && words.is_sorted_by(|a, b| a.words >= b.words));
    let dense = hits(&reader, "try again after an error", |request| request.mode = Mode::Dense);
    assert!(dense.is_sorted_by(|a, b| a.cosine >= b.cosine));
    assert_eq!(dense[0].chunk.document, "guide/retry.md");
}

#[test]
fn nothing_is_found_in_no_index() {
    let query: Query = "request".parse().unwrap();
    let found = search(&[], &Request::new(&query), StaticModel::bundled()).unwrap();
    assert!(found.hits.is_empty());
}
