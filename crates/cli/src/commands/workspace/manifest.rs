use crate::args::OneWorkspace;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &OneWorkspace) -> Result<Outcome> {
    let workspace = super::load(context, args)?;
    let (manifest, written) = context.write_workspace_manifest(&workspace)?;
    let terminal = context.terminal;
    for found in manifest.diagnostics.errors.iter().chain(&manifest.diagnostics.warnings) {
        let of = found.repo_id.as_ref().map_or(String::new(), |repo| format!("{repo}: "));
        terminal.warn(format!("{of}{}", one_line(&found.message)))?;
    }
    let value = || {
        json!({
            "path": written.path, "manifestHash": written.hash, "repoSetId": manifest.repo_set_id,
            "changed": written.changed, "repos": manifest.repos.len(), "diagnostics": manifest.diagnostics,
        })
    };
    terminal.show(value, || {
        terminal.say(written.path.display())?;
        terminal.say(&written.hash)?;
        terminal.note(if written.changed { "Written." } else { "Unchanged." })
    })?;
    Ok(if manifest.diagnostics.errors.is_empty() { Outcome::Done } else { Outcome::Partial })
}
