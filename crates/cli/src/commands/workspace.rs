//! Commands about workspaces.

pub(crate) mod build;
pub(crate) mod edit;
pub(crate) mod manifest;
pub(crate) mod search;
pub(crate) mod status;

use ai_assist_workspace::config::{ResolvedWorkspace, WORKSPACE_FILE};
use ai_assist_workspace::manifest::WorkspaceManifest;
use ai_assist_workspace::selection::Selection;

use crate::args::{OneWorkspace, Selected};
use crate::commands::prelude::*;

fn file(context: &Context, args: &OneWorkspace) -> Result<PathBuf> {
    match &args.workspace {
        Some(path) => {
            let path = context.place(path);
            Ok(if path.is_dir() { path.join(WORKSPACE_FILE) } else { path })
        }
        None => Ok(context.workspace_file()?),
    }
}

/// The workspace as far as it may reach out of its folder.
fn load(context: &Context, args: &OneWorkspace) -> Result<ResolvedWorkspace> {
    let declared = context.declared_workspace()?;
    context.ask_for_folders_of(declared.as_ref())?;
    match declared.filter(|_| args.workspace.is_none()) {
        Some(declared) => Ok(context.allowed_of(declared)?),
        None => Ok(context.load_workspace(&file(context, args)?)?),
    }
}

fn manifest_of(context: &Context, workspace: &ResolvedWorkspace) -> Result<WorkspaceManifest> {
    Ok(context.workspace_manifest(workspace)?)
}

fn selection(args: &Selected) -> Selection {
    Selection {
        select: args.select.clone(),
        tags: args.tag.clone(),
        repo_filters: args.repo_filter.clone(),
        include_disabled: args.include_disabled,
    }
}
