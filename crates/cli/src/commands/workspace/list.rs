use crate::args::OneWorkspace;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &OneWorkspace) -> Result<Outcome> {
    let workspace = super::load(context, args)?;
    let terminal = context.terminal;
    if terminal.json {
        super::add::said(context, &workspace)?;
        return Ok(Outcome::Done);
    }
    let rows = workspace.repos.iter().map(|repo| {
        let name = repo.alias.clone().unwrap_or_else(|| repo.repo_id.to_string());
        let enabled = if repo.enabled { "yes" } else { "no" };
        vec![name, repo.tags.join(", "), enabled.to_owned(), repo.priority.to_string(), repo.root.to_string()]
    });
    terminal.table(&["repo", "tags", "enabled", "priority", "root"], rows.collect())?;
    terminal.note(format!("{} in {}", count(workspace.repos.len(), "repo"), workspace.path))?;
    Ok(Outcome::Done)
}
