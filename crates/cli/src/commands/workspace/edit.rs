//! What is done to the workspace file: `init`, `add`, `remove`, and `list` to see it.

use ai_assist_workspace::config::{ResolvedRepo, ResolvedWorkspace};
use ai_assist_workspace::edit::NewRepo;

use super::file;
use crate::args::{OneWorkspace, WorkspaceAdd};
use crate::commands::prelude::*;

pub(crate) fn init(context: &Context, name: Option<String>, repos: &[PathBuf]) -> Result<Outcome> {
    let of_folder = || context.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(of_folder).unwrap_or_else(|| "workspace".to_owned());
    let mut workspace = context.init_workspace(&name)?;
    let file = workspace.path.to_path_buf();
    context.terminal.tell(format!("Created {}", one_line(workspace.path.as_str())))?;
    for path in repos {
        let repo = NewRepo { root: context.folder.join(path), ..NewRepo::default() };
        workspace = context.add_to_workspace(&file, repo)?.0;
    }
    said(context, &workspace)?;
    if repos.is_empty() {
        context.terminal.note("Add repositories: ai-assist workspace add PATH")?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn add(context: &Context, args: &WorkspaceAdd) -> Result<Outcome> {
    if args.alias.is_some() && args.paths.len() > 1 {
        bail!("`--alias` names one repository, and {} are given", args.paths.len());
    }
    let file = file(context, &args.workspace)?;
    for path in &args.paths {
        let repo = NewRepo {
            alias: args.alias.clone(),
            root: context.folder.join(path),
            enabled: args.disabled.then_some(false),
            priority: args.priority,
            tags: args.tag.clone(),
        };
        let (workspace, alias) = context.add_to_workspace(&file, repo)?;
        let name = alias.unwrap_or_else(|| path.display().to_string());
        let repos = count(workspace.repos.len(), "repo");
        context.terminal.tell(format!("Added {} ({repos} in {})", one_line(&name), one_line(&workspace.name)))?;
    }
    said(context, &ResolvedWorkspace::load(&file)?)?;
    Ok(Outcome::Done)
}

pub(crate) fn remove(context: &Context, names: &[String], workspace: &OneWorkspace) -> Result<Outcome> {
    let file = file(context, workspace)?;
    let mut workspace = None;
    for name in names {
        let left = context.remove_from_workspace(&file, name)?;
        let repos = count(left.repos.len(), "repo");
        context.terminal.tell(format!("Removed {} ({repos} left in {})", one_line(name), one_line(&left.name)))?;
        workspace = Some(left);
    }
    if let Some(workspace) = workspace {
        said(context, &workspace)?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn list(context: &Context, args: &OneWorkspace) -> Result<Outcome> {
    let workspace = ResolvedWorkspace::load(&file(context, args)?)?;
    said(context, &workspace)?;
    if context.terminal.json {
        return Ok(Outcome::Done);
    }
    let rows = workspace.repos.iter().map(|repo| {
        let name = repo.alias.clone().unwrap_or_else(|| repo.repo_id.to_string());
        let enabled = if repo.enabled { "yes" } else { "no" };
        vec![name, repo.tags.join(", "), enabled.to_owned(), repo.priority.to_string(), repo.root.to_string()]
    });
    context.terminal.table(&["repo", "tags", "enabled", "priority", "root"], rows.collect())?;
    for (repo, problem) in workspace.repos.iter().filter_map(|repo| Some((repo, repo.problem()?))) {
        let name = repo.alias.as_deref().unwrap_or(repo.repo_id.as_str());
        context.terminal.warn(format!("{}: {}", one_line(name), one_line(&problem)))?;
    }
    context.terminal.note(format!("{} in {}", count(workspace.repos.len(), "repo"), workspace.path))?;
    Ok(Outcome::Done)
}

fn said(context: &Context, workspace: &ResolvedWorkspace) -> Result<()> {
    if !context.terminal.json {
        return Ok(());
    }
    let repo = |repo: &ResolvedRepo| {
        json!({
            "repoId": repo.repo_id, "root": repo.root, "alias": repo.alias, "enabled": repo.enabled,
            "priority": repo.priority, "tags": repo.tags, "problem": repo.problem(),
        })
    };
    context.terminal.json(&json!({
        "file": workspace.path, "name": workspace.name, "repoSetId": workspace.repo_set_id,
        "repos": workspace.repos.iter().map(repo).collect::<Vec<_>>(),
    }))
}
