//! A project full of made-up secrets comes through the door without them, and what only looks so as it is.

use std::collections::BTreeMap;

use ai_assist_admit::{Limits, Outcome, admit_bytes};
use ai_assist_secret_fixtures::{ProjectFile, project};

/// As much of a value as tells something.
const PIECE: usize = 12;

/// Projects that differ in every value.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

fn text_of(file: &ProjectFile) -> Option<String> {
    match admit_bytes(&file.path.parse().unwrap(), file.bytes.clone(), &Limits::default()) {
        Outcome::Admitted(admitted) => Some(admitted.into_text()),
        _ => None,
    }
}

/// A piece of a value that a text holds.
fn piece_in<'v>(text: &str, value: &'v str) -> Option<&'v str> {
    let length = value.len().min(PIECE);
    let pieces = (0..=value.len() - length).filter_map(|at| value.get(at..at + length));
    pieces.into_iter().find(|piece| text.contains(piece))
}

#[test]
fn no_piece_of_a_planted_value_comes_through() {
    let mut leaks = Vec::new();
    for seed in SEEDS {
        for file in project(seed, 300, 0) {
            let Some(text) = text_of(&file) else { continue };
            for secret in &file.secrets {
                if let Some(piece) = secret.forms.iter().find_map(|form| piece_in(&text, form)) {
                    let line = text.lines().find(|line| line.contains(piece)).unwrap_or_default();
                    let shown: String = line.chars().take(200).collect();
                    leaks.push(format!("seed {seed}: {} in {}: {shown}", secret.kind, file.path));
                }
            }
        }
    }
    assert!(leaks.is_empty(), "{} leaks\n{}", leaks.len(), leaks.join("\n"));
}

#[test]
fn few_look_alikes_are_touched() {
    for seed in SEEDS {
        let mut touched: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for file in project(seed, 0, 300) {
            let text = text_of(&file).unwrap_or_default();
            for (kind, line) in file.innocent.iter().filter(|(_, line)| !text.contains(line)) {
                touched.entry(kind).or_default().push(format!("{}: {line}", file.path));
            }
        }
        let count: usize = touched.values().map(Vec::len).sum();
        assert!(count <= 6, "seed {seed}: {count} of 300 touched\n{touched:#?}");
    }
}
