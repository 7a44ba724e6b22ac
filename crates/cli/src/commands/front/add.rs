use ai_assist_app::{AddSource, Added, AddedAs, FolderContents, Source};
use ai_assist_base::RealPath;
use ai_assist_collections::Resolution;

use super::sync::{index_repos, sync_everything};
use crate::args::{AddArgs, SyncAll};
use crate::commands::prelude::*;
use crate::commands::repos::repo::check_scale;

pub(crate) fn run(context: &Context, args: &AddArgs) -> Result<Outcome> {
    let place = context.folder.join(&args.source);
    let terminal = context.terminal;
    if place.is_dir() {
        // Before anything is looked at: that alone would take minutes.
        check_scale(&place, args.force)?;
    }
    let source = match (context.detect(&args.source)?, &args.glob) {
        // Whoever says which files means files.
        (Source::OwnCode(folder) | Source::Code(folder), Some(glob)) if place.is_dir() => {
            Source::Documents { folder: place.real_path().unwrap_or(folder), glob: glob.clone() }
        }
        (source, _) => source,
    };
    if args.glob.is_some() && !matches!(source, Source::Documents { .. }) {
        bail!("`--glob` chooses documents of a folder, and {} is something else ({})", args.source, source.kind());
    }
    let kind = source.kind();
    let contents = contents(context, &source, args.glob.as_deref())?;
    if let Some(contents) = contents.as_ref().filter(|contents| contents.files == 0 && place.exists()) {
        return nothing(context, args, kind, contents);
    }
    let relative = !Path::new(&args.source).is_absolute();
    let wanted = AddSource { name: args.name.clone(), glob: args.glob.clone(), relative, ..AddSource::new(source) };
    let added = context.add(&wanted, &cancel())?;
    say(context, kind, &added)?;
    // Whoever names one file knows what they leave out.
    let is_told = terminal.json || terminal.quiet || place.is_file();
    if let Some(contents) = contents.as_ref().filter(|_| !is_told) {
        say_contents(context, contents)?;
    }
    // What was just written counts from here on.
    let context = context.reopened()?;
    if args.no_sync {
        let value = || json_of(kind, &added, contents.as_ref());
        terminal.show(value, || terminal.note("Next: ai-assist sync"))?;
        return Ok(Outcome::Done);
    }
    let synced = match &added.what {
        AddedAs::Collection { .. } => {
            let args = SyncAll { names: vec![added.name.clone()], no_code: true, ..SyncAll::default() };
            let synced = sync_everything(&context, &args);
            // What can't be had would fail every sync to come, and be warned of at each search. What was interrupted goes on.
            if synced.is_err() && !added.already && !cancel().is_cancelled() {
                take_back(&context, &added)?;
            }
            synced?
        }
        AddedAs::Repo(repo) | AddedAs::OwnRepo(repo) => {
            index_repos(&context, vec![(added.name.clone(), repo.clone())], &SyncAll::default())?
        }
    };
    if terminal.json {
        let mut value = json_of(kind, &added, contents.as_ref());
        value["collections"] = synced.collections.into();
        value["repos"] = synced.repos.into();
        terminal.json(&value)?;
    } else {
        terminal.note("Next: ai-assist search \"your question\"")?;
    }
    Ok(if synced.whole { Outcome::Done } else { Outcome::Partial })
}

/// Undoes a declaration, and takes a configuration that was made for it away again.
fn take_back(context: &Context, added: &Added) -> Result<()> {
    if added.created.is_empty() {
        context.edit_for_user(&context.new_target(), |edit| edit.remove_collection(&added.name))?;
    }
    for file in &added.created {
        std::fs::remove_file(file).with_context(|| format!("removing {}", file.display()))?;
    }
    context.terminal.warn(format!("{} was not added", one_line(&added.name)))
}

/// What a folder of documents holds.
fn contents(context: &Context, source: &Source, glob: Option<&str>) -> Result<Option<FolderContents>> {
    match source {
        Source::Documents { folder, glob: found } => {
            Ok(Some(context.contents(folder, glob.unwrap_or(found), &cancel())?))
        }
        _ => Ok(None),
    }
}

/// Says that there is nothing to add, and what there is instead.
fn nothing(context: &Context, args: &AddArgs, kind: &str, contents: &FolderContents) -> Result<Outcome> {
    let terminal = context.terminal;
    if terminal.json {
        terminal.json(&json!({ "kind": kind, "source": args.source, "added": false, "found": contents }))?;
        return Ok(Outcome::Partial);
    }
    let what = if args.glob.is_some() { "file that the pattern takes" } else { "document" };
    terminal.warn(format!("{} holds no {what}: {}", one_line(&args.source), contents.instead()))?;
    if let Some(glob) = contents.other_glob().filter(|_| args.glob.is_none()) {
        terminal.note(format!("To index other files: ai-assist add {} --glob '{glob}'", one_line(&args.source)))?;
    }
    Ok(Outcome::Partial)
}

/// How many files were found, and what is left out.
pub(crate) fn say_contents(context: &Context, contents: &FolderContents) -> Result<()> {
    let terminal = context.terminal;
    terminal.say(format!("  {}: {}", count(contents.files, "file"), contents.taken()))?;
    match contents.omitted() {
        Some(omitted) => terminal.note(format!("  left out: {omitted}")),
        None => Ok(()),
    }
}

/// Which registry a package comes from, and that others have one of the same name.
pub(crate) fn note_registry(terminal: Terminal, found: &Resolution) -> Result<()> {
    let whose = if found.by_project { "the project's registry" } else { "the registry" };
    terminal.note(format!("Found {} {} in {whose} {}", found.name, found.version, found.registry))?;
    if !found.also_in.is_empty() {
        let also = found.also_in.join(", ");
        terminal.warn(format!("`{}` is in {also} too, which comes later and does not count", one_line(&found.name)))?;
    }
    Ok(())
}

fn json_of(kind: &str, added: &Added, contents: Option<&FolderContents>) -> Value {
    let (id, source) = match &added.what {
        AddedAs::Collection { id, spec } => (id.to_string(), spec.source()),
        AddedAs::Repo(repo) | AddedAs::OwnRepo(repo) => (repo.id.to_string(), repo.root.to_string()),
    };
    let created: Vec<String> = added.created.iter().map(|file| file.display().to_string()).collect();
    let mut value = json!({
        "name": added.name, "kind": kind, "id": id, "source": source, "created": created,
        "already": added.already,
    });
    if let Some(contents) = contents {
        value["found"] = json!(contents);
    }
    if let Some(found) = &added.found {
        value["package"] = json!(found);
    }
    value
}

fn say(context: &Context, kind: &str, added: &Added) -> Result<()> {
    let terminal = context.terminal;
    if terminal.json || terminal.quiet {
        return Ok(());
    }
    for file in &added.created {
        terminal.note(format!("Created {}", file.display()))?;
    }
    if let Some(found) = &added.found {
        note_registry(terminal, found)?;
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
