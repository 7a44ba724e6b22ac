//! issues: an issue, and the files that its fix changed, over six repositories as one workspace. Asked through `app`, as the
//! command `search` does, so that there is one ranking over all repositories and over code and prose.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use ai_assist_app::{Environment, Error, Machine, Project, Search};
use ai_assist_base::Cancel;
use ai_assist_identity::Sha256;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{Feature, Fusion, Hit, IndexStatus, Origin, Query, RankBy};
use ai_assist_text::Role;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::dump::{Asked, Dump, Outline};
use crate::quality::{Quality, Ranking, json_lines, write_file};
use crate::resample::{Interval, mean};
use crate::timing::ms;

pub(crate) const NAME: &str = "issues";

/// Chunks looked at, about 44 files.
const CHUNKS: usize = 100;

const MODES: [Mode; 2] = [Mode::Code, Mode::Prose];

pub(crate) const HALVES: [(&str, [&str; 3]); 2] = [
    ("A", ["pydata/xarray", "pallets/flask", "pytest-dev/pytest"]),
    ("B", ["scikit-learn/scikit-learn", "mwaskom/seaborn", "psf/requests"]),
];

#[derive(Deserialize)]
struct TreeFile {
    repo: String,
    path: String,
    text: String,
}

#[derive(Deserialize)]
pub(crate) struct Issue {
    pub(crate) _id: String,
    pub(crate) repo: String,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) gold: Vec<String>,
    names_gold: bool,
}

/// Where an answer has the right files.
struct Scored<'i> {
    issue: &'i Issue,
    /// Whether the first file is in the issue's repository.
    routed: bool,
    /// The place of the first right file, from 0.
    rank: Option<usize>,
}

/// The six repositories, indexed.
pub(crate) struct Workspace {
    pub(crate) project: Project,
    /// The name of each repository by that of its folder.
    pub(crate) repos: BTreeMap<String, String>,
    outline: Outline,
    tests: Vec<Test>,
}

pub(crate) fn run(folder: &Path, quality: &Quality, dump: &mut Option<Dump>) -> Result<()> {
    let place = quality.place(NAME)?;
    let workspace = Workspace::build(folder, place.path(), dump.is_some())?;
    let issues: Vec<Issue> = json_lines(&folder.join("queries.jsonl.zst"))?;
    let asked = if quality.title { "title" } else { "text" };
    let mut rankings = quality.rankings(&[
        ("hybrid", RankBy::Hybrid, Fusion::SCORES),
        ("lexical", RankBy::Words, Fusion::SCORES),
        ("dense", RankBy::Meaning, Fusion::SCORES),
    ]);
    println!("\n| {NAME}, {asked} | modes | ranking | n | route@1 | hit@1 | hit@5 | hit@10 | MRR | 95 % |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut notes = Vec::new();
    for (label, modes) in [("code and prose", &MODES[..]), ("code", &[Mode::Code])] {
        for ranking in &mut rankings {
            let start = Instant::now();
            ranking.dumped &= modes.len() == MODES.len();
            let mut dump = dump.as_mut().filter(|_| ranking.dumped);
            let (mut scored, mut refused) = (Vec::new(), Vec::new());
            for issue in &issues {
                let text = if quality.title { &issue.title } else { &issue.text };
                let answered = workspace.ask(text, modes, quality, ranking)?;
                let hits = answered.as_ref().map_or(&[][..], |answered| &answered.hits);
                if let Some(dump) = &mut dump {
                    let asked = issue.asked(text, answered.as_ref().err().cloned());
                    let query = answered.as_ref().ok().map(|answered| &answered.query);
                    dump.write(&asked, query, hits, &workspace.outline, |hit| workspace.file(hit))?;
                }
                scored.push(workspace.scored(issue, hits)?);
                refused.extend(answered.err().map(|why| format!("{} ({why})", issue._id)));
            }
            print_rows(&format!("{label} | {}", ranking.label), &scored, &workspace.repos);
            notes.push(format!(
                "{label}, {}: asked in {}; {} refused and counted as a miss{}",
                ranking.label,
                ms(start.elapsed()),
                refused.len(),
                refused.iter().map(|why| format!("; {why}")).collect::<String>()
            ));
        }
    }
    println!();
    notes.iter().for_each(|note| println!("- {note}"));
    ask_for_tests(&workspace, quality)
}

/// Gold files of `issues` are never tests, so it rewards whatever puts tests down. These questions ask for tests, and must not lose
/// by that: what a test function is called, as words, with and without saying that tests are meant.
fn ask_for_tests(workspace: &Workspace, quality: &Quality) -> Result<()> {
    let rankings = quality.with_and_without(Feature::Role);
    println!("\n| asked | ranking | n | hit@1 | hit@10 | MRR |\n|---|---|---|---|---|---|");
    for (label, before) in [("tests for WORDS", "tests for "), ("WORDS", "")] {
        for ranking in &rankings {
            let mut ranks = Vec::new();
            for test in &workspace.tests {
                let answered = workspace.ask(&format!("{before}{}", test.words), &MODES, quality, ranking)?;
                let hits = answered.map_err(|why| anyhow::anyhow!("{}: {why}", test.words))?.hits;
                ranks.push(workspace.files(&hits)?.iter().position(|file| *file == test.file));
            }
            let share = |depth: usize| ranks.iter().flatten().filter(|rank| **rank < depth).count() as f64;
            let count = ranks.len() as f64;
            let mrr = ranks.iter().flatten().map(|rank| 1.0 / (rank + 1) as f64).sum::<f64>() / count;
            let (first, ten) = (share(1) / count, share(10) / count);
            println!("| {label} | {} | {} | {first:.3} | {ten:.3} | {mrr:.3} |", ranking.label, ranks.len());
        }
    }
    Ok(())
}

/// A test function as a question.
struct Test {
    words: String,
    file: String,
}

/// How many test functions are asked for.
const TESTS: usize = 50;

/// Test functions of some files whose names are of at least three words and used once, drawn by hash.
fn tests_of(files: &[TreeFile]) -> Vec<Test> {
    let mut named: BTreeMap<&str, Vec<&TreeFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| Role::of(&file.path, "") == Role::Test) {
        let names = file.text.lines().filter_map(|line| line.trim_start().strip_prefix("def test_")?.split('(').next());
        names.for_each(|name| named.entry(name).or_default().push(file));
    }
    named.retain(|name, files| files.len() == 1 && name.split('_').filter(|word| word.len() > 2).count() >= 3);
    let mut drawn: Vec<(&str, &TreeFile)> = named.into_iter().map(|(name, files)| (name, files[0])).collect();
    drawn.sort_by_key(|(name, _)| Sha256::of(name.as_bytes()));
    drawn.truncate(TESTS);
    let test = |(name, file): (&str, &TreeFile)| Test {
        words: name.replace('_', " "),
        file: format!("{}/{}", file.repo, file.path),
    };
    drawn.into_iter().map(test).collect()
}

/// The answer to an issue.
struct Answered {
    query: Query,
    hits: Vec<Hit>,
}

impl Workspace {
    pub(crate) fn build(folder: &Path, place: &Path, outlined: bool) -> Result<Self> {
        let start = Instant::now();
        let trees = place.join("trees");
        let mut repos: BTreeMap<String, String> = BTreeMap::new();
        let files: Vec<TreeFile> = json_lines(&folder.join("trees.jsonl.zst"))?;
        for file in &files {
            let name = file.repo.replace('/', "__");
            write_file(&trees.join(&name).join(&file.path), &file.text)?;
            repos.insert(name, file.repo.clone());
        }
        let roots: Vec<_> = repos.keys().map(|name| serde_json::json!({ "root": name, "alias": name })).collect();
        let config = serde_json::json!({ "schemaVersion": 1, "name": NAME, "repos": roots });
        write_file(&trees.join(ai_assist_workspace::config::WORKSPACE_FILE), &config.to_string())?;
        let trees = trees.canonicalize()?;
        let project = Machine::new(Environment::within(&place.canonicalize()?)).open(&trees)?;
        let mut outline = Outline::default();
        let mut counts = Vec::new();
        for name in repos.keys() {
            let repo = project.repo_at(Path::new(name))?;
            let root = repo.root.to_path_buf();
            ensure!(root == trees.join(name), "{name} belongs to {}; keep it elsewhere", root.display());
            project.build_index(&repo, MODES.to_vec(), false, &Cancel::default(), &mut |_| {})?;
            for mode in MODES {
                let index = RepoIndex::open(&repo.cache, mode)?;
                counts.push(format!("{name} {mode}: {} files, {} chunks", index.state.documents, index.state.chunks));
                if outlined {
                    outline.add(&format!("{name} {mode}"), &index.reader)?;
                }
            }
        }
        println!("\n{NAME}, ready in {}: {}.", ms(start.elapsed()), counts.join("; "));
        Ok(Workspace { project, repos, outline, tests: tests_of(&files) })
    }

    /// Asks as `search` does from the folder of the workspace; an error inside is what a user would be told.
    fn ask(
        &self,
        text: &str,
        modes: &[Mode],
        quality: &Quality,
        ranking: &Ranking,
    ) -> Result<Result<Answered, String>> {
        let query: Query = match text.parse() {
            Ok(query) => query,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let question = quality.question(query.clone(), ranking, CHUNKS);
        // Nothing changes under a benchmark, so there is nothing to refresh.
        let search = Search { modes: modes.to_vec(), refresh: false, ..Search::new(question) };
        let answer = match self.project.search(&search, &Cancel::default()) {
            Ok(answer) => answer,
            Err(error @ Error::UnknownSource { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let indexes = answer.repos.iter().flat_map(|repo| &repo.indexes);
        let searched = indexes.filter(|index| index.status == IndexStatus::Searched).count();
        let is_narrowed = !query.repos.is_empty() || !query.collections.is_empty();
        ensure!(is_narrowed || searched == self.repos.len() * modes.len(), "only {searched} indexes were searched");
        Ok(Ok(Answered { query, hits: answer.hits }))
    }

    fn repo(&self, hit: &Hit) -> Result<&str> {
        let Origin::Repo { repo, .. } = &hit.origin else { anyhow::bail!("a hit has a repository") };
        Ok(self.repos.get(repo).with_context(|| format!("unknown repository {repo}"))?)
    }

    /// A file by the name that it has among the gold.
    pub(crate) fn file(&self, hit: &Hit) -> Result<String> {
        Ok(format!("{}/{}", self.repo(hit)?, hit.document))
    }

    /// The files of some hits, each where its best chunk stands.
    fn files(&self, hits: &[Hit]) -> Result<Vec<String>> {
        let mut files: Vec<String> = Vec::new();
        for hit in hits.iter().take(CHUNKS) {
            let file = self.file(hit)?;
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Ok(files)
    }

    fn scored<'i>(&self, issue: &'i Issue, hits: &[Hit]) -> Result<Scored<'i>> {
        let files = self.files(hits)?;
        let first = hits.first().map(|hit| self.repo(hit)).transpose()?;
        let gold = issue.gold();
        let rank = files.iter().position(|file| gold.contains_key(file));
        Ok(Scored { issue, routed: first == Some(&issue.repo), rank })
    }
}

impl Issue {
    fn gold(&self) -> BTreeMap<String, f64> {
        self.gold.iter().map(|path| (format!("{}/{path}", self.repo), 1.0)).collect()
    }

    fn asked<'i>(&'i self, text: &'i str, refused: Option<String>) -> Asked<'i> {
        let half = HALVES.iter().find(|(_, members)| members.contains(&&*self.repo));
        Asked {
            set: NAME,
            id: &self._id,
            text,
            gold: self.gold(),
            half: half.map(|(half, _)| *half),
            repo: Some(&self.repo),
            named: Some(self.names_gold),
            refused,
            ..Asked::default()
        }
    }
}

impl Scored<'_> {
    fn hit(&self, depth: usize) -> f64 {
        f64::from(u8::from(self.rank.is_some_and(|rank| rank < depth)))
    }

    fn reciprocal(&self) -> f64 {
        self.rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
    }
}

/// The rows of one way to ask: over all issues and over parts of them.
fn print_rows(how: &str, scored: &[Scored<'_>], repos: &BTreeMap<String, String>) {
    print_row("all", how, scored, &|_| true);
    print_row("named", how, scored, &|issue| issue.names_gold);
    print_row("blind", how, scored, &|issue| !issue.names_gold);
    for (half, members) in HALVES {
        print_row(&format!("half {half}"), how, scored, &|issue| members.contains(&&*issue.repo));
    }
    for repo in repos.values() {
        print_row(repo, how, scored, &|issue| issue.repo == *repo);
    }
}

fn print_row(name: &str, how: &str, scored: &[Scored<'_>], is_in: &dyn Fn(&Issue) -> bool) {
    let rows: Vec<&Scored<'_>> = scored.iter().filter(|scored| is_in(scored.issue)).collect();
    let column = |figure: &dyn Fn(&Scored<'_>) -> f64| rows.iter().map(|row| figure(row)).collect::<Vec<f64>>();
    let hit = |depth: usize| mean(&column(&|row| row.hit(depth)));
    let reciprocal = column(&|row| row.reciprocal());
    println!(
        "| {name} | {how} | {} | {:.4} | {:.4} | {:.4} | {:.4} | {:.4} | {} |",
        rows.len(),
        mean(&column(&|row| f64::from(u8::from(row.routed)))),
        hit(1),
        hit(5),
        hit(10),
        mean(&reciprocal),
        Interval::of(&reciprocal),
    );
}
