//! How many planted secrets are found, and how many look-alikes are left alone; and what a scan of a real tree costs.

mod peers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ai_assist_admit::{find_in, redact_in};
use ai_assist_secret_fixtures::{File, Label, labelled};
use anyhow::{Result, ensure};
use clap::Args;

use peers::Hits;

use crate::timing::files_below;

#[derive(Args)]
pub(crate) struct Secrets {
    /// The seed of the labelled set
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program detect-secrets, to run it on the same files
    #[arg(long)]
    detect_secrets: Option<PathBuf>,
    /// The program secretlint, to run it on the same files
    #[arg(long)]
    secretlint: Option<PathBuf>,
    /// Name every miss and every false alarm by kind and place
    #[arg(long)]
    explain: bool,
    /// Scan this tree instead, and count what is found by rule
    #[arg(long)]
    tree: Option<PathBuf>,
    /// With --tree, how many places to name for each rule
    #[arg(long, default_value_t = 5)]
    places: usize,
}

pub(crate) fn run(args: &Secrets) -> Result<()> {
    match &args.tree {
        Some(tree) => scan_tree(tree, args.places),
        None => score_all(args),
    }
}

fn score_all(args: &Secrets) -> Result<()> {
    let files = labelled(args.seed);
    let place = tempfile::tempdir()?;
    for file in &files {
        std::fs::write(place.path().join(&file.name), &file.text)?;
    }
    let all = || files.iter().flat_map(|file| &file.labels);
    let secrets = all().filter(|label| label.value.is_some()).count();
    println!(
        "{} files with {secrets} secrets and {} look-alikes; seed {}.\n",
        files.len(),
        all().count() - secrets,
        args.seed
    );
    println!("| scanner | found | recall | false lines | precision |\n| --- | --- | --- | --- | --- |");
    let ours = own_hits(&files);
    score("this program", &files, &ours);
    if let Some(program) = &args.detect_secrets {
        score("detect-secrets", &files, &peers::detect_secrets(program, place.path())?);
    }
    if let Some(program) = &args.secretlint {
        score("secretlint", &files, &peers::secretlint(program, place.path())?);
    }
    println!("\nValues of which nothing is left after redaction: {} of {secrets}.\n", gone(&files));
    by_kind(&files, &ours);
    if args.explain {
        explain(&files, &ours);
    }
    Ok(())
}

/// The lines that values we find stand on. One that spans lines is reported on its first.
fn own_hits(files: &[File]) -> Hits {
    let mut hits = Hits::new();
    for file in files {
        for found in find_in(&file.name, &file.text) {
            hits.insert((file.name.clone(), file.text[..found.span.start].matches('\n').count() + 1));
        }
    }
    hits
}

/// How many values can't be read off the redacted text any more.
fn gone(files: &[File]) -> usize {
    let lost = |file: &File| {
        let redacted = redact_in(&file.name, file.text.clone()).text;
        let values = file.labels.iter().filter_map(|label| label.value.as_ref());
        values.filter(|value| !value.lines().any(|line| redacted.contains(line))).count()
    };
    files.iter().map(lost).sum()
}

fn is_hit(file: &File, lines: (usize, usize), hits: &Hits) -> bool {
    // A key's first line is its armour: scanners that read lines report that one.
    (lines.0.saturating_sub(usize::from(lines.1 > lines.0))..=lines.1)
        .any(|line| hits.contains(&(file.name.clone(), line)))
}

fn score(name: &str, files: &[File], hits: &Hits) {
    let secrets: Vec<_> = files
        .iter()
        .flat_map(|file| file.labels.iter().filter(|l| l.value.is_some()).map(move |l| (file, l)))
        .collect();
    let found = secrets.iter().filter(|(file, label)| is_hit(file, label.lines, hits)).count();
    let wrong = hits.iter().filter(|(name, line)| !is_planted(files, name, *line)).count();
    let recall = found as f64 / secrets.len() as f64;
    let precision = found as f64 / (found + wrong).max(1) as f64;
    println!("| {name} | {found} of {} | {recall:.3} | {wrong} | {precision:.3} |", secrets.len());
}

fn is_planted(files: &[File], name: &str, line: usize) -> bool {
    let file = files.iter().find(|file| file.name == name);
    let near = |label: &Label| {
        let (first, last) = label.lines;
        label.value.is_some() && (first.saturating_sub(usize::from(last > first))..=last).contains(&line)
    };
    file.is_some_and(|file| file.labels.iter().any(near))
}

fn by_kind(files: &[File], hits: &Hits) {
    let mut kinds: BTreeMap<(bool, &str), (usize, usize)> = BTreeMap::new();
    for file in files {
        for label in &file.labels {
            let entry = kinds.entry((label.value.is_none(), label.kind)).or_default();
            entry.0 += 1;
            entry.1 += usize::from(is_hit(file, label.lines, hits));
        }
    }
    println!("| kind | planted | found |\n| --- | --- | --- |");
    for ((innocent, kind), (planted, found)) in kinds {
        println!("| {}{kind} | {planted} | {found} |", if innocent { "look-alike: " } else { "" });
    }
}

fn explain(files: &[File], hits: &Hits) {
    println!();
    for file in files {
        let rules: BTreeMap<usize, &str> = find_in(&file.name, &file.text)
            .into_iter()
            .map(|f| (file.text[..f.span.start].matches('\n').count() + 1, f.rule))
            .collect();
        for label in &file.labels {
            let hit = is_hit(file, label.lines, hits);
            let line = file.text.lines().nth(label.lines.0 - 1).unwrap_or_default();
            let line: String = line.chars().take(110).collect();
            if hit != label.value.is_some() {
                let what = if hit { "false alarm" } else { "missed" };
                let rule = rules.get(&label.lines.0).copied().unwrap_or_default();
                println!("{what} {} {}:{} {rule}: {line}", label.kind, file.name, label.lines.0);
            }
        }
    }
}

/// What a scan of real code finds and costs. Places are named, values never.
fn scan_tree(tree: &Path, places: usize) -> Result<()> {
    let mut paths = Vec::new();
    files_below(tree, &mut paths)?;
    paths.sort();
    let mut rules: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    let (mut bytes, mut texts, mut taken) = (0, 0, Duration::ZERO);
    for path in &paths {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        bytes += text.len();
        texts += 1;
        let start = Instant::now();
        let found = find_in(&path.to_string_lossy(), &text);
        taken += start.elapsed();
        for one in found {
            let line = text[..one.span.start].matches('\n').count() + 1;
            let entry = rules.entry(one.rule).or_default();
            entry.0 += 1;
            if entry.1.len() < places {
                entry.1.push(format!("{}:{line}", path.strip_prefix(tree).unwrap_or(path).display()));
            }
        }
    }
    ensure!(bytes > 0, "{} has no text", tree.display());
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{texts} texts, {megabytes:.1} MB; scanned in {:.2} s, {:.1} MB/s.",
        taken.as_secs_f64(),
        megabytes / taken.as_secs_f64()
    );
    println!("Most memory held at once: {}.\n", peak_memory());
    println!("| rule | found | places |\n| --- | --- | --- |");
    for (rule, (count, places)) in rules {
        println!("| {rule} | {count} | {} |", places.join(" "));
    }
    Ok(())
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown here".to_owned(), |line| line.trim().to_owned())
}
