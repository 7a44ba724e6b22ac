use ai_assist_collections::schemas;
use anyhow::{Context as _, Result};

use crate::args::{Global, Schema, SchemaName};
use crate::commands::Outcome;
use crate::terminal::Terminal;

pub(crate) fn run(global: &Global, args: &Schema) -> Result<Outcome> {
    let name = match args.name {
        SchemaName::Context => "context",
        SchemaName::Manifest => "manifest",
        SchemaName::Lock => "lock",
        SchemaName::Registry => "registry",
        SchemaName::Workspace => "workspace",
        SchemaName::WorkspaceManifest => "workspace-manifest",
        SchemaName::Repo => "repo",
    };
    let of_collections = schemas().into_iter().map(|schema| (schema.name, schema.text));
    let of_workspaces = ai_assist_workspace::schemas().into_iter().map(|schema| (schema.name, schema.text));
    let mut all = of_collections.chain(of_workspaces);
    let (_, text) = all.find(|(found, _)| *found == name).context("there is no such schema")?;
    Terminal::new(global).write(&text)?;
    Ok(Outcome::Done)
}
