use ai_assist_client::requests;
use ai_assist_repo::map::MapRequest;

use super::repo::{globs_of, languages_of, no_index, repo_of};
use crate::args::MapArgs;
use crate::commands::prelude::*;
use crate::daemon;

pub(crate) fn run(context: &Context, args: &MapArgs) -> Result<Outcome> {
    let repo = repo_of(context, &args.repo)?;
    if !repo.cache.current_json().is_file() {
        return Err(no_index(&repo));
    }
    let request = MapRequest {
        max_tokens: args.max_tokens,
        paths: globs_of(&args.path)?,
        languages: languages_of(&args.lang)?,
        focus: args.focus.clone(),
    };
    let asked = requests::Map {
        repository: None,
        folder: Some(args.repo.repo.clone().unwrap_or_default()),
        max_tokens: Some(args.max_tokens),
        path: args.path.clone(),
        language: args.lang.clone(),
        focus: args.focus.clone(),
    };
    let map = match daemon::ask(context, |client| client.map(&asked)) {
        Some(map) => map,
        None => context.map(&repo, &request)?.map,
    };
    let terminal = context.terminal;
    for focus in &map.unmatched {
        terminal.warn(format!("`--focus {}` names no file, folder or definition here", one_line(focus)))?;
    }
    terminal.show(
        || &map,
        || {
            terminal.write(&harmless(&map.render()))?;
            let shown = format!("{} of {}", map.shown, count(map.definitions, "definition"));
            terminal.note(format!("{shown} in {}, {} tokens", count(map.documents, "file"), map.tokens))
        },
    )?;
    Ok(if map.shown == 0 { Outcome::Partial } else { Outcome::Done })
}
