use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{Candidates, Pattern, PatternOptions, TrigramIndex};

fn candidates(folder: &Path, pattern: &str) -> Candidates {
    let index = TrigramIndex::open(folder).unwrap();
    index.candidates(&Pattern::new(pattern, PatternOptions::default()).unwrap().plan).unwrap()
}

#[test]
fn what_was_added_is_found_and_what_was_removed_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(7, "hello world").unwrap();
    update.add(3, "Hello there").unwrap();
    let summary = update.finish().unwrap();
    assert_eq!((summary.documents, summary.segments), (2, 1));
    assert_eq!(candidates(folder.path(), "hello"), Candidates::Some(vec![3, 7]));

    let mut update = Update::open(folder.path()).unwrap();
    update.remove(3);
    update.remove(99);
    update.finish().unwrap();
    assert_eq!(candidates(folder.path(), "hello"), Candidates::Some(vec![7]));
    assert_eq!(candidates(folder.path(), "world"), Candidates::Some(vec![7]));
    assert_eq!(candidates(folder.path(), "nowhere"), Candidates::Some(vec![]));
    assert_eq!(candidates(folder.path(), "h"), Candidates::All);
}

#[test]
fn the_last_text_of_a_key_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(1, "alpha").unwrap();
    update.add(1, "beta").unwrap();
    update.add(2, "gamma").unwrap();
    update.remove(2);
    update.finish().unwrap();
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some(vec![]));
    assert_eq!(candidates(folder.path(), "beta"), Candidates::Some(vec![1]));
    assert_eq!(TrigramIndex::open(folder.path()).unwrap().keys(), [1]);
}

#[test]
fn an_update_that_is_dropped_or_changes_nothing_leaves_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(1, "alpha").unwrap();
    update.finish().unwrap();
    let before = files(folder.path());
    let mut update = Update::open(folder.path()).unwrap();
    update.pairs_in_memory = 1;
    update.add(2, "beta").unwrap();
    update.add(3, "gamma").unwrap();
    drop(update);
    Update::open(folder.path()).unwrap().finish().unwrap();
    assert_eq!(files(folder.path()), before);
}

#[test]
fn an_index_that_is_shared_can_go_two_ways() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut update = Update::create(&at("old")).unwrap();
    update.add(1, "alpha").unwrap();
    update.finish().unwrap();
    let before = files(&at("old"));
    share(&at("old"), &at("new")).unwrap();
    assert_eq!(files(&at("new")), before);
    let mut update = Update::open(&at("new")).unwrap();
    update.add(1, "beta").unwrap();
    update.finish().unwrap();
    assert_eq!(files(&at("old")), before);
    assert_eq!(candidates(&at("old"), "alpha"), Candidates::Some(vec![1]));
    assert_eq!(candidates(&at("new"), "alpha"), Candidates::Some(vec![]));
    assert!(share(&at("nowhere"), &at("other")).is_err());
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
    fs::read_dir(folder).unwrap().map(|e| e.unwrap()).map(|e| (name(&e), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn a_new_index_takes_the_place_of_the_old_one_only_when_it_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(1, "alpha").unwrap();
    update.finish().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(2, "alpha").unwrap();
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some(vec![1]));
    drop(update);
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some(vec![1]));
    Update::create(folder.path()).unwrap().finish().unwrap();
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some(vec![]));
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn a_derived_index_leaves_the_old_one_alone_and_shares_its_files() {
    let root = tempfile::tempdir().unwrap();
    let (old, new) = (root.path().join("old"), root.path().join("new"));
    let mut update = Update::create(&old).unwrap();
    for key in 0..200 {
        update.add(key, &format!("alpha number {key} of many more texts")).unwrap();
    }
    update.finish().unwrap();
    let before = files(&old);
    let mut update = Update::derive(&old, &new).unwrap();
    update.add(0, "beta").unwrap();
    let summary = update.finish().unwrap();
    assert_eq!(files(&old), before);
    assert_eq!((summary.documents, summary.segments), (200, 2));
    assert_eq!(candidates(&new, "beta"), Candidates::Some(vec![0]));
    assert_eq!(candidates(&new, "number 1.*alpha"), candidates(&old, "number 1.*alpha"));
    assert_eq!(candidates(&new, "alpha"), Candidates::Some((1..200).collect()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(fs::metadata(segment_path(&new, 0)).unwrap().nlink(), 2);
    }
}

#[test]
fn a_reader_keeps_what_it_opened_while_segments_are_merged_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.add(1, "alpha").unwrap();
    update.finish().unwrap();
    let reader = TrigramIndex::open(folder.path()).unwrap();
    for key in 2..20 {
        let mut update = Update::open(folder.path()).unwrap();
        update.add(key, "alpha").unwrap();
        update.remove(1);
        assert!(update.finish().unwrap().segments <= MOST_SEGMENTS);
    }
    let plan = Pattern::new("alpha", PatternOptions::default()).unwrap();
    assert_eq!(reader.candidates(&plan.plan).unwrap(), Candidates::Some(vec![1]));
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some((2..20).collect()));
}

#[test]
fn merging_touches_a_document_as_often_as_the_index_doubles() {
    let (mut segments, mut rewritten) = (Vec::new(), 0u64);
    for _ in 0..10_000 {
        let chosen = choose_to_merge(&segments.iter().map(|&weight| (weight, false)).collect::<Vec<_>>(), 1);
        let merged: u64 = chosen.iter().map(|&at| segments[at]).sum();
        rewritten += merged;
        segments = (0..segments.len()).filter(|at| !chosen.contains(at)).map(|at| segments[at]).collect();
        segments.push(merged + 1);
        assert!(segments.len() <= MOST_SEGMENTS + 1, "{segments:?}");
    }
    assert!(rewritten < 10_000 * 28, "{rewritten}");
}

#[test]
fn mostly_deleted_segments_are_rewritten_and_empty_ones_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    (0..100).for_each(|key| update.add(key, &format!("alpha {key}")).unwrap());
    let full = update.finish().unwrap();
    let mut update = Update::open(folder.path()).unwrap();
    (0..90).for_each(|key| update.remove(key));
    let rest = update.finish().unwrap();
    assert!(rest.bytes < full.bytes / 2 && rest.documents == 10 && rest.segments == 1, "{rest:?}");
    let mut update = Update::open(folder.path()).unwrap();
    (0..100).for_each(|key| update.remove(key));
    let none = update.finish().unwrap();
    assert_eq!(none, Summary { documents: 0, segments: 0, bytes: 0 });
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some(vec![]));
}

#[test]
fn more_runs_than_are_merged_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut update = Update::create(folder.path()).unwrap();
    update.pairs_in_memory = 1;
    for key in 0..150 {
        update.add(key % 140, &format!("alpha {key}")).unwrap();
    }
    let summary = update.finish().unwrap();
    assert_eq!((summary.documents, summary.segments), (140, 1));
    assert_eq!(candidates(folder.path(), "alpha"), Candidates::Some((0..140).collect()));
    assert_eq!(candidates(folder.path(), "alpha 145"), Candidates::Some(vec![5]));
    assert_eq!(files(folder.path()).len(), 2, "no run is left");
}

#[derive(Debug, Clone)]
enum Step {
    Add(u64, String),
    Remove(u64),
    Finish,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..12u64, "[abcABſ\n]{0,12}").prop_map(|(key, text)| Step::Add(key, text)),
        2 => (0..12u64).prop_map(Step::Remove),
        2 => Just(Step::Finish),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// However an index came about, by updates in place or derived, with runs in memory or on disk, it answers as one
    /// that was built afresh from the same texts.
    #[test]
    fn an_index_answers_as_a_fresh_one(steps in steps(), pairs in 1..40usize, derive: bool) {
        let root = tempfile::tempdir().unwrap();
        let mut folder = root.path().join("0");
        let mut texts: BTreeMap<u64, String> = BTreeMap::new();
        let mut update = Update::create(&folder).unwrap();
        update.pairs_in_memory = pairs;
        for (nth, step) in steps.into_iter().chain([Step::Finish]).enumerate() {
            match step {
                Step::Add(key, text) => {
                    update.add(key, &text).unwrap();
                    texts.insert(key, text);
                }
                Step::Remove(key) => {
                    update.remove(key);
                    texts.remove(&key);
                }
                Step::Finish => {
                    let summary = update.finish().unwrap();
                    prop_assert_eq!(summary.documents, texts.len() as u64);
                    update = if derive {
                        let next = root.path().join((nth + 1).to_string());
                        let update = Update::derive(&folder, &next).unwrap();
                        folder = next;
                        update
                    } else {
                        Update::open(&folder).unwrap()
                    };
                    update.pairs_in_memory = pairs;
                }
            }
        }
        drop(update);
        let fresh = root.path().join("fresh");
        let mut update = Update::create(&fresh).unwrap();
        texts.iter().for_each(|(&key, text)| update.add(key, text).unwrap());
        update.finish().unwrap();
        prop_assert_eq!(TrigramIndex::open(&folder).unwrap().keys(), texts.keys().copied().collect::<Vec<_>>());
        for pattern in ["abc", "bca|cab", "(?i)abs", "aa[ab]a", "x", "abx|c", "a[^c]b"] {
            prop_assert_eq!(candidates(&folder, pattern), candidates(&fresh, pattern), "{}", pattern);
        }
    }
}
