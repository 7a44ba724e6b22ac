use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;
use crate::{Globs, Receipt, Selection, walk};
use ai_assist_base::Cancel;

fn candidates(root: &Path) -> Vec<Candidate> {
    let selection = Selection::new(root, Globs::new(&["**/*"]).unwrap(), Limits::default());
    walk(&selection, &Cancel::default(), &|_| {}).unwrap().candidates
}

fn only(root: &Path) -> Candidate {
    let mut all = candidates(root);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn admitted(outcome: Outcome) -> Admitted {
    match outcome {
        Outcome::Admitted(admitted) => admitted,
        other => panic!("not admitted: {other:?}"),
    }
}

fn reason(outcome: &Outcome) -> Reason {
    match outcome {
        Outcome::Excluded(exclusion) => exclusion.reason,
        other => panic!("not excluded: {other:?}"),
    }
}

#[test]
fn text_comes_in_decoded_hashed_and_stamped() {
    let tree = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> = "\u{feff}hé\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&str, &[u8], &str, &str, bool); 5] = [
        ("a.md", "naïve\n".as_bytes(), "naïve\n", "UTF-8", false),
        ("b.md", b"\xef\xbb\xbfhi", "hi", "UTF-8", true),
        ("c.md", &utf16, "hé\r\n", "UTF-16LE", true),
        ("d.md", b"caf\xe9 au lait, d\xe9j\xe0 vu", "café au lait, déjà vu", "windows-1252", false),
        ("e.md", b"", "", "UTF-8", false),
    ];
    for (name, bytes, ..) in &cases {
        fs::write(tree.path().join(name), bytes).unwrap();
    }
    let read: Vec<Admitted> = candidates(tree.path()).iter().map(|c| admitted(c.read(&Limits::default()))).collect();
    assert_eq!(read.len(), cases.len());
    for (file, (name, bytes, text, encoding, bom)) in read.iter().zip(&cases) {
        assert_eq!(file.path().as_str(), *name);
        assert_eq!(file.text(), *text);
        assert_eq!(file.hash(), Sha256::of(bytes));
        assert_eq!(file.encoding().name(), *encoding);
        assert_eq!((file.bom(), file.replaced(), file.size()), (*bom, 0, bytes.len() as u64));
        assert_eq!(file.stamp(), None, "it was written a moment ago");
    }
}

#[test]
fn a_stamp_from_the_walk_is_that_of_the_open_file() {
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join("a"), "x").unwrap();
    let candidate = only(tree.path());
    assert_eq!(candidate.stamp(), admitted(candidate.read(&Limits::default())).seen.unwrap().0);
}

#[test]
fn secrets_are_taken_out_and_shown_nowhere() {
    let tree = tempfile::tempdir().unwrap();
    let value = concat!("ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo");
    fs::write(tree.path().join("a.md"), format!("use {value}\n")).unwrap();
    let outcome = only(tree.path()).read(&Limits::default());
    let mut receipt = Receipt::default();
    receipt.record(&outcome);
    assert!(!format!("{outcome:?} {receipt:?}").contains(&value[4..]));
    assert_eq!(receipt.redacted.get("github-token"), Some(&1));
    assert_eq!(admitted(outcome).text(), "use [redacted:github-token]\n");
}

#[test]
fn binary_stays_out() {
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join("a.md"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0").unwrap();
    assert_eq!(reason(&only(tree.path()).read(&Limits::default())), Reason::Binary);
}

#[test]
fn a_file_that_is_gone_has_vanished() {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir(tree.path().join("d")).unwrap();
    fs::write(tree.path().join("d/a"), "x").unwrap();
    let candidate = only(tree.path());
    fs::remove_dir_all(tree.path().join("d")).unwrap();
    assert!(matches!(candidate.read(&Limits::default()), Outcome::Vanished));
    fs::write(tree.path().join("d"), "now a file").unwrap();
    assert!(matches!(candidate.read(&Limits::default()), Outcome::Vanished));
}

#[cfg(unix)]
#[test]
fn what_took_the_place_of_a_file_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "not for you").unwrap();
    let tree = tempfile::tempdir().unwrap();
    let (folder, file) = (tree.path().join("d"), tree.path().join("d/a"));
    fs::create_dir(&folder).unwrap();
    fs::write(&file, "x").unwrap();
    let candidate = only(tree.path());
    let read = || reason(&candidate.read(&Limits::default()));

    fs::remove_file(&file).unwrap();
    symlink(outside.path().join("a"), &file).unwrap();
    assert_eq!(read(), Reason::SymlinkOutside, "the file became a symlink");

    fs::remove_dir_all(&folder).unwrap();
    symlink(outside.path(), &folder).unwrap();
    assert_eq!(read(), Reason::SymlinkOutside, "its folder became a symlink");

    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &file, FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    assert_eq!(read(), Reason::NotAFile, "a pipe does not make the reader wait");

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(read(), Reason::NotAFile, "nor is a folder a file");
}

#[test]
fn a_file_that_changes_is_read_again() {
    let tree = tempfile::tempdir().unwrap();
    let path = tree.path().join("a");
    fs::write(&path, "one").unwrap();
    let candidate = only(tree.path());

    let mut writes = 0;
    let outcome = candidate.read_attempts(
        &Limits::default(),
        &mut || {
            if writes < 2 {
                writes += 1;
                fs::write(&path, format!("text {writes}, which is longer: {}", "x".repeat(writes))).unwrap();
            }
        },
        &mut |_| {},
    );
    assert_eq!(admitted(outcome).text(), "text 2, which is longer: xx");

    let mut writes = 0;
    let outcome = candidate.read_attempts(
        &Limits::default(),
        &mut || {
            writes += 1;
            fs::write(&path, "y".repeat(100 + writes)).unwrap();
        },
        &mut |_| {},
    );
    assert_eq!(writes, ATTEMPTS);
    assert_eq!(reason(&outcome), Reason::Unstable);
    let mut receipt = Receipt::default();
    receipt.record(&outcome);
    assert_eq!(receipt.problems.len(), 1);
}

#[test]
fn reading_stops_at_the_limit() {
    let tree = tempfile::tempdir().unwrap();
    let path = tree.path().join("a");
    fs::write(&path, "12345").unwrap();
    let candidate = only(tree.path());
    let limits = |max_file_bytes| Limits { max_file_bytes, ..Limits::default() };
    assert_eq!(admitted(candidate.read(&limits(5))).text(), "12345");
    assert_eq!(reason(&candidate.read(&limits(4))), Reason::TooLarge);
    let file = File::open(&path).unwrap();
    assert_eq!(read_capped(&file, 1, 3).unwrap(), b"1234", "one byte over the limit shows that it was passed");
}
