use anyhow::Result;

use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context) -> Result<Outcome> {
    let shown = |key: &str, value: &str| match (key, value) {
        ("data.dir", "") => context.roots.data.display().to_string(),
        ("cache.root", "") => context.roots.cache.display().to_string(),
        _ => value.to_owned(),
    };
    let settings: Vec<_> = context
        .settings
        .iter()
        .map(|(spec, value, origin)| (spec, shown(spec.key, value), origin.to_string()))
        .collect();
    let project = context.local.as_ref().map(|local| &local.file);
    if context.terminal.json {
        let settings: Vec<_> = settings
            .iter()
            .map(|(spec, value, origin)| {
                serde_json::json!({ "key": spec.key, "value": value, "origin": origin, "env": spec.env, "doc": spec.doc })
            })
            .collect();
        context.terminal.json(&serde_json::json!({ "settings": settings, "project": project }))?;
        return Ok(Outcome::Done);
    }
    let rows =
        settings.iter().map(|(spec, value, origin)| vec![spec.key.to_owned(), value.clone(), origin.clone()]).collect();
    context.terminal.table(&["Setting", "Value", "From"], rows)?;
    match project {
        Some(file) => context.terminal.note(format!("Project: {}", file.display()))?,
        None => context.terminal.note("No project here.")?,
    }
    Ok(Outcome::Done)
}
