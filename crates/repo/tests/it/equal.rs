//! However a build came about, it says what a fresh build says.

use ai_assist_repo::layout::Mode;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{Numbers, Sandbox, build, everything};

const QUERIES: [&str; 6] =
    ["lease quota", "the first packet", "harbor", "path:src mirror", "beacon window signal", "struct ledger"];

#[derive(Debug, Clone)]
enum Edit {
    Write(u64, u64),
    Remove(u64),
    Rename(u64, u64),
    Touch(u64),
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let number = 0u64..24;
    let edit = prop_oneof![
        4 => (number.clone(), any::<u64>()).prop_map(|(file, seed)| Edit::Write(file, seed)),
        2 => number.clone().prop_map(Edit::Remove),
        1 => (number.clone(), number.clone()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => number.prop_map(Edit::Touch),
    ];
    let round = proptest::collection::vec(edit, 0..8);
    proptest::collection::vec(round, 1..4)
}

fn path_of(file: u64) -> String {
    Numbers(file).file(file).0
}

fn apply(sandbox: &Sandbox, edit: &Edit) {
    let at = |file: u64| sandbox.repo().join(path_of(file));
    match *edit {
        Edit::Write(file, seed) => {
            let (path, text) = Numbers(seed).file(file);
            sandbox.write(&path, text);
        }
        Edit::Remove(file) => drop(std::fs::remove_file(at(file))),
        Edit::Rename(from, to) => drop(std::fs::rename(at(from), at(to))),
        Edit::Touch(file) => {
            if let Ok(text) = std::fs::read(at(file)) {
                std::fs::write(at(file), text).unwrap();
            }
        }
    }
}

#[test]
fn an_incremental_build_equals_a_fresh_one() {
    let law = |rounds: Vec<Vec<Edit>>| {
        let sandbox = Sandbox::new();
        for file in 0..16 {
            let (path, text) = Numbers(file).file(file);
            sandbox.write(&path, text);
        }
        for folder in ["src", "docs", "data", "lib"] {
            std::fs::create_dir_all(sandbox.repo().join(folder)).unwrap();
        }
        sandbox.build();
        for round in &rounds {
            round.iter().for_each(|edit| apply(&sandbox, edit));
            sandbox.build();
        }
        let grown: Vec<Vec<String>> = Mode::ALL.map(|mode| everything(&sandbox.open(mode), &QUERIES)).to_vec();
        let mut fresh = sandbox.request();
        fresh.force = true;
        build(&fresh);
        for (mode, grown) in Mode::ALL.into_iter().zip(grown) {
            prop_assert_eq!(grown, everything(&sandbox.open(mode), &QUERIES), "{}", mode);
        }
        Ok(())
    };
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(&edits(), law).unwrap();
}

#[test]
fn many_small_builds_equal_a_fresh_one() {
    let sandbox = Sandbox::new();
    let mut numbers = Numbers(7);
    for round in 0..30 {
        let (path, text) = numbers.file(round % 12);
        sandbox.write(&path, text);
        sandbox.build();
    }
    let grown: Vec<Vec<String>> = Mode::ALL.map(|mode| everything(&sandbox.open(mode), &QUERIES)).to_vec();
    let mut fresh = sandbox.request();
    fresh.force = true;
    build(&fresh);
    for (mode, grown) in Mode::ALL.into_iter().zip(grown) {
        assert_eq!(grown, everything(&sandbox.open(mode), &QUERIES), "{mode}");
    }
}
