use ai_assist_collections::{CollectionSpec, portable_url, resolve_package};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String], dry_run: bool) -> Result<Outcome> {
    let members = context.named_members(names)?;
    let client = context.client()?;
    let registries = context.registries(&client, &cancel(), true)?;
    let mut changes = Vec::new();
    for member in members {
        let CollectionSpec::Pkg { url, package: Some(package), dependency, public, .. } = &member.spec else {
            if !names.is_empty() {
                bail!("`{}` did not come from a registry; its URL is what pins it", member.name);
            }
            continue;
        };
        let found = resolve_package(&registries, package)?;
        let config = if member.global { context.global.as_ref() } else { context.local.as_ref() };
        let Some(config) = config else { continue };
        let to = portable_url(&found.url, &config.root);
        if to == *url || found.url == *url {
            continue;
        }
        let spec = CollectionSpec::Pkg {
            url: to.clone(),
            hash: Some(found.hash.to_string()),
            package: Some(package.clone()),
            dependency: dependency.clone(),
            public: *public,
        };
        if !dry_run {
            context.edit_for_user(&context.target(member.global)?, |edit| edit.set_source(&member.name, &spec))?;
        }
        let would = if dry_run { "Would upgrade" } else { "Upgraded" };
        context.terminal.tell(format!("{would} {} to {} {}", member.name, found.name, found.version))?;
        changes.push(json!({
            "name": member.name, "package": found.name, "version": found.version, "from": url, "to": to,
        }));
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "dryRun": dry_run, "upgraded": changes }))?;
    } else if changes.is_empty() {
        context.terminal.note("Nothing newer within the ranges that packages were added by")?;
    } else if !dry_run {
        context.terminal.note("Next: ai-assist collections sync")?;
    }
    Ok(Outcome::Done)
}
