//! Who asks for a name wants what it names, and after that those who speak of it.

use std::path::Path;
use std::sync::Arc;

use ai_assist_index::Reader;
use ai_assist_search::{Fusion, Merge, Question, RankBy};

use crate::corpus::{answer, index_of, places, question, source, sources};
use crate::one_ranking::WAYS;

const DOCS: [(&str, &[&str]); 6] = [
    // Says the name more often than any definition does.
    ("docs/notes.md", &["get_openapi get_openapi get_openapi", "see get_openapi and LineMap"]),
    ("tests/test_app.rs", &["fn get_openapi() is a stand-in for get_openapi in tests of get_openapi"]),
    ("src/app.rs", &["fn get_openapi(title, version, a long list of arguments) gives a document", "fn setup calls it"]),
    (
        "src/lines.rs",
        &["struct LineMap keeps the starts of lines", "fn LineMap::open reads them", "fn open opens a file"],
    ),
    ("docs/guide.md", &["# Growing oaks\nplant an acorn", "oaks grow and growing oaks grow, as oaks do when growing"]),
    ("docs/open.md", &["open the LineMap", "opening and open and open again"]),
];

fn library(place: &Path) -> Arc<Reader> {
    index_of(place, &DOCS)
}

fn asked(query: &str, (rank_by, fusion): (RankBy, Fusion)) -> Question {
    Question { rank_by, fusion, limit: 50, explain: true, ..question(query) }
}

#[test]
fn a_definition_in_source_is_before_one_in_a_test_before_a_mention() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[library(place.path())]);
    for way in WAYS {
        for query in ["get_openapi", "get_openapi()", "where is get_openapi used", "what calls `get_openapi`?"] {
            let outcome = answer(&sources, &asked(query, way));
            assert_eq!(places(&outcome)[..2], ["src/app.rs:1", "tests/test_app.rs:1"], "{query} {way:?}");
            assert!(!outcome.weak, "{query} {way:?}");
            let by_name = |at: usize| {
                let parts = &outcome.hits[at].explanation.as_ref().unwrap().parts;
                parts.iter().find(|part| part.name == "definition").map_or(0.0, |part| part.adds)
            };
            assert_eq!(by_name(0), 2.0 / 3.0, "{query} {way:?}");
            assert!((by_name(1) - 0.2).abs() < 1e-6, "{query} {way:?}");
            assert!((2..outcome.hits.len()).all(|at| by_name(at) == 0.0), "{query} {way:?}");
        }
        if way.0 != RankBy::Meaning {
            assert_eq!(places(&answer(&sources, &asked("get_openapi", way)))[2], "docs/notes.md:1", "{way:?}");
        }
    }
}

#[test]
fn a_heading_that_is_the_query_is_first() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[library(place.path())]);
    for way in WAYS {
        for query in ["growing oaks", "Growing oaks", "grow the oaks"] {
            let found = places(&answer(&sources, &asked(query, way)));
            assert_eq!(found[0], "docs/guide.md:1", "{query} {way:?}");
        }
    }
    // With the words in another order it is no heading.
    let words = asked("How do oaks grow?", (RankBy::Words, Fusion::SCORES));
    assert_eq!(places(&answer(&sources, &words))[0], "docs/guide.md:2", "by words alone it is another");
}

#[test]
fn a_parent_tells_definitions_apart() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[library(place.path())]);
    for way in WAYS {
        let first = |query: &str| places(&answer(&sources, &asked(query, way))).remove(0);
        assert_eq!(first("LineMap"), "src/lines.rs:1", "{way:?}");
        assert_eq!(first("LineMap::open"), "src/lines.rs:2", "{way:?}");
        assert_eq!(first("LineMap.open()"), "src/lines.rs:2", "{way:?}");
        assert_eq!(first("where is LineMap used"), "src/lines.rs:1", "{way:?}");
        // Written otherwise it is still the nearest.
        assert_eq!(first("linemap"), "src/lines.rs:1", "{way:?}");
        let mut open = places(&answer(&sources, &asked("open()", way)));
        open.truncate(2);
        open.sort();
        assert_eq!(open, ["src/lines.rs:2", "src/lines.rs:3"], "{way:?}");
    }
}

#[test]
fn a_symbol_narrows_and_is_enough() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[library(place.path())]);
    for way in WAYS {
        let found = |query: &str| {
            let mut found = places(&answer(&sources, &asked(query, way)));
            found.sort();
            found
        };
        assert_eq!(found("symbol:get_openapi"), ["src/app.rs:1", "tests/test_app.rs:1"], "{way:?}");
        assert_eq!(found("stand-in symbol:get_openapi path:tests"), ["tests/test_app.rs:1"], "{way:?}");
        assert_eq!(found("a file symbol:open"), ["src/lines.rs:2", "src/lines.rs:3"], "{way:?}");
        assert_eq!(found("symbol:LineMap symbol:setup"), ["src/app.rs:2", "src/lines.rs:1"], "{way:?}");
        assert_eq!(found("oaks symbol:nothing"), [""; 0], "{way:?}");
    }
}

#[test]
fn the_definition_is_first_wherever_it_is() {
    let place = tempfile::tempdir().unwrap();
    let folder = |at: usize| place.path().join(at.to_string());
    let readers: Vec<_> = DOCS.iter().enumerate().map(|(at, doc)| index_of(&folder(at), &[*doc])).collect();
    for way in WAYS {
        let outcome = answer(&sources(&readers), &asked("get_openapi", way));
        assert_eq!(places(&outcome)[..2], ["src/app.rs:1", "tests/test_app.rs:1"], "{way:?}");
        let few = Question { limit: 1, per_owner: Some(1), ..asked("get_openapi", way) };
        assert_eq!(places(&answer(&sources(&readers), &few)), ["src/app.rs:1"], "{way:?}");
        // Each index for itself: then every first is first, in the order of the owners.
        let own = Question { merge: Merge::Rrf, ..asked("get_openapi", way) };
        let turned: Vec<_> = readers.iter().rev().enumerate().map(|(owner, reader)| source(reader, owner)).collect();
        assert_eq!(answer(&turned, &own).hits[0].score, 1.0, "{way:?}");
    }
}

#[test]
fn an_answer_with_little_of_what_was_asked_is_weak() {
    let place = tempfile::tempdir().unwrap();
    let sources = sources(&[library(place.path())]);
    let weak = |query: &str| answer(&sources, &question(query)).weak;
    assert!(weak("xyzzy plugh quux frobnicate acorn"));
    assert!(!weak("plant an acorn"));
    assert!(!weak("get_openapi"));
}
