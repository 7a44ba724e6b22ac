//! Retrieval quality through the real pipeline: files on disk, sync, chunks, index, search.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ai_assist_base::Cancel;
use ai_assist_search::{Feature, Features, Fusion, Hit, Look, Query, Question, RankBy, search};
use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::dump::{Asked, DEPTH, Dump, Outline};
use crate::library::TestLibrary;
use crate::metrics::Metrics;
use crate::{doc_links, issues};

/// Chunks looked at to find ten different documents.
pub(crate) const CHUNKS: usize = 60;

/// What is read a second time is kept for the whole run.
static LOOK: LazyLock<Arc<Look>> = LazyLock::new(|| Arc::new(Look::new(None)));

#[derive(Args)]
pub(crate) struct Quality {
    /// A folder of sets, each with corpus.jsonl, queries.jsonl and qrels.tsv; also `issues` and `doc-links`, if they are there
    sets: PathBuf,
    /// Only these sets
    #[arg(long)]
    only: Vec<String>,
    /// Weights of title, heading, path and body to try instead of the program's own
    #[arg(long, value_delimiter = ',')]
    weights: Vec<f32>,
    /// Weights of the cosine to try beside the program's own
    #[arg(long, value_delimiter = ',')]
    a: Vec<f32>,
    /// Rank with all features, and then without each of them
    #[arg(long)]
    ablate: bool,
    /// Ask with the title of an issue, not with its whole text
    #[arg(long)]
    pub(crate) title: bool,
    /// Write the first 200 chunks of each query's hybrid ranking to this file, one line of JSON a query
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    /// Keep documents and indexes in this folder, and use what is there. An index is made anew when the version of its rules
    /// changes; empty the folder after a change to chunks or indexes that has no new version yet
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// A way to rank.
pub(crate) struct Ranking {
    pub(crate) label: String,
    rank_by: RankBy,
    fusion: Fusion,
    features: Features,
    /// Whether it is the one that a dump has.
    pub(crate) dumped: bool,
}

/// Where a set is indexed.
pub(crate) enum Place {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Place {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Place::Kept(path) => path,
            Place::Temporary(folder) => folder.path(),
        }
    }
}

impl Quality {
    pub(crate) fn wants(&self, set: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == set)
    }

    pub(crate) fn place(&self, set: &str) -> Result<Place> {
        let Some(keep) = &self.keep else { return Ok(Place::Temporary(tempfile::tempdir()?)) };
        let folder = keep.join(set);
        std::fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        Ok(Place::Kept(folder.canonicalize()?))
    }

    /// Some rankings, and the hybrid one with each weight to try; or that one without each feature.
    pub(crate) fn rankings(&self, known: &[(&str, RankBy, Fusion)]) -> Vec<Ranking> {
        let features = Features::default();
        let hybrid = |label: String, fusion, features| Ranking {
            label,
            rank_by: RankBy::Hybrid,
            fusion,
            features,
            dumped: false,
        };
        if self.ablate {
            let less =
                |feature: Feature| hybrid(format!("without {feature}"), Fusion::SCORES, features.without(feature));
            let mut rankings = vec![hybrid("hybrid".to_owned(), Fusion::SCORES, features)];
            rankings.extend(Feature::ALL.into_iter().map(less));
            rankings.push(hybrid("words and meaning".to_owned(), Fusion::SCORES, Features::NONE));
            return rankings;
        }
        let known = known.iter().map(|&(label, rank_by, fusion)| Ranking {
            label: label.to_owned(),
            rank_by,
            fusion,
            features,
            dumped: rank_by == RankBy::Hybrid && fusion == Fusion::SCORES,
        });
        let tried = self.a.iter().map(|&a| hybrid(format!("hybrid, a = {a}"), Fusion::Scores { a }, features));
        known.chain(tried).collect()
    }

    /// The hybrid ranking, and the same without a feature.
    pub(crate) fn with_and_without(&self, feature: Feature) -> [Ranking; 2] {
        let (rank_by, fusion, all) = (RankBy::Hybrid, Fusion::SCORES, Features::default());
        let ranking = |label: String, features| Ranking { label, rank_by, fusion, features, dumped: false };
        [ranking("hybrid".to_owned(), all), ranking(format!("without {feature}"), all.without(feature))]
    }

    /// A question for so many chunks, and for all that a dump has, if it goes there.
    pub(crate) fn question(&self, query: Query, ranking: &Ranking, chunks: usize) -> Question {
        let explain = self.dump.is_some() && ranking.dumped;
        let limit = if explain { chunks.max(DEPTH) } else { chunks };
        let Ranking { rank_by, fusion, features, .. } = *ranking;
        let look = Some(Arc::clone(&LOOK));
        let mut question = Question { rank_by, fusion, features, look, limit, explain, ..Question::new(query) };
        for (boost, weight) in question.weights.boost.iter_mut().zip(&self.weights) {
            *boost = *weight;
        }
        question
    }
}

pub(crate) fn run(quality: &Quality) -> Result<()> {
    let sets = &quality.sets;
    let mut folders = subfolders(sets)?;
    folders.retain(|folder| folder.join("corpus.jsonl").is_file() && quality.wants(&name_of(folder)));
    let links = sets.join(doc_links::NAME);
    let mut links = if links.is_dir() { subfolders(&links)? } else { Vec::new() };
    links.retain(|set| quality.wants(doc_links::NAME) || quality.wants(&name_of(set)));
    let issues = Some(sets.join(issues::NAME)).filter(|folder| folder.is_dir() && quality.wants(issues::NAME));
    let any = !folders.is_empty() || !links.is_empty() || issues.is_some();
    anyhow::ensure!(any, "{} has no such set", sets.display());
    let mut dump = quality.dump.as_deref().map(Dump::create).transpose()?;
    if !folders.is_empty() {
        println!("| set | documents | queries | ranking | nDCG@10 | binary nDCG@10 | MRR@10 | Recall@10 |");
        println!("|---|---|---|---|---|---|---|---|");
    }
    for folder in folders {
        measure(&Set::load(&folder)?, quality, &mut dump)?;
    }
    if !links.is_empty() {
        doc_links::run(&links, quality, &mut dump)?;
    }
    if let Some(folder) = issues {
        issues::run(&folder, quality, &mut dump)?;
    }
    dump.map_or(Ok(()), Dump::finish)
}

/// The folders in a folder, sorted.
pub(crate) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    Ok(folders)
}

pub(crate) fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().display().to_string()
}

fn measure(set: &Set, quality: &Quality, dump: &mut Option<Dump>) -> Result<()> {
    let name = &set.name;
    let place = quality.place(name)?;
    let documents = place.path().join("documents");
    let ids = set.write(&documents)?;
    let mut library = TestLibrary::new(place.path(), &documents, "**/*")?;
    library.sync()?;
    let sources = [library.source()?];
    let mut outline = Outline::default();
    if dump.is_some() {
        outline.add(sources[0].origin.name(), sources[0].index.reader())?;
    }
    let id = |hit: &Hit| ids.get(&hit.document).cloned().with_context(|| format!("unknown document {}", hit.document));
    let rankings = quality.rankings(&[
        ("lexical", RankBy::Words, Fusion::SCORES),
        ("dense", RankBy::Meaning, Fusion::SCORES),
        ("hybrid", RankBy::Hybrid, Fusion::SCORES),
        ("hybrid by rank", RankBy::Hybrid, Fusion::RANKS),
    ]);
    for ranking in rankings {
        let mut metrics = Metrics::default();
        for (query, gains) in set.judged() {
            let parsed: Query = match query.text.parse() {
                Ok(parsed) => parsed,
                Err(error) => anyhow::bail!("{name}, query {}: {error}", query._id),
            };
            let question = quality.question(parsed, &ranking, CHUNKS);
            let found = search(&sources, &question, library.library.embedder(), &Cancel::default())?;
            if let Some(dump) = dump.as_mut().filter(|_| ranking.dumped) {
                let gold = gains.iter().map(|(id, gain)| (id.clone(), *gain)).collect();
                let asked = Asked { set: name, id: &query._id, text: &query.text, gold, ..Asked::default() };
                dump.write(&asked, Some(&question.query), &found.hits, &outline, id)?;
            }
            let mut documents: Vec<String> = Vec::new();
            for hit in found.hits.iter().take(CHUNKS) {
                let id = id(hit)?;
                if !documents.contains(&id) {
                    documents.push(id);
                }
            }
            metrics.add(&documents, gains);
        }
        println!(
            "| {name} | {} | {} | {} | {:.4} | {:.4} | {:.4} | {:.4} |",
            set.corpus.len(),
            set.queries.len(),
            ranking.label,
            metrics.ndcg(),
            metrics.binary_ndcg(),
            metrics.mrr(),
            metrics.recall()
        );
    }
    Ok(())
}

#[derive(Deserialize)]
pub(crate) struct Entry {
    _id: String,
    #[serde(default)]
    title: String,
    pub(crate) text: String,
    /// Of a query: the document that it stands in.
    #[serde(default)]
    pub(crate) source: Option<String>,
}

impl Entry {
    pub(crate) fn id(&self) -> &str {
        &self._id
    }
}

/// A set in BEIR layout.
pub(crate) struct Set {
    pub(crate) name: String,
    corpus: Vec<Entry>,
    queries: Vec<Entry>,
    judgements: HashMap<String, HashMap<String, f64>>,
    /// Whether its documents are files as they are, and their ids paths.
    is_files: bool,
}

impl Set {
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        Ok(Set {
            name: name_of(folder),
            corpus: json_lines(&folder.join("corpus.jsonl"))?,
            queries: json_lines(&folder.join("queries.jsonl"))?,
            judgements: judgements(&folder.join("qrels.tsv"))?,
            is_files: false,
        })
    }

    /// A set whose documents are files as they are.
    pub(crate) fn load_files(folder: &Path) -> Result<Self> {
        Ok(Set {
            name: name_of(folder),
            corpus: json_lines(&folder.join("corpus.jsonl.zst"))?,
            queries: json_lines(&folder.join("queries.jsonl.zst"))?,
            judgements: judgements(&folder.join("qrels.tsv"))?,
            is_files: true,
        })
    }

    /// How many documents it has.
    pub(crate) fn len(&self) -> usize {
        self.corpus.len()
    }

    /// Writes its documents as files, and gives the id of each by its path.
    pub(crate) fn write(&self, folder: &Path) -> Result<HashMap<String, String>> {
        let mut ids = HashMap::new();
        for entry in &self.corpus {
            let (path, body) = match self.is_files {
                true => (entry._id.clone(), entry.text.clone()),
                false => (path_of(entry, &self.name), body_of(entry)),
            };
            write_file(&folder.join(&path), &body)?;
            ids.insert(path, entry._id.clone());
        }
        Ok(ids)
    }

    /// The queries that have an answer, with the gains of their documents.
    pub(crate) fn judged(&self) -> impl Iterator<Item = (&Entry, &HashMap<String, f64>)> {
        self.queries.iter().filter_map(|query| Some((query, self.judgements.get(&query._id)?)))
    }
}

/// The file a document would be: its own path where its id is one, else a number with the set's extension.
fn path_of(entry: &Entry, set: &str) -> String {
    if entry._id.contains('/') {
        return entry._id.clone();
    }
    let extension = if set == "cosqa" { "py" } else { "md" };
    format!("{}.{extension}", entry._id)
}

fn body_of(entry: &Entry) -> String {
    let title = entry.title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() || entry.text.starts_with('#') {
        return entry.text.clone();
    }
    format!("# {title}\n\n{}\n", entry.text)
}

/// The values of a file with one in each line, which may be compressed.
pub(crate) fn json_lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let opened = File::open(file).with_context(|| format!("opening {}", file.display()))?;
    let is_compressed = file.extension().is_some_and(|extension| extension == "zst");
    let plain: Box<dyn Read> = if is_compressed { Box::new(zstd::Decoder::new(opened)?) } else { Box::new(opened) };
    let lines = BufReader::new(plain).lines();
    lines.map(|line| serde_json::from_str(&line?).with_context(|| format!("in {}", file.display()))).collect()
}

/// Writes a file unless it is there already, so that what is kept stays fresh.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<()> {
    if std::fs::read(file).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(());
    }
    let folder = file.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}

/// The gain of each relevant document, by query.
fn judgements(file: &Path) -> Result<HashMap<String, HashMap<String, f64>>> {
    let mut judgements: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(query), Some(document), Some(score)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let score: f64 = score.parse().with_context(|| format!("in {}", file.display()))?;
        if score > 0.0 {
            judgements.entry(query.to_owned()).or_default().insert(document.to_owned(), score);
        }
    }
    Ok(judgements)
}
