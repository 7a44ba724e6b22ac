//! What the most important files offer, and what can be asked of a project.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_ecosystem::{EntryPointKind, Stated};
use ai_assist_syntax::{ChunkKind, Command, Facts};
use ai_assist_text::{Language, LanguageKind};
use rayon::prelude::*;

use super::doc::first_sentence;
use super::overview::kind_name;
use super::{counted, listed};
use crate::Snapshot;
use crate::categories::is_side_file;
use crate::format::word;
use crate::survey::{Measure, Survey, one_line};
use crate::types::{EntrypointSummary, FileCategory, FileMetadata, KeyFileSummary};

/// More entry points than these are not summarised.
const MAX_ENTRY_POINTS: usize = 60;

/// Files with routes or commands that no manifest names as an entry point.
const MAX_ANSWERING: usize = 20;

/// No more routes of one file are listed, nor more commands.
const MAX_LISTED: usize = 60;

const LONGEST_NAME: usize = 160;

pub(super) fn key_files(snapshot: &Snapshot, survey: &Survey) -> Vec<KeyFileSummary> {
    let files = &snapshot.project.files;
    let summarise = |pick: &crate::KeyPick| {
        let file = &files[pick.index];
        let text = snapshot.text(pick.index).unwrap_or_default();
        let measure = &survey.measures[pick.index];
        KeyFileSummary {
            path: file.relative_path.clone(),
            category: pick.category,
            summary: summary(file, &text, &measure.facts, survey),
            exports: exports(&measure.facts),
            dependencies: imports(&measure.facts),
            notable_code: notable(measure, survey),
        }
    };
    snapshot.key_files.par_iter().map(summarise).collect()
}

fn exports(facts: &Facts) -> Vec<String> {
    let export = |export: &ai_assist_syntax::Export| {
        format!("{} ({}, line {})", one_line(&export.name, LONGEST_NAME), export.kind.name(), export.line)
    };
    facts.exports.iter().map(export).collect()
}

fn imports(facts: &Facts) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let first = facts.imports.iter().filter(|import| seen.insert(import.module.as_str()));
    first.map(|import| format!("{} (line {})", one_line(&import.module, LONGEST_NAME), import.line)).collect()
}

/// What a file does: its own words, else what it defines, else what manifests know of it.
fn summary(file: &FileMetadata, text: &str, facts: &Facts, survey: &Survey) -> String {
    let path = &file.relative_path;
    let language = Language::of_path(path);
    let mut sentences = Vec::new();
    if let Some((words, line)) = language.and_then(|language| first_sentence(text, language)) {
        sentences.push(format!("{words} ({path}:{line})"));
    }
    if language.is_some_and(|language| language.kind() == LanguageKind::Prose) {
        let title = language.and_then(|language| ai_assist_chunk::title(text, language));
        sentences.extend(title.map(|title| format!("Its title is \"{}\" ({path}).", one_line(&title, LONGEST_NAME))));
    }
    sentences.extend(known_to_manifests(path, survey));
    let defines = defines(facts);
    if !defines.is_empty() {
        sentences.push(format!("Defines {defines} (counted in {path})."));
    }
    if sentences.is_empty() {
        let kind = language.map_or("text", Language::name);
        sentences.push(format!("{} of {kind} ({path}).", counted(text.lines().count(), "line", "lines")));
    }
    sentences.join(" ")
}

/// `3 functions, 2 structs`: definitions by kind, the most frequent first.
fn defines(facts: &Facts) -> String {
    let mut counts: BTreeMap<ChunkKind, usize> = BTreeMap::new();
    for entry in &facts.definitions {
        *counts.entry(entry.kind).or_default() += 1;
    }
    let mut counts: Vec<(ChunkKind, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(kind, count)| (std::cmp::Reverse(count), kind));
    let plural = |kind: ChunkKind| match kind.name() {
        name if name.ends_with("ss") => format!("{name}es"),
        name => format!("{name}s"),
    };
    let named = counts.iter().map(|&(kind, count)| counted(count, kind.name(), &plural(kind)));
    listed(&named.collect::<Vec<_>>(), 6)
}

/// What the describer read off a manifest.
fn known_to_manifests(path: &str, survey: &Survey) -> Vec<String> {
    let description = &survey.description;
    let is_from = |evidence: &str| {
        evidence
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':') || rest.starts_with(','))
    };
    let named = |stated: &[Stated<String>]| -> Vec<String> {
        stated.iter().filter(|stated| is_from(&stated.evidence)).map(|stated| stated.value.clone()).collect()
    };
    let mut sentences = Vec::new();
    let packages = description.packages.iter().filter(|package| package.manifest == path);
    sentences.extend(packages.map(|package| format!("Manifest of the package {} ({path}).", package.name)));
    if is_from(&description.name.evidence) {
        sentences.push(format!("Names the project {} ({}).", description.name.value, description.name.evidence));
    }
    for (what, stated) in [
        ("build system", &description.build_systems),
        ("test framework", &description.test_frameworks),
        ("technology", &description.technologies),
    ] {
        let names = named(stated);
        if !names.is_empty() {
            sentences.push(format!("Speaks for the {what} {} ({path}).", listed(&names, 8)));
        }
    }
    let dependencies = description.dependencies.iter().filter(|dependency| dependency.manifest == path);
    let names: Vec<&str> = dependencies.map(|dependency| dependency.name.as_str()).collect();
    if !names.is_empty() {
        let noun = counted(names.len(), "dependency", "dependencies");
        sentences.push(format!("Asks for {noun}: {} ({path}).", listed(&names, 8)));
    }
    sentences
}

/// Routes, commands, calls worth a second look, and what was measured.
fn notable(measure: &Measure, survey: &Survey) -> Vec<String> {
    let facts = &measure.facts;
    let mut found: Vec<String> =
        facts.routes.iter().map(|route| format!("route {} (line {})", asked(route), route.line)).collect();
    found.extend(
        facts
            .commands
            .iter()
            .map(|command| format!("command {} (line {})", one_line(&command.name, LONGEST_NAME), command.line)),
    );
    found.extend(
        facts.risky.iter().map(|risky| {
            format!("{}: {} (line {})", word(&risky.kind), one_line(&risky.what, LONGEST_NAME), risky.line)
        }),
    );
    if let Some(longest) = facts.longest_function.as_ref().filter(|longest| longest.value > 1) {
        found.push(format!(
            "longest function: {} with {} lines (line {})",
            one_line(&longest.name, LONGEST_NAME),
            longest.value,
            longest.line
        ));
    }
    if let Some(deepest) = facts.deepest_nesting.as_ref().filter(|deepest| deepest.value > 2) {
        found.push(format!(
            "deepest nesting: {} in {} (line {})",
            deepest.value,
            one_line(&deepest.name, LONGEST_NAME),
            deepest.line
        ));
    }
    if measure.fan_in > 0 {
        found.push(format!("imported by {} (counted)", counted(measure.fan_in, "file", "files")));
    }
    if measure.churn > 0 {
        found.push(format!("changed in {} of the last {} commits (from git)", measure.churn, survey.looked_at));
    }
    found
}

fn asked(route: &ai_assist_syntax::Route) -> String {
    let path = one_line(&route.path, LONGEST_NAME);
    route.method.as_ref().map_or_else(|| path.clone(), |method| format!("{} {path}", one_line(method, 16)))
}

/// Where the project starts: what manifests name, key files that look like it, and files that answer requests or commands.
pub(super) fn entry_points(snapshot: &Snapshot, survey: &Survey) -> Vec<EntrypointSummary> {
    let files = &snapshot.project.files;
    let place = |path: &str| files.binary_search_by(|file| file.relative_path.as_str().cmp(path)).ok();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut named: Vec<&ai_assist_ecosystem::EntryPoint> = survey.description.entry_points.iter().collect();
    named.sort_by_key(|entry| (entry.path.matches('/').count(), entry.path.as_str()));
    for entry in named {
        if let Some(index) = place(&entry.path).filter(|index| seen.insert(*index)) {
            let because = format!("{} (from {}).", capital(kind_name(entry.kind)), entry.evidence);
            found.push(entry_point(snapshot, survey, index, entry.kind, &because));
        }
    }
    let starting = snapshot.key_files.iter().filter(|pick| pick.category == FileCategory::Entrypoint);
    for pick in starting.filter(|pick| seen.insert(pick.index)).collect::<Vec<_>>() {
        let path = &files[pick.index].relative_path;
        let because = format!("Named like a place to start ({path}).");
        found.push(entry_point(snapshot, survey, pick.index, by_facts(files, pick.index, survey), &because));
    }
    let starting = (0..files.len()).filter(|&index| {
        let file = &files[index];
        file.category != FileCategory::Test
            && !is_side_file(&file.relative_path)
            && starts(file, &survey.measures[index])
    });
    for index in starting.filter(|index| seen.insert(*index)).collect::<Vec<_>>() {
        let because = format!("A program starts here ({}: main).", files[index].relative_path);
        found.push(entry_point(snapshot, survey, index, EntryPointKind::Cli, &because));
    }
    let answers = |index: &usize| {
        let facts = &survey.measures[*index].facts;
        facts.routes.len() + facts.commands.len()
    };
    let is_test =
        |index: &usize| files[*index].category == FileCategory::Test || is_side_file(&files[*index].relative_path);
    let mut answering: Vec<usize> =
        (0..files.len()).filter(|index| !seen.contains(index) && answers(index) > 0 && !is_test(index)).collect();
    answering.sort_by_key(|index| (std::cmp::Reverse(answers(index)), *index));
    for index in answering.into_iter().take(MAX_ANSWERING) {
        let because = format!("Answers requests or commands ({}).", files[index].relative_path);
        found.push(entry_point(snapshot, survey, index, by_facts(files, index, survey), &because));
    }
    found.truncate(MAX_ENTRY_POINTS);
    found
}

/// Whether a file defines where a program starts, whatever it is called.
fn starts(file: &FileMetadata, measure: &Measure) -> bool {
    let has = |least: usize, fits: &dyn Fn(&str) -> bool| {
        measure.facts.definitions.iter().any(|entry| {
            entry.depth >= least && entry.name == "main" && fits(entry.signature.as_deref().unwrap_or_default())
        })
    };
    match file.extension.as_str() {
        "go" => has(0, &|signature| signature.starts_with("func main()")),
        "c" | "cc" | "cpp" | "cxx" => has(0, &|signature| signature.contains("main(")),
        "java" => has(1, &|signature| signature.contains("static void main(")),
        _ => false,
    }
}

fn entry_point(
    snapshot: &Snapshot,
    survey: &Survey,
    index: usize,
    entrypoint_type: EntryPointKind,
    because: &str,
) -> EntrypointSummary {
    let file = &snapshot.project.files[index];
    let path = &file.relative_path;
    let words = Language::of_path(path).and_then(|language| {
        let text = snapshot.text(index).ok()?;
        first_sentence(&text, language).map(|(words, line)| format!(" {words} ({path}:{line})"))
    });
    let facts = &survey.measures[index].facts;
    let routes = facts.routes.iter().map(|route| format!("{} ({path}:{})", asked(route), route.line));
    let command = |command: &Command| format!("{} ({path}:{})", one_line(&command.name, LONGEST_NAME), command.line);
    let commands = facts.commands.iter().map(command);
    let listed: Vec<String> = routes.take(MAX_LISTED).chain(commands.take(MAX_LISTED)).collect();
    EntrypointSummary {
        path: path.clone(),
        entrypoint_type,
        description: format!("{because}{}", words.unwrap_or_default()),
        routes_or_commands: (!listed.is_empty()).then_some(listed),
    }
}

/// What a file that no manifest names is, by what it answers and by its name.
fn by_facts(files: &[FileMetadata], index: usize, survey: &Survey) -> EntryPointKind {
    let file = &files[index];
    let facts = &survey.measures[index].facts;
    if !facts.routes.is_empty() {
        return EntryPointKind::Api;
    }
    if !facts.commands.is_empty() {
        return EntryPointKind::Cli;
    }
    match (file.name.as_str(), file.extension.as_str()) {
        (_, "html" | "vue" | "svelte" | "tsx" | "jsx") => EntryPointKind::Web,
        ("lib.rs" | "index.js" | "index.ts" | "index.mjs" | "index.d.ts", _) => EntryPointKind::Library,
        ("main.rs" | "main.go" | "main.c" | "main.cpp" | "main.cc" | "__main__.py", _) => EntryPointKind::Cli,
        _ => EntryPointKind::Script,
    }
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
