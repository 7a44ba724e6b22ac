//! What counts beside words and meaning: each feature does what it says, can be left out, and holds over any number of indexes.

use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_index::{Reader, TextPlace, Texts};
use ai_assist_search::{Feature, Features, Hit, IndexStatus, Look, Question, RankBy, search};

use crate::corpus::{Doc, answer, commit, index_of, open, places, question, source, sources, with_texts_elsewhere};

fn part(hit: &Hit, name: &str) -> f32 {
    let parts = &hit.explanation.as_ref().unwrap().parts;
    parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.adds)
}

fn asked(query: &str) -> Question {
    Question { explain: true, limit: 50, ..question(query) }
}

fn without(feature: Feature, query: &str) -> Question {
    Question { features: Features::default().without(feature), ..asked(query) }
}

fn first(sources: &[ai_assist_search::Source], question: &Question) -> String {
    places(&answer(sources, question)).remove(0)
}

#[test]
fn tests_and_changelogs_lose_a_part_unless_they_are_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let text = "the client waits longer after each failed attempt";
    let docs: [(&str, &[&str]); 4] = [
        ("tests/test_backoff.py", &["the client waits longer after each failed attempt of a client"]),
        ("CHANGELOG.md", &["the client waits longer after each failed attempt, the client"]),
        ("docs/zh/backoff.md", &[text]),
        ("src/wait.py", &["the client waits longer after each attempt"]),
    ];
    let sources = sources(&[index_of(place.path(), &docs)]);
    let question = "client waits after failed attempt";
    let found = answer(&sources, &asked(question));
    assert_eq!(found.hits[0].document, "src/wait.py", "{:?}", places(&found));
    assert_eq!(part(&found.hits[0], "role"), 0.0);
    assert!(found.hits[1..].iter().all(|hit| part(hit, "role") < 0.0));
    assert_ne!(first(&sources, &without(Feature::Role, question)), "src/wait.py:1");
    assert_eq!(first(&sources, &asked("tests: client waits after failed attempt")), "tests/test_backoff.py:1");
    assert_eq!(first(&sources, &asked("changelog client waits after failed attempt")), "CHANGELOG.md:1");
}

#[test]
fn further_chunks_speak_for_the_best_one_of_their_document() {
    let place = tempfile::tempdir().unwrap();
    let docs: [(&str, &[&str]); 3] = [
        ("a.md", &["grafting an apple tree in spring", "apple scions and grafting wax", "a graft of apple heals"]),
        ("b.md", &["grafting an apple tree, in spring", "a boat in the harbour", "engines and oil"]),
        ("c.md", &["nothing of the kind at all"]),
    ];
    let sources = sources(&[index_of(place.path(), &docs)]);
    let question = Question { rank_by: RankBy::Words, ..asked("grafting apple") };
    let found = answer(&sources, &question);
    assert_eq!(places(&found)[0], "a.md:1");
    assert!(part(&found.hits[0], "evidence") > 0.0);
    assert!(found.hits[1..].iter().all(|hit| part(hit, "evidence") == 0.0), "only the best chunk has it");
    let alone = Question { features: Features::default().without(Feature::Evidence), ..question };
    assert!(answer(&sources, &alone).hits.iter().all(|hit| part(hit, "evidence") == 0.0));
}

#[test]
fn a_file_whose_name_is_said_goes_before_its_equals() {
    let place = tempfile::tempdir().unwrap();
    let docs: [(&str, &[&str]); 3] = [
        ("docs/a.md", &["how a scheduler retries jobs that failed"]),
        ("docs/job-scheduler.md", &["how a scheduler retries jobs, mostly"]),
        ("docs/z.md", &["jobs and a scheduler"]),
    ];
    let sources = sources(&[index_of(place.path(), &docs)]);
    let found = answer(&sources, &asked("when does the scheduler retry jobs"));
    assert_eq!(places(&found)[0], "docs/job-scheduler.md:1");
    assert!(part(&found.hits[0], "name") > 0.0);
    let unnamed = answer(&sources, &without(Feature::Name, "when does the scheduler retry jobs"));
    assert!(unnamed.hits.iter().all(|hit| part(hit, "name") == 0.0));
}

#[test]
fn the_first_line_of_a_report_counts_before_the_rest() {
    let place = tempfile::tempdir().unwrap();
    let docs: [(&str, &[&str]); 3] = [
        ("src/lease.rs", &["a lease expires when its holder is gone"]),
        ("src/windows.rs", &["windows and linux and the kernel and its version, libc and glibc and musl"]),
        ("src/print.rs", &["print the stack of a thread and its frames"]),
    ];
    let sources = sources(&[index_of(place.path(), &docs)]);
    let report = format!(
        "A lease never expires\nI print the stack of each thread, and the frames of the stack. {}\n\n## Environment\nlinux kernel version, glibc and musl and libc, windows version\n",
        "It happens now and then, on days when nobody looks, and then it does not happen for weeks, which is odd. "
            .repeat(2)
    );
    assert_eq!(first(&sources, &asked(&report)), "src/lease.rs:1");
    assert_ne!(first(&sources, &without(Feature::Opening, &report)), "src/lease.rs:1");
    let found = places(&answer(&sources, &Question { rank_by: RankBy::Words, ..asked(&report) }));
    assert!(!found.contains(&"src/windows.rs:1".to_owned()), "an environment says nothing: {found:?}");
}

#[test]
fn a_pasted_report_has_no_filters_after_its_first_line() {
    let query = "it fails\nkind:nonsense lang:klingon path:[ and so on".parse::<ai_assist_search::Query>().unwrap();
    assert!(query.filter.kinds.is_empty() && query.filter.languages.is_empty() && query.filter.paths.is_none());
    assert!("it fails kind:nonsense".parse::<ai_assist_search::Query>().is_err());
}

/// Documents of many kinds, split over some indexes.
fn split(place: &Path, over: usize) -> Vec<Arc<Reader>> {
    let subjects = ["leases", "retries", "queues", "locks", "timers", "caches"];
    let paths = ["src/{}.rs", "tests/{}_test.rs", "docs/{}.md", "CHANGELOG-{}.md", "examples/{}.rs"];
    let mut docs: Vec<Vec<(u64, Doc)>> = vec![Vec::new(); over];
    for (number, (subject, path)) in subjects.iter().flat_map(|s| paths.iter().map(move |p| (s, p))).enumerate() {
        let texts =
            (0..number % 4 + 1).map(|at| format!("{subject} expire after {at} seconds unless renewed, part {number}"));
        let doc = (path.replace("{}", subject), texts.collect());
        docs[number % over].push((number as u64, doc));
    }
    let index = |(at, docs): (usize, &Vec<_>)| {
        let folder = place.join(format!("{over}-{at}"));
        commit(&folder, docs, &[], docs.len() as u64);
        Arc::new(open(&folder))
    };
    docs.iter().enumerate().map(index).collect()
}

#[test]
fn every_feature_holds_over_any_number_of_indexes() {
    let place = tempfile::tempdir().unwrap();
    let look = Some(Arc::new(Look::new(Some(&place.path().join("vectors")))));
    for query in ["when do leases expire", "tests of timers", "queues\nThey expire too soon.", "caches retries"] {
        let asked = Question { look: look.clone(), ..asked(query) };
        let ranked = |over: usize| {
            let sources: Vec<_> =
                split(&place.path().join(query.len().to_string()), over).iter().map(|r| source(r, 0)).collect();
            let found = answer(&sources, &asked);
            assert!(found.hits.iter().any(|hit| part(hit, "look") > 0.0), "{query}");
            for hit in &found.hits {
                let sum: f32 = hit.explanation.as_ref().unwrap().parts.iter().map(|part| part.adds).sum();
                assert!((sum - hit.score).abs() < 1e-5 && hit.score <= 1.0 + 1e-5, "{hit:?}");
            }
            found.hits.into_iter().map(|hit| (hit.document, hit.lines.start, hit.score.to_bits())).collect::<Vec<_>>()
        };
        let whole = ranked(1);
        assert_eq!(ranked(3), whole, "{query}");
        assert_eq!(ranked(7), whole, "{query}");
        // The first hits do not depend on how many are asked for.
        let sources: Vec<_> = split(&place.path().join("few"), 2).iter().map(|r| source(r, 0)).collect();
        let few = answer(&sources, &Question { limit: 3, ..asked.clone() });
        let few: Vec<_> =
            few.hits.into_iter().map(|hit| (hit.document, hit.lines.start, hit.score.to_bits())).collect();
        assert_eq!(few, whole[..3], "{query}");
    }
}

#[test]
fn a_second_look_is_only_there_if_it_is_wanted() {
    let place = tempfile::tempdir().unwrap();
    let sources: Vec<_> = split(place.path(), 2).iter().map(|reader| source(reader, 0)).collect();
    let look = Some(Arc::new(Look::new(None)));
    let ranking = |question: &Question| -> Vec<_> {
        answer(&sources, question).hits.into_iter().map(|hit| (hit.document, hit.score.to_bits())).collect()
    };
    let plain = ranking(&asked("locks that expire"));
    let left_out = Question { look: look.clone(), ..without(Feature::Look, "locks that expire") };
    assert_eq!(ranking(&left_out), plain);
    let by_words = Question { rank_by: RankBy::Words, ..asked("locks that expire") };
    assert_eq!(ranking(&Question { look: look.clone(), ..by_words.clone() }), ranking(&by_words));
    let looked = Question { look, ..asked("locks that expire") };
    assert_ne!(ranking(&looked), plain);
    assert_eq!(ranking(&looked), ranking(&looked), "what was read once is read the same");
}

#[test]
fn of_translations_the_one_in_the_readers_language_goes_first() {
    let place = tempfile::tempdir().unwrap();
    let docs: [(&str, &[&str]); 3] = [
        ("docs/retry.md", &["retry waits before the next attempt"]),
        ("docs/de/retry.md", &["retry wartet vor dem naechsten attempt"]),
        ("docs/fr/retry.md", &["retry attend avant le prochain attempt"]),
    ];
    let sources = sources(&[index_of(place.path(), &docs)]);
    let of = |reader| {
        let found = answer(&sources, &Question { reader, ..asked("retry attempt") });
        ["docs/de/retry.md", "docs/fr/retry.md"]
            .map(|document| part(found.hits.iter().find(|hit| hit.document == document).unwrap(), "role") < 0.0)
    };
    assert_eq!((of(None), of(Some("de")), of(Some("fr"))), ([true, true], [false, true], [true, false]));
}

/// A store that has lost every text.
struct Nothing;

impl Texts for Nothing {
    fn text(&self, _: &TextPlace) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(None)
    }
}

#[test]
fn a_source_whose_texts_are_gone_takes_no_other_with_it() {
    let place = tempfile::tempdir().unwrap();
    let good = index_of(&place.path().join("good"), &[("good.md", &["locks that expire", "and others"])]);
    let folder = place.path().join("lost");
    let lost = Arc::new(with_texts_elsewhere(&folder, &[("lost.md", &["locks that expire soon"])], Arc::new(Nothing)));
    let sources = [source(&lost, 0), source(&good, 1)];
    let look = Some(Arc::new(Look::new(None)));
    // Read for a second look, read to be shown, and read as the only one.
    for (sources, look) in [(&sources[..], look.clone()), (&sources[..], None), (&sources[..1], look)] {
        let found = search(
            sources,
            &Question { look, ..asked("locks that expire") },
            StaticModel::bundled(),
            &Cancel::default(),
        )
        .unwrap();
        let why: Vec<_> = found.lost.iter().map(|(source, why)| (*source, why.status)).collect();
        assert_eq!(why, [(0, IndexStatus::Failed)]);
        let documents: Vec<_> = found.hits.iter().map(|hit| hit.document.as_str()).collect();
        assert_eq!(documents, ["good.md"][..sources.len() - 1]);
    }
}

/// A store that can't be read.
struct Unreadable;

impl Texts for Unreadable {
    fn text(&self, _: &TextPlace) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>> {
        Err("the store is broken".into())
    }
}

#[test]
fn each_source_that_fails_says_why() {
    let place = tempfile::tempdir().unwrap();
    let good = index_of(&place.path().join("good"), &[("good.md", &["locks that expire", "and others"])]);
    let failing = |name: &str, texts: Arc<dyn Texts>| {
        Arc::new(with_texts_elsewhere(&place.path().join(name), &[("lost.md", &["locks that expire soon"])], texts))
    };
    let (lost, unreadable) = (failing("lost", Arc::new(Nothing)), failing("unreadable", Arc::new(Unreadable)));
    let sources = [source(&lost, 0), source(&unreadable, 1), source(&good, 2)];
    for look in [Some(Arc::new(Look::new(None))), None] {
        let question = Question { look, ..asked("locks that expire") };
        let found = search(&sources, &question, StaticModel::bundled(), &Cancel::default()).unwrap();
        let reasons: Vec<&str> = found.lost.values().map(|why| why.reason.as_str()).collect();
        let [first, second] = reasons[..] else { panic!("{reasons:?}") };
        assert!(first.contains("nothing has the text"), "{first}");
        assert!(second.contains("the store is broken"), "{second}");
        assert_eq!(found.lost.values().map(|why| why.rebuild_helps).collect::<Vec<_>>(), [true, false]);
        assert_eq!(found.hits.len(), 1);
    }
}
