//! What is done to the workspace file: `init`, `add`, `remove`, and `list` to see it.

use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_workspace::config::{ResolvedRepo, ResolvedWorkspace, WORKSPACE_FILE};
use ai_assist_workspace::edit::{NewRepo, add_repo, free_alias, init_workspace, remove_repo};

use super::file;
use crate::args::{OneWorkspace, WorkspaceAdd};
use crate::commands::prelude::*;

pub(crate) fn init(context: &Context, name: Option<String>, repos: &[PathBuf]) -> Result<Outcome> {
    let file = context.folder.join(WORKSPACE_FILE);
    let of_folder = || context.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(of_folder).unwrap_or_else(|| "workspace".to_owned());
    let mut workspace = init_workspace(&file, &name)?;
    context.terminal.tell(format!("Created {}", one_line(workspace.path.as_str())))?;
    for path in repos {
        let root = context.folder.join(path);
        let repo = NewRepo { alias: free_alias(&file, &root), root, ..NewRepo::default() };
        workspace = add_repo(&file, &repo)?;
        allow(context, &workspace, &repo.root)?;
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
        let root = context.folder.join(path);
        let repo = NewRepo {
            alias: args.alias.clone().or_else(|| free_alias(&file, &root)),
            root,
            enabled: args.disabled.then_some(false),
            priority: args.priority,
            tags: args.tag.clone(),
        };
        let workspace = add_repo(&file, &repo)?;
        allow(context, &workspace, &repo.root)?;
        let name = repo.alias.unwrap_or_else(|| path.display().to_string());
        let repos = count(workspace.repos.len(), "repo");
        context.terminal.tell(format!("Added {} ({repos} in {})", one_line(&name), one_line(&workspace.name)))?;
    }
    said(context, &ResolvedWorkspace::load(&file)?)?;
    Ok(Outcome::Done)
}

/// Whoever adds a repository by command means it to be read, wherever it lies.
fn allow(context: &Context, workspace: &ResolvedWorkspace, folder: &Path) -> Result<()> {
    let root = canonical_root(folder, &work_tree_top)?;
    Ok(context.allow(&workspace.path.to_path_buf(), &[root.to_path_buf()])?)
}

pub(crate) fn remove(context: &Context, names: &[String], workspace: &OneWorkspace) -> Result<Outcome> {
    let file = file(context, workspace)?;
    let mut workspace = None;
    for name in names {
        let left = remove_repo(&file, name, &context.folder)?;
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
