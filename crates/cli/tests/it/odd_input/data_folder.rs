//! A data folder that is not as we left it.

use std::path::PathBuf;

use crate::support::{Sandbox, bytes_below};

const DOCS: &[(&str, &str)] = &[
    ("a.md", "# A\n\nThe walrus.\n"),
    ("b.md", "# B\n\nThe narwhal.\n"),
    ("c.md", "# C\n\nThe walrus and the narwhal.\n"),
];

fn answers(sandbox: &Sandbox) -> Vec<String> {
    ["walrus", "narwhal", "\"walrus and\""]
        .iter()
        .flat_map(|query| sandbox.hits(&[query, "--mode", "lexical"]))
        .collect()
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_not_touched() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let database = sandbox.data().join("assist.db");
    let mut bytes = std::fs::read(&database).unwrap();
    // `user_version` is a big-endian number at offset 60 of the header.
    bytes[60..64].copy_from_slice(&9999u32.to_be_bytes());
    std::fs::write(&database, bytes).unwrap();
    let before = bytes_below(&sandbox.data());
    for args in [
        &["collections", "sync"][..],
        &["collections", "list"],
        &["ref", "search", "--no-sync", "walrus"],
        &["ref", "ls"],
        &["ref", "drop", "docs"],
        &["doctor"],
        &["doctor", "--repair"],
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(
            run.stderr().contains("9999") && run.stderr().contains("newer ai-assist"),
            "{args:?}: {}",
            run.stderr()
        );
        let after = bytes_below(&sandbox.data());
        let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after), "{args:?}");
        assert!(before == after, "{args:?} changed something");
    }
}

#[test]
fn something_else_in_place_of_the_database_is_refused_and_not_touched() {
    for content in
        [&b"this is no database, but somebody's notes\n"[..], &[0xff; 9000], b"SQLite format 3\0 and then nonsense"]
    {
        let sandbox = Sandbox::with_docs(DOCS);
        std::fs::create_dir_all(sandbox.data()).unwrap();
        let database = sandbox.data().join("assist.db");
        std::fs::write(&database, content).unwrap();
        for args in [&["collections", "sync"][..], &["ref", "search", "--no-sync", "walrus"], &["doctor", "--repair"]] {
            let run = sandbox.run(args);
            run.assert_code(2);
            assert!(run.stderr().contains("assist.db"), "{args:?}: {}", run.stderr());
            assert_eq!(std::fs::read(&database).unwrap(), content, "{args:?}");
        }
    }
}

#[test]
fn a_database_of_another_program_is_refused() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::create_dir_all(sandbox.data()).unwrap();
    if sandbox.sql("create table bookmarks (url text); insert into bookmarks values ('x')").is_none() {
        println!("skipped: there is no sqlite3");
        return;
    }
    let run = sandbox.run(&["collections", "sync"]);
    assert!(run.assert_code(2).stderr().contains("another program"), "{}", run.stderr());
    assert_eq!(sandbox.sql("select * from bookmarks").unwrap(), "x\n");
    assert_eq!(sandbox.sql("select count(*) from sqlite_master").unwrap(), "1\n");
}

/// A page in the middle of the database overwritten: never a wrong answer, never a panic, and the doctor sees it.
#[test]
fn a_damaged_database_is_noticed() {
    let sandbox = Sandbox::with_docs(&[]);
    for number in 0..60 {
        sandbox.write(
            format!("docs/{number}.md"),
            format!("# Number {number}\n\n{}\n", format!("Walrus {number}. ").repeat(200)),
        );
    }
    sandbox.sync();
    let database = sandbox.data().join("assist.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let (from, to) = (bytes.len() / 2, bytes.len() / 2 + 20_000);
    bytes[from..to].fill(0xa5);
    std::fs::write(&database, bytes).unwrap();
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code() == 1 || doctor.code() == 2, "{}{}", doctor.stdout(), doctor.stderr());
    for args in [
        &["collections", "sync", "--force"][..],
        &["ref", "search", "--no-sync", "walrus"],
        &["ref", "get", "docs/7.md"],
        &["doctor", "--repair"],
    ] {
        let run = sandbox.run(args);
        assert!(!run.stderr().contains("panicked"), "{args:?}: {}", run.stderr());
        assert!(run.code() >= 0, "{args:?} was killed by a signal");
    }
}

/// What may happen to a file.
type Damage = (&'static str, fn(&mut Vec<u8>));

const EMPTIED: Damage = ("emptied", Vec::clear);
const CUT: Damage = ("cut in half", |bytes| bytes.truncate(bytes.len() / 2));
const OVERWRITTEN: Damage = ("overwritten", |bytes| {
    let middle = bytes.len() / 2;
    let end = bytes.len().min(middle + 16);
    bytes[middle..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
});

/// Damages each file of the index in some ways, and tells which cases a check does not pass.
fn for_each_damage(sandbox: &Sandbox, damages: &[Damage], check: impl Fn() -> Result<(), String>) -> Vec<String> {
    let indexes = sandbox.data().join("indexes");
    let sound = bytes_below(&indexes);
    let mut failures = Vec::new();
    for (file, bytes) in sound.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        for (what, damage) in damages {
            let mut bytes = bytes.clone();
            damage(&mut bytes);
            std::fs::write(file, bytes).unwrap();
            if let Err(error) = check() {
                failures.push(format!("{} {what}: {error}", file.strip_prefix(&indexes).unwrap().display()));
            }
            std::fs::remove_dir_all(&indexes).unwrap();
            for (path, bytes) in &sound {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
        }
    }
    failures
}

/// A search by words and by meaning, or what went wrong.
fn try_answers(sandbox: &Sandbox) -> Result<Vec<String>, String> {
    let run = sandbox.run(&["ref", "search", "--no-sync", "walrus", "--json"]);
    if run.code() != 0 {
        return Err(format!("exit {}: {}{}", run.code(), run.stdout(), run.stderr()));
    }
    let answer = run.json();
    let shown = |hit: &serde_json::Value| format!("{} {} {}", hit["document"], hit["score"], hit["text"]);
    Ok(answer["hits"].as_array().unwrap().iter().map(shown).collect())
}

fn is(found: &[String], right: &[String]) -> Result<(), String> {
    if found == right { Ok(()) } else { Err(format!("found {found:?} in place of {right:?}")) }
}

fn search_over(damages: &[Damage]) {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let right = try_answers(&sandbox).unwrap();
    let failures = for_each_damage(&sandbox, damages, || is(&try_answers(&sandbox)?, &right));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_search_over_an_index_with_an_emptied_file_answers_rightly() {
    search_over(&[EMPTIED]);
}

/// Bytes changed in place are not looked for at every search; the doctor finds and mends them (below). A search must not
/// crash on them all the same.
#[test]
fn a_search_over_an_index_with_an_overwritten_file_does_not_crash() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let failures = for_each_damage(&sandbox, &[OVERWRITTEN], || {
        let run = sandbox.run(&["ref", "search", "--no-sync", "walrus", "--json"]);
        let crashed = run.code() < 0 || run.stderr().contains("panicked");
        if crashed { Err(run.stderr()) } else { Ok(()) }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_doctor_mends_damaged_index_files() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let right = try_answers(&sandbox).unwrap();
    let failures = for_each_damage(&sandbox, &[CUT, OVERWRITTEN], || {
        let repaired = sandbox.run(&["doctor", "--repair"]);
        if repaired.code() != 0 {
            return Err(format!("{}{}", repaired.stdout(), repaired.stderr()));
        }
        is(&try_answers(&sandbox)?, &right)
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_doctor_reports_a_damaged_index_and_mends_it() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let right = answers(&sandbox);
    let damaged = bytes_below(&sandbox.data().join("indexes"))
        .into_iter()
        .find(|(path, _)| path.ends_with("vectors.i8"))
        .unwrap()
        .0;
    let bytes = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &bytes[..bytes.len() / 3]).unwrap();
    let run = sandbox.run(&["doctor"]);
    assert!(run.assert_code(1).stdout().contains("⚠ index of file:"), "{}", run.stdout());
    assert!(run.stderr().contains("ai-assist doctor --repair"), "{}", run.stderr());
    let run = sandbox.run(&["doctor", "--repair"]);
    assert!(run.assert_code(0).stdout().contains("✓ repaired: index of file:"), "{}", run.stdout());
    sandbox.assert_healthy();
    assert_eq!(answers(&sandbox), right);
}

#[test]
fn an_index_folder_that_is_gone_is_made_again() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let right = answers(&sandbox);
    std::fs::remove_dir_all(sandbox.data().join("indexes")).unwrap();
    sandbox.run(&["doctor"]).assert_code(1);
    assert_eq!(answers(&sandbox), right);
    sandbox.assert_healthy();
    std::fs::remove_dir_all(sandbox.data().join("indexes")).unwrap();
    assert_eq!(sandbox.sync().stdout(), "  ✓ 3 documents (0 added, 0 updated, 0 removed)\n");
    sandbox.assert_healthy();
    assert_eq!(answers(&sandbox), right);
}

#[test]
fn leftovers_are_found_and_swept() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let right = answers(&sandbox);
    let leftover = sandbox.data().join("indexes/0123456789abcdef0123456789abcdef");
    std::fs::create_dir(&leftover).unwrap();
    std::fs::write(leftover.join("CURRENT"), "g1").unwrap();
    let run = sandbox.run(&["doctor"]);
    assert!(run.assert_code(1).stdout().contains("belongs to no collection"), "{}", run.stdout());
    sandbox.run(&["doctor", "--repair"]).assert_code(0);
    assert!(!leftover.exists());
    assert_eq!(answers(&sandbox), right);
}

#[test]
fn a_damaged_cache_changes_nothing() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let dense = |sandbox: &Sandbox| {
        let answer = sandbox.json(&["ref", "search", "--no-sync", "walrus", "--mode", "dense"]);
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| format!("{} {}", hit["document"], hit["score"]))
            .collect::<Vec<_>>()
    };
    let right = dense(&sandbox);
    for damage in [&b""[..], b"nonsense", &[0xff; 5000]] {
        for (file, _) in bytes_below(&sandbox.root().join("cache")) {
            std::fs::write(file, damage).unwrap();
        }
        sandbox.run(&["collections", "sync", "--force"]).assert_code(0);
        assert_eq!(dense(&sandbox), right);
    }
    // One flipped bit in the middle of a vector that is used again.
    for (file, mut bytes) in bytes_below(&sandbox.root().join("cache")) {
        let middle = bytes.len() * 3 / 4;
        bytes[middle] ^= 0x40;
        std::fs::write(file, bytes).unwrap();
    }
    sandbox.run(&["collections", "sync", "--force"]).assert_code(0);
    assert_eq!(dense(&sandbox), right);
    std::fs::remove_dir_all(sandbox.root().join("cache")).unwrap();
    sandbox.run(&["collections", "sync", "--force"]).assert_code(0);
    assert_eq!(dense(&sandbox), right);
}

#[test]
fn a_data_folder_that_can_not_be_made_is_named() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::write(sandbox.root().join("file"), "").unwrap();
    let folder = sandbox.root().join("file/data");
    let run = sandbox.run(&["collections", "sync", "--data-dir", folder.to_str().unwrap()]);
    assert!(run.assert_code(2).stderr().contains("file/data"), "{}", run.stderr());
}
