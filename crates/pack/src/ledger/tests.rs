use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::types::PackType;
use crate::{ContextPackInfo, ExclusionCounts, verify_chain};

fn record(pack: &str, previous: Option<Sha256>) -> Result<TransparencyRecord, PackError> {
    let mut record = TransparencyRecord {
        tool_version: "0.1.0".to_owned(),
        created_at: format!("2026-01-01T00:00:00Z {pack}"),
        source_root: "/x".to_owned(),
        provider: None,
        context_pack_info: ContextPackInfo {
            pack_type: PackType::Full,
            selection_reason: String::new(),
            files_scanned: 0,
            files_included: 0,
            files_excluded: 0,
            exclusions_by_reason: ExclusionCounts::default(),
            exclusions_by_each_reason: BTreeMap::new(),
            content_bytes: 0,
            content_tokens: None,
            tokenizer: None,
            truncated_files: 0,
        },
        outlined: Vec::new(),
        summarised: Vec::new(),
        files: Vec::new(),
        excluded: Vec::new(),
        allowed: Vec::new(),
        allowances: Vec::new(),
        redactions: BTreeMap::new(),
        pack_hash: Sha256::of(pack.as_bytes()),
        pack_bytes: 0,
        pack_tokens: None,
        previous,
        record_hash: Sha256::from_bytes([0; 32]),
    };
    record.record_hash = record.hash()?;
    Ok(record)
}

fn add(ledger: &Ledger, pack: &str) -> u64 {
    ledger.append(&mut |previous| record(pack, previous)).unwrap().0
}

fn ledger_of(packs: u64) -> (tempfile::TempDir, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&folder.path().join("a/records")).unwrap();
    for number in 1..=packs {
        assert_eq!(add(&ledger, &number.to_string()), number);
    }
    (folder, ledger)
}

/// The text of an error with those behind it.
fn told(error: &LedgerError) -> String {
    let behind = std::error::Error::source(error).map(|source| format!(": {source}"));
    format!("{error}{}", behind.unwrap_or_default())
}

#[test]
fn records_come_back_in_order() {
    let (_folder, ledger) = ledger_of(0);
    assert_eq!(ledger.verify().unwrap(), Verified::default());
    assert!(ledger.count().unwrap() == 0 && ledger.read(1).is_err());
    let (_folder, ledger) = ledger_of(12);
    assert_eq!(ledger.count().unwrap(), 12);
    let all: Vec<(u64, TransparencyRecord)> = ledger.iter().unwrap().map(Result::unwrap).collect();
    assert_eq!(all.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    let (numbers, records): (Vec<u64>, Vec<TransparencyRecord>) = all.into_iter().unzip();
    assert_eq!(verify_chain(&records), Ok(()));
    assert_eq!((numbers[11], ledger.read(12).unwrap()), (12, records[11].clone()));
    assert_eq!(ledger.read(5).unwrap(), records[4]);
    let verified = ledger.verify().unwrap();
    assert_eq!((verified.records, verified.last), (12, Some(records[11].record_hash)));
    assert_eq!(verified.first_at.as_deref(), Some("2026-01-01T00:00:00Z 1"));
    assert_eq!(verified.last_at.as_deref(), Some("2026-01-01T00:00:00Z 12"));
}

#[test]
fn a_record_is_one_line_and_for_the_user_only() {
    let (_folder, ledger) = ledger_of(2);
    let text = fs::read_to_string(ledger.folder.join("00000002.json")).unwrap();
    assert_eq!((text.lines().count(), text.ends_with('\n')), (1, true));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&ledger.folder), 0o700);
    for entry in ledger.folder.read_dir().unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    fs::set_permissions(&ledger.folder, fs::Permissions::from_mode(0o750)).unwrap();
    Ledger::open(&ledger.folder).unwrap();
    assert_eq!(mode(&ledger.folder), 0o750, "a folder that is there is left as it is");
}

#[test]
fn many_writers_make_one_chain() {
    let (_folder, ledger) = ledger_of(0);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            // Each with a lock file of its own, as another process has.
            let ledger = Ledger::open(&ledger.folder).unwrap();
            scope.spawn(move || (0..25).map(|n| add(&ledger, &format!("{writer}-{n}"))).max());
        }
    });
    assert_eq!(ledger.verify().unwrap().records, 200);
    for writer in 0..8 {
        let (number, found) = ledger.find_pack(&Sha256::of(format!("{writer}-24").as_bytes())).unwrap().unwrap();
        assert_eq!(ledger.read(number).unwrap(), found);
    }
}

#[test]
fn a_pack_is_found_by_its_hash_the_newest_first() {
    let (_folder, ledger) = ledger_of(5);
    assert_eq!(ledger.find_pack(&Sha256::of(b"3")).unwrap().unwrap().0, 3);
    assert_eq!(add(&ledger, "3"), 6);
    assert_eq!(ledger.find_pack(&Sha256::of(b"3")).unwrap().unwrap().0, 6);
    assert_eq!(ledger.find_pack(&Sha256::of(b"nope")).unwrap(), None);
    let chained = ledger.read(2).unwrap().record_hash;
    assert_eq!(ledger.find_pack(&chained).unwrap(), None, "the hash of a record is not that of a pack");
}

#[test]
fn what_a_killed_writer_leaves_does_no_harm() {
    let (_folder, ledger) = ledger_of(2);
    fs::write(ledger.folder.join(".00000003.json.tmp.x"), "{\"half\": ").unwrap();
    assert_eq!(ledger.verify().unwrap().records, 2);
    assert_eq!(add(&ledger, "3"), 3);
    assert_eq!(ledger.verify().unwrap().records, 3);
    assert!(!ledger.folder.join(".00000003.json.tmp.x").exists());
}

#[test]
fn other_files_are_none_of_ours() {
    let (_folder, ledger) = ledger_of(1);
    for name in
        ["notes.json", "2.json", "+0000002.json", "00000002.json.bak", "00000000.json", "18446744073709551615.json"]
    {
        fs::write(ledger.folder.join(name), "x").unwrap();
    }
    assert_eq!(ledger.verify().unwrap().records, 1);
    assert_eq!(add(&ledger, "2"), 2);
}

#[test]
fn every_tampering_is_found_and_named() {
    let edit = |ledger: &Ledger, number: u64, from: &str, to: &str| {
        let text = fs::read_to_string(ledger.path(number)).unwrap();
        assert!(text.contains(from));
        fs::write(ledger.path(number), text.replace(from, to)).unwrap();
    };
    type Tamper<'a> = (&'a str, &'a dyn Fn(&Ledger), u64, &'a str);
    let cases: &[Tamper<'_>] = &[
        ("edited", &|l| edit(l, 3, "\"/x\"", "\"/y\""), 3, "was changed after it was made"),
        (
            "torn",
            &|l| fs::write(l.path(3), &fs::read(l.path(3)).unwrap()[..99]).unwrap(),
            3,
            "torn or was written by hand",
        ),
        ("emptied", &|l| fs::write(l.path(3), "").unwrap(), 3, "torn"),
        ("not text", &|l| fs::write(l.path(3), b"\xff").unwrap(), 3, "can't be read"),
        ("removed", &|l| fs::remove_file(l.path(3)).unwrap(), 3, "is missing"),
        ("first removed", &|l| fs::remove_file(l.path(1)).unwrap(), 1, "is missing"),
        (
            "swapped",
            &|l| {
                let (a, b) = (fs::read(l.path(2)).unwrap(), fs::read(l.path(3)).unwrap());
                fs::write(l.path(2), b).unwrap();
                fs::write(l.path(3), a).unwrap();
            },
            2,
            "does not follow the one before it",
        ),
        (
            "closed up",
            &|l| {
                fs::rename(l.path(4), l.path(3)).unwrap();
                fs::rename(l.path(5), l.path(4)).unwrap();
            },
            3,
            "does not follow",
        ),
        (
            "beginning cut off",
            &|l| (2..=5).for_each(|n| fs::rename(l.path(n), l.path(n - 1)).unwrap()),
            1,
            "the records before it were taken away",
        ),
        (
            "made anew",
            &|l| {
                let other = record("forged", l.read(3).unwrap().previous).unwrap();
                fs::write(l.path(3), other.to_json().unwrap()).unwrap();
            },
            4,
            "does not follow",
        ),
        (
            "a number from nowhere",
            &|l| fs::write(l.path(18_446_744_073_709_551_000), fs::read(l.path(1)).unwrap()).unwrap(),
            6,
            "is missing",
        ),
    ];
    for (what, tamper, number, part) in cases {
        let (_folder, ledger) = ledger_of(5);
        tamper(&ledger);
        let error = told(&ledger.verify().unwrap_err());
        let (name, number) = (format!("{number:08}.json"), number.to_string());
        assert!(error.contains(part) && error.contains(&name) && error.contains(&number), "{what}: {error}");
    }
}

#[test]
fn nothing_follows_what_can_t_be_read() {
    let (_folder, ledger) = ledger_of(2);
    fs::write(ledger.path(2), "{").unwrap();
    let mut called = false;
    let error = ledger.append(&mut |previous| {
        called = true;
        record("3", previous)
    });
    assert!(matches!(error, Err(LedgerError::NoRecord { number: 2, .. })) && !called);
    assert!(!ledger.path(3).exists());
}

#[test]
fn a_record_that_does_not_follow_is_not_written() {
    let (_folder, ledger) = ledger_of(2);
    let error = ledger.append(&mut |_| record("3", None)).unwrap_err();
    assert!(matches!(error, LedgerError::DoesNotFollow { number: 3, .. }), "{error}");
    let failed = PackError::Cancelled;
    let mut failed = Some(failed);
    let error = ledger.append(&mut |_| Err(failed.take().unwrap())).unwrap_err();
    assert!(matches!(error, LedgerError::Make(PackError::Cancelled)), "{error}");
    assert_eq!((ledger.count().unwrap(), add(&ledger, "3")), (2, 3));
}

#[test]
fn a_folder_that_can_t_be_written_is_named_and_still_read() {
    let (_folder, ledger) = ledger_of(2);
    fs::set_permissions(&ledger.folder, fs::Permissions::from_mode(0o500)).unwrap();
    // Whoever may do everything is stopped by no permission; the lock in the way stops them.
    fs::remove_file(ledger.folder.join(".lock")).and_then(|()| fs::create_dir(ledger.folder.join(".lock"))).ok();
    let error = ledger.append(&mut |previous| record("3", previous));
    // The lock of a user without rights is there and can be taken; what fails is the file.
    let error = told(&error.unwrap_err());
    fs::set_permissions(&ledger.folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(error.contains("can't be written") && error.contains("a/records/"), "{error}");
    assert_eq!(ledger.verify().unwrap().records, 2);
    let file = ledger.path(1);
    let error = told(&Ledger::open(&file).unwrap_err());
    assert!(error.contains("can't be used") && error.contains("00000001.json"), "{error}");
}
