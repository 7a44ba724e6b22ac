use ai_assist_workspace::edit::remove_repo;

use crate::args::OneWorkspace;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, repos: &[String], workspace: &OneWorkspace) -> Result<Outcome> {
    let file = super::file(context, workspace)?;
    let lock = context.roots.edit_lock(&file);
    let mut now = None;
    for name in repos {
        let left = remove_repo(&file, name, &context.folder, &lock)?;
        if !context.terminal.json && !context.terminal.quiet {
            let number = count(left.repos.len(), "repo");
            context.terminal.say(format!("Removed {} ({number} left in {})", one_line(name), one_line(&left.name)))?;
        }
        now = Some(left);
    }
    if let Some(workspace) = now {
        super::add::said(context, &workspace)?;
    }
    Ok(Outcome::Done)
}
