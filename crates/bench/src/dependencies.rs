//! What a project depends on, indexed from its sources: how often a question finds the item that answers it, against READMEs alone;
//! and what indexing takes.
//!
//! Projects are folders with lock files whose packages are installed: `node` (express, zod, commander), `py` (requests, click, httpx,
//! flask), `rust` (tokio, serde, clap and others), `go` (mux, cobra), with the module cache of Go beside them in `gomod`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_collections::{CollectionSpec, Find, Homes, Members, Resolved, SyncOptions, SyncReport, silent};
use ai_assist_search::{Query, Question};
use anyhow::{Context, Result};

use crate::library::TestLibrary;

const QUESTIONS: &str = include_str!("dependency_questions.tsv");

/// A hit of one of these packages that has one of these words.
struct Asked<'q> {
    project: &'q str,
    question: &'q str,
    answers: Vec<(&'q str, &'q str)>,
}

fn questions() -> Vec<Asked<'static>> {
    let asked = |line: &'static str| {
        let mut cells = line.split('\t');
        let (project, question, answers) = (cells.next()?, cells.next()?, cells.next()?);
        let answers = answers.split(" | ").filter_map(|answer| answer.split_once(' ')).collect();
        Some(Asked { project, question, answers })
    };
    QUESTIONS.lines().filter_map(asked).collect()
}

struct Indexed {
    library: TestLibrary,
    report: SyncReport,
    took: Duration,
    place: tempfile::TempDir,
}

pub(crate) fn run(projects: &Path, show: bool, all: bool) -> Result<()> {
    let home = std::env::home_dir();
    let homes = Homes {
        cargo: std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(home?.join(".cargo"))),
        go_mod_cache: Some(projects.join("gomod")),
        ..Homes::default()
    };
    println!(
        "| project | documents | chunks | sync | MB/s of text | size | again | hit@1 README | hit@5 README | hit@1 | hit@5 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut sums = [0; 5];
    for name in ["node", "py", "rust", "go"] {
        let folder = projects.join(name);
        if !folder.is_dir() {
            println!("| {name} | not there |");
            continue;
        }
        let mut whole = index(&folder, &homes, all)?;
        let again = Instant::now();
        whole.sync(&homes)?;
        let again = again.elapsed();
        let mut readmes = readmes(&whole)?;
        let asked: Vec<Asked<'_>> = questions().into_iter().filter(|asked| asked.project == name).collect();
        let (mut before, mut after) = ([0; 2], [0; 2]);
        for asked in &asked {
            let ranks = [rank(&mut readmes, asked)?, rank(&mut whole, asked)?];
            for (rank, counts) in ranks.iter().zip([&mut before, &mut after]) {
                counts[0] += usize::from(*rank == Some(1));
                counts[1] += usize::from(rank.is_some());
            }
            if show {
                println!("{:?} → {:?}  {}", ranks[0], ranks[1], asked.question);
            }
        }
        let id = whole.library.member.resolved.id().clone();
        let state = whole.library.library.store().state(&id)?.unwrap_or_default();
        let n = asked.len();
        println!(
            "| {name} | {} | {} | {:.1} s | {:.1} | {} MB | {:.0} ms | {}/{n} | {}/{n} | {}/{n} | {}/{n} |",
            whole.report.documents,
            state.chunks,
            whole.took.as_secs_f64(),
            state.bytes as f64 / 1e6 / whole.took.as_secs_f64(),
            size(whole.place.path()) / 1_000_000,
            again.as_secs_f64() * 1e3,
            before[0],
            before[1],
            after[0],
            after[1],
        );
        for (sum, more) in sums.iter_mut().zip([n, before[0], before[1], after[0], after[1]]) {
            *sum += more;
        }
    }
    let [n, before_1, before_5, after_1, after_5] = sums;
    println!("| all | | | | | | | {before_1}/{n} | {before_5}/{n} | {after_1}/{n} | {after_5}/{n} |");
    Ok(())
}

fn index(project: &Path, homes: &Homes, all: bool) -> Result<Indexed> {
    let place = tempfile::tempdir()?;
    let mut library = TestLibrary::new(place.path(), project, "**/*")?;
    let spec = CollectionSpec::Dep { dependencies: Vec::new(), transitive: all };
    library.member.resolved = Resolved::new(&spec, &project.canonicalize()?)?;
    library.member.spec = spec;
    let start = Instant::now();
    let report = sync(&mut library, homes)?;
    Ok(Indexed { library, report, took: start.elapsed(), place })
}

impl Indexed {
    fn sync(&mut self, homes: &Homes) -> Result<SyncReport> {
        sync(&mut self.library, homes)
    }
}

fn sync(library: &mut TestLibrary, homes: &Homes) -> Result<SyncReport> {
    let options = SyncOptions { homes: homes.clone(), ..SyncOptions::default() };
    Ok(library.library.sync(&library.member, &options, &mut silent, &Cancel::default())?)
}

/// The same packages with their READMEs alone, under the same names.
fn readmes(whole: &Indexed) -> Result<Indexed> {
    let place = tempfile::tempdir()?;
    let documents = place.path().join("documents");
    let id = whole.library.member.resolved.id();
    for info in whole.library.library.store().list_documents(id)? {
        let path = info.path.as_str();
        let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let is_docs =
            path.split('/').any(|part| matches!(part.to_ascii_lowercase().as_str(), "docs" | "doc" | "guide"));
        if !(file.starts_with("readme") || file == "metadata" || is_docs && file.ends_with(".md")) {
            continue;
        }
        let document = whole.library.library.store().document(id, &info.path)?.context("a document is gone")?;
        let to = documents.join(path);
        std::fs::create_dir_all(to.parent().context("no folder")?)?;
        std::fs::write(to, document.text)?;
    }
    std::fs::create_dir_all(&documents)?;
    let mut library = TestLibrary::new(place.path(), &documents, "**/*")?;
    let start = Instant::now();
    let report = sync(&mut library, &Homes::default())?;
    Ok(Indexed { library, report, took: start.elapsed(), place })
}

/// Where the first hit stands that answers, among five.
fn rank(indexed: &mut Indexed, asked: &Asked<'_>) -> Result<Option<usize>> {
    let mut question = Question::new(asked.question.parse::<Query>()?);
    question.limit = 5;
    let members = Members::of(indexed.library.member.clone());
    let answer = indexed.library.library.find(&members, &Find::new(question))?;
    let answers = |document: &str, text: &str| {
        let is_it = |(package, word): &(&str, &str)| {
            document.strip_prefix(package).is_some_and(|rest| rest.starts_with('@')) && text.contains(word)
        };
        asked.answers.iter().any(is_it)
    };
    Ok(answer.hits.iter().position(|hit| answers(&hit.document, &hit.text)).map(|at| at + 1))
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(about) if about.is_dir() => size(&entry.path()),
            Ok(about) => about.len(),
            Err(_) => 0,
        })
        .sum()
}
