//! doc-links: a sentence of a documentation, and the page that it links to. Pages have many chunks; each counts where its best
//! one stands.

use std::collections::HashMap;
use std::path::PathBuf;

use ai_assist_base::Cancel;
use ai_assist_search::{Fusion, Hit, Query, RankBy, search};
use anyhow::{Context, Result};

use crate::dump::{Asked, Dump, Outline};
use crate::library::TestLibrary;
use crate::metrics::{Figures, figures};
use crate::quality::{Entry, Quality, Ranking, Set};
use crate::resample::{Interval, mean};

pub(crate) const NAME: &str = "doc-links";

/// Chunks looked at to find ten different pages.
const CHUNKS: usize = 100;

const HALVES: [(&str, [&str; 3]); 2] = [("A", ["nextjs", "rust-book", "node"]), ("B", ["vue", "astro", "svelte"])];

/// A query of a set by one ranking.
struct Scored {
    ranking: usize,
    set: String,
    figures: Figures,
}

pub(crate) fn run(sets: &[PathBuf], quality: &Quality, dump: &mut Option<Dump>) -> Result<()> {
    let rankings = quality.rankings(&[
        ("lexical", RankBy::Words, Fusion::SCORES),
        ("dense", RankBy::Meaning, Fusion::SCORES),
        ("hybrid", RankBy::Hybrid, Fusion::SCORES),
    ]);
    println!("\n| {NAME} | pages | n | ranking | nDCG@10 | 95 % | MRR@10 | R@10 | hit@1 |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut all, mut pages, mut refused) = (Vec::new(), HashMap::new(), Vec::new());
    for set in sets {
        let set = Set::load_files(set)?;
        let scored = measure(&set, &rankings, quality, dump, &mut refused)?;
        pages.insert(set.name.clone(), set.len());
        print_rows(&set.name, &rankings, set.len(), &scored, &|_| true);
        all.extend(scored);
    }
    let sum = |is_in: &dyn Fn(&str) -> bool| pages.iter().filter(|(set, _)| is_in(set)).map(|(_, count)| count).sum();
    print_rows("ALL", &rankings, sum(&|_| true), &all, &|_| true);
    for (half, members) in HALVES.iter().filter(|(_, members)| members.iter().all(|set| pages.contains_key(*set))) {
        let is_in = |set: &str| members.contains(&set);
        print_rows(&format!("half {half}"), &rankings, sum(&is_in), &all, &is_in);
    }
    for refused in refused {
        println!("\nRefused, counted as a miss: {refused}");
    }
    Ok(())
}

fn measure(
    set: &Set,
    rankings: &[Ranking],
    quality: &Quality,
    dump: &mut Option<Dump>,
    refused: &mut Vec<String>,
) -> Result<Vec<Scored>> {
    let place = quality.place(&format!("{NAME}/{}", set.name))?;
    let documents = place.path().join("documents");
    let ids = set.write(&documents)?;
    let mut library = TestLibrary::new(place.path(), &documents, "**/*")?;
    library.sync()?;
    let sources = [library.source()?];
    let mut outline = Outline::default();
    if dump.is_some() {
        outline.add(sources[0].origin.name(), sources[0].index.reader())?;
    }
    let page = |hit: &Hit| ids.get(&hit.document).cloned().with_context(|| format!("unknown page {}", hit.document));
    let mut scored = Vec::new();
    for (number, ranking) in rankings.iter().enumerate() {
        for (query, gains) in set.judged() {
            let mut asked = asked(set, query, gains);
            let parsed: Result<Query, _> = query.text.parse();
            let hits = match &parsed {
                Ok(parsed) => {
                    let question = quality.question(parsed.clone(), ranking, CHUNKS);
                    search(&sources, &question, library.library.embedder(), &Cancel::default())?.hits
                }
                Err(error) => {
                    asked.refused = Some(error.to_string());
                    refused.push(format!("{}, {}: {error}", query.id(), ranking.label));
                    Vec::new()
                }
            };
            if let Some(dump) = dump.as_mut().filter(|_| ranking.dumped) {
                dump.write(&asked, parsed.as_ref().ok(), &hits, &outline, page)?;
            }
            let mut pages: Vec<String> = Vec::new();
            for hit in hits.iter().take(CHUNKS) {
                let page = page(hit)?;
                if query.source.as_ref() != Some(&page) && !pages.contains(&page) {
                    pages.push(page);
                }
            }
            scored.push(Scored { ranking: number, set: set.name.clone(), figures: figures(&pages, gains) });
        }
    }
    Ok(scored)
}

fn asked<'q>(set: &'q Set, query: &'q Entry, gains: &HashMap<String, f64>) -> Asked<'q> {
    let half = HALVES.iter().find(|(_, members)| members.contains(&&*set.name));
    Asked {
        set: &set.name,
        id: query.id(),
        text: &query.text,
        gold: gains.iter().map(|(id, gain)| (id.clone(), *gain)).collect(),
        half: half.map(|(half, _)| *half),
        source: query.source.as_deref(),
        ..Asked::default()
    }
}

/// A row for each ranking over the queries of some sets.
fn print_rows(name: &str, rankings: &[Ranking], pages: usize, scored: &[Scored], is_in: &dyn Fn(&str) -> bool) {
    for (number, ranking) in rankings.iter().enumerate() {
        let rows: Vec<&Figures> = scored
            .iter()
            .filter(|scored| scored.ranking == number && is_in(&scored.set))
            .map(|scored| &scored.figures)
            .collect();
        let column = |figure: fn(&Figures) -> f64| rows.iter().map(|row| figure(row)).collect::<Vec<f64>>();
        let ndcg = column(|row| row.ndcg);
        println!(
            "| {name} | {pages} | {} | {} | {:.4} | {} | {:.4} | {:.4} | {:.4} |",
            rows.len(),
            ranking.label,
            mean(&ndcg),
            Interval::of(&ndcg),
            mean(&column(|row| row.mrr)),
            mean(&column(|row| row.recall)),
            mean(&column(|row| row.first)),
        );
    }
}
