use ai_assist_app::{AddSource, Added, AddedAs, Source};

use super::sync::{index_repos, sync_everything};
use crate::args::{AddArgs, SyncAll};
use crate::commands::prelude::*;
use crate::commands::repos::repo::check_scale;

pub(crate) fn run(context: &Context, args: &AddArgs) -> Result<Outcome> {
    let place = context.folder.join(&args.source);
    if place.is_dir() {
        // Before anything is looked at: that alone would take minutes.
        check_scale(&place, args.force)?;
    }
    let source = context.detect(&args.source)?;
    if args.glob.is_some() && !matches!(source, Source::Documents { .. }) {
        bail!("`--glob` chooses documents of a folder, and {} is something else ({})", args.source, source.kind());
    }
    let kind = source.kind();
    let wanted = AddSource { source, name: args.name.clone(), glob: args.glob.clone() };
    let added = context.add(&wanted, &cancel())?;
    say(context, kind, &added)?;
    // What was just written counts from here on.
    let context = context.reopened()?;
    let terminal = context.terminal;
    if args.no_sync {
        terminal.show(|| json_of(kind, &added), || terminal.note("Next: ai-assist sync"))?;
        return Ok(Outcome::Done);
    }
    let synced = match &added.what {
        AddedAs::Collection { .. } => {
            let args = SyncAll { names: vec![added.name.clone()], no_code: true, ..SyncAll::default() };
            sync_everything(&context, &args)?
        }
        AddedAs::Repo(repo) | AddedAs::OwnRepo(repo) => {
            index_repos(&context, vec![(added.name.clone(), repo.clone())], &SyncAll::default())?
        }
    };
    if terminal.json {
        let mut value = json_of(kind, &added);
        value["collections"] = synced.collections.into();
        value["repos"] = synced.repos.into();
        terminal.json(&value)?;
    } else {
        terminal.note("Next: ai-assist search \"your question\"")?;
    }
    Ok(if synced.whole { Outcome::Done } else { Outcome::Partial })
}

fn json_of(kind: &str, added: &Added) -> Value {
    let (id, source) = match &added.what {
        AddedAs::Collection { id, spec } => (id.to_string(), spec.source()),
        AddedAs::Repo(repo) | AddedAs::OwnRepo(repo) => (repo.id.to_string(), repo.root.to_string()),
    };
    let created: Vec<String> = added.created.iter().map(|file| file.display().to_string()).collect();
    json!({
        "name": added.name, "kind": kind, "id": id, "source": source, "created": created,
        "already": added.already,
    })
}

fn say(context: &Context, kind: &str, added: &Added) -> Result<()> {
    let terminal = context.terminal;
    if terminal.json || terminal.quiet {
        return Ok(());
    }
    for file in &added.created {
        terminal.note(format!("Created {}", file.display()))?;
    }
    let name = one_line(&added.name);
    let source = match &added.what {
        AddedAs::Collection { spec, .. } => spec.source(),
        AddedAs::Repo(repo) => format!("{}, in the workspace", repo.root),
        // Nothing is declared, so nothing was added either.
        AddedAs::OwnRepo(repo) => {
            return terminal.say(format!("{name} ({kind}): {}", one_line(repo.root.as_str())));
        }
    };
    let done = if added.already { "Already here:" } else { "Added" };
    terminal.say(format!("{done} {name} ({kind}): {}", one_line(&source)))
}
