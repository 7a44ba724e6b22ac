//! Where to look twice, by what was measured.
//!
//! Each file gets a score for each kind of trouble:
//!
//! - security: the sum over its risky calls of 5 for text run as a program, objects made from bytes and checks switched
//!   off, 4 for queries made of text, 3 for processes, unescaped pages and broken ciphers, 2 for `unsafe`; and 6 for each
//!   secret that was taken out. At most 40.
//! - complexity: 2 for each level of nesting above 3, 1 for each 40 lines of the longest function above 80, 1 for each 30
//!   branches above 60. At most 40.
//! - coupling: 1 for each 4 files that import it above 8, 1 for each 6 files that it imports above 15. At most 40.
//!
//! The score is raised by a quarter of the logarithm of its churn, and cut to a third for tests, scripts and examples. Speed
//! can't be measured by reading, so nothing is said of it.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_syntax::{Facts, Risk};
use ai_assist_text::Language;

use super::counted;
use crate::Snapshot;
use crate::categories::{is_side_file, words};
use crate::format::word;
use crate::survey::{Measure, Survey, one_line};
use crate::types::{RiskHotspot, RiskType};

const MAX_HOTSPOTS: usize = 20;
/// So that one kind does not hide the others.
const MAX_OF_A_KIND: usize = 8;
const MAX_SCORE: f64 = 40.0;
/// Calls of one kind whose lines are named.
const NAMED_LINES: usize = 6;

struct Spot {
    index: usize,
    kind: RiskType,
    score: f64,
}

pub(super) fn hotspots(snapshot: &Snapshot, survey: &Survey) -> Vec<RiskHotspot> {
    let files = &snapshot.project.files;
    let mut spots: Vec<Spot> = Vec::new();
    for (index, measure) in survey.measures.iter().enumerate() {
        let secrets = snapshot.redactions(index).iter().map(|redaction| redaction.count).sum();
        let is_aside = is_side_file(&files[index].relative_path) || is_test(&files[index].name);
        let side = if is_aside { 1.0 / 3.0 } else { 1.0 };
        let weight = side * (1.0 + (1.0 + measure.churn as f64).log2() / 4.0);
        for (kind, score) in [
            (RiskType::Security, security(measure, secrets)),
            (RiskType::Complexity, complexity(measure)),
            (RiskType::Coupling, coupling(measure)),
        ] {
            if score > 0.0 {
                spots.push(Spot { index, kind, score: score.min(MAX_SCORE) * weight });
            }
        }
    }
    spots.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.index, a.kind).cmp(&(b.index, b.kind))));
    // Where a language imports packages, every file of one is imported as often as the package: it is one spot.
    let mut packages = BTreeSet::new();
    spots.retain(|spot| {
        let path = &files[spot.index].relative_path;
        let is_package = Language::of_path(path).is_some_and(|language| language == Language::GO);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        spot.kind != RiskType::Coupling || !is_package || packages.insert(folder)
    });
    let mut taken: BTreeMap<RiskType, usize> = BTreeMap::new();
    spots.retain(|spot| {
        let count = taken.entry(spot.kind).or_default();
        *count += 1;
        *count <= MAX_OF_A_KIND
    });
    spots.truncate(MAX_HOTSPOTS);
    spots.iter().map(|spot| hotspot(snapshot, survey, spot)).collect()
}

/// `assign_tests.rs`, `UserTest.java`: tests by a word of the name.
fn is_test(name: &str) -> bool {
    words(name).iter().any(|word| matches!(word.as_str(), "test" | "tests" | "spec" | "specs"))
}

fn weight(risk: Risk) -> f64 {
    match risk {
        Risk::Eval | Risk::Deserialize | Risk::NoVerify => 5.0,
        Risk::Sql => 4.0,
        Risk::Unsafe => 2.0,
        _ => 3.0,
    }
}

/// More risky calls of one file are not looked at one by one.
const COUNTED: usize = 60;

fn security(measure: &Measure, secrets: usize) -> f64 {
    let risky = measure.facts.risky.iter().take(COUNTED);
    risky.map(|risky| weight(risky.kind)).sum::<f64>() + 6.0 * secrets as f64
}

fn above(value: usize, least: usize, step: f64) -> f64 {
    value.saturating_sub(least) as f64 / step
}

fn complexity(measure: &Measure) -> f64 {
    let Facts { deepest_nesting, longest_function, branches, .. } = &measure.facts;
    let nesting = deepest_nesting.as_ref().map_or(0, |deepest| deepest.value);
    let longest = longest_function.as_ref().map_or(0, |longest| longest.value);
    2.0 * above(nesting, 3, 1.0) + above(longest, 80, 40.0) + above(*branches, 60, 30.0)
}

fn coupling(measure: &Measure) -> f64 {
    above(measure.fan_in, 8, 4.0) + above(measure.fan_out, 15, 6.0)
}

fn hotspot(snapshot: &Snapshot, survey: &Survey, spot: &Spot) -> RiskHotspot {
    let path = &snapshot.project.files[spot.index].relative_path;
    let measure = &survey.measures[spot.index];
    let (description, mut indicators) = match spot.kind {
        RiskType::Security => ("Calls worth a second look", security_signs(snapshot, measure, spot.index, path)),
        RiskType::Complexity => ("Hard to follow by its size and nesting", complexity_signs(measure, path)),
        RiskType::Coupling => ("Much depends on it, or it depends on much", coupling_signs(measure)),
        RiskType::Performance => ("", Vec::new()),
    };
    if measure.churn > 0 {
        indicators.push(format!("changed in {} of the last {} commits (from git)", measure.churn, survey.looked_at));
    }
    RiskHotspot {
        path: path.clone(),
        risk_type: spot.kind,
        description: format!("{description}; score {:.1} (from the measurements below).", spot.score),
        indicators,
    }
}

fn security_signs(snapshot: &Snapshot, measure: &Measure, index: usize, path: &str) -> Vec<String> {
    let mut by_kind: BTreeMap<Risk, Vec<String>> = BTreeMap::new();
    for risky in measure.facts.risky.iter().take(COUNTED) {
        by_kind.entry(risky.kind).or_default().push(format!("{} ({path}:{})", one_line(&risky.what, 80), risky.line));
    }
    let calls = by_kind.iter().map(|(kind, calls)| {
        format!("{}: {}, {}", word(kind), counted(calls.len(), "place", "places"), super::listed(calls, NAMED_LINES))
    });
    let secrets = snapshot.redactions(index).iter();
    let secrets = secrets.map(|redaction| {
        format!("{} taken out by the rule {}", counted(redaction.count, "secret", "secrets"), redaction.rule)
    });
    let more = measure.facts.risky.len().saturating_sub(COUNTED);
    let more = (more > 0).then(|| format!("{more} more risky calls (counted in {path})"));
    calls.chain(secrets).chain(more).collect()
}

fn complexity_signs(measure: &Measure, path: &str) -> Vec<String> {
    let facts = &measure.facts;
    let mut signs = Vec::new();
    signs.extend(facts.deepest_nesting.as_ref().map(|deepest| {
        format!("nesting of {} in {} ({path}:{})", deepest.value, one_line(&deepest.name, 80), deepest.line)
    }));
    signs.extend(facts.longest_function.as_ref().map(|longest| {
        format!(
            "longest function {} with {} lines ({path}:{})",
            one_line(&longest.name, 80),
            longest.value,
            longest.line
        )
    }));
    signs.push(format!(
        "{} in {} (counted in {path})",
        counted(facts.branches, "branch", "branches"),
        counted(facts.functions, "function", "functions")
    ));
    signs
}

fn coupling_signs(measure: &Measure) -> Vec<String> {
    vec![
        format!("imported by {} (counted)", counted(measure.fan_in, "file", "files")),
        format!(
            "imports {} of the project (counted)",
            counted(measure.fan_out, "file or package", "files or packages")
        ),
    ]
}
