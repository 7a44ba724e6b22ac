//! Files that are not what was written.

use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_trigram::{Candidates, Error, Pattern, PatternOptions, Result, TrigramIndex, Update};

use crate::index_of;

fn texts() -> Vec<String> {
    (0..120u32)
        .map(|n| format!("line {n} of text, {}\nalpha beta gamma {}\n", n * n, "xyz".repeat(n as usize % 5)))
        .collect()
}

fn patterns() -> Vec<Pattern> {
    ["alpha", "xyzx", "line 1", "of text, 9|gamma x", "nowhere", "119 of"]
        .map(|pattern| Pattern::new(pattern, PatternOptions::default()).unwrap())
        .into()
}

fn answers(folder: &Path) -> Vec<Result<Candidates>> {
    match TrigramIndex::open(folder) {
        Ok(index) => patterns().iter().map(|pattern| index.candidates(&pattern.plan)).collect(),
        Err(error) => vec![Err(error)],
    }
}

fn only_file(folder: &Path, ending: &str) -> PathBuf {
    let mut found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    found.find(|path| path.to_string_lossy().ends_with(ending)).unwrap()
}

/// Damages one file in every place, one at a time, and asks all patterns: an answer is right or an error.
fn no_answer_is_wrong(ending: &str, damages: impl Fn(&[u8]) -> Vec<Vec<u8>>, always_seen: bool) {
    let folder = tempfile::tempdir().unwrap();
    index_of(folder.path(), &texts());
    let right: Vec<_> = answers(folder.path()).into_iter().map(Result::unwrap).collect();
    let path = only_file(folder.path(), ending);
    let sound = fs::read(&path).unwrap();
    for (nth, damaged) in damages(&sound).into_iter().enumerate() {
        fs::write(&path, damaged).unwrap();
        let mut seen = false;
        for (at, answer) in answers(folder.path()).into_iter().enumerate() {
            match answer {
                Ok(answer) => assert_eq!(answer, right[at], "damage {nth}"),
                Err(Error::Damaged { .. } | Error::Incompatible { .. }) => seen = true,
                Err(other) => panic!("damage {nth}: {other:?}"),
            }
        }
        assert!(seen || !always_seen, "damage {nth} went unseen");
    }
}

fn flips(bytes: &[u8]) -> Vec<Vec<u8>> {
    let step = (bytes.len() / 1500).max(1);
    let flip = |at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    };
    (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(200)..bytes.len()).map(flip).collect()
}

fn cuts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let step = (bytes.len() / 300).max(1);
    (0..bytes.len()).step_by(step).map(|length| bytes[..length].to_vec()).collect()
}

#[test]
fn a_flipped_bit_in_a_segment_never_changes_an_answer() {
    no_answer_is_wrong(".grams", flips, false);
}

#[test]
fn a_segment_cut_short_or_grown_is_refused() {
    no_answer_is_wrong(".grams", cuts, true);
    no_answer_is_wrong(".grams", |bytes| vec![[bytes, b"x"].concat(), [b"x", bytes].concat()], true);
}

#[test]
fn a_damaged_list_of_segments_is_refused() {
    no_answer_is_wrong("segments", flips, true);
    no_answer_is_wrong("segments", cuts, true);
}

#[test]
fn a_file_cut_short_while_it_is_open_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &texts());
    fs::OpenOptions::new().write(true).open(only_file(folder.path(), ".grams")).unwrap().set_len(10).unwrap();
    let error = index.candidates(&patterns()[0].plan).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }) && error.rebuild_helps(), "{error:?}");
}

#[test]
fn another_segment_in_the_place_of_one_is_refused() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    index_of(folder.path(), &texts());
    index_of(other.path(), &texts()[1..]);
    fs::copy(only_file(other.path(), ".grams"), only_file(folder.path(), ".grams")).unwrap();
    assert!(matches!(TrigramIndex::open(folder.path()), Err(Error::Damaged { .. })));
}

#[test]
fn a_missing_index_or_segment_says_so_and_can_be_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(TrigramIndex::open(folder.path()), Err(Error::Missing(_))));
    index_of(folder.path(), &texts());
    fs::remove_file(only_file(folder.path(), ".grams")).unwrap();
    let error = TrigramIndex::open(folder.path()).unwrap_err();
    assert!(error.rebuild_helps(), "{error:?}");
    assert!(Update::open(folder.path()).is_err());
    assert_eq!(index_of(folder.path(), &texts()).documents(), 120);
}
