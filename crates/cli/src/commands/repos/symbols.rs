//! `search --symbol`.

use std::collections::HashSet;

use ai_assist_chunk::ChunkKind;
use ai_assist_index::PathGlobs;
use ai_assist_workspace::layout::Mode;
use ai_assist_workspace::repo_index::{NameMatch, RepoIndex, Symbol, SymbolQuery};
use anstyle::{AnsiColor, Style};
use anyhow::{Context as _, Result};
use serde::Serialize;

use super::repo::{Repo, kinds_of, languages_of};
use super::search::prefix;
use crate::args::SearchRepos;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::{count, one_line, styled};

/// A definition and its repository.
#[derive(Serialize)]
struct Found {
    repo: String,
    #[serde(flatten)]
    symbol: Symbol,
}

pub(crate) fn run(context: &Context, args: &SearchRepos, repos: &[Repo]) -> Result<Outcome> {
    let limit = args.show.limit.unwrap_or_else(|| context.settings.search_limit());
    let mut found = Vec::new();
    for repo in repos {
        let index = RepoIndex::open(&repo.cache, Mode::Code)?;
        for symbol in symbols(args, &index, limit)? {
            found.push(Found { repo: repo.name().to_owned(), symbol });
        }
    }
    // Of several repositories the better match comes first, whichever it is in.
    let name = args.query.join(" ");
    found.sort_by_key(|it| rank(&it.symbol, &name));
    let more = found.len() > limit;
    found.truncate(limit);
    let terminal = context.terminal;
    if terminal.json {
        terminal.json(&serde_json::json!({ "symbols": found, "more": more }))?;
    } else {
        for Found { repo, symbol } in &found {
            let place = format!("{}{}:{}", prefix(repos, repo), symbol.path, symbol.lines);
            let place = styled(AnsiColor::Cyan.on_default().bold(), one_line(&place));
            terminal.say(format!("{place}  {}", styled(Style::new().dimmed(), symbol.kind)))?;
            let parent = symbol.parent.as_ref().map_or(String::new(), |parent| format!("{parent} › "));
            let signature = symbol.signature.as_ref().unwrap_or(&symbol.name);
            terminal.say(format!("  {}{}", styled(Style::new().dimmed(), one_line(&parent)), one_line(signature)))?;
        }
        let and_more = if more { "; more with --limit" } else { "" };
        terminal.note(format!("{}{and_more}", count(found.len(), "definition")))?;
    }
    Ok(if found.is_empty() { Outcome::Partial } else { Outcome::Done })
}

/// The same name first, then the same but for case, then names that begin so, then the others; a type before its `impl`s,
/// and shorter names first.
fn rank(found: &Symbol, asked: &str) -> (usize, bool, usize) {
    let name = found.name.as_str();
    let (lower_name, lower_asked) = (name.to_lowercase(), asked.to_lowercase());
    let class = match () {
        () if name == asked => 0,
        () if lower_name == lower_asked => 1,
        () if lower_name.starts_with(&lower_asked) => 2,
        () => 3,
    };
    (class, found.kind == ChunkKind::Impl, name.len())
}

/// The definitions of that name; then those that begin so; then those that have it in them. One more than the limit, to tell
/// that there are more.
fn symbols(args: &SearchRepos, index: &RepoIndex, limit: usize) -> Result<Vec<Symbol>> {
    let name = args.query.join(" ");
    let languages = languages_of(&args.what.lang)?;
    let kinds = kinds_of(&args.what.kind)?;
    let paths = if args.what.path.is_empty() { None } else { Some(&args.what.path) };
    let paths = paths.map(|paths| PathGlobs::new(paths).context("`--path` is no glob")).transpose()?;
    let kinds: Vec<_> = if kinds.is_empty() { vec![None] } else { kinds.into_iter().map(Some).collect() };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for matched in [NameMatch::Exact(name.clone()), NameMatch::Prefix(name.clone()), NameMatch::Contains(name)] {
        for &kind in &kinds {
            // An `impl` may stand before its type here, and a type must not be cut off for it.
            let limit = if languages.is_empty() { limit.saturating_mul(4).saturating_add(1) } else { usize::MAX };
            let query = SymbolQuery { name: matched.clone(), kind, paths: paths.clone(), limit };
            for symbol in index.db.symbols(&query)? {
                let wanted = languages.is_empty() || languages.contains(&symbol.language);
                if wanted && seen.insert((symbol.path.clone(), symbol.lines, symbol.name.clone())) {
                    found.push(symbol);
                }
            }
        }
        if found.len() > limit {
            break;
        }
    }
    Ok(found)
}
