//! `search --symbol`.

use ai_assist_client::requests;
use ai_assist_repo::lookup::{FoundSymbol, SymbolLookup};
use anstyle::{AnsiColor, Style};

use super::repo::{globs_of, kinds_of, languages_of};
use super::search::{prefix, within};
use crate::args::SearchRepos;
use crate::commands::prelude::*;
use crate::daemon;

pub(crate) fn run(context: &Context, args: &SearchRepos) -> Result<Outcome> {
    let lookup = SymbolLookup {
        name: args.query.join(" "),
        kinds: kinds_of(&args.what.kind, &[])?,
        languages: languages_of(&args.what.lang)?,
        paths: globs_of(&args.what.path)?,
        limit: args.show.limit.unwrap_or_else(|| context.settings.search_limit()),
    };
    let asked = requests::Symbols {
        name: lookup.name.clone(),
        kind: args.what.kind.clone(),
        language: args.what.lang.clone(),
        path: args.what.path.clone(),
        within: args.within.clone(),
        folders: args.repo.clone(),
        all: args.all,
        no_sync: args.no_sync,
        limit: Some(lookup.limit),
    };
    let found = match daemon::ask(context, |client| client.symbols(&asked)) {
        Some(found) => found,
        None => context.symbols(&within(args), &lookup, &cancel())?,
    };
    let terminal = context.terminal;
    terminal.show(
        || &found,
        || {
            let prefix = prefix(found.symbols.iter().map(|found| &found.found_in));
            for FoundSymbol { found_in, symbol } in &found.symbols {
                let place = format!("{}{}:{}", prefix(found_in), symbol.path, symbol.lines);
                let place = styled(AnsiColor::Cyan.on_default().bold(), one_line(&place));
                terminal.say(format!("{place}  {}", styled(Style::new().dimmed(), symbol.kind)))?;
                let parent = symbol.parent.as_ref().map_or(String::new(), |parent| format!("{parent} › "));
                let signature = symbol.signature.as_ref().unwrap_or(&symbol.name);
                terminal.say(format!(
                    "  {}{}",
                    styled(Style::new().dimmed(), one_line(&parent)),
                    one_line(signature)
                ))?;
            }
            let more = if found.more { "; more with --limit" } else { "" };
            terminal.note(format!("{}{more}", count(found.symbols.len(), "definition")))
        },
    )?;
    terminal.warn_all(&found.warnings)?;
    let whole = !found.symbols.is_empty() && found.warnings.is_empty();
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}
