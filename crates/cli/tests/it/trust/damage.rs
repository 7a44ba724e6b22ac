//! Files of ours that are not what they were: flipped bytes, files that are cut short or gone.

use std::path::{Path, PathBuf};

use crate::support::{Numbers, Sandbox, bytes_below};

/// A repository with a collection of its documents, all indexed.
fn indexed() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        let text = format!(
            "/// Retries number {number} with a backoff of its own.\npub fn retry_{number}(delay: u64) -> u64 {{\n    delay * {number}\n}}\n"
        );
        sandbox.write(format!("src/retry_{number}.rs"), text);
        sandbox.write(format!("docs/{number}.md"), format!("# Recipe {number}\n\nStir the pot {number} times.\n"));
    }
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs"]).assert_code(0);
    sandbox.sync();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox
}

/// The files of the current build that can be damaged, by their ending or name.
fn build_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    sandbox.run(&["index", "gc"]).assert_code(0);
    let files = bytes_below(&sandbox.root().join("cache/repos")).into_iter();
    let wanted = |path: &Path| path.to_string_lossy().contains("/index-") && !path.to_string_lossy().ends_with(".lock");
    files.filter(|(path, bytes)| wanted(path) && !bytes.is_empty()).map(|(path, _)| path).collect()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = at % bytes.len();
    bytes[at] ^= 0x10;
    // In place, as a disk that forgets would: builds share files by links.
    std::fs::write(path, bytes).unwrap();
}

fn answer(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(&["search", "--no-sync", "retries with a backoff", "--json", "-n", "20"]);
    assert!(run.code() < 2, "{}", run.stderr());
    let hits = run.json()["hits"].as_array().unwrap().clone();
    hits.iter().map(|hit| format!("{} {}", hit["document"], hit["score"])).collect()
}

/// Asks everything once, none of which may break off.
fn ask_everything(sandbox: &Sandbox, what: &str) {
    for args in [
        &["search", "--no-sync", "retries with a backoff"][..],
        &["search", "--regex", "retry_1."],
        &["search", "--symbol", "retry_7"],
        &["index", "status"],
        &["map"],
        &["ls"],
    ] {
        let run = sandbox.run(args);
        assert!(run.code() <= 2, "{what}: {args:?} ended with {}: {}", run.code(), run.stderr());
        assert!(!run.stderr().contains("panicked"), "{what}: {args:?}: {}", run.stderr());
    }
}

#[test]
fn a_flipped_byte_breaks_nothing_off_and_the_next_build_mends_it() {
    let sandbox = indexed();
    let before = answer(&sandbox);
    for ending in
        [".fast", ".store", ".idx", ".term", ".pos", ".fieldnorm", ".grams", "scales.f32", "vectors.i8", ".db"]
    {
        let files = build_files(&sandbox);
        let Some(path) = files.iter().find(|path| path.to_string_lossy().ends_with(ending)) else {
            panic!("there is no {ending} in {files:?}");
        };
        let length = usize::try_from(path.metadata().unwrap().len()).unwrap();
        flip(path, length / 2);
        ask_everything(&sandbox, ending);
        let doctor = sandbox.run(&["doctor"]);
        assert_eq!(doctor.code(), 1, "{ending}: {}", doctor.stdout());
        assert!(doctor.stdout().contains("index of"), "{}", doctor.stdout());
        let build = sandbox.run(&["index", "build"]);
        build.assert_code(0);
        assert_eq!(answer(&sandbox), before, "{ending}");
        sandbox.assert_healthy();
    }
}

#[test]
fn random_damage_is_found_and_mended() {
    let sandbox = indexed();
    let before = answer(&sandbox);
    let mut numbers = Numbers(7);
    for round in 0..6 {
        let files = build_files(&sandbox);
        let path = &files[numbers.below(files.len() as u64) as usize];
        let what = format!("round {round}, {}", path.display());
        let length = usize::try_from(path.metadata().unwrap().len()).unwrap();
        match numbers.below(3) {
            0 => flip(path, numbers.below(length as u64) as usize),
            1 => std::fs::write(path, &std::fs::read(path).unwrap()[..length / 2]).unwrap(),
            _ => std::fs::remove_file(path).unwrap(),
        }
        ask_everything(&sandbox, &what);
        let repaired = sandbox.run(&["doctor", "--repair"]);
        assert_eq!(repaired.code(), 0, "{what}: {}{}", repaired.stdout(), repaired.stderr());
        assert_eq!(answer(&sandbox), before, "{what}");
        sandbox.assert_healthy();
    }
}

#[test]
fn what_is_written_goes_on_from_sound_files_only() {
    let sandbox = indexed();
    let scales = build_files(&sandbox).into_iter().find(|path| path.ends_with("scales.f32")).unwrap();
    flip(&scales, 5);
    // The change is taken in by a search, which trusts the build before as long as nothing is to be written.
    sandbox.write("src/new.rs", "/// Retries for ever, with a backoff.\npub fn for_ever() {}\n");
    let changed = sandbox.run(&["search", "for_ever", "--json"]);
    assert!(changed.stdout().contains("for_ever"), "{}", changed.stderr());
    sandbox.assert_healthy();
}

/// A session that holds a file, and a collection.
fn with_session() -> Sandbox {
    let sandbox = indexed();
    sandbox.run(&["session", "open", "work"]).assert_code(0);
    for number in 0..40 {
        sandbox.run(&["session", "read", &format!("src/retry_{number}.rs")]).assert_code(0);
    }
    sandbox
}

#[test]
fn a_truncated_database_is_made_anew_and_nothing_that_can_be_read_is_lost() {
    let sandbox = with_session();
    let database = sandbox.data().join("assist.db");
    let length = database.metadata().unwrap().len();
    // The log is folded in when the last process ends, so the file alone has everything.
    for share in [9, 5] {
        let bytes = std::fs::read(&database).unwrap();
        std::fs::write(&database, &bytes[..bytes.len() * share / 10]).unwrap();
        let refused = sandbox.run(&["collections", "list"]);
        if refused.code() == 2 {
            assert!(refused.stderr().contains("doctor --repair"), "{}", refused.stderr());
        }
        let looked = sandbox.run(&["doctor"]);
        assert_eq!(looked.code(), 1, "{}{}", looked.stdout(), looked.stderr());
        let repaired = sandbox.run(&["doctor", "--repair"]);
        assert_eq!(repaired.code(), 0, "{}{}", repaired.stdout(), repaired.stderr());
        let said = repaired.stdout();
        assert!(said.contains("kept as") && said.contains("lost is what could not be read of"), "{said}");
        sandbox.sync();
        sandbox.assert_healthy();
        assert_eq!(sandbox.hits(&["stir the pot", "-n", "40", "--mode", "lexical"]).len(), 40);
    }
    let kept = std::fs::read_dir(sandbox.data()).unwrap().map(|entry| entry.unwrap().file_name());
    let kept = kept.filter(|name| name.to_string_lossy().contains(".broken-")).count();
    assert!(kept >= 1, "the damaged file is kept");
    assert!(length > 0);
    let mut bytes = std::fs::read(&database).unwrap();
    bytes[..16].fill(0);
    std::fs::write(&database, bytes).unwrap();
    assert_eq!(sandbox.run(&["doctor"]).code(), 1);
    assert_eq!(sandbox.run(&["doctor", "--repair"]).code(), 0);
    sandbox.sync();
    sandbox.assert_healthy();
}

#[test]
fn a_file_that_no_parser_gets_through_is_named_and_found_all_the_same() {
    let sandbox = Sandbox::new();
    sandbox.write("deep.py", format!("x={}1\n", "(".repeat(5000)));
    sandbox.write("plain.py", "def kettle():\n    return 1\n");
    let built = sandbox.run(&["index", "build"]);
    built.assert_code(0);
    assert!(built.stderr().contains("deep.py takes its parser too long"), "{}", built.stderr());
    assert!(!built.stderr().contains("plain.py"), "{}", built.stderr());
    assert!(sandbox.run(&["search", "--no-sync", "kettle"]).stdout().contains("plain.py"));
}

#[test]
fn a_stray_file_among_indexes_does_no_harm() {
    let sandbox = indexed();
    std::fs::write(sandbox.data().join("indexes/.DS_Store"), "x").unwrap();
    std::fs::write(sandbox.root().join("cache/repos/notes.txt"), "x").unwrap();
    sandbox.assert_healthy();
    sandbox.run(&["doctor", "--repair"]).assert_code(0);
    sandbox.run(&["gc"]).assert_code(0);
    sandbox.sync();
    assert!(sandbox.data().join("indexes/.DS_Store").exists(), "what is not ours stays");
}

/// A row that a damaged database has lost: a search may say so, but it has to end.
#[test]
fn a_collection_without_its_counters_ends_every_question() {
    let sandbox = indexed();
    let database = rusqlite::Connection::open(sandbox.data().join("assist.db")).unwrap();
    assert_eq!(database.execute("DELETE FROM collection_state", []).unwrap(), 1);
    drop(database);
    for arguments in [&["ref", "search", "--no-sync", "stir the pot"][..], &["search", "stir the pot"], &["sync"]] {
        let run = sandbox.run(arguments);
        assert!(run.code() <= 2, "{arguments:?}: {}{}", run.stdout(), run.stderr());
        assert!(!run.stderr().contains("panicked"), "{arguments:?}: {}", run.stderr());
    }
}

/// The database has the one copy of a text. Where it can't be read, the hits of other places are an answer, and whoever asks for this one
/// alone learns what mends it.
#[test]
fn a_text_that_is_damaged_takes_no_other_answer_with_it() {
    let sandbox = indexed();
    let database = rusqlite::Connection::open(sandbox.data().join("assist.db")).unwrap();
    let damaged =
        "UPDATE contents SET codec = 9 WHERE id = (SELECT content FROM reference_documents WHERE path = '7.md')";
    assert_eq!(database.execute(damaged, []).unwrap(), 1);
    drop(database);
    let alone = sandbox.run(&["ref", "search", "--no-sync", "stir the pot 7 times"]);
    alone.assert_code(2);
    assert!(alone.stderr().contains("doctor --repair") && !alone.stderr().contains("panicked"), "{}", alone.stderr());
    let run = sandbox.run(&["search", "--no-sync", "--json", "stir the pot 7 times, then retry with a backoff"]);
    run.assert_code(1);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(
        (answer["partial"].as_bool(), answer["warnings"][0]["code"].as_str()),
        (Some(true), Some("index-failed"))
    );
    let message = answer["warnings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("the collection `docs` was not searched: a text of the index in "), "{message}");
    let hits = answer["hits"].as_array().unwrap();
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["repo"].is_string()), "{hits:?}");
    sandbox.run(&["doctor", "--repair"]).assert_code(0);
    sandbox.sync();
    let mended = sandbox.json(&["ref", "search", "--no-sync", "stir the pot 7 times"]);
    assert!(mended["hits"].as_array().unwrap().iter().any(|hit| hit["document"] == "7.md"), "{mended}");
    sandbox.assert_healthy();
}
