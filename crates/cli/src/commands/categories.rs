//! `ai-assist categories …`

use ai_assist_app::Target;
use ai_assist_collections::{CategoryChange, CategorySpec, ListedCategory, Member, ProjectConfig, Resolved};

use crate::args::{CategoryAdd, CategoryChangeArgs, CategoryRemove, CategoryUpdate};
use crate::commands::collections::add::relative;
use crate::commands::collections::edit::{Forgotten, forget, note_used};
use crate::commands::collections::list::status;
use crate::commands::prelude::*;

pub(crate) fn add(context: &Context, args: CategoryAdd) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let dir = match &args.dir {
        Some(dir) => in_project(context, dir, &target.root)?,
        None => args.name.clone(),
    };
    let category = CategorySpec { dir, patterns: args.pattern, description: args.description };
    let edited = target.edit(|edit| edit.add_category(&args.name, &category))?;
    print(context, &target, "Added", &args.name, &edited.after)
}

pub(crate) fn change(context: &Context, args: CategoryChangeArgs) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let name = args.new_name.clone().unwrap_or_else(|| args.name.clone());
    let change = CategoryChange {
        new_name: args.new_name,
        dir: args.dir.map(|dir| in_project(context, &dir, &target.root)).transpose()?,
        patterns: Some(args.pattern).filter(|patterns| !patterns.is_empty()),
        description: args.description,
    };
    let edited = target.edit(|edit| edit.change_category(&args.name, &change))?;
    print(context, &target, "Changed", &name, &edited.after)
}

pub(crate) fn update(context: &Context, args: &CategoryUpdate) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.update_category(&args.name, &args.add, &args.remove))?;
    print(context, &target, "Changed", &args.name, &edited.after)
}

/// A folder, given relative to the current one, as the configuration has it.
fn in_project(context: &Context, dir: &str, root: &Path) -> Result<String> {
    let path = relative(&context.folder.join(dir), root)?;
    Ok(path.strip_prefix("./").unwrap_or(&path).to_owned())
}

fn print(context: &Context, target: &Target, done: &str, name: &str, config: &ProjectConfig) -> Result<Outcome> {
    let Some(category) = config.category(name) else { return Ok(Outcome::Done) };
    let folder = target.root.join(&category.dir);
    if !folder.is_dir() {
        context.terminal.warn(format!("{} is not a folder yet", folder.display()))?;
    }
    context.terminal.show(
        || json!({ "name": name, "category": category, "file": target.file.display().to_string() }),
        || {
            context.terminal.tell(format!("{done} {name}: {} ({})", category.dir, category.patterns.join(", ")))?;
            context.terminal.note(format!("Next: ai-assist collections sync {name}"))
        },
    )
}

pub(crate) fn remove(context: &Context, args: &CategoryRemove) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.remove_category(&args.name))?;
    let has = |categories: &[String]| categories.contains(&args.name);
    let before = edited.before.collections.iter().filter(|(_, declaration)| has(&declaration.categories));
    let collections: Vec<&str> = before.map(|(name, _)| name.as_str()).collect();
    let category = edited.before.category(&args.name);
    // What means nothing has no data, and can go all the same.
    let id = category.and_then(|category| Resolved::category(category, &target.root).ok());
    let id = id.map(|resolved| resolved.id().clone());
    let Forgotten { id, dropped, used_by } = forget(context, &target, &args.name, id, args.drop)?;
    if context.terminal.json {
        context.terminal.json(&json!({
            "name": args.name, "id": id, "collections": collections, "dropped": dropped, "usedBy": used_by,
            "file": target.file.display().to_string(),
        }))?;
    } else {
        let from = if collections.is_empty() { String::new() } else { format!(" and from {}", collections.join(", ")) };
        let also = if dropped { ", and dropped what was indexed of it" } else { "" };
        context.terminal.tell(format!("Removed {} from {}{from}{also}", args.name, target.file.display()))?;
        note_used(context.terminal, &used_by)?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn list(context: &Context) -> Result<Outcome> {
    let members = context.members()?;
    if members.is_empty() {
        context.need_local()?;
    }
    let library = context.library()?;
    let options = context.sync_options()?;
    let mut listed: Vec<ListedCategory> = Vec::new();
    for (config, global) in [(&context.local, false), (&context.global, true)] {
        for (name, category) in config.iter().flat_map(|config| &config.config.categories) {
            let is_it = |member: &&Member| member.global == global && member.category() == Some(name.as_str());
            if let Some(member) = members.iter().find(is_it) {
                listed.push(library.category_status(member, category, &options)?);
            }
        }
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "categories": listed }))?;
        return Ok(Outcome::Done);
    }
    if listed.is_empty() {
        context.terminal.note("No categories yet. Add one: ai-assist categories add guide docs/guide")?;
        return Ok(Outcome::Done);
    }
    let row = |entry: &ListedCategory| {
        let (dir, patterns) = (entry.category.dir.clone(), entry.category.patterns.join(", "));
        vec![entry.name.clone(), dir, patterns, entry.collections.join(", "), status(entry.status).to_owned()]
    };
    let rows = listed.iter().map(row).collect();
    context.terminal.table(&["Name", "Folder", "Patterns", "Collections", "Status"], rows)?;
    for entry in &listed {
        if let Some(detail) = &entry.detail {
            context.terminal.note(format!("{}: {detail}", entry.name))?;
        }
    }
    Ok(Outcome::Done)
}
