//! `search --regex`.

use ai_assist_grams::{Pattern, PatternOptions};
use ai_assist_index::{Filter, PathGlobs};
use ai_assist_workspace::layout::Mode;
use ai_assist_workspace::repo_index::RepoIndex;
use ai_assist_workspace::scan::{Scan, ScanRequest, ScannedLine, scan};
use anstyle::AnsiColor;
use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use super::repo::{Repo, languages_of, modes_of};
use super::search::prefix;
use crate::args::SearchRepos;
use crate::commands::Outcome;
use crate::commands::hits::mark;
use crate::context::Context;
use crate::interrupt::is_cancelled;
use crate::terminal::{Terminal, count, one_line, styled};

/// So many lines are shown unless more are asked for.
const LINES: usize = 100;

/// A line and where it stands.
#[derive(Serialize)]
struct Found {
    repo: String,
    mode: Mode,
    #[serde(flatten)]
    line: ScannedLine,
}

/// What all scans came to.
#[derive(Default, Serialize)]
struct Totals {
    found: usize,
    files: usize,
    scanned: usize,
    documents: usize,
}

pub(crate) fn run(context: &Context, args: &SearchRepos, repos: &[Repo]) -> Result<Outcome> {
    if !args.what.kind.is_empty() {
        bail!("`--kind` says what a piece of code is, and `--regex` looks for lines; leave one of them out");
    }
    let options = PatternOptions {
        ignore_case: args.ignore_case,
        fixed: args.fixed,
        word: args.word,
        multiline: args.multiline,
        crlf: false,
    };
    let pattern = Pattern::new(&args.query.join(" "), options)?;
    let paths = if args.what.path.is_empty() { None } else { Some(&args.what.path) };
    let paths = paths.map(|paths| PathGlobs::new(paths).context("`--path` is no glob")).transpose()?;
    let filter = Filter { paths, languages: languages_of(&args.what.lang)?, kinds: Vec::new() };
    let modes = match args.what.mode.as_slice() {
        [] => vec![Mode::Code, Mode::Prose, Mode::Records],
        asked => modes_of(asked),
    };
    let limit = args.show.limit.unwrap_or(LINES);
    let mut lines: Vec<Found> = Vec::new();
    let mut totals = Totals::default();
    for repo in repos {
        let mut of_repo = Vec::new();
        for (index, &mode) in RepoIndex::open_modes(&repo.cache, &modes)?.iter().zip(&modes) {
            let request = ScanRequest { pattern: &pattern, filter: &filter, limit };
            let Scan { lines, found, files, scanned, documents } = scan(index, &request, &is_cancelled)?;
            totals.found += found;
            totals.files += files;
            totals.scanned += scanned;
            totals.documents += documents;
            of_repo.extend(lines.into_iter().map(|line| Found { repo: repo.name().to_owned(), mode, line }));
        }
        of_repo.sort_by(|a, b| (&a.line.document, a.line.lines.start).cmp(&(&b.line.document, b.line.lines.start)));
        lines.extend(of_repo);
    }
    lines.truncate(limit);
    let tokens = args.show.max_tokens.map(|budget| fit(&mut lines, budget));
    let terminal = context.terminal;
    if terminal.json {
        let Totals { found, files, scanned, documents } = totals;
        terminal.json(&serde_json::json!({
            "lines": lines, "found": found, "files": files, "scanned": scanned, "documents": documents, "tokens": tokens,
        }))?;
    } else {
        print(terminal, repos, &lines, &totals)?;
    }
    Ok(if totals.found == 0 { Outcome::Partial } else { Outcome::Done })
}

/// Keeps the lines that fit into a budget, and gives their tokens.
fn fit(lines: &mut Vec<Found>, budget: usize) -> usize {
    let fitted = ai_assist_search::fit(lines.iter().map(|found| found.line.text.as_str()), budget);
    lines.truncate(fitted.taken);
    if let (Some(kept), Some(last)) = (fitted.cut, lines.last_mut()) {
        last.line.text.truncate(kept);
        last.line.matches.retain(|&(_, to)| to <= kept);
    }
    fitted.tokens
}

fn print(terminal: Terminal, repos: &[Repo], lines: &[Found], totals: &Totals) -> Result<()> {
    for Found { repo, line, .. } in lines {
        let place = format!("{}{}:{}", prefix(repos, repo), line.document, line.lines.start);
        let place = styled(AnsiColor::Cyan.on_default(), one_line(&place));
        terminal.say(format!("{place}:{}", mark(&line.text, &line.matches)))?;
    }
    let scanned = format!("{} of {} read", totals.scanned, count(totals.documents, "file"));
    let found = format!("{} in {}", count(totals.found, "line"), count(totals.files, "file"));
    let cut = if lines.len() < totals.found { format!("{} of ", lines.len()) } else { String::new() };
    terminal.note(format!("{cut}{found}; {scanned}"))
}
