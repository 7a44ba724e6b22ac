use ai_assist_workspace::edit::remove_repo;
use anyhow::Result;

use crate::args::WorkspaceRemove;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::{count, one_line};

pub(crate) fn run(context: &Context, args: &WorkspaceRemove) -> Result<Outcome> {
    let file = super::file(context, &args.workspace)?;
    let lock = context.roots.edit_lock(&file);
    let mut workspace = None;
    for name in &args.repos {
        let left = remove_repo(&file, name, &context.folder, &lock)?;
        if !context.terminal.json && !context.terminal.quiet {
            let repos = count(left.repos.len(), "repo");
            context.terminal.say(format!("Removed {} ({repos} left in {})", one_line(name), one_line(&left.name)))?;
        }
        workspace = Some(left);
    }
    if let Some(workspace) = workspace {
        super::add::said(context, &workspace)?;
    }
    Ok(Outcome::Done)
}
