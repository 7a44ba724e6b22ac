use ai_assist_workspace::config::ResolvedWorkspace;
use ai_assist_workspace::edit::{NewRepo, add_repo, free_alias};

use crate::args::WorkspaceAdd;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &WorkspaceAdd) -> Result<Outcome> {
    if args.alias.is_some() && args.paths.len() > 1 {
        bail!("`--alias` names one repository, and {} are given", args.paths.len());
    }
    let file = super::file(context, &args.workspace)?;
    let lock = context.roots.edit_lock(&file);
    for path in &args.paths {
        let root = context.folder.join(path);
        let repo = NewRepo {
            alias: args.alias.clone().or_else(|| free_alias(&file, &root)),
            root,
            enabled: args.disabled.then_some(false),
            priority: args.priority,
            tags: args.tag.clone(),
        };
        let workspace = add_repo(&file, &repo, &lock)?;
        if !context.terminal.json && !context.terminal.quiet {
            let name = repo.alias.unwrap_or_else(|| path.display().to_string());
            let repos = count(workspace.repos.len(), "repo");
            context.terminal.say(format!("Added {} ({repos} in {})", one_line(&name), one_line(&workspace.name)))?;
        }
    }
    if context.terminal.json {
        said(context, &ResolvedWorkspace::load(&file)?)?;
    }
    Ok(Outcome::Done)
}

pub(super) fn said(context: &Context, workspace: &ResolvedWorkspace) -> Result<()> {
    if !context.terminal.json {
        return Ok(());
    }
    let repo = |repo: &ai_assist_workspace::config::ResolvedRepo| {
        json!({
            "repoId": repo.repo_id, "root": repo.root, "alias": repo.alias, "enabled": repo.enabled,
            "priority": repo.priority, "tags": repo.tags,
        })
    };
    context.terminal.json(&json!({
        "file": workspace.path, "name": workspace.name, "repoSetId": workspace.repo_set_id,
        "repos": workspace.repos.iter().map(repo).collect::<Vec<_>>(),
    }))
}
