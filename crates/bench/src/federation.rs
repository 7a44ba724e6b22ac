//! Many repositories searched as one, against one index over all of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_chunk::ChunkKind;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_index::{IndexChunk, IndexDocument, Options, Reader, Versions, Writer};
use ai_assist_repo::build::{BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{Hit, Indexed, Merge, Origin, Query, Question, Source, search};
use ai_assist_workspace::federate::{Federation, Plan, Target};
use anyhow::{Context, Result, ensure};

use crate::timing::{Sample, files_below, ms, ratio, run, time};

/// How many known items are looked for.
const QUERIES: usize = 600;

/// Hits that are looked at.
const DEPTH: usize = 10;

/// A sentence of a doc comment, and the definition it stands at.
struct Item {
    sentence: String,
    repo: RepoId,
    document: String,
    line: u32,
}

/// A hit, wherever it comes from.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    repo: RepoId,
    document: String,
    line: u32,
    score: f32,
}

/// Everything that is searched.
struct Bench {
    indexes: Vec<(RepoId, Arc<RepoIndex>)>,
    federation: Federation,
    union: Arc<Reader>,
    /// The repository of each document of the union, by its key.
    owners: HashMap<u64, RepoId>,
    embedder: &'static StaticModel,
}

pub(crate) fn run_all(tree: &Path, crates: usize, binary: Option<PathBuf>) -> Result<()> {
    let place = tempfile::tempdir()?;
    let root = place.path().canonicalize()?;
    let repos = copy_crates(tree, &root.join("repos"), crates)?;
    ensure!(repos.len() == crates, "{} has only {} crates with sources", tree.display(), repos.len());
    let cache = root.join("cache");
    let (requests, taken) = time(|| build_all(&repos, &cache))?;
    let bench = Bench::open(&requests, &root.join("union"))?;
    let items = bench.items()?;
    let chunks = bench.union.live().count();
    println!(
        "{crates} crates as repositories, {chunks} chunks of code, built in {}; {} known items.\n",
        ms(taken),
        items.len()
    );
    bench.compare(&items)?;
    let binary = binary.map_or_else(|| Ok(std::env::current_exe()?.with_file_name("ai-assist")), anyhow::Ok)?;
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    commands(&root, &repos, &cache, &binary)
}

/// Copies crates that have sources, spread evenly over the tree, one folder each.
fn copy_crates(tree: &Path, to: &Path, wanted: usize) -> Result<Vec<PathBuf>> {
    let mut crates: Vec<PathBuf> = Vec::new();
    for registry in std::fs::read_dir(tree)? {
        let registry = registry?.path();
        if registry.is_dir() {
            let found = std::fs::read_dir(&registry)?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
            crates.extend(found.filter(|path| path.join("src").is_dir()));
        }
    }
    crates.sort();
    let mut copied = Vec::new();
    for number in 0..wanted.min(crates.len()) {
        let from = &crates[number * crates.len() / wanted];
        let folder = to.join(from.file_name().context("a crate has a name")?);
        let mut files = Vec::new();
        files_below(from, &mut files)?;
        for file in files.iter().filter(|file| file.metadata().is_ok_and(|found| found.len() < 1 << 20)) {
            let target = folder.join(file.strip_prefix(from)?);
            std::fs::create_dir_all(target.parent().context("a file has a folder")?)?;
            std::fs::copy(file, target)?;
        }
        copied.push(folder);
    }
    Ok(copied)
}

fn build_all(repos: &[PathBuf], cache: &Path) -> Result<Vec<BuildRequest>> {
    let mut requests = Vec::new();
    for repo in repos {
        let request = BuildRequest::new(CanonicalPath::from_absolute(repo)?, cache);
        build_repo(&request, &Cancel::default(), &mut |_| {})?;
        requests.push(request);
    }
    Ok(requests)
}

impl Bench {
    fn open(requests: &[BuildRequest], union: &Path) -> Result<Bench> {
        let mut indexes = Vec::new();
        for request in requests {
            indexes.push((request.repo_id.clone(), Arc::new(RepoIndex::open(&request.cache, Mode::Code)?)));
        }
        indexes.sort_by(|(a, _), (b, _)| a.cmp(b));
        let targets: Vec<Target> =
            requests.iter().map(|it| Target::of_repo(&it.root, &it.repo_id, &it.cache)).collect();
        let federation = Federation::open(Plan::of_targets(&targets, &[Mode::Code]));
        let embedder = StaticModel::bundled();
        let (union, owners) = union_of(&indexes, union, embedder)?;
        Ok(Bench { indexes, federation, union: Arc::new(union), owners, embedder })
    }

    /// The first sentences of doc comments that stand at one definition only, spread evenly over all of them.
    fn items(&self) -> Result<Vec<Item>> {
        let mut found: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        for (repo, index) in &self.indexes {
            for position in index.reader.live().iter() {
                let chunk = index.reader.chunk(position)?;
                if !matches!(chunk.kind, ChunkKind::Function | ChunkKind::Method) {
                    continue;
                }
                if let Some(sentence) = first_sentence(&chunk.text) {
                    let (document, line) = (chunk.document, chunk.lines.start);
                    let item = Item { sentence: sentence.clone(), repo: repo.clone(), document, line };
                    found.entry(sentence).or_default().push(item);
                }
            }
        }
        let mut unique: Vec<Item> = found.into_values().filter(|items| items.len() == 1).flatten().collect();
        let all = unique.len();
        ensure!(all >= QUERIES, "there are only {all} known items");
        let mut number = 0;
        unique.retain(|_| {
            number += 1;
            (number - 1) * QUERIES / all != number * QUERIES / all
        });
        Ok(unique)
    }

    fn compare(&self, items: &[Item]) -> Result<()> {
        let mut rows: Vec<(&str, Vec<Duration>, usize)> =
            ["one index", "global", "per-repo statistics", "rrf"].map(|name| (name, Vec::new(), 0)).into();
        let mut equal = 0;
        for item in items {
            let Ok(query) = item.sentence.parse::<Query>() else { continue };
            let mut answers = Vec::new();
            for (number, row) in rows.iter_mut().enumerate() {
                let ask = || match number {
                    0 => self.in_one(&query),
                    1 => self.federated(&query, Merge::Global),
                    2 => self.each_alone(&query),
                    _ => self.federated(&query, Merge::Rrf),
                };
                // Once to warm up, and once to be timed.
                ask()?;
                let (hits, taken) = time(ask)?;
                let is_it =
                    |hit: &Place| hit.repo == item.repo && hit.document == item.document && hit.line == item.line;
                row.1.push(taken);
                row.2 += usize::from(hits.iter().any(is_it));
                answers.push(hits);
            }
            equal += usize::from(answers[0] == answers[1]);
        }
        println!("| ranking | hit@10 | p50 | p99 | p50 against one index |\n|---|---|---|---|---|");
        let base = Sample::new(rows[0].1.clone()).median();
        for (name, times, hits) in rows {
            let count = times.len();
            let times = Sample::new(times);
            let (p50, p99) = (times.median(), times.quantile(0.99));
            let rate = hits as f64 / count as f64;
            println!("| {name} | {rate:.3} | {} | {} | {} |", ms(p50), ms(p99), ratio(p50, base));
        }
        println!(
            "\nglobal is the ranking of one index, place by place and bit by bit, for {equal} of {} queries.\n",
            items.len()
        );
        ensure!(equal == items.len(), "the rankings differ");
        Ok(())
    }

    /// One source as a search takes it.
    fn source(index: &Arc<impl Indexed + 'static>) -> Source {
        let origin = Origin::Session { session: "bench".to_owned() };
        Source::new(Arc::clone(index) as Arc<dyn Indexed>, origin, None, 0)
    }

    fn in_one(&self, query: &Query) -> Result<Vec<Place>> {
        let question = Question { limit: DEPTH, ..Question::new(query.clone()) };
        let outcome = search(&[Self::source(&self.union)], &question, self.embedder, &Cancel::default())?;
        let place = |hit: Hit| {
            let repo = self.owners.get(&hit.key.1).context("a document has a repository")?.clone();
            Ok(Place { repo, document: hit.document, line: hit.lines.start, score: hit.score })
        };
        outcome.hits.into_iter().map(place).collect()
    }

    fn federated(&self, query: &Query, merge: Merge) -> Result<Vec<Place>> {
        let question = Question { merge, limit: DEPTH, ..Question::new(query.clone()) };
        let (answer, _) = self.federation.search(&question, &[Mode::Code], self.embedder, &Cancel::default())?;
        let place = |hit: Hit| {
            let Origin::Repo { repo_id: repo, .. } = hit.origin else { anyhow::bail!("a hit has a repository") };
            Ok(Place { repo, document: hit.document, line: hit.lines.start, score: hit.score })
        };
        answer.hits.into_iter().map(place).collect()
    }

    /// What others do: each repository with its own statistics, and the scores compared as if they could be.
    fn each_alone(&self, query: &Query) -> Result<Vec<Place>> {
        let mut hits = Vec::new();
        for (repo, index) in &self.indexes {
            let question = Question { limit: DEPTH, ..Question::new(query.clone()) };
            let outcome = search(&[Self::source(index)], &question, self.embedder, &Cancel::default())?;
            hits.extend(outcome.hits.into_iter().map(|hit| Place {
                repo: repo.clone(),
                document: hit.document,
                line: hit.lines.start,
                score: hit.score,
            }));
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(DEPTH);
        Ok(hits)
    }
}

/// One index with the documents of all, repository after repository.
fn union_of(
    indexes: &[(RepoId, Arc<RepoIndex>)],
    folder: &Path,
    embedder: &dyn Embedder,
) -> Result<(Reader, HashMap<u64, RepoId>)> {
    let versions = Versions::current(embedder.model());
    let mut writer = Writer::rebuild(folder, &versions, embedder.dim(), Options::default())?;
    let mut owners = HashMap::new();
    let (mut key, mut chunks) = (0, 0);
    for (repo, index) in indexes {
        let mut documents: BTreeMap<u64, Vec<ai_assist_index::ChunkRecord>> = BTreeMap::new();
        for position in index.reader.live().iter() {
            let chunk = index.reader.chunk(position)?;
            documents.entry(chunk.key).or_default().push(chunk);
        }
        for mut records in documents.into_values() {
            records.sort_by_key(|record| record.ordinal);
            let Some(first) = records.first().cloned() else { continue };
            key += 1;
            chunks += records.len() as u64;
            owners.insert(key, repo.clone());
            // The chunks of a file cover it, so that it can be cut again with what each of them defines.
            let text: String = records.iter().map(|record| record.text.as_str()).collect();
            let cut = ai_assist_chunk::chunk(&text, first.language, &ai_assist_chunk::Limits::default());
            let pieces: Vec<IndexChunk> = cut.into_iter().map(|chunk| IndexChunk::of(chunk, &text)).collect();
            let vectors = IndexDocument::embed(first.title.as_deref(), &pieces, embedder, None)?;
            writer.put(IndexDocument {
                key,
                path: first.document,
                title: first.title,
                language: first.language,
                hash: first.hash,
                chunks: pieces,
                vectors,
                kept: None,
            })?;
        }
    }
    writer.commit(1, key, chunks)?;
    Ok((Reader::open(folder, &versions, embedder.dim())?, owners))
}

/// The first sentence of the doc comment that a chunk begins with: five words at least, and no code.
fn first_sentence(text: &str) -> Option<String> {
    let comment: Vec<&str> = text
        .lines()
        .map(str::trim_start)
        .take_while(|line| line.starts_with("///"))
        .map(|line| line[3..].trim())
        .collect();
    let comment = comment.split(|line| line.is_empty()).next()?.join(" ");
    let sentence = comment.split_once(". ").map_or(comment.as_str(), |(first, _)| first).trim_end_matches('.');
    let plain = !sentence.contains(['`', '[', '"', ':', '#', '<']);
    let distinct: HashSet<&str> = sentence.split_whitespace().collect();
    (plain && distinct.len() >= 5).then(|| sentence.to_owned())
}

/// The commands as a user runs them.
fn commands(root: &Path, repos: &[PathBuf], cache: &Path, binary: &Path) -> Result<()> {
    let ours = |args: &[&str]| {
        let mut command = Command::new(binary);
        command.current_dir(root).args(args).arg("--quiet");
        command.env("AI_ASSIST_DATA_DIR", root.join("data")).env("AI_ASSIST_CACHE_ROOT", cache);
        command
    };
    let entries: Vec<String> =
        repos.iter().map(|repo| format!("{{ \"root\": {:?} }}", repo.display().to_string())).collect();
    let config = format!("{{ \"schemaVersion\": 1, \"name\": \"bench\", \"repos\": [{}] }}", entries.join(", "));
    std::fs::write(root.join(".ai-assist-workspace.jsonc"), config)?;
    run(&mut ours(&["workspace", "manifest"]))?;
    println!("| command, {} repositories | p50 |\n|---|---|", repos.len());
    for (name, args) in [
        ("`workspace manifest`, unchanged", &["workspace", "manifest"][..]),
        (
            "`workspace search`, a new question",
            &["workspace", "search", "parse a header", "--mode", "code", "--no-cache"],
        ),
        ("`workspace search`, the same question", &["workspace", "search", "parse a header", "--mode", "code"]),
    ] {
        let mut times = Vec::new();
        for _ in 0..11 {
            times.push(run(&mut ours(args))?);
        }
        println!("| {name} | {} |", ms(Sample::new(times).median()));
    }
    Ok(())
}
