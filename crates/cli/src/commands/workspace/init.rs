use ai_assist_workspace::config::WORKSPACE_FILE;
use ai_assist_workspace::edit::{NewRepo, add_repo, free_alias, init_workspace};

use super::add::said;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, name: Option<String>, repos: &[PathBuf]) -> Result<Outcome> {
    let file = context.folder.join(WORKSPACE_FILE);
    let lock = context.roots.edit_lock(&file);
    let of_folder = || context.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(of_folder).unwrap_or_else(|| "workspace".to_owned());
    let mut workspace = init_workspace(&file, &name, &lock)?;
    let terminal = context.terminal;
    if !terminal.json && !terminal.quiet {
        terminal.say(format!("Created {}", one_line(workspace.path.as_str())))?;
    }
    for path in repos {
        let root = context.folder.join(path);
        let repo = NewRepo { alias: free_alias(&file, &root), root, ..NewRepo::default() };
        workspace = add_repo(&file, &repo, &lock)?;
    }
    said(context, &workspace)?;
    if repos.is_empty() {
        terminal.note("Add repositories: ai-assist workspace add PATH")?;
    }
    Ok(Outcome::Done)
}
