//! Retrieval quality through the real pipeline: files on disk, sync, chunks, index, search.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_search::{Fusion, Query, Question, RankBy, search};
use anyhow::{Context, Result};
use serde::Deserialize;

use crate::library::Shelf;
use crate::metrics::Metrics;

/// Chunks looked at to find ten different documents.
pub(crate) const CHUNKS: usize = 60;

#[derive(Deserialize)]
pub(crate) struct Entry {
    _id: String,
    #[serde(default)]
    title: String,
    pub(crate) text: String,
}

impl Entry {
    pub(crate) fn id(&self) -> &str {
        &self._id
    }
}

pub(crate) fn run(sets: &Path, only: &[String], weights: &[f32], a: &[f32]) -> Result<()> {
    let mut folders: Vec<_> = std::fs::read_dir(sets)
        .with_context(|| format!("reading {}", sets.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("corpus.jsonl").is_file())
        .collect();
    folders.sort();
    anyhow::ensure!(!folders.is_empty(), "{} has no folder with a corpus.jsonl", sets.display());
    println!("| set | documents | queries | ranking | nDCG@10 | binary nDCG@10 | MRR@10 | Recall@10 |");
    println!("|---|---|---|---|---|---|---|---|");
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().display().to_string();
        if only.is_empty() || only.contains(&name) {
            measure(&folder, &name, weights, a)?;
        }
    }
    Ok(())
}

fn measure(folder: &Path, name: &str, weights: &[f32], a: &[f32]) -> Result<()> {
    let set = Set::load(folder)?;
    let place = tempfile::tempdir()?;
    let documents = place.path().join("documents");
    let ids = set.write(&documents)?;
    let mut shelf = Shelf::new(place.path(), &documents, "**/*")?;
    shelf.sync()?;
    let sources = [shelf.source()?];
    let mut rankings = vec![
        ("lexical".to_owned(), RankBy::Words, Fusion::SCORES),
        ("dense".to_owned(), RankBy::Meaning, Fusion::SCORES),
        ("hybrid".to_owned(), RankBy::Hybrid, Fusion::SCORES),
        ("hybrid by rank".to_owned(), RankBy::Hybrid, Fusion::RANKS),
    ];
    rankings.extend(a.iter().map(|&a| (format!("hybrid, a = {a}"), RankBy::Hybrid, Fusion::Scores { a })));
    for (label, rank_by, fusion) in rankings {
        let mut metrics = Metrics::default();
        for (query, gains) in set.judged() {
            let parsed: Query = match query.text.parse() {
                Ok(parsed) => parsed,
                Err(error) => anyhow::bail!("{name}, query {}: {error}", query._id),
            };
            let mut question = Question::new(parsed);
            (question.rank_by, question.fusion, question.limit) = (rank_by, fusion, CHUNKS);
            for (boost, weight) in question.weights.boost.iter_mut().zip(weights) {
                *boost = *weight;
            }
            let found = search(&sources, &question, shelf.library.embedder(), &Cancel::default())?;
            let mut ranking: Vec<String> = Vec::new();
            for hit in found.hits {
                let id = ids.get(&hit.document).with_context(|| format!("unknown document {}", hit.document))?;
                if !ranking.contains(id) {
                    ranking.push(id.clone());
                }
            }
            metrics.add(&ranking, gains);
        }
        println!(
            "| {name} | {} | {} | {label} | {:.4} | {:.4} | {:.4} | {:.4} |",
            set.corpus.len(),
            set.queries.len(),
            metrics.ndcg(),
            metrics.binary_ndcg(),
            metrics.mrr(),
            metrics.recall()
        );
    }
    Ok(())
}

/// A set in BEIR layout.
pub(crate) struct Set {
    pub(crate) name: String,
    corpus: Vec<Entry>,
    queries: Vec<Entry>,
    judgements: HashMap<String, HashMap<String, f64>>,
}

impl Set {
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        Ok(Set {
            name: folder.file_name().unwrap_or_default().display().to_string(),
            corpus: entries(&folder.join("corpus.jsonl"))?,
            queries: entries(&folder.join("queries.jsonl"))?,
            judgements: judgements(&folder.join("qrels.tsv"))?,
        })
    }

    /// Writes its documents as files, and gives the id of each by its path.
    pub(crate) fn write(&self, folder: &Path) -> Result<HashMap<String, String>> {
        let mut ids = HashMap::new();
        for entry in &self.corpus {
            let path = path_of(entry, &self.name);
            let file = folder.join(&path);
            std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
            std::fs::write(&file, body_of(entry))?;
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

fn entries(file: &Path) -> Result<Vec<Entry>> {
    let lines =
        BufReader::new(std::fs::File::open(file).with_context(|| format!("opening {}", file.display()))?).lines();
    lines.map(|line| serde_json::from_str(&line?).with_context(|| format!("in {}", file.display()))).collect()
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
