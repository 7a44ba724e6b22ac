//! Packages that bring their vectors along.

use super::guide;
use crate::support::Sandbox;

/// Packs the guide, changes the archive's members, and adds the result as a collection.
fn with_vectors(change: impl FnOnce(&std::path::Path)) -> Sandbox {
    let sandbox = Sandbox::new();
    guide(&sandbox, "1.0.0");
    let args = ["collections", "pack", "--manifest", "pkg/manifest.json", "--vectors", "--output", "v.tar.gz"];
    sandbox.run(&args).assert_code(0);
    let folder = sandbox.project().join("unpacked");
    std::fs::create_dir(&folder).unwrap();
    let tar = |args: &[&str]| {
        let status = std::process::Command::new("tar").args(args).current_dir(&folder).status().unwrap();
        assert!(status.success());
    };
    tar(&["xzf", "../v.tar.gz"]);
    change(&folder);
    tar(&["czf", "../v.tar.gz", "."]);
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "trains", "file://./v.tar.gz"]).assert_code(0);
    sandbox
}

/// The answers of a search, with their scores.
fn answers(sandbox: &Sandbox) -> Vec<(String, String)> {
    let answer = sandbox.json(&["ref", "search", "what must be released before starting", "--mode", "dense"]);
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| (hit["document"].to_string(), hit["score"].to_string())).collect()
}

#[test]
fn they_give_the_same_answers_as_vectors_made_here() {
    let sandbox = with_vectors(|_| {});
    let run = sandbox.sync();
    assert!(!run.stderr().contains("warning"), "{}", run.stderr());
    sandbox.assert_healthy();
    let ours = Sandbox::new();
    guide(&ours, "1.0.0");
    ours.run(&["collections", "init"]).assert_code(0);
    ours.run(&["collections", "add", "trains", "file://./pkg/manifest.json"]).assert_code(0);
    ours.sync();
    assert_eq!(answers(&sandbox), answers(&ours));
    // The cache of vectors that collections share has taken in nothing of the package's.
    let cached = |sandbox: &Sandbox| -> u64 {
        let folder = sandbox.root().join("cache/vectors");
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    };
    assert_eq!(cached(&sandbox), 0);
    assert!(cached(&ours) > 0);
}

#[test]
fn a_file_that_is_not_the_one_in_the_manifest_is_not_used() {
    let sandbox = with_vectors(|folder| {
        let file = folder.join(".ai-assist/vectors.bin");
        let mut bytes = std::fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&file, bytes).unwrap();
    });
    let run = sandbox.sync();
    assert!(run.stderr().contains("are not used: their hash is not the one in the manifest"), "{}", run.stderr());
    sandbox.assert_healthy();
}

#[test]
fn vectors_of_another_model_are_left_alone() {
    let sandbox = with_vectors(|folder| {
        let file = folder.join("manifest.json");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("ai-assist-static-256@1", "another@7")).unwrap();
    });
    let run = sandbox.sync();
    assert!(!run.stderr().contains("warning"), "{}", run.stderr());
    sandbox.assert_healthy();
}
