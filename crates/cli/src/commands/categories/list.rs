use ai_assist_collections::ListedCategory;

use crate::commands::collections::list::status;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context) -> Result<Outcome> {
    let members = context.members()?;
    if members.is_empty() {
        context.need_local()?;
    }
    let library = context.library()?;
    let options = context.sync_options()?;
    let mut listed: Vec<ListedCategory> = Vec::new();
    for (config, global) in [(&context.local, false), (&context.global, true)] {
        let Some(config) = config else { continue };
        for (name, category) in &config.config.categories {
            let is_it = |member: &&ai_assist_collections::Member| {
                member.global == global && member.category() == Some(name.as_str())
            };
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
    let rows = listed.iter().map(row).collect();
    context.terminal.table(&["Name", "Folder", "Patterns", "Collections", "Status"], rows)?;
    for entry in &listed {
        if let Some(detail) = &entry.detail {
            context.terminal.note(format!("{}: {detail}", entry.name))?;
        }
    }
    Ok(Outcome::Done)
}

fn row(entry: &ListedCategory) -> Vec<String> {
    vec![
        entry.name.clone(),
        entry.category.dir.clone(),
        entry.category.patterns.join(", "),
        entry.collections.join(", "),
        status(entry.status).to_owned(),
    ]
}
