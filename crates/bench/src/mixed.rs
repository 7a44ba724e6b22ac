//! Code and prose in one project: each set's questions over both, against the set alone.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_identity::CanonicalPath;
use ai_assist_repo::build::{BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_search::{Clock, Look, Question, Source, search};
use ai_assist_workspace::federate::{Target, open_repos};
use anyhow::{Context, Result};

use crate::library::TestLibrary;
use crate::metrics::Metrics;
use crate::quality::{CHUNKS, Set};

const MODES: [Mode; 2] = [Mode::Code, Mode::Prose];

pub(crate) fn run(sets: &Path, code: &str, prose: &str) -> Result<()> {
    let place = tempfile::tempdir()?;
    let root = place.path().canonicalize()?;
    let (code, prose) = (Set::load(&sets.join(code))?, Set::load(&sets.join(prose))?);
    let code_ids = code.write(&root.join("repo"))?;
    let request = BuildRequest::new(CanonicalPath::from_absolute(&root.join("repo"))?, &root.join("cache"));
    build_repo(&request, &Cancel::default(), &mut |_| {})?;
    let target = Target::of_repo(&request.root, &request.repo_id, &request.cache);
    let federation = open_repos(&[target], &MODES, &Clock::start(None), &Cancel::default())?;
    let repo = federation.ask(&[], &MODES)?.sources;
    let prose_ids = prose.write(&root.join("docs"))?;
    let mut library = TestLibrary::new(&root.join("library"), &root.join("docs"), "**/*")?;
    library.sync()?;
    let collection = vec![library.source()?];
    let both: Vec<Source> = collection.iter().chain(&repo).cloned().collect();
    let ids: HashMap<String, (String, bool)> = code_ids
        .into_iter()
        .map(|(path, id)| (path, (id, true)))
        .chain(prose_ids.into_iter().map(|(path, id)| (path, (id, false))))
        .collect();
    println!("| questions of | searched | nDCG@10 | MRR@10 | Recall@10 | nDCG against alone |");
    println!("|---|---|---|---|---|---|");
    for (set, alone, is_code) in [(&code, &repo, true), (&prose, &collection, false)] {
        let base = measure(set, alone, &ids, is_code)?;
        let mixed = measure(set, &both, &ids, is_code)?;
        for (label, metrics) in [("the set alone", &base), ("both", &mixed)] {
            let ratio = metrics.ndcg() / base.ndcg();
            println!(
                "| {} | {label} | {:.4} | {:.4} | {:.4} | {ratio:.3} |",
                set.name,
                metrics.ndcg(),
                metrics.mrr(),
                metrics.recall()
            );
        }
    }
    Ok(())
}

/// A hit of the other set counts as a place that is lost.
fn measure(set: &Set, sources: &[Source], ids: &HashMap<String, (String, bool)>, is_code: bool) -> Result<Metrics> {
    let mut metrics = Metrics::default();
    let look = Arc::new(Look::new(None));
    for (query, gains) in set.judged() {
        let parsed = query.text.parse().with_context(|| format!("query {}", query.id()))?;
        let look = Some(Arc::clone(&look));
        let question = Question { limit: CHUNKS, look, ..Question::new(parsed) };
        let outcome = search(sources, &question, StaticModel::bundled(), &Cancel::default())?;
        let mut ranking: Vec<String> = Vec::new();
        for hit in outcome.hits {
            let (id, of_code) = ids.get(&hit.document).with_context(|| format!("unknown document {}", hit.document))?;
            let id = if *of_code == is_code { id.clone() } else { format!("of the other set: {id}") };
            if !ranking.contains(&id) {
                ranking.push(id);
            }
        }
        metrics.add(&ranking, gains);
    }
    Ok(metrics)
}
